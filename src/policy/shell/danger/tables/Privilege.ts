import { rules } from "../Rules.ts"

/** Other users, later times, and the traces one leaves (policy §3.1). */
export const privilege = [
  ...rules(
    "privilege",
    `
    sudo,su,doas,pkexec,run0,runuser,nsenter,machinectl,sudoedit,gksudo,gksu,kdesu,kdesudo,please,dzdo,pbrun,sux,
      newgrp,sg,gosu,su-exec,setuidgid,s6-setuidgid,runas,calife,super
    chroot,umount,swapoff,pivot_root,switch_root,systemd-nspawn,unshare,arch-chroot,capsh,lxc-attach,setpriv,
      schroot,udisksctl,pmount,fusermount
    mount               operand * unless --fake -f -l
    mount               with -a --all --bind -o -t --types unless -l
    chpst,envuidgid     with -u -U
    polkit,pkcheck
    `
  ),
  ...rules(
    "perms",
    `
    setcap
    chattr
    setfacl             with -R --recursive -b --remove-all --restore
    icacls,takeown,cacls
    chflags
    `
  ),
  ...rules(
    "persistence",
    `
    crontab             unless -l
    at,batch            unless -l -V -c
    atrm,incrontab,fcrontab,schtasks
    systemd-run,systemd-tmpfiles,systemd-sysusers
    update-rc.d,chkconfig,rc-update,insserv,sysv-rc-conf
    ssh-copy-id
    code                with --install-extension
    launchctl           load,bootstrap,submit,enable
    osascript           operand *login*item*
    at.exe,reg          add,delete,import
    `
  ),
  ...rules(
    "tamper",
    `
    history             with -c -d
    unset               operand HISTFILE,HISTSIZE,HISTCONTROL,PROMPT_COMMAND,HISTFILESIZE,BASH_ENV
    fc                  with -p
    set                 operand history
    journalctl          with --vacuum-* --rotate --flush --relinquish-var --sync
    journalctl          with --vacuum-time --vacuum-size --vacuum-files
    dmesg               with -c -C --clear --read-clear -D --console-off -n
    logrotate           unless -d --debug
    make,gmake          operand SHELL=* .SHELLFLAGS=*
    enable              with -f -d
    hash                with -p
    bind                with -x
    complete            with -C
    npm,pnpm,yarn       config,c set operand script-shell* registry* ignore-scripts* strict-ssl* cafile* proxy*
      https-proxy* node-options* shell* _auth* //* init-module* git* editor* viewer* npmRegistryServer*
      enableStrictSsl*
    npm,pnpm            set operand script-shell* registry* ignore-scripts* strict-ssl* cafile* proxy* https-proxy*
      node-options* //*
    pip                 config set
    pip                 install,download with --trusted-host --index-url=http:* -i=http:* --extra-index-url=*
    npm,pnpm,yarn,bun   with --script-shell
    gem                 sources with -a --add -r --remove
    utmpdump,lastlog    with -r -C
    wevtutil            cl,clear-log
    log                 erase
    timedatectl         set-*
    hwclock             with -w --systohc --set --hctosys -s --adjust
    date                with -s --set
    chronyc             settime,makestep
    ntpdate,rdate,sntp
    setterm             with --dump
    trap                operand DEBUG
    gpg,gpg2            with --delete-keys --delete-secret-keys --delete-secret-and-public-key --delete-key
      --delete-secret-key
    git                 config operand http.sslVerify=false
    docker              trust,plugin revoke,install,disable,rm
    trust,update-ca-certificates,update-ca-trust
    security            add-trusted-cert,delete-certificate,unlock-keychain,set-keychain-settings,delete-keychain,
      authorizationdb
    certutil            with -A -D -M
    xattr               with -d -c -r operand com.apple.quarantine
    defaults            write,delete,rename,import
    `
  ),
  ...rules(
    "system-write",
    `
    hostnamectl         set-*,hostname *
    make,gmake          install operand PREFIX=/usr* prefix=/usr* PREFIX=/opt* prefix=/opt* DESTDIR=/
    hostname            *
    domainname,nisdomainname *
    localectl           set-*
    locale-gen,dpkg-reconfigure,debconf-set-selections,ldconfig,update-locale,depmod,systemd-firstboot,
      systemd-machine-id-setup
    gsettings           set,reset,reset-recursively
    dconf               write,reset,load
    kwriteconfig5,kwriteconfig6,xfconf-query
    plutil              with -replace -insert -remove
    PlistBuddy          with -c
    tmutil              delete,disable,deletelocalsnapshots,restore
    softwareupdate      with -i --install
    mdutil              with -E -i
    alternatives        with --set --install --remove
    loadkeys,setfont,setxkbmap
    `
  )
]
