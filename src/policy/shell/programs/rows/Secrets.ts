/** Password stores and credentials. `../Table.ts` says how a row is read. */
export const secrets = String.raw`
age = files read; outputs -o --output; credentials with -d --decrypt
  is ordinary
ansible-vault = credentials view,decrypt,edit
bw rbw lpass = credentials get,show,export,list
chamber = starts exec dashes; credentials read,export
chezmoi = credentials secret
circleci = publish-deploy trigger,build,run,delete; credentials context
getent = credentials shadow,gshadow; check looks-up; reads passwd,group,services,protocols,rpc,networks
gpg gpg2 =
  values -o --output -r --recipient -u --local-user --homedir --passphrase --passphrase-file --keyserver --default-key
    --batch? -b?; files read; outputs -o --output
  tamper with --delete-keys --delete-secret-keys --delete-secret-and-public-key --delete-key --delete-secret-key
  credentials with --export-secret-keys --export-secret-key --export-secret-subkeys --export-ownertrust
  is reader relied teller
  alike gpg=gpg2
infisical = starts run dashes; credentials secrets,export
keepassxc-cli = credentials show,export,clip,ls
keyring = credentials get; is teller
  is ordinary
klist kinit = credentials with -k
kwallet-query gnome-keyring seahorse git-credential-store git-credential-cache git-credential-osxkeychain
    git-credential-manager docker-credential-desktop docker-credential-osxkeychain docker-credential-pass
    docker-credential-secretservice docker-credential-ecr-login mimikatz lazagne laZagne.py hashcat john unshadow
    secretsdump.py crackmapexec responder hydra gitleaks-steal pypykatz procdump gcore firefox_decrypt = credentials
  @john,responder,hydra is ordinary
op = starts run dashes; next-runs run; credentials read,item,get,document,inject; is teller
pass gopass passage = credentials unless ls list version git init find grep; @pass,gopass credentials show,otp,grep,-c
  @pass is relied teller
  @pass,passage is ordinary
secret-tool = credentials lookup,search
security =
  tamper add-trusted-cert,delete-certificate,unlock-keychain,set-keychain-settings,delete-keychain,authorizationdb
  credentials find-generic-password,find-internet-password,dump-keychain,export,find-key,find-identity,find-certificate,
    login-keychain,show-keychain-info; is teller
  is ordinary
snyk = credentials config get
sops = starts exec-env skip 1 script; credentials with -d --decrypt | decrypt
strings = files read; outputs -o --output; credentials operand /dev/mem /dev/kmem /proc/kcore
  reads -adfwU -# -n= -t= -e= -o --all --bytes= --print-file-name --radix= --encoding= --data --include-all-whitespace
    --output-separator=
  is anything ordinary reader teller
systemd-creds = credentials decrypt,cat
vault =
  publish-deploy delete,write,unwrap,revoke,seal,rekey,operator | kv,secrets,auth,policy,token,lease,namespace delete,
    destroy,put,patch,metadata,disable,enable,write,revoke,undelete,move
  credentials read,login,print | kv get | token create,lookup; is teller
  commands ** list,show,status
keyctl = credentials show,print,pipe,read,request
`
