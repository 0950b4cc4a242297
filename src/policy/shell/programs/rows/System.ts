/** Disks, kernel, services, network, accounts and settings of the machine. `../Table.ts` says how a row is read. */
export const system = String.raw`
alternatives = system-write with --set --install --remove
  is ordinary
apparmor_parser = kernel with -R --remove -r --replace -C
arp = net-config with -s -d --set --delete
asr = disk restore
at = values -f -q -t; persistence unless -l -V -c; is fed-script open
  is ordinary
at.exe reg = persistence add,delete,import
atrm incrontab fcrontab schtasks systemd-tmpfiles systemd-sysusers update-rc.d chkconfig rc-update insserv sysv-rc-conf
    = persistence
auditctl = kernel with -D -e -d -a -w -W -A
badblocks = disk with -w -n
batch = persistence unless -l -V -c; is fed-script open
  is ordinary
bcachefs = disk format
bpftool = kernel prog,net,map load,attach,detach,update,delete
btrfs = disk subvolume,su,sub delete,del | device,dev delete,remove,add | balance start
certutil = tamper with -A -D -M
chage = accounts unless -l --list
chattr = files write; perms; is quiet
chpst = starts values -u -U -b -e -n -l -L -m -d -o -p -f -c -t; privilege with -u -U
chronyc = tamper settime,makestep
chroot = starts skip 1 values --userspec --groups; privilege; is open
code = files write; persistence with --install-extension; is names-words
  is ordinary
conntrack = net-config with -D -F --delete --flush
cpupower = kernel frequency-set,idle-set
crontab = values -u; persistence unless -l; reads -l operands 0 needs -l; is open
cryptsetup =
  disk luksFormat,erase,luksErase,luksRemoveKey,luksKillSlot,luksAddKey,luksChangeKey,reencrypt,luksClose,close,convert,
    open,luksOpen
csrutil = kernel disable,clear
date = tamper with -s --set
  reads -uRj -I? -d= -r= --utc --universal --rfc-email --iso-8601? --rfc-3339= --date= --reference= --debug operands 1
    like +*
dconf = system-write write,reset,load
defaults = tamper write,delete,rename,import
  is ordinary
diskutil =
  disk erase*,partition*,secureErase,zeroDisk,randomDisk,reformat,apfs,appleRAID,resizeVolume,mergePartitions,unmount*
  is single-dash
dkms = kernel install,remove,add,build,uninstall
dmesg = values -l -f -n -s --level; tamper with -c -C --clear --read-clear -D --console-off -n
  reads -TxktuLrPd -l= -f= --ctime --decode --kernel --userspace --reltime --notime --raw --show-delta --nopager
    --color? --level= --facility= --since= --until= --json operands 0
  is teller
dmsetup = disk remove,remove_all,wipe_table,create,load
domainname nisdomainname = system-write *
dscl =
  accounts ** create,append,delete,passwd,change,-create,-append,-delete,-passwd,-change,merge,-merge | with -create
    -append -delete -passwd -change -merge
dseditgroup = accounts with -o
efibootmgr = disk with -B -b -c -o
ethtool = net-config with -s -K -A -G -L --change
fail2ban-client = net-config set,stop,unban,reload
fdisk = disk unless -l --list
firewall-cmd =
  net-config with --add-* --remove-* --set-* --reload --complete-reload --panic-on --panic-off --permanent --change-*
    --new-* --delete-* --direct
flashrom = disk with -w -E
fsck e2fsck xfs_repair btrfsck fsck.ext4 fsck.xfs dosfsck ntfsfix = disk unless -n -N
fuser = power-service with -k --kill -K
gosu su-exec envuidgid = starts skip 1; privilege
gpart = disk destroy,create,delete
grub-mkconfig grub2-mkconfig = files none; outputs -o --output; kernel
gsettings = system-write set,reset,reset-recursively
halt poweroff reboot = power-service; is no-short-help
  is ordinary
hdparm =
  disk with --security-erase --security-erase-enhanced --security-set-pass --trim-sector-ranges --make-bad-sector
    --write-sector --yes-i-know-what-i-am-doing
homectl = accounts create,remove,update,passwd,activate
hostname =
  system-write *; reads -fsiIdA --fqdn --long --short --ip-address --all-ip-addresses --domain --all-fqdns operands 0
  is teller
hostnamectl = system-write set-*,hostname *
hwclock = tamper with -w --systohc --set --hctosys -s --adjust
ifconfig = net-config * up,down,add,del,delete,netmask,mtu,hw,promisc,-arp,arp,inet,*.*.*.*,ether,lladdr; is teller
ifup ifdown dhclient dhcpcd pump wg-quick brctl ovs-vsctl macchanger pfctl ipfw openvpn wpa_supplicant hostapd =
  net-config
  @pump is ordinary
init = power-service 0,1,2,3,4,5,6,s,S,q
  is ordinary
initctl = power-service start,stop,restart,reload,emit
insmod rmmod kexec kmodsign update-initramfs dracut mkinitcpio update-grub grubby kldload kldunload kextload kextunload
    kmutil setenforce aa-disable aa-complain aa-teardown semodule setsebool semanage rtcwake zramctl = kernel
ip =
  net-config link,l,addr,address,a,route,r,rule,ru,neigh,neighbor,n,netns,tunnel,maddr,xfrm,nexthop,vrf
    set,add,del,delete,flush,change,replace,append,up,down,exec,attach,prepend,restore | **
    set,add,del,delete,flush,replace unless show list help get
  option-exec netns exec
  reads addr,address,a,link,l,route,r,neigh,neighbor,n,rule operands 0 |
    addr,address,a,link,l,route,r,neigh,neighbor,n,rule show,list,ls,sh | route,r get
  reads-globals -4 -6 -j -p -o -d -s -br -c -json -pretty -oneline -details -stats -brief -color=never,auto
  is ordinary single-dash teller
ipset = net-config create,destroy,add,del,flush,swap,rename
iptables ip6tables ebtables arptables iptables-legacy iptables-nft =
  @iptables values -t -A -I -D -s -d -j -p -i -o -m --dport --sport --to-destination --state
  @ip6tables values -t -A -I -D -s -d -j -p -i -o -m --dport --sport
  net-config with -A -I -D -F -X -P -R -N -Z -E --append --insert --delete --flush --policy --delete-chain --replace
    --new-chain --zero
iptables-restore ip6tables-restore ebtables-restore nft-restore = net-config unless -t --test
ipvsadm = net-config with -A -D -C -E
iw = net-config dev * set,connect,disconnect,del
iwconfig = net-config * essid,mode,key,txpower,channel,freq
journalctl = values -u --unit -n --lines -S --since -U --until -p -o --output -t -b? -g --grep -D --file -M
  tamper with --vacuum-* --rotate --flush --relinquish-var --sync | with --vacuum-time --vacuum-size --vacuum-files
  reads -rkxeqalm -# -b? -u= -n= -p= -o= -t= -S= -U= -g= --no-pager --since= --until= --unit= --lines= --priority=
    --output= --output-fields= --grep= --case-sensitive? --boot? --list-boots --disk-usage --identifier= --no-hostname
    --utc --dmesg --reverse --catalog --no-full --full --all --quiet --merge --system --user
kill = values -s --signal -n -q; check kills; is relied
  is ordinary
killall = values -s --signal -u --user -y -o -n; power-service unless -l --list -V
kmod = kernel load,unload,insert,remove
launchctl =
  power-service unless list print print-disabled blame managerpid managername getenv version hostinfo error examine
    procinfo dumpstate; persistence load,bootstrap,submit,enable; is sets-environment
locale-gen dpkg-reconfigure debconf-set-selections ldconfig update-locale depmod systemd-firstboot
    systemd-machine-id-setup kwriteconfig5 kwriteconfig6 xfconf-query loadkeys setfont setxkbmap = system-write
localectl = system-write set-*
log = tamper erase
  is ordinary
loginctl = power-service terminate-*,kill-*,lock-session*,enable-linger,poweroff,reboot
logrotate = tamper unless -d --debug
losetup = disk with -d -D
machinectl sudoedit gksudo gksu kdesu kdesudo please dzdo pbrun sux newgrp runas calife super
    umount swapoff pivot_root switch_root systemd-nspawn arch-chroot capsh lxc-attach schroot udisksctl pmount
    fusermount polkit pkcheck = privilege; @newgrp is fed-script; @machinectl starts shell skip 1 remote
  @systemd-nspawn starts values -D --directory -i --image -M --machine -u --user -E --setenv --bind --bind-ro
  @arch-chroot starts skip 1
  @gksudo,gksu,kdesu,kdesudo,please,dzdo,pbrun,calife,super starts values -u
  @please,runas,super,umount is ordinary
mdadm = disk with --zero-superblock --stop -S --create -C --remove --fail --grow
mdutil = system-write with -E -i
mke2fs mkswap mkdosfs newfs newfs_apfs blkdiscard cfdisk gdisk growfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs
    mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.minix mkfs.cramfs mkfs.bfs mkfs.msdos mkfs.erofs partprobe
    kpartx growpart resize2fs xfs_growfs tune2fs e2label debugfs resizepart lvremove vgremove pvremove lvreduce vgreduce
    lvresize pvcreate vgcreate lvcreate lvextend vgextend pvmove lvconvert vgcfgrestore lvrename vgrename grub-install
    grub2-install lilo extlinux syslinux ddrescue dcfldd dc3dd sg_format sdparm scsi_format_unit mtx qemu-nbd format.com
    diskpart = disk
mkfs = disk; is open
modprobe = kernel unless -n --dry-run --show --show-depends -c --showconfig -D --resolve-alias
mokutil = kernel with --disable-validation --import --delete --reset
monit = power-service stop,unmonitor,quit
  is ordinary
mount = values -t --types -o --options -L -U -T
  privilege operand * unless --fake -f -l | with -a --all --bind -o -t --types unless -l
  is ordinary
net = accounts user,localgroup
  is ordinary
netplan = net-config apply,try,set
netsh wg = net-config set,setconf,add,delete
networksetup = net-config unless -list* -get* -help -version -print*; credentials with -getairportpassword
  is single-dash
nft = net-config add,delete,flush,insert,replace,create,destroy,reset,rename | with -f --file unless -c --check
nmcli =
  net-config connection,con,c,device,dev,d,networking,n,radio,r,general,g up,down,add,modify,mod,delete,del,edit,set,
    connect,disconnect,off,on,hostname,reload,load,import,wifi; credentials with -s --show-secrets
nsenter = starts values -t --target -S -G; privilege; is open
ntpdate rdate sntp trust update-ca-certificates update-ca-trust = tamper
  @trust is ordinary
nvme = disk format,sanitize,delete-ns,write,write-zeroes,write-uncor,fw-commit,detach-ns
nvram = kernel operand *=* | with -c -d
parted = disk unless -l --list print
passwd = accounts unless -S --status
pkexec = starts values --user; privilege; is open
pkill = values -s --signal -u --euid -U --uid -g -G -P --parent -t --terminal -F --pidfile --ns --nslist
  check kills-by-name
PlistBuddy = system-write with -c
plutil = system-write with -replace -insert -remove
pm2 = power-service kill | delete,stop all
  may-start start always-script
pmset = power-service sleepnow,shutdownnow,schedule,repeat
ps = values -p -u -U -g -G -t -C -o --sort --format --pid --user
  reads -AadefFlyHjMcCwTLNnmrSvVxXZ -# -p= -q= -u= -U= -g= -G= -s= -t= -o= -O= -C= -k= --sort= --forest --headers
    --no-headers --no-heading --cols= --columns= --width= --rows= --lines= --pid= --ppid= --quick-pid= --sid= --user=
    --User= --group= --Group= --tty= --format= --deselect --cumulative --context
  is anything lists-processes relied teller
rc-service = power-service * start,stop,restart,zap
resolvectl = net-config dns,domain,revert,flush-caches,llmnr,mdns,dnssec,default-route,dnsovertls,nta
rfkill = net-config block,unblock
route = net-config add,del,delete,flush,change
  is ordinary
run0 = starts values -u --user -g --group -D --chdir --unit; privilege; is open
samba-tool = accounts user
scutil = net-config with --set --nc
service = power-service * start,stop,restart,reload,force-reload,condrestart,try-restart,graceful,kill
  is ordinary
setcap icacls takeown cacls chflags = perms
setfacl = files write; writes-below with -R --recursive; perms with -R --recursive -b --remove-all --restore; is quiet
setpriv = starts; privilege
setterm = tamper with --dump
sfdisk = disk unless -l --list -d --dump -n --no-act --verify -V
sgdisk = disk unless -p --print -i --info -v --verify
shutdown = power-service unless -c; is no-short-help
  is ordinary
socketfilterfw = net-config with --setglobalstate
softwareupdate = system-write with -i --install
spctl = kernel with --master-disable --add --disable --global-disable
supervisorctl = power-service stop,restart,shutdown,reload,remove,update,start
sv = power-service stop,restart,down,kill,term,hup,exit,force-stop,once,up,start
swapon = kernel unless -s --show --summary
  reads -s --show? --summary --bytes --noheadings --raw operands 0 needs -s --show --summary
sysctl = values -f? -r --pattern; kernel with -w --write -p --load --system -f | operand *=*
systemctl = globals -H --host -M --machine
  values -t --type -p --property -H --host -M --machine -n --lines -o --output --state -s --signal --job-mode --root
    --kill-whom --what
  power-service start,stop,restart,reload,reload-or-restart,try-restart,try-reload-or-restart,enable,disable,reenable,
    mask,unmask,kill,isolate,reboot,poweroff,halt,suspend,hibernate,hybrid-sleep,rescue,emergency,default,set-default,
    edit,link,revert,preset,preset-all,daemon-reload,daemon-reexec,set-property,set-environment,unset-environment,
    import-environment,kexec,switch-root,add-wants,add-requires,clean,freeze,thaw
  is names-words sets-environment
  commands 1
systemd-resolve = net-config with --set-dns --set-domain --revert --flush-caches
systemd-run =
  starts values -p --property -u --unit --uid --gid --slice --on-active --on-calendar --description -E --setenv -M -H
    --working-directory; persistence; is open
tailscale = net-config up,down,logout,set,funnel,serve,switch
tc = net-config qdisc,class,filter,q add,del,delete,replace,change
telinit pm-suspend pm-hibernate systemctl-reboot killall5 xkill skill slay suspend s6-svc s6-rc = power-service
  @skill,slay,suspend is ordinary
timedatectl = tamper set-*
tmutil = system-write delete,disable,deletelocalsnapshots,restore
ufw = net-config unless status show version app --dry-run
unshare = starts values -R --root -w --wd --map-user --map-group --setuid --setgid --propagation; privilege; is open
useradd adduser userdel deluser usermod groupadd addgroup groupdel delgroup groupmod groupmems gpasswd chpasswd
    chgpasswd newusers visudo vipw vigr chsh chfn pwconv pwunconv grpconv sysadminctl pw faillock pam-auth-update
    authconfig authselect smbpasswd saslpasswd2 pdbedit kadmin kadmin.local = accounts
utmpdump lastlog = tamper with -r -C
wevtutil = tamper cl,clear-log
wipefs = disk with -a --all -o --offset unless -n --no-act; is abbreviates
wsl = power-service with --shutdown --terminate --unregister
  may-start remote values -d --distribution -u --user --cd begins -e --exec --
xattr = tamper with -d -c -r operand com.apple.quarantine
zfs = disk destroy,rollback,receive,recv,set
zpool = disk destroy,create,labelclear,offline,detach,remove,add,export,replace,split
apachectl apache2ctl httpd = power-service stop,restart,graceful,graceful-stop,start | with -k
nginx = values -s -c -g -p; power-service with -s
anacron = persistence unless -T
format = disk operand *:
  is ordinary
umask = perms operand 0,00,000,0000
`
