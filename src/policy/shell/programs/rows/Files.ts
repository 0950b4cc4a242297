/** Programs that list, copy, move, change and delete files. `../Table.ts` says how a row is read. */
export const files = String.raw`
  @export is ordinary
chmod chown chgrp = @chmod,chgrp values --reference; @chown values --reference --from; @chmod,chown same -R=--recursive
  files write; writes-below with -R --recursive; @chmod check changes-mode; @chown,chgrp check changes-owner
  is abbreviates quiet; @chmod,chown is relied
cp gcp = medium *; values -t --target-directory -S --suffix
  same -r=-R=--recursive -f=--force -a=--archive -t=--target-directory -l=--link -s=--symbolic-link
  files read last write; outputs -t --target-directory; reads-below with -r -R -a --recursive --archive
  spreads-below with -r -R -a --recursive --archive; check copies-secrets
  is abbreviates carries grows reader relied teller places
csplit = values -f --prefix -b --suffix-format -n --digits; files read; creates pieces xx -f --prefix
dd = files assigned; check fills; is bounded grows keeps-input open reader
fallocate = values -l --length -o --offset; files write; check allocates; is grows
fd fdfind =
  values -e --extension -t --type -d --max-depth -E --exclude -g? -c --color -S --size --changed-within --changed-before
    -j --threads -o --owner --base-directory --min-depth --search-path; batch pattern; safe options
  safe-short ^-[HIuapsigFL01q]*([djS][\w.+-]*|[et]\w*|[Ec][^]*)?$
  safe-long --extension --type --max-depth --min-depth --exact-depth --exclude --glob --regex --color --size
    --changed-within --changed-before --hidden --no-ignore --no-ignore-vcs --absolute-path --full-path --case-sensitive
    --ignore-case --fixed-strings --follow --print0 --max-results; is names-words open reader
file = safe options; safe-short ^-[bikLhN0s]+$
  safe-long --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going; is lists reader
  is ordinary
find gfind =
  values -name -iname -path -ipath -wholename -regex -iregex -type -newer -mtime -atime -ctime -mmin -amin -cmin -size
    -user -group -perm -maxdepth -mindepth -fprint -fprint0 -fls -printf -fstype -inum -links -samefile -newermt -uid
    -gid -D -xtype -fprintf; batch expression; files none; outputs -fprintf -fprint -fprint0 -fls; safe options
  safe-short ^-(\d[\w.]*|[ugoa]*[-+=][rwxst]+|newer\w*|O\d)$
  safe-long -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -atime -mtime
    -ctime -amin -mmin -cmin -size -user -group -perm -maxdepth -mindepth -print -print0 -printf -ls -empty -prune -not
    -o -or -a -and -depth -d -H -L -P -E -X -s -x -mount -xdev -quit -follow -links -inum -samefile -readable -writable
    -executable -true -false -daystart -noleaf -nouser -nogroup -uid -gid -fstype -lname -ilname; check finds
  is lists names-words open reader relied teller single-dash
gio kioclient kioclient5 gvfs-trash = fs-wipe trash with --empty
install ginstall = values -t --target-directory -m --mode -o --owner -g --group -S --suffix --strip-program
  files read last write; outputs -t --target-directory; option-exec with --strip-program; check sets-mode
  is abbreviates carries reader places
  @install is ordinary
ln gln = medium *; values -t --target-directory -S --suffix; same -s=--symbolic -f=--force
  files none last write; outputs -t --target-directory; is abbreviates carries lists reader links places
locate mlocate plocate =
  credentials operand *id_rsa* *id_ed25519* *.pem *.kdbx *credentials* *.env *shadow* *wallet* *.key *.p12
  @locate is ordinary
ls = safe always; is batch-safe lists names-words reader relied teller well-named
  lists-files
mkdir = medium *; values -m --mode; same -p=--parents -m=--mode; files write; check sets-mode
  is grows lists makes-folders names-words quiet well-named
mkfifo gedit subl pico joe hx kate crudini augtool = files write
mknod = files write; check sets-mode
mktemp = is makes-temporary
mv gmv = values -t --target-directory -S --suffix; same -f=--force -t=--target-directory -n=--no-clobber
  medium *; files write moving; outputs -t --target-directory; reads-below; writes-below
  check moves copies-secrets; is abbreviates carries loses reader relied moves places
patch = values -p -i --input -o --output -d --directory -r -D -B -V; files write; outputs -o --output; creates patched
  spreads-below unless --dry-run
  is ordinary
restic borg duplicity rsnapshot = fs-wipe forget,prune,delete,rewrite,recreate,purge unless -n --dry-run
rimraf del-cli = writes-below; check deletes-trees
rm grm srm unlink = @rm,grm same -r=-R=--recursive -f=--force -i=--interactive -v=--verbose -d=--dir
  files write; @rm,grm,srm writes-below with -r -R --recursive; check deletes
  @rm,grm is abbreviates names-words open relied; is quiet; @unlink is loses
rmdir = files write; is quiet
rsync =
  values -e --rsh -f --filter --exclude --include --exclude-from --include-from --files-from --log-file --rsync-path -T
    --temp-dir --backup-dir --suffix --password-file --bwlimit --timeout --port -B -M --remote-option --chmod --chown
    --out-format --compare-dest --copy-dest --link-dest --partial-dir --max-size --min-size
  same -e=--rsh -a=--archive -r=--recursive -n=--dry-run; files read last write; outputs --log-file --backup-dir
  reads-below with -r -a --recursive --archive; spreads-below with -r -a --recursive --archive --delete; network-address
  option-exec with --rsync-path; check mirrors copies-out remote-shell; is open places reader
shred = values -n --iterations -s --size --random-source; files write; check shreds; is abbreviates loses quiet
  is ordinary
split = values -b -l -n -C -a -t --filter --additional-suffix; script --filter; files read; creates pieces x
  option-exec with --filter=*!*
  is ordinary
sponge = files write; in-place -i --in-place --inplace; is keeps-input
stat du = safe always; is batch-safe lists reader
tee = same -a=--append; files write; is abbreviates keeps-input
touch = medium *; values -d --date -t -r --reference; files write; is grows lists names-words
  is ordinary
trash trash-put = writes-below
  @trash is ordinary
trash-empty empty-trash = fs-wipe
tree = values -L -P -I -o -T -H --filelimit; safe options
  safe-short ^-([adfiCFghlnprstuDSAxNqQvcUXJ]+|[adfiC]*(L\d*|[IP]))$
  safe-long --noreport --dirsfirst --gitignore --prune --du --si --inodes; is reader
  is ordinary
truncate = values -s --size -r --reference -o; files write; check truncates; is abbreviates loses
  is ordinary
`
