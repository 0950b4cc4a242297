/** Programs that read and filter text, and editors. `../Table.ts` says how a row is read. */
export const text = String.raw`
  @export,text is ordinary
awk gawk mawk nawk =
  @awk values -F -v -f --file --assign; @gawk values -F -v -f -l -E -i --file --assign --load --include --exec
  @mawk values -F -v -f; files read skip 1 unless -f --file; inputs -f
  @awk,gawk in-place -i=inplace -i=inplace.awk --include=inplace --include=inplace.awk; script-writes arrow -e --source
  check awk-code; @awk,gawk,mawk reads -F=any -v= --field-separator=any --assign= unlike /inet*
  @awk,gawk,mawk reads-as filter; @awk,gawk,mawk is open reader searcher; @awk is relied teller versioned
base64 base32 =
  @base64 values -w --wrap -i -o --input --output; @base32 values -w --wrap; files read; outputs -o --output
  @base64 inputs -i --input; @base64 reads -dDi -b=number -w=number --decode --ignore-garbage --wrap=number operands 1
  @base32 reads -di -w=number --decode --ignore-garbage --wrap=number operands 1; is reader teller
bat hd join zcat = files read; outputs -o --output; @zcat reads; @hd reads -bcCdovx -n= -s=
  @bat reads -ApnuP -r=any -l= -H=number -m=text --plain --number --show-all --style= --color=
    --paging=never --theme= --decorations= --wrap= --line-range=any --language= --highlight-line= --tabs=number
    --terminal-width=number --file-name=text --map-syntax=text --no-config --squeeze-blank --unbuffered --list-languages
    --list-themes
  @join reads -iz -a= -e=any -j= -o= -t=any -v= -1= -2= --ignore-case --check-order --nocheck-order --header
    --zero-terminated
  is reader; @join is ordinary
batcat = files read; outputs -o --output
  reads -ApnuP -r=any -l= -H=number -m=text --plain --number --show-all --style= --color= --paging=never --theme=
    --decorations= --wrap= --line-range=any --language= --highlight-line= --tabs=number --terminal-width=number
    --file-name=text --map-syntax=text --no-config --squeeze-blank --unbuffered --list-languages --list-themes
bunzip2 = files unpack .bz2
cat tac = files read; outputs -o --output; @cat check pours
  @cat reads -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs
    --show-nonprinting
  @tac reads -br -s=any --before --regex --separator=any; is anything reader teller; @cat is passes-input relied
cut = values -d -f -c -b --delimiter --fields; files read; outputs -o --output
  reads -nsz -b= -c= -d=any -f= --bytes= --characters= --delimiter=any --fields= --complement --only-delimited
    --output-delimiter=any --zero-terminated
  is anything reader teller
diff = files read; outputs -o --output; reads-below with -r -N --recursive
  reads -abBdeEfiNnpqrstTuvwyZ -# -c -C=number -U=number -I=any -S= -W=number -x=text -X=file -F=any -L=text --normal --brief
    --report-identical-files --context? --unified? --ed --rcs --side-by-side --width=number --left-column
    --suppress-common-lines --show-c-function --show-function-line=any --label=text --expand-tabs --initial-tab
    --tabsize=number --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file
    --ignore-file-name-case --no-ignore-file-name-case --exclude=text --exclude-from=file --starting-file=text --from-file=file
    --to-file=file --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space
    --ignore-blank-lines --ignore-matching-lines=any --text --strip-trailing-cr --minimal --horizon-lines=number
    --speed-large-files --color?
  is anything reader
ed = files write; check editor-code; is open reader typed
emacs = values --eval -eval --execute -l --load -f --funcall; files write; language lisp --eval -eval --execute no-input
  is open reader
gojq dasel xq = files read skip 1; inputs -f --from-file
grep egrep fgrep zgrep =
  @grep values -e --regexp -f --file -m --max-count -A -B -C --include --exclude --exclude-dir --exclude-from --color
    -d -D --label
  @egrep,fgrep values -e -f -m -A -B -C --include --exclude --exclude-dir
  @grep same -r=--recursive -R=--dereference-recursive -e=--regexp -f=--file -i=--ignore-case -v=--invert-match
  files read skip 1 unless -e -f --expression --regexp --file; inputs -f --file
  reads-below with -r -R --recursive --dereference-recursive -d=recurse --directories=recurse
  @grep,egrep check sifts-secrets; lists-files with -l -L --files-with-matches --files-without-match
  @grep,egrep,fgrep reads -EFGPivwxycLloqsbHhnTZaIrRUuz -# -e=any -f=file -m= -A= -B= -C= -d= -D= --regexp=any --file=file
    --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour?
    --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages
    --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context=
    --before-context= --context= --group-separator=text --no-group-separator --text --binary-files= --devices=
    --directories= --exclude=text --exclude-from=file --exclude-dir=text --include=text --recursive --dereference-recursive
    --line-buffered --binary --null-data --extended-regexp --fixed-strings --basic-regexp --perl-regexp
  @grep is abbreviates relied teller; is reader; @grep,egrep,fgrep is anything searcher
head = values -n --lines -c --bytes; files read; outputs -o --output; check pours
  reads -qvz -# -n= -c= --lines= --bytes= --quiet --silent --verbose --zero-terminated
  is anything bounded reader teller
jq = values -f --from-file --indent -L --library-path; pairs --arg --argjson --slurpfile --rawfile --argfile
  files read skip 1 unless -f --from-file; inputs -f --from-file --slurpfile --rawfile --argfile -L --library-path
  in-place -i --in-place --inplace
  reads -nrjasSCMRehVb -f=file -L=file --library-path=file --arg==text --argjson==text --slurpfile==file
    --rawfile==file --argfile==file --args --jsonargs --tab --indent=number --stream --stream-errors --seq --raw-output
    --raw-output0 --raw-input --null-input --exit-status --join-output --ascii-output --compact-output -c --sort-keys
    --color-output --monochrome-output --slurp --from-file=file --unbuffered
  is anything derived reader searcher
less more most = values -k -o -O -p -P -t -T -x -y -z --lesskey-file --lesskey-src; files read; outputs -o --output
  check pager-commands; @less,more is open relied; is reader
  @less,more is ordinary
man = values -P --pager -H? -M -S -s -L -m -C -e -E -p -r -R; option-exec with -P --pager -H --html
  is names-words open relied
  is ordinary
nano micro = @nano options-of vim; files write; @nano is reader relied
nl rev wc md5sum sha256sum = files read; outputs -o --output
  @nl reads -p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w= --body-numbering= --number-format= --number-width=
    --number-separator= --starting-line-number= --line-increment= --header-numbering= --footer-numbering=
    --no-renumber
  @rev reads -0 --zero; @wc reads -clmwL --bytes --chars --lines --words --max-line-length --files0-from=file --total=
  @md5sum,sha256sum reads -bctwzl= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict
    --warn
  is anything reader
od hexdump = files read; outputs -o --output
  @od reads -vabcdfiloshHxX -w? -A= -j= -N= -S= -t= --address-radix= --skip-bytes= --read-bytes= --strings? --format=
    --output-duplicates --width? --traditional --endian=
  @hexdump reads -bcCdovxX -L? -e= -f= -n= -s= --one-byte-octal --canonical --format= --length= --skip= --no-squeezing
    --color?
  is anything reader teller
paste fold fmt column expand comm cmp sha1sum sha512sum cksum sum tsort =
  files read; outputs -o --output; @paste reads -sz -d=any --delimiters=any --serial --zero-terminated
  @fold reads -bcs -# -w=number --bytes --spaces --characters --width=number
  @fmt reads -cstu -# -w=number -g=number -p= --crown-margin --prefix= --split-only --tagged-paragraph
    --uniform-spacing --width=number --goal=number
  @expand reads -i -# -t= --initial --tabs=
  @column reads -texLJdn -s=any -o=any -c= -N= -R= -H= -T= -W= -O= -E= -r= -i= -p= --table --separator=any
    --output-separator=any --table-columns= --table-name= --table-right= --table-hide= --table-noheadings
    --table-truncate= --table-wrap= --table-order= --fillrows --json --output-width= --keep-empty-lines
  @comm reads -123iz --check-order --nocheck-order --output-delimiter= --total --zero-terminated
  @cmp reads -blsxhz -i= -n= --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent
  @sha1sum,sha512sum reads -bctwzl= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict
    --warn
  @cksum reads -bctwzl= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn -a= -o=
    --algorithm= --base64 --raw --untagged --length= --debug
  @sum reads -rs --sysv; @tsort reads -w; is anything reader; @fold,column,expand,comm is ordinary
pg_dump pg_dumpall mysqldump mongodump = files none; outputs -f --file --result-file -r -o --out
  @pg_dump,mysqldump is teller
pr diff3 sdiff colordiff bzcat xzcat zless zmore basenc uuencode xsel pbcopy enscript lp lpr pygmentize highlight glow
    mdcat hexyl ccat cloc tokei aspell ispell iconv dos2unix unix2dos pandoc csvlook xmllint puttygen lzcat zstdcat sha1
    look ptx shuf factor =
  files read; outputs -o --output; @bzcat,xzcat,lzcat,zstdcat reads
  @shuf reads -erz -i= -n= --echo --input-range= --head-count= --repeat --zero-terminated; @tokei,look,factor reads
  @cloc reads --by-file --by-file-by-lang --by-percent= --json --csv --yaml --xml --md --quiet --hide-rate --progress-rate=number
    --exclude-dir=text --exclude-lang=text --exclude-ext=text --include-lang=text --include-ext=text --fullpath
    --not-match-d=text --match-d=text --match-f=text --not-match-f=text --skip-uniqueness --no-autogen --diff
    unlike *.zip *.tar *.tar.* *.tgz *.tbz* *.txz *.gz *.bz2 *.xz *.jar *.war *.ear *.rpm *.whl *.egg *.src.rpm *.7z *.deb
  @pr,diff3,colordiff reads -aeEnorstTVvwuiAbBdN -# -l=number -h=text
  @xmllint reads --xpath=text --noout --format --pretty=number --nonet --recover --huge --noblanks --c14n --noent
    --encode=text --nowarning --noenc --dropdtd --nsclean --timing needs --nonet --noout --format --xpath --noblanks unlike *://*
  @csvlook reads -HySIKLz -d=any -t -q=any -e=text --max-rows=number --max-columns=number --max-column-width=number
    --no-inference --blanks
  @iconv reads -lcs -f=text -t=text --from-code=text --to-code=text --list --silent
  @lp,look,factor is ordinary
rg ripgrep ag ack ugrep =
  @rg values -e --regexp -f --file -g --glob --iglob -t --type -T --type-not -m --max-count -A -B -C --pre --pre-glob
    --hostname-bin -r --replace -j --threads -M --sort --sortr -d --max-depth --ignore-file --type-add --color
    --colors --engine -E
  @ag,ack values --pager; @rg,ripgrep,ugrep files read skip 1 unless -e -f --expression --regexp --file --files --type-list
  @ag,ack files read skip 1; inputs -f --file; reads-below; @ag script --pager
  @rg option-exec with --pre --hostname-bin; @rg,ag check sifts-secrets
  @rg,ag,ack lists-files with -l --files --files-with-matches -L --files-without-match -g
  @rg reads -nilcvwxsSFHINLuUoPabqp0. -# -A=number -B=number -C=number -m=number -M=number -j=number -d=number -t= -T=
    -e=any -g=text -r=any -f=file -E= --regexp=any --file=file --glob=text --iglob=text --ignore-file=file --type= --type-not=
    --type-list --max-count=number
    --max-depth=number --max-columns=number --max-columns-preview --context=number --after-context=number
    --before-context=number --context-separator=text --replace=any --threads=number --sort= --sortr= --color= --colors=
    --engine= --encoding= --max-filesize=number --files --files-with-matches --files-without-match --count
    --count-matches --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp
    --line-number --no-line-number --heading --no-heading --with-filename --no-filename --only-matching --invert-match
    --multiline --multiline-dotall --pcre2 --hidden --no-hidden --text --no-ignore --no-ignore-vcs --no-ignore-parent
    --no-ignore-dot --no-ignore-global --no-ignore-files --no-ignore-exclude --no-require-git --one-file-system
    --unrestricted --follow --json --stats --trim --vimgrep --null --quiet --no-messages --column --passthru --pretty
    --no-config --debug
  @rg version; @rg,ag is names-words; @rg is open teller; @rg,ag,ack is reader searcher
sed gsed = values -e --expression -f --file -l --line-length -i?
  same -i=--in-place -n=--quiet=--silent -e=--expression -f=--file -E=-r=--regexp-extended
  files read skip 1 unless -e -f --expression --regexp --file; in-place -i --in-place; script-writes w -e --expression
  check sed-code
  reads -nErsuz -e=any --expression=any --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix
  version; reads-as script; is abbreviates open reader relied searcher silent-alone teller
sort =
  values -o --output -k --key -t --field-separator -S --buffer-size -T --temporary-directory --compress-program
    --files0-from --parallel --batch-size
  files read; outputs -o --output; option-exec with --compress-program
  reads -bdfghiMnrRVuscCmz -k= -t=any -S= --parallel=number --batch-size=number --key= --field-separator=any
    --buffer-size= --sort= --check? --reverse --numeric-sort --unique --human-numeric-sort --version-sort
    --ignore-case --month-sort --general-numeric-sort --stable --random-sort --zero-terminated --ignore-leading-blanks
    --dictionary-order --ignore-nonprinting --merge --debug
  is abbreviates ordinary reader
tail = values -n --lines -c --bytes --pid -s; files read; outputs -o --output; check pours
  reads -fFqvzr -# -n= -c= -b= -s= --follow? --retry --pid= --lines= --bytes= --quiet --silent --verbose
    --sleep-interval= --zero-terminated --max-unchanged-stats=
  is anything reader teller
tr = files none; reads -cCdstu --complement --delete --squeeze-repeats --truncate-set1; is anything prints-words teller
unexpand sha224sum sha384sum b2sum =
  files read; outputs -o --output; @unexpand reads -a -# -t= --all --first-only --tabs=
  @sha224sum,sha384sum,b2sum reads -bctwzl= --binary --check --tag --text --zero --ignore-missing --quiet --status
    --strict --warn
  is anything
uniq = values -f -s -w; files read then write
  reads -cdDiuz -f=number -s=number -w=number --all-repeated? --group? --count --repeated --unique --ignore-case
    --zero-terminated --skip-fields=number --skip-chars=number --check-chars=number operands 1
  is reader
unxz = files unpack .xz
unzstd = files unpack .zst keeps
vim vi nvim view ex gvim rview rvim vimdiff =
  @vim,vi,nvim,view,ex,gvim,rview,vimdiff values -c --cmd -S -w -W -T -u -U -i --servername --startuptime
  @view files read; @vim,vi,nvim,ex files write; @view outputs -o --output
  @vim,vi,nvim option-exec with -u=/tmp* -S=/tmp*; @vim,vi,nvim,view,ex,gvim,rvim,vimdiff check editor-code
  @vim,vi,nvim,view,ex,vimdiff is open; @vim,vi,view,vimdiff is reader; @vim,vi is relied; @ex is typed
  @view is ordinary
  @vim alike vim=vi=vim.tiny=vim.basic
wipe = files write; check shreds
  is ordinary
xclip = files read; outputs -o --output; is teller
xxd = values -l -s -c -g -o -n; files read then write; outputs -o --output
  reads -a -b -C -e -E -h -i -p -ps -plain -d -u -v -l=number -s=number -c=number -g=number -o=number operands 1 | -r
    -p -ps -plain -l=number -s=number -c=number operands 0
  is reader teller unbundled
yq = files read skip 1; inputs -f --from-file; in-place -i --in-place --inplace
  reads -rneNMCPcyY -o=j,y,p,x,c,t,json,yaml,xml,props,csv,tsv,auto -p=j,y,p,x,c,t,json,yaml,xml,props,csv,tsv,auto
    -I=number --raw-output --null-input --exit-status --colors --no-colors --prettyPrint
    --output-format=json,yaml,xml,props,csv,tsv,auto --input-format=json,yaml,xml,props,csv,tsv,auto --indent=number
  is reader searcher
exa eza lsd =
  reads -laAhHgGiImnrRsStTuUdFbB1x@DfZMo -s= -L=number -t= --long --all --almost-all --tree --level=number --git --git-ignore
    --icons? --no-icons --color? --colour? --color-scale? --sort= --reverse --header --group --group-directories-first
    --only-dirs --only-files --oneline --grid --across --recurse --binary --bytes --no-permissions --no-filesize --no-user
    --no-time --time-style= --time= --modified --created --accessed --changed --inode --links --blocks --classify?
    --list-dirs --ignore-glob=text --extended --total-size --hyperlink --no-quotes --depth=number --date= --size= --blocksize
  is anything lists reader; @eza,exa is well-named
scc = reads -abcdlmpsuvwz --by-file --no-cocomo --no-complexity --no-duplicates --wide --ci --exclude-dir=text --include-ext=text
    --exclude-ext=text --not-match=text --format=tabular,wide,json,csv,cloc-yaml,html,sql,openmetrics --sort=text -f=json,csv,wide
    -i=text -x=text -M=text -s=text
readelf = reads -aehlStgsnrudVAIWDc -x=text -p=text -R=text --all --file-header --program-headers --segments --section-headers --sections
    --symbols --syms --dyn-syms --notes --relocs --unwind --dynamic --version-info --arch-specific --histogram --wide
    --headers --section-groups --section-details --archive-index --hex-dump=text --string-dump=text --demangle? unlike @*
  is reader
nm = reads -aABCDglnoPprSsuvz -t= -f= --debug-syms --print-file-name --demangle? --no-demangle --dynamic --extern-only
    --line-numbers --numeric-sort --no-sort --portability --print-size --print-armap --reverse-sort --size-sort
    --undefined-only --defined-only --radix= --format= --special-syms --without-symbol-versions --with-symbol-versions unlike @*
  is reader
objdump = reads -apfhxdDSstTrRCVwzlgGeF -j=text -M=text -b=text -m=text --archive-headers --private-headers --file-headers
    --section-headers --headers --all-headers --disassemble? --disassemble-all --source? --full-contents --syms
    --dynamic-syms --reloc --dynamic-reloc --demangle? --wide --disassemble-zeroes --line-numbers --section=text
    --no-show-raw-insn --show-raw-insn --no-addresses --start-address=text --stop-address=text --prefix-addresses --architecture=text
    --disassembler-options=text unlike @*
  is reader
size = reads -ABGdoxt --format= --totals --common --radix= unlike @*; is reader ordinary
zipinfo = reads -12slmvhMtTzZC; is reader
vim.basic vim.tiny vim.nox vim.gtk3 = options-of vim; files write; check editor-code; is open
`
