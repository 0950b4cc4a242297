import { rules } from "../Rules.ts"

/** Disks, kernel, services, network, accounts and packages of the machine (policy §3.1). */
export const system = [
  ...rules(
    "disk",
    `
    mkfs,mke2fs,mkswap,mkdosfs,newfs,newfs_apfs,blkdiscard,cfdisk,gdisk,growfs
    mkfs.ext2,mkfs.ext3,mkfs.ext4,mkfs.xfs,mkfs.btrfs,mkfs.vfat,mkfs.fat,mkfs.ntfs,mkfs.exfat,mkfs.f2fs,mkfs.minix,
      mkfs.cramfs,mkfs.bfs,mkfs.msdos,mkfs.erofs
    wipefs              with -a --all -o --offset unless -n --no-act
    fdisk               unless -l --list
    sfdisk              unless -l --list -d --dump -n --no-act --verify -V
    sgdisk              unless -p --print -i --info -v --verify
    parted              unless -l --list print
    partprobe,kpartx,growpart,resize2fs,xfs_growfs,tune2fs,e2label,debugfs,resizepart
    fsck,e2fsck,xfs_repair,btrfsck,fsck.ext4,fsck.xfs,dosfsck,ntfsfix unless -n -N
    badblocks           with -w -n
    hdparm              with --security-erase --security-erase-enhanced --security-set-pass --trim-sector-ranges
      --make-bad-sector --write-sector --yes-i-know-what-i-am-doing
    nvme                format,sanitize,delete-ns,write,write-zeroes,write-uncor,fw-commit,detach-ns
    cryptsetup          luksFormat,erase,luksErase,luksRemoveKey,luksKillSlot,luksAddKey,luksChangeKey,reencrypt,
      luksClose,close,convert,open,luksOpen
    lvremove,vgremove,pvremove,lvreduce,vgreduce,lvresize,pvcreate,vgcreate,lvcreate,lvextend,vgextend,pvmove,
      lvconvert,vgcfgrestore,lvrename,vgrename
    mdadm               with --zero-superblock --stop -S --create -C --remove --fail --grow
    dmsetup             remove,remove_all,wipe_table,create,load
    zpool               destroy,create,labelclear,offline,detach,remove,add,export,replace,split
    zfs                 destroy,rollback,receive,recv,set
    btrfs               subvolume,su,sub delete,del
    btrfs               device,dev delete,remove,add
    btrfs               balance start
    bcachefs            format
    diskutil            erase*,partition*,secureErase,zeroDisk,randomDisk,reformat,apfs,appleRAID,resizeVolume,
      mergePartitions,unmount*
    asr                 restore
    gpart               destroy,create,delete
    flashrom            with -w -E
    losetup             with -d -D
    efibootmgr          with -B -b -c -o
    grub-install,grub2-install,lilo,extlinux,syslinux
    ddrescue,dcfldd,dc3dd
    sg_format,sdparm,scsi_format_unit,mtx
    qemu-nbd
    format.com,diskpart
    `
  ),
  ...rules(
    "kernel",
    `
    insmod,rmmod,kexec,kmodsign,update-initramfs,dracut,mkinitcpio,update-grub,grub-mkconfig,grub2-mkconfig,grubby
    modprobe            unless -n --dry-run --show --show-depends -c --showconfig -D --resolve-alias
    kmod                load,unload,insert,remove
    dkms                install,remove,add,build,uninstall
    sysctl              with -w --write -p --load --system -f
    sysctl              operand *=*
    kldload,kldunload,kextload,kextunload,kmutil
    setenforce,aa-disable,aa-complain,aa-teardown,semodule
    setsebool,semanage
    apparmor_parser     with -R --remove -r --replace -C
    auditctl            with -D -e -d -a -w -W -A
    mokutil             with --disable-validation --import --delete --reset
    cpupower            frequency-set,idle-set
    rtcwake,zramctl
    bpftool             prog,net,map load,attach,detach,update,delete
    swapon              unless -s --show --summary
    csrutil             disable,clear
    spctl               with --master-disable --add --disable --global-disable
    nvram               operand *=*
    nvram               with -c -d
    `
  ),
  ...rules(
    "power-service",
    `
    shutdown            unless -c
    reboot,halt,poweroff,telinit,pm-suspend,pm-hibernate,systemctl-reboot,killall5,xkill,skill,slay,suspend
    init                0,1,2,3,4,5,6,s,S,q
    killall             unless -l --list -V
    systemctl           start,stop,restart,reload,reload-or-restart,try-restart,try-reload-or-restart,enable,
      disable,reenable,mask,unmask,kill,isolate,reboot,poweroff,halt,suspend,hibernate,hybrid-sleep,rescue,
      emergency,default,set-default,edit,link,revert,preset,preset-all,daemon-reload,daemon-reexec,set-property,
      set-environment,unset-environment,import-environment,kexec,switch-root,add-wants,add-requires,clean,freeze,
      thaw
    service             * start,stop,restart,reload,force-reload,condrestart,try-restart,graceful,kill
    rc-service          * start,stop,restart,zap
    initctl             start,stop,restart,reload,emit
    sv                  stop,restart,down,kill,term,hup,exit,force-stop,once,up,start
    s6-svc,s6-rc
    supervisorctl       stop,restart,shutdown,reload,remove,update,start
    launchctl           unless list print print-disabled blame managerpid managername getenv version hostinfo error
      examine procinfo dumpstate
    loginctl            terminate-*,kill-*,lock-session*,enable-linger,poweroff,reboot
    fuser               with -k --kill -K
    tmux                kill-server,kill-session
    screen              operand quit
    brew                services stop,restart,start,run,kill
    pm2                 kill
    pm2                 delete,stop all
    monit               stop,unmonitor,quit
    pmset               sleepnow,shutdownnow,schedule,repeat
    wsl                 with --shutdown --terminate --unregister
    `
  ),
  ...rules(
    "net-config",
    `
    iptables,ip6tables,ebtables,arptables,iptables-legacy,iptables-nft with -A -I -D -F -X -P -R -N -Z -E --append
      --insert --delete --flush --policy --delete-chain --replace --new-chain --zero
    iptables-restore,ip6tables-restore,ebtables-restore,nft-restore unless -t --test
    nft                 add,delete,flush,insert,replace,create,destroy,reset,rename
    nft                 with -f --file unless -c --check
    ufw                 unless status show version app --dry-run
    firewall-cmd        with --add-* --remove-* --set-* --reload --complete-reload --panic-on --panic-off
      --permanent --change-* --new-* --delete-* --direct
    ip                  link,l,addr,address,a,route,r,rule,ru,neigh,neighbor,n,netns,tunnel,maddr,xfrm,nexthop,vrf
      set,add,del,delete,flush,change,replace,append,up,down,exec,attach,prepend,restore
    ip                  ** set,add,del,delete,flush,replace unless show list help get
    ifconfig            * up,down,add,del,delete,netmask,mtu,hw,promisc,-arp,arp,inet,*.*.*.*,ether,lladdr
    route               add,del,delete,flush,change
    arp                 with -s -d --set --delete
    ifup,ifdown,dhclient,dhcpcd,pump,wg-quick,brctl,ovs-vsctl,macchanger,pfctl,ipfw,openvpn,wpa_supplicant,hostapd
    resolvectl          dns,domain,revert,flush-caches,llmnr,mdns,dnssec,default-route,dnsovertls,nta
    systemd-resolve     with --set-dns --set-domain --revert --flush-caches
    nmcli               connection,con,c,device,dev,d,networking,n,radio,r,general,g up,down,add,modify,mod,delete,
      del,edit,set,connect,disconnect,off,on,hostname,reload,load,import,wifi
    netplan             apply,try,set
    networksetup        unless -list* -get* -help -version -print*
    scutil              with --set --nc
    tc                  qdisc,class,filter,q add,del,delete,replace,change
    ethtool             with -s -K -A -G -L --change
    iwconfig            * essid,mode,key,txpower,channel,freq
    iw                  dev * set,connect,disconnect,del
    rfkill              block,unblock
    tailscale           up,down,logout,set,funnel,serve,switch
    conntrack           with -D -F --delete --flush
    ipvsadm             with -A -D -C -E
    ipset               create,destroy,add,del,flush,swap,rename
    netsh,wg            set,setconf,add,delete
    socketfilterfw      with --setglobalstate
    /usr/libexec/ApplicationFirewall/socketfilterfw
    fail2ban-client     set,stop,unban,reload
    `
  ),
  ...rules(
    "accounts",
    `
    useradd,adduser,userdel,deluser,usermod,groupadd,addgroup,groupdel,delgroup,groupmod,groupmems,gpasswd,chpasswd,
      chgpasswd,newusers,visudo,vipw,vigr,chsh,chfn,pwconv,pwunconv,grpconv,newusers,sysadminctl,pw,faillock,
      pam-auth-update,authconfig,authselect
    passwd              unless -S --status
    chage               unless -l --list
    dscl                ** create,append,delete,passwd,change,-create,-append,-delete,-passwd,-change,merge,-merge
    dscl                with -create -append -delete -passwd -change -merge
    dseditgroup         with -o
    smbpasswd,saslpasswd2,pdbedit,kadmin,kadmin.local
    net                 user,localgroup
    samba-tool          user
    homectl             create,remove,update,passwd,activate
    ssh-copy-id
    `
  ),
  ...rules(
    "packages",
    `
    apt,apt-get,aptitude remove,purge,autoremove,autopurge unless -s --simulate --dry-run --just-print --no-act
      --recon
    dpkg                with -r -P --remove --purge --force-all --force-remove-essential --force-depends
    rpm                 with -e --erase
    dnf,yum,microdnf,tdnf,zypper remove,erase,autoremove,rm,swap,downgrade unless --assumeno -D --dry-run
    pacman,yay,paru,pamac with -R --remove unless -p --print
    pacman              with -Rns -Rs -Rsc -Rdd -Rn
    apk                 del unless -s --simulate
    brew                uninstall,remove,rm,autoremove,untap unless -n --dry-run
    snap                remove,revert,disable
    flatpak             uninstall,remove
    port                uninstall
    emerge              with -C --unmerge -c --depclean --prune unless -p --pretend
    nix-env             with -e --uninstall
    nix-collect-garbage with -d --delete-old --delete-older-than
    nix                 profile remove,wipe-history
    xbps-remove,pkgrm,slackpkg,removepkg,swupd
    pkg                 delete,remove,autoremove
    choco,scoop,winget uninstall
    do-release-upgrade,apt-key,add-apt-repository,apt-add-repository
    rustup              self uninstall
    guix                remove
    opkg                remove
    conda,mamba         env remove
    conda,mamba         remove with --all
    dpkg-divert,update-alternatives with --remove --remove-all --rename --set --install
    `
  )
]
