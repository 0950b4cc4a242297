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
  alike cp=gcp
csplit = values -f --prefix -b --suffix-format -n --digits; files read; creates pieces xx -f --prefix
dd = files assigned; check fills; is bounded grows keeps-input open reader
fallocate = values -l --length -o --offset; files write; check allocates; is grows
fd fdfind =
  values -e --extension -t --type -d --max-depth -E --exclude -g? -c --color -S --size --changed-within
    --changed-before -j --threads -o --owner --base-directory --min-depth --search-path
  batch pattern
  reads -HIuapsigFL01q -d=number -j=number -S= -e= -t= -E=any -c= --extension= --type= --max-depth=number
    --min-depth=number --exact-depth=number --exclude=any --glob --regex --color= --size= --changed-within=
    --changed-before= --hidden --no-ignore --no-ignore-vcs --absolute-path --full-path --case-sensitive --ignore-case
    --fixed-strings --follow --print0 --max-results=number
  @fd version; is names-words open reader
  alike fd=fdfind
file =
  reads -bikLhN0sr -F= --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --no-pad
    --print0 --raw --special-files --extension --separator=
  is lists ordinary reader
find gfind =
  values -name -iname -path -ipath -wholename -regex -iregex -type -newer -mtime -atime -ctime -mmin -amin -cmin -size
    -user -group -perm -maxdepth -mindepth -fprint -fprint0 -fls -printf -fstype -inum -links -samefile -newermt -uid
    -gid -D -xtype -fprintf
  batch expression; files none; outputs -fprintf -fprint -fprint0 -fls; check finds
  reads -name=text -iname=text -path=text -ipath=text -wholename=text -iwholename=text -regex=text -iregex=text -regextype= -type= -xtype= -atime=
    -mtime= -ctime= -amin= -mmin= -cmin= -used= -size= -maxdepth= -mindepth= -printf=text -links= -inum= -samefile=file
    -perm=any -uid= -gid= -user= -group= -fstype= -lname=text -ilname=text -context= -newer=file -anewer=file -cnewer=file -newermt=text
    -newerat=text -newerct=text -newermm= -newerma= -newermc= -neweram= -neweraa= -newerac= -newercm= -newerca= -newercc= -D=
    -print -print0 -ls -empty -prune -not -o -or -a -and -depth -d -H -L -P -E -X -s -x -mount -xdev -quit -follow
    -readable -writable -executable -true -false -daystart -noleaf -nouser -nogroup -nowarn -warn -ignore_readdir_race
    -O0 -O1 -O2 -O3
  is lists names-words open reader relied single-dash teller
  alike find=gfind
gio kioclient kioclient5 gvfs-trash = fs-wipe trash with --empty
install ginstall = values -t --target-directory -m --mode -o --owner -g --group -S --suffix --strip-program
  files read last write; outputs -t --target-directory; option-exec with --strip-program; check sets-mode
  is abbreviates carries reader places
  @install is ordinary
  alike install=ginstall
ln gln = medium *; values -t --target-directory -S --suffix; same -s=--symbolic -f=--force
  files none last write; outputs -t --target-directory; is abbreviates carries lists reader links places
  alike ln=gln
locate mlocate plocate =
  credentials operand *id_rsa* *id_ed25519* *.pem *.kdbx *credentials* *.env *shadow* *wallet* *.key *.p12
  @locate is ordinary
ls = lists-files
  reads -aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1T -# -I=text -w= --all --almost-all --author --escape --block-size=
    --ignore-backups --color? --directory --dired --classify? --file-type --format= --full-time
    --group-directories-first --no-group --human-readable --si --dereference-command-line --dereference
    --dereference-command-line-symlink-to-dir --hide=text --hyperlink? --indicator-style= --inode --ignore=text --kibibytes
    --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size
    --sort= --time= --time-style=text --tabsize= --width= --context --zero
  is anything lists names-words reader relied teller well-named
mkdir = medium *; values -m --mode; same -p=--parents -m=--mode; files write; check sets-mode
  is grows lists makes-folders names-words quiet well-named
mkfifo gedit subl pico joe hx kate crudini augtool = files write
mknod = files write; check sets-mode
mktemp = is makes-temporary
mv gmv = values -t --target-directory -S --suffix; same -f=--force -t=--target-directory -n=--no-clobber
  medium *; files write moving; outputs -t --target-directory; reads-below; writes-below
  check moves copies-secrets; is abbreviates carries loses reader relied moves places
  alike mv=gmv
patch = values -p -i --input -o --output -d --directory -r -D -B -V; files write; outputs -o --output; creates patched
  spreads-below unless --dry-run
  is ordinary
restic borg duplicity rsnapshot = fs-wipe forget,prune,delete,rewrite,recreate,purge unless -n --dry-run
rimraf del-cli = writes-below; check deletes-trees
rm grm srm unlink = @rm,grm same -r=-R=--recursive -f=--force -i=--interactive -v=--verbose -d=--dir
  files write; @rm,grm,srm writes-below with -r -R --recursive; check deletes
  @rm,grm is abbreviates names-words open relied; is quiet; @unlink is loses
  @rm alike rm=grm
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
stat du = @stat reads -Lftxrsnqc --dereference --file-system --format=text --printf=text --terse --cached=
  @du reads -0aAbcDhHklLmPsSxgn -d=number -B= -t= -X=file -I=text --null --all --apparent-size --block-size= --bytes --total
    --dereference-args --max-depth=number --files0-from=file --human-readable --inodes --count-links --dereference
    --no-dereference --separate-dirs --si --summarize --threshold= --time? --time-style= --exclude-from=file --exclude=text
    --one-file-system
  is anything lists reader
tee = same -a=--append; files write; is abbreviates keeps-input
  reads -ap --append --output-error? operands 4 like /dev/null /dev/stdout /dev/stderr
  check overwrites-many
touch = medium *; values -d --date -t -r --reference; files write; is grows lists names-words
  is ordinary
trash trash-put = writes-below
  @trash is ordinary
trash-empty empty-trash = fs-wipe
tree = values -L -P -I -o -T -H --filelimit
  reads -adfiCFghlnprstuDSAxNqQvcUXJ -L=number -I=next -P=next --noreport --dirsfirst --gitignore --prune --du --si
    --inodes --filesfirst --metafirst --matchdirs --ignore-case
  is ordinary reader
truncate = values -s --size -r --reference -o; files write; check truncates; is abbreviates loses
  is ordinary
`
