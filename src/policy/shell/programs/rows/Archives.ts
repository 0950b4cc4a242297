/** Archives and compression. `../Table.ts` says how a row is read. */
export const archives = String.raw`
7z 7za rar = files read skip 1; creates added; reads-below; @7z,7za spreads-below x,e; @7z is reader
brotli = files pack .br keeps
cpio = values -O -F -D -H -I -E --directory --file --format; files none; outputs -D --directory -F -O; spreads-below
  is reader
gunzip = files unpack .gz
lz4 = files pack .lz4 keeps
tar gtar bsdtar =
  values -f --file -C --directory -I --use-compress-program --to-command --checkpoint-action -T --files-from -X
    --exclude-from --exclude -F --info-script --new-volume-script --rsh-command --rmt-command --transform --xform -N
    --newer -g --listed-incremental --owner --group --mode --mtime --strip-components -b -K -L -V
  same -x=--extract=--get -c=--create -f=--file -C=--directory -z=--gzip -t=--list -v=--verbose; files archive
  reads-below; spreads-below with -x --extract --get | x*,*x,*x*
  option-exec with --to-command --checkpoint-action --rsh-command --rmt-command -F --info-script --new-volume-script
  fs-wipe with --remove-files~; check archives-out compressor unpacks-outside; is abbreviates open reader teller
  is unpacks
unar = files none; outputs -d; spreads-below
unzip = values -d -x -P -O -I; files none; outputs -d; creates members; spreads-below unless -l -t -v -Z -p
  check unpacks-outside; is unpacks
xz bzip2 gzip pigz lzma = @gzip,pigz files pack .gz; @bzip2 files pack .bz2; @xz files pack .xz; @lzma files pack .lzma
  @xz,bzip2,gzip is reader; @gzip is teller
zip = values -x -i -TT -b -n -P -s -t --unzip-command; script-word -TT --unzip-command; files read; creates archive
  reads-below with -r -R --recurse-paths --recurse-patterns; option-exec with -TT --unzip-command; is reader teller
  is ordinary
zstd = files pack .zst keeps; is reader
`
