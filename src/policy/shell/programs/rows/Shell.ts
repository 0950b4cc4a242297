/** Shells, their builtins, and small programs that only print. `../Table.ts` says how a row is read. */
export const shell = String.raw`
ab hey wrk = is fetcher
  @ab is ordinary
alias info tldr invoke say espeak figlet cowsay idea claude codex = is names-words; @alias is names-commands
  @alias,info,invoke,idea is ordinary
arch = reads operands 0; is ordinary
  may-start values -arch -e -d
basename dirname = reads -az -s= --multiple --suffix= --zero; is anything prints-words
bash zsh = @bash values -o -O +O --rcfile --init-file; @zsh values -o; @bash safe-inner script
  option-exec with --rcfile --init-file; is open reader shell versioned; @bash is relied
bind = tamper with -x
  is ordinary
builtin setsid = wraps; is open
  @builtin is ordinary
cd which type =
  @cd reads -L; @which reads -as --all; @type reads -aftpP; is anything names-words relied; @which,type is ordinary
clickhouse-client clickhouse = values -q --query -h --host -u --user --password -d --database --port
  statements sql -q --query
cmd = is foreign-shell single-dash
cockroach = values -e --execute --url --host; statements sql -e --execute --init-command
command = wraps asks -v -V; reads -vV needs -v -V; is names-words neutral open options-first ordinary relied
compgen = script-word -C; is teller
  is ordinary
complete = tamper with -C
  is ordinary
cqlsh = values -e --execute -f --file -u -p -k; statements sql -e --execute --init-command
csh tcsh = is foreign-shell open
declare = is prints-environment teller
  is ordinary
del rd = check deletes-trees
docker-buildx = options-of docker
  means docker buildx
duckdb = values -c -s -cmd -init; statements sql -c -s -cmd operand 1
echo printf = check prints-secrets; reads *; @printf reads-as format; is anything constant names-words prints-words; @echo is relied
enable = tamper with -f -d
  is ordinary
env = values -u --unset -C --chdir -S --split-string -a --argv0; wraps values -u --unset -C --chdir -a --argv0 assigns; argv0 -a --argv0
  script -S --split-string; reads -0 --null operands 0; is open ordinary prints-environment relied teller
eval gnuplot ghci runghc octave ocaml clojure clj kotlin ant = @gnuplot,ghci,octave,ocaml,clojure,clj,kotlin values -e --eval
  @gnuplot,ghci,octave,ocaml,clojure,clj,kotlin language other -e --eval no-input; is open
  @eval is ordinary
exec = wraps values -a; argv0 -a; is open
  is ordinary
exit = reads -#; is anything relied waits
export = reads; reads-as variables; is anything names-words options-first prints-environment teller
expr = reads *; is anything names-words prints-words
false pwd numfmt df : nproc getconf uptime uname cal continue shift groups tty free lsblk lscpu pushd popd =
  @false,:,continue,shift,groups,pushd,popd reads *; @pwd reads -LP --logical --physical
  @numfmt reads -z -# -d=any --debug --delimiter=any --field= --format= --from= --to= --header? --padding= --round=
    --suffix= --invalid= --grouping --from-unit= --to-unit= --zero-terminated
  @df reads -ahHiklPTvm -B= -t= -x= --all --block-size= --human-readable --si --inodes --local --no-sync --output?
    --portability --total --type= --print-type --exclude-type=
  @nproc reads --all --ignore=number; @getconf reads -a operands 2; @uptime reads -psV --pretty --since
  @uname reads -asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor
    --hardware-platform --operating-system
  @cal reads -13hjmsyYwNb -# -n= -A= -B= -M= --one --three --sunday --monday --julian --year --week?
  @tty reads -s --silent --quiet
  @free reads -bkmghlLtvw -s= -c= --bytes --kibi --mebi --gibi --human --lohi --line --total --wide --si --committed
  @lsblk reads -abdDfiIJlmMnOpPrsStTvzN -o= -e= -I= -x= --all --bytes --discard --fs --json --list --noheadings
    --nodeps --output= --output-all --paths --pairs --perms --raw --scsi --topology --tree? --sort=
  @lscpu reads -abcexpyJB --all --online --offline --json --hex --physical --bytes --caches? --extended? --parse?
    --output-all
  @continue,shift,groups,free is ordinary
  @false,pwd,numfmt,df,:,nproc,uptime,uname,cal,continue,shift,groups,tty,free,lsblk,lscpu,pushd,popd is anything
fc = tamper with -p; is prints-environment
ffmpeg convert xterm fsutil qemu-img hdiutil gs = @xterm starts always-script begins -e; @convert option-exec operand msl:* ephemeral:*; @gs option-exec with -dNOSAFER
  is single-dash
  @convert is ordinary
fish = values -c -C --command --init-command -d -o; is evaluates foreign-shell open
  is ordinary
hash = tamper with -p; reads operands 0; is ordinary
history = tamper with -c -d; is prints-environment relied teller
  is ordinary
hive spark-sql beeline = @hive,spark-sql values -e -f; @beeline values -e -u -n -p -f; statements sql -e
id = reads -agGnruzZ --context --group --groups --name --real --user --zero; is anything ordinary teller well-named
inotifywait usleep = is waits
isql sqlplus = statements sql
jobs = reads -lnprs like %*; is options-first ordinary
ksh = values -o; is open shell
libsql = statements sql operand 1
litecli = statements sql -e --execute --init-command
locale = hook ^; reads -amckv --all-locales --charmaps --category-name --keyword-name --verbose; is anything
main.js main.mjs main.cjs = check own-entry
mapfile readarray = script-word -C; reads -t -d=any -n=number -O=number -s=number -u=number operands 1; reads-as names
netstat ss w last who lsof pbpaste =
  @ss reads -HOnraleompTsiZz460tuxdwSVMb -A= --numeric --resolve --all --listening --options --extended --memory
    --processes --threads --info --summary --ipv4 --ipv6 --tcp --udp --unix --raw --no-header --oneline
  @netstat reads -aceFgilMnNoprstuvwxW46 --all --listening --numeric --tcp --udp --program --route --statistics
    --interfaces --extend
  @last reads -aFiRwxd -# -n= -s= -t= -p=; @w reads -hsfiop
  @who reads -abdHlmpqrsTtu --all --boot --dead --heading --login --count --short --users --mesg
  @lsof reads -nPtalRbwUNV -i? -p= -u= -c= -d=; is teller; @w,last,who is ordinary
ng =
  commands 1 | analytics,cache,completion,config 2 | run 2; unoffered add,update,new,deploy,run
  values --output-path -c --configuration --project; empties --output-path of build unless --delete-output-path=false
nix-shell = script-word --run --command
nu xonsh elvish = is foreign-shell
open = is names-words runs-file
  is ordinary
pax = is reader
pdksh posh oksh osh = is shell
pgrep pidof =
  @pgrep reads -aAcflinovwxLq -d= -u= -U= -g= -G= -P= -s= -t= -F= -r= --count --delimiter= --list-name --list-full
    --inverse --lightweight --newest --oldest --older= --parent= --group= --pgroup= --session= --terminal= --euid=
    --uid= --full --exact --pidfile= --runstates= --ignore-case --ignore-ancestors
  @pidof reads -csxqwz -o= -S=; is anything finds-processes
postern = check own-commands
printenv = check prints-secrets; reads -0 --null; is anything prints-environment teller
pwsh powershell = is foreign-shell open single-dash
rbash = options-of bash; is shell
read = reads -rs -d=any -n=number -N=number -p= -t=number -u=number -a=; reads-as names
  is names-words options-first ordinary waits
realpath readlink =
  reads -efmnqsvzLPE --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent
    --verbose --zero --logical --physical --strip --no-symlinks --relative-to= --relative-base=
  is anything reader
return break = reads -#; is anything ordinary waits
scrub bleachbit secure-delete sfill sswap = check shreds
seq = reads -w -# -f= -s=any --format= --separator=any --equal-width; is anything derived names-words prints-words
set = tamper operand history; reads -eux -o=pipefail +eux +o=pipefail operands 0
  is names-words ordinary prints-environment teller
setenv = is sets-environment
sh dash ash mksh yash = values -o; @sh,dash safe-inner script
  @sh option-exec with --rcfile=* --init-file=* unless --rcfile=/dev/null --init-file=/dev/null; @sh,dash,ash is open
  @sh,dash is reader; @sh is relied; is shell
sleep = reads; is anything derived waits
snowsql = values -q --query -a -u -d; statements sql -q --query
source . = is open reader; @source is relied
  @source is ordinary
sqlcmd = values -Q -q -S -U -P -d -i -o; statements sql -Q -q
stress stress-ng sysbench memtester = resource
  @stress is ordinary
test [ = reads *; is anything lists names-words; @test is ordinary
trap = tamper operand DEBUG; is names-words
  is ordinary
trino presto = @trino values --execute --server --catalog --schema; statements sql --execute
true = reads *; is anything constant
unset = tamper operand HISTFILE,HISTSIZE,HISTCONTROL,PROMPT_COMMAND,HISTFILESIZE,BASH_ENV; is names-words
  is ordinary
usql = values -c --command -f; statements sql -c --command
wait = reads; is options-first ordinary waits
whoami = reads; is anything teller
wish = language tcl; is versioned
yes = check pours; is constant endless
  is ordinary
cheat howdoi navi whatis apropos how2 explainshell tealdeer notify-send terminal-notifier osd_cat = is names-words
`
