/** Programs that read and filter text, and editors. `../Table.ts` says how a row is read. */
export const text = String.raw`
  @export,text is ordinary
awk gawk mawk nawk = @awk values -F -v -f --file --assign
  @gawk values -F -v -f -l -E -i --file --assign --load --include --exec; @mawk values -F -v -f
  files read skip 1 unless -f --file; inputs -f
  @awk,gawk in-place -i=inplace -i=inplace.awk --include=inplace --include=inplace.awk; script-writes arrow -e --source
  @awk,gawk,mawk safe filtering; @awk,gawk,mawk safe-short ^-[Fv]; check awk-code
  @awk,gawk,mawk is open reader searcher
  @awk is relied teller versioned
base64 base32 = @base64 values -w --wrap -i -o --input --output; @base32 values -w --wrap; files read
  outputs -o --output; @base64 inputs -i --input; safe operands ^-[wb]$; @base64 safe-short ^-([dDi]+|[wb]\d*)$
  @base32 safe-short ^-([di]+|w\d*)$; safe-long --decode --ignore-garbage --wrap; is reader teller
bat hd join zcat = files read; outputs -o --output; is reader
  @join is ordinary
batcat = files read; outputs -o --output
bunzip2 = files unpack .bz2
cat tac = files read; outputs -o --output; safe always; @cat check pours; is batch-safe reader teller
  @cat is passes-input relied
cut = values -d -f -c -b --delimiter --fields; files read; outputs -o --output; safe always; is batch-safe reader teller
diff = files read; outputs -o --output; reads-below with -r -N --recursive; safe always; is reader
ed = files write; check editor-code; is open reader typed
emacs = values --eval -eval --execute -l --load -f --funcall; files write; language lisp --eval -eval --execute no-input
  is open reader
gojq dasel xq = files read skip 1; inputs -f --from-file
grep egrep fgrep zgrep =
  @grep values -e --regexp -f --file -m --max-count -A -B -C --include --exclude --exclude-dir --exclude-from --color -d
    -D --label
  @egrep,fgrep values -e -f -m -A -B -C --include --exclude --exclude-dir
  @grep same -r=--recursive -R=--dereference-recursive -e=--regexp -f=--file -i=--ignore-case -v=--invert-match
  files read skip 1 unless -e -f --expression --regexp --file; inputs -f --file
  reads-below with -r -R --recursive --dereference-recursive -d=recurse --directories=recurse
  @grep,egrep,fgrep safe always; @grep,egrep check sifts-secrets; @grep is abbreviates batch-safe relied teller
  is reader; @grep,egrep,fgrep is searcher
  lists-files with -l -L --files-with-matches --files-without-match
head = values -n --lines -c --bytes; files read; outputs -o --output; safe always; check pours
  is batch-safe bounded reader teller
jq = values -f --from-file --arg --argjson --slurpfile --rawfile --indent -L --tab?; files read skip 1
  inputs -f --from-file; in-place -i --in-place --inplace; safe always; is derived reader searcher
less more most = values -k -o -O -p -P -t -T -x -y -z --lesskey-file --lesskey-src; files read; outputs -o --output
  check pager-commands; @less,more is open relied; is reader
  @less,more is ordinary
man = values -P --pager -H? -M -S -s -L -m -C -e -E -p -r -R; option-exec with -P --pager -H --html
  is names-words open relied
  is ordinary
nano micro = @nano options-of vim; files write; @nano is reader relied
nl rev wc md5sum sha256sum = files read; outputs -o --output; safe always; is batch-safe reader
od hexdump = files read; outputs -o --output; safe always; is reader teller
paste fold fmt column expand comm cmp sha1sum sha512sum cksum sum tsort = files read; outputs -o --output; safe always
  is reader
  @fold,column,expand,comm is ordinary
pg_dump pg_dumpall mysqldump mongodump = files none; outputs -f --file --result-file -r -o --out
  @pg_dump,mysqldump is teller
pr diff3 sdiff colordiff bzcat xzcat zless zmore basenc uuencode xsel pbcopy enscript lp lpr pygmentize highlight glow
    mdcat hexyl ccat cloc tokei aspell ispell iconv dos2unix unix2dos pandoc csvlook xmllint puttygen lzcat zstdcat sha1
    look ptx shuf factor = files read; outputs -o --output
  @lp,look,factor is ordinary
rg ripgrep ag ack ugrep =
  @rg values -e --regexp -f --file -g --glob --iglob -t --type -T --type-not -m --max-count -A -B -C --pre --pre-glob
    --hostname-bin -r --replace -j --threads -M --sort --sortr -d --max-depth --ignore-file --type-add --color --colors
    --engine -E
  @ag,ack values --pager
  @rg,ripgrep,ugrep files read skip 1 unless -e -f --expression --regexp --file; @ag,ack files read skip 1
  inputs -f --file; reads-below; @rg safe options
  @rg safe-short ^-[nilcvwxsSFHINLuUoPabqp0.]*([ABCmjMd]\d*|[tT]\w*|[egfrE][^]*)?$
  @rg safe-long --regexp --file --glob --iglob --type --type-not --type-list --max-count --max-depth --max-columns
    --context --after-context --before-context --replace --threads --sort --sortr --color --colors --engine --encoding
    --files --files-with-matches --files-without-match --count --count-matches --ignore-case --smart-case
    --case-sensitive --fixed-strings --word-regexp --line-regexp --line-number --no-line-number --heading --no-heading
    --with-filename --no-filename --only-matching --invert-match --multiline --multiline-dotall --pcre2 --hidden
    --no-hidden --text --no-ignore --no-ignore-vcs --unrestricted --follow --json --stats --trim --vimgrep --null
    --quiet --no-messages --column --passthru --pretty --no-config --max-filesize
  @ag script --pager; @rg option-exec with --pre --hostname-bin; @rg,ag check sifts-secrets; @rg,ag is names-words; @rg is open teller
  @rg,ag,ack is reader searcher
  @rg,ag,ack lists-files with -l --files --files-with-matches -L --files-without-match -g
sed gsed = values -e --expression -f --file -l --line-length -i?
  same -i=--in-place -n=--quiet=--silent -e=--expression -f=--file -E=-r=--regexp-extended
  files read skip 1 unless -e -f --expression --regexp --file; in-place -i --in-place
  script-writes w -e --expression; safe printing
  safe-short ^-[nErs]+$; check sed-code; is abbreviates open reader relied searcher silent-alone teller
sort =
  values -o --output -k --key -t --field-separator -S --buffer-size -T --temporary-directory --compress-program
    --files0-from --parallel --batch-size; files read; outputs -o --output; safe options
  safe-short ^-[bdfghiMnrRVuscCmz]*([ktS][^]*)?$
  safe-long --reverse --numeric-sort --unique --key --field-separator --human-numeric-sort --version-sort --ignore-case
    --month-sort --general-numeric-sort --stable --check --random-sort --zero-terminated
  option-exec with --compress-program; is abbreviates reader
  is ordinary
tail = values -n --lines -c --bytes --pid -s; files read; outputs -o --output; safe always; check pours
  is batch-safe reader teller
tr = files none; safe always; is teller
unexpand sha224sum sha384sum b2sum = files read; outputs -o --output; safe always
uniq = values -f -s -w; files read then write; safe operands ^-\w*[fsw]$; safe-short ^-[cdiuDz]*([fsw]\d*)?$
  safe-long --count --repeated --unique --ignore-case --zero-terminated --skip-fields --skip-chars --check-chars
  is reader
unxz = files unpack .xz
unzstd = files unpack .zst keeps
vim vi nvim view ex gvim rview rvim vimdiff =
  @vim,vi,nvim,view,ex,gvim,rview,vimdiff values -c --cmd -S -w -W -T -u -U -i --servername --startuptime
  @view files read; @vim,vi,nvim,ex files write; @view outputs -o --output
  @vim,vi,nvim option-exec with -u=/tmp* -S=/tmp*; @vim,vi,nvim,view,ex,gvim,rvim,vimdiff check editor-code
  @vim,vi,nvim,view,ex,vimdiff is open; @vim,vi,view,vimdiff is reader; @vim,vi is relied; @ex is typed
  @view is ordinary
wipe = files write; check shreds
  is ordinary
xclip = files read; outputs -o --output; is teller
xxd = values -l -s -c -g -o -n; files read then write; outputs -o --output; safe operands ^-[cglso]$
  safe-short ^-(a|b|e|p|ps|i|u|d|[cglso]\w*)$; is reader teller
yq = files read skip 1; inputs -f --from-file; in-place -i --in-place --inplace; safe options
  safe-short ^-([rneNCMPcyY]+|[op](=?(j|y|p|x|c|t|json|yaml|xml|props|csv|tsv|auto))?)$
  safe-long --raw-output --null-input --exit-status --colors --no-colors --prettyPrint --output-format --input-format
  is reader searcher
vim.basic vim.tiny vim.nox vim.gtk3 = options-of vim; files write; check editor-code; is open
`
