/** Archives and compression. `../Table.ts` says how a row is read. */
export const archives = String.raw`
7z 7za rar = files read skip 1; creates added; reads-below; @7z,7za spreads-below x,e; @7z is reader
  fs-wipe with -sdel
brotli = files pack .br keeps
cpio = values -O -F -D -H -I -E --directory --file --format; files none; outputs -D --directory -F -O; spreads-below
  is reader
gunzip = files unpack .gz
  reads -ckqvtl --stdout --to-stdout --keep --quiet --verbose --test --list needs -c --stdout --to-stdout -t --test -l
    --list
lz4 = files pack .lz4 keeps
tar gtar bsdtar =
  values -f --file -C --directory -I --use-compress-program --to-command --checkpoint-action -T --files-from -X
    --exclude-from --exclude -F --info-script --new-volume-script --rsh-command --rmt-command --transform --xform -N
    --newer -g --listed-incremental --owner --group --mode --mtime --strip-components -b -K -L -V
  same -x=--extract=--get -c=--create -f=--file -C=--directory -z=--gzip -t=--list -v=--verbose; files archive
  reads-below; spreads-below with -x --extract --get | x*,*x,*x*
  option-exec with --to-command --checkpoint-action --rsh-command --rmt-command -F --info-script --new-volume-script
  fs-wipe with --remove-files~ --recursive-unlink~; check archives-out compressor unpacks-outside
  reads tf,tvf,tzf,tzvf,tvzf,ztf,ztvf,tjf,tjvf,tvjf,tJf,tJvf,tvJf,taf unlike *:* | -tvzjJa -f=local --list --verbose
    --gzip --xz --bzip2 --zstd --auto-compress --file=local --numeric-owner --full-time needs -t --list
  is abbreviates open reader teller unpacks
  @tar alike tar=gtar
unar = files none; outputs -d; spreads-below
unzip = values -d -x -P -O -I; files none; outputs -d; creates members; spreads-below unless -l -t -v -Z -p
  check unpacks-outside; reads -lvqZ1t needs -l -v -t -Z; is unpacks
xz bzip2 gzip pigz lzma = @gzip,pigz files pack .gz; @bzip2 files pack .bz2; @xz files pack .xz; @lzma files pack .lzma
  @xz,gzip,pigz,lzma reads -cdkqvtl -# --stdout --to-stdout --decompress --uncompress --keep --quiet --verbose --test
    --list needs -c --stdout --to-stdout -t --test -l --list
  @bzip2 reads -cdkqvt -# --stdout --decompress --keep --quiet --verbose --test needs -c --stdout -t --test
  @xz,bzip2,gzip is reader; @gzip is teller
zip = values -x -i -TT -b -n -P -s -t --unzip-command; script-word -TT --unzip-command; files read; creates archive
  reads-below with -r -R --recurse-paths --recurse-patterns; option-exec with -TT --unzip-command; is reader teller
  is ordinary
  fs-wipe with -m --move
zstd = files pack .zst keeps; is reader
  reads -cdkqvtl -# --stdout --decompress --uncompress --keep --quiet --verbose --test --list --no-progress needs -c --stdout -t
    --test -l --list
`
