/** Downloads, uploads, remote shells, names and mail. `../Table.ts` says how a row is read. */
export const network = String.raw`
aria2c = values -o --out -d --dir -i --input-file -x -s -j; files none; outputs -o --out -d --dir; network; downloads
  saves address; option-exec with --on-download-* --on-bt-download-complete; is fetcher
autossh = starts skip 1 script remote values -M; network; check ssh-options
axel = files none; outputs -o --out -d --dir; network; downloads; saves address
croc = exfil send,tx | *
cryptcat = check connects
curl =
  values -o --output -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string -T
    --upload-file -H --header -X --request -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -K
    --config -x --proxy -m --max-time -w --write-out -E --cert --key --cacert --connect-timeout --retry --retry-delay
    --url --output-dir --resolve --connect-to --interface --unix-socket -r --range -C --continue-at -D --dump-header -U
    --proxy-user --limit-rate -Y -y -z --time-cond --max-redirs --trace --trace-ascii --stderr
  same -L=--location -o=--output -O=--remote-name -X=--request -d=--data -F=--form -T=--upload-file -H=--header
    -k=--insecure -u=--user -s=--silent -f=--fail -x=--proxy -K=--config -I=--head; files none
  outputs -o --output --output-dir -c --cookie-jar -D --dump-header --trace --trace-ascii
  inputs -T --upload-file -K --config --key -E --cert; network; downloads
  saves named -O --remote-name --remote-name-all -J; option-exec with -K -K=* --config=*; check uploads
  is abbreviates fetcher follows-redirects open reader relied
dig nslookup host = @dig values -p -b -t -k -f -y -q -c; network; downloads; check looks-up
  @host is ordinary
drill finger = downloads; check looks-up
  is ordinary
fetch = downloads; saves address
  is ordinary
ftp tftp = network; downloads; check transfers; @ftp exfil with -u
GET lwp-request lwp-download curlie = downloads
gist 0x0 ix tb termbin telnet-ssl = streams; check streams
  @gist,ix,tb is ordinary
http https xh httpie = @http,https values -o --output -d? -a --auth -A --session --proxy --verify --timeout -p
  @http,https,xh files none; @http,https,xh outputs -o --output; @http,https,xh network; downloads
  @http,https,xh saves option; check sends-items; is fetcher; @http,https,xh is follows-redirects
ipfs = downloads; exfil add
kdig = check looks-up
lftp = network; downloads; check transfers; is fetcher
links elinks grpcurl = downloads; is fetcher
  @links is ordinary
  @grpcurl publish-deploy operand */Delete* */Remove* */Drop* */Purge* */Destroy* */Terminate*
lynx w3m = network; downloads; is fetcher
mail mailx sendmail msmtp s-nail ssmtp = check mails
  @mail is ordinary
mosh = starts skip 1 remote; network; check ssh-options
mosquitto_pub = values -h -p -t -u -P -f -i; network; exfil with -f -l -s
mtr ssh-keyscan = network
mutt neomutt = @mutt files none; @mutt inputs -a --attach; option-exec with -e=*!*; check mails
nc ncat netcat nc.traditional nc.openbsd =
  @nc,netcat,nc.traditional,nc.openbsd values -e -c -p -s -w -i -q -x -X -I -O -P -T -V -m -g -G
  @ncat values -e --exec -c --sh-exec --lua-exec -p --source-port -s -w -i -d --proxy --proxy-type -m --allow --deny -o
    --output; @nc,ncat files none; @nc,ncat,netcat network; @nc,ncat,netcat downloads; check connects; @nc,ncat is open
  @nc is reader
ncftp curlftpfs davfs cadaver = check transfers
ncftpput = exfil; check transfers
nmap = option-exec with --script=/* --script=./* --script=http* --interactive | with --script=*.nse
openssl =
  values -in -out -key -inkey -keyfile -passin -passout -pass -k -K -iv -CAfile -CA -CAkey -connect -servername -engine
    -provider -config -days -subj -newkey -keyout -host -port; files none; outputs -out -keyout
  reads x509 -in=file -noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -md5 -purpose
    -hash -subject_hash -issuer_hash -pubkey -modulus -email -ocsp_uri -inform= -nameopt= -certopt= -ext= -checkend=number
    -alias -ocspid needs -noout | req -in=file -noout -text -subject -verify -pubkey -modulus -inform= -nameopt= needs -noout
    -in | crl -in=file -noout -text -issuer -lastupdate -nextupdate -fingerprint -hash -inform= needs -noout | verify
    -CAfile=file -untrusted=file -purpose= -show_chain -verbose -x509_strict | version -a -v -b -o -f -p -d | asn1parse -in=file -i
    -inform= -dump needs -in | dgst,sha256,sha1,md5 -sha256 -sha1 -sha512 -sha384 -md5 -hex -r -c
  inputs -in -inkey -key -keyfile; downloads s_client; streams s_client; certificates x509,verify,crl,s_client
  option-exec with -engine -provider -provider-path; check pours streams; is reader single-dash teller
pastebinit wormhole-send transfer.sh sendfile = exfil
ping = values -c -i -I -w -W -s -t -M -Q -p; network; check looks-up
puppeteer = network install
s3cmd s4cmd s5cmd mc rclone b2 azcopy = @rclone network copy,sync,ls,lsd,move; @rclone downloads
  publish-deploy del,delete,deletefile,rm,rb,sync,purge,mv,move,put,copy,copyto,moveto,mirror,rmdir,rmdirs,cleanup,
    remove,upload,setacl,dedupe,bisync,modify,fixbucket,delete-*,upload-*,post unless --dry-run -n
  @s3cmd,s4cmd,s5cmd,mc,azcopy publish-deploy cp,copy last s3://* */* https://*
  @mc,b2 is ordinary
scp sftp = @scp values -o -i -P -F -S -J -l -c -D -X; @sftp values -o -i -P -F -S -J -l -b -B -s -R -D
  files read last write; @scp reads-below with -r; @scp spreads-below with -r; network; downloads; saves last
  option-exec with -S -D; @scp check copies-out; @sftp check transfers-batch; check ssh-options; is open
  @scp is places reader relied
smbclient = downloads; check transfers
socat = values -T -t -b -L -W -lf; files none; downloads; check relays; is open
ssh = values -o -i -p -l -F -L -R -D -W -J -b -c -e -m -O -Q -S -w -E -B -I; wraps skip 1 script remote login; network
  downloads; publish-deploy with -R -w; option-exec with -I; check logs-in ssh-options
  is evaluates names-words open relied
ssh-add = files read; outputs -o --output; credentials with -D -d; option-exec with -D -s
ssh-copy-id = files none; inputs -i; network; accounts; persistence; check ssh-options
ssh-keygen = values -f -t -b -C -N -P -D -I -n -V -z -s -Y -O -i? -m -R -F; files none; outputs -f; credentials with -y
  option-exec with -D -s; is key-files reader
sshpass = starts values -p -f -d -P; check logs-in
swaks = files none; inputs -a --attach; check mails
tcpdump = values -z -w -i -c -r -s -G -C -W -F; files none; outputs -w; option-exec with -z; credentials with -w
telnet = files none; network; downloads; check connects; is open
traceroute whois = network; @whois downloads; check looks-up
tshark dumpcap = files none; outputs -w; option-exec with -X
websocat = network; downloads; streams; check streams; is fetcher
wget wget2 =
  @wget values -O --output-document -P --directory-prefix -o --output-file -a --append-output -i --input-file
    --post-file --post-data --body-file --body-data --method --header -U --user-agent -e --execute -T --timeout -t
    --tries -Q --use-askpass --user --password --load-cookies --save-cookies -A -R -D -I -X -l --level -w --wait -B
    --base --referer --ca-certificate --limit-rate
  @wget same -O=--output-document -q=--quiet -r=--recursive -i=--input-file -P=--directory-prefix; files none
  outputs -O --output-document -P --directory-prefix -o --output-file -a --append-output
  inputs --post-file --body-file -i --input-file; network; downloads; saves address
  @wget option-exec with --use-askpass -e=*use_askpass* --execute=*use_askpass*; check posts
  @wget is abbreviates fetcher follows-redirects open reader relied
wormhole magic-wormhole = exfil send,tx
wscat = network; downloads; streams; check streams
yt-dlp = network; downloads
`
