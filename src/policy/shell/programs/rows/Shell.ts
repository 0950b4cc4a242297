/** Shells, their builtins, and small programs that only print. `../Table.ts` says how a row is read. */
export const shell = String.raw`
ab hey wrk = is fetcher
  @ab is ordinary
alias info tldr invoke say espeak figlet cowsay idea claude codex = is names-words
  @alias,info,invoke,idea is ordinary
arch = safe bare
  is ordinary
basename dirname = safe always; is batch-safe
bash zsh = @bash values -o -O +O --rcfile --init-file; @zsh values -o; @bash safe-inner script
  option-exec with --rcfile --init-file; is open reader shell versioned; @bash is relied
bind = tamper with -x
  is ordinary
builtin setsid = wraps; is open
  @builtin is ordinary
cd which type = safe always; is names-words relied
  @which,type is ordinary
clickhouse-client clickhouse = values -q --query -h --host -u --user --password -d --database --port
  statements sql -q --query
cmd = is foreign-shell single-dash
cockroach = values -e --execute --url --host; statements sql -e --execute --init-command
command = wraps asks -v -V; safe line ^-[vV]\0; is names-words neutral open relied
  is ordinary
compgen = script-word -C; is teller
  is ordinary
complete = tamper with -C
  is ordinary
cqlsh = values -e --execute -f --file -u -p -k; statements sql -e --execute --init-command
csh tcsh = is foreign-shell open
declare = is prints-environment teller
  is ordinary
del = check deletes-trees
docker-buildx = options-of docker
duckdb = values -c -s -cmd -init; statements sql -c -s -cmd operand 1
echo printf = @echo safe always; @printf safe format; check prints-secrets; is batch-safe constant names-words
  @echo is relied
enable = tamper with -f -d
  is ordinary
env = values -u --unset -C --chdir -S --split-string -a --argv0; wraps values -u --unset -C --chdir -a --argv0 assigns
  script -S --split-string; safe bare; is open prints-environment relied teller
  is ordinary
eval gnuplot ghci runghc octave ocaml clojure clj kotlin x86_64 i386 ant = @gnuplot,ghci,octave,ocaml,clojure,clj,kotlin values -e --eval
  @gnuplot,ghci,octave,ocaml,clojure,clj,kotlin language other -e --eval no-input; is open
  @eval is ordinary
exec = wraps values -a; is open
  is ordinary
exit = safe always; is relied waits
export = safe variables; is names-words prints-environment teller
expr = safe always; is names-words
false pwd numfmt df : nproc getconf uptime uname cal continue shift groups tty free lsblk lscpu pushd popd = safe always
  @continue,shift,groups,free is ordinary
fc = tamper with -p; is prints-environment
ffmpeg convert xterm fsutil qemu-img hdiutil gs = @xterm may-start always-script begins -e; @convert option-exec operand msl:* ephemeral:*; @gs option-exec with -dNOSAFER
  is single-dash
  @convert is ordinary
fish = values -c -C --command --init-command -d -o; is evaluates foreign-shell open
  is ordinary
hash = safe bare; tamper with -p
  is ordinary
history = tamper with -c -d; is prints-environment relied teller
  is ordinary
hive spark-sql beeline = @hive,spark-sql values -e -f; @beeline values -e -u -n -p -f; statements sql -e
id = safe always; is teller well-named
  is ordinary
inotifywait usleep = is waits
isql sqlplus = statements sql
jobs = safe line ^((-[lnprs]+|%\w*)\0)*$
  is ordinary
ksh = values -o; is open shell
libsql = statements sql operand 1
litecli = statements sql -e --execute --init-command
locale = hook ^; safe always
main.js main.mjs main.cjs = check own-entry
mapfile readarray = script-word -C
netstat ss w last who lsof pbpaste = is teller
  @w,last,who is ordinary
ng =
  commands 1 | analytics,cache,completion,config 2 | run 2; unoffered add,update,new,deploy,run
nix-shell = script-word --run --command
nu xonsh elvish = is foreign-shell
open = is names-words runs-file
  is ordinary
pax = is reader
pdksh posh oksh osh = is shell
pgrep pidof = safe always; is finds-processes
postern = check own-commands
printenv = safe always; check prints-secrets; is prints-environment teller
pwsh powershell = is foreign-shell open single-dash
rbash = options-of bash; is shell
read = is names-words waits
  is ordinary
realpath readlink = safe always; is batch-safe reader
return break = safe always; is waits
  is ordinary
scrub bleachbit secure-delete sfill sswap = check shreds
seq = safe always; is derived names-words
set = safe line ^[-+][euxo]+\0(pipefail\0)*$; tamper operand history; is names-words prints-environment teller
  is ordinary
setenv = is sets-environment
sh dash ash mksh yash = values -o; @sh,dash safe-inner script
  @sh option-exec with --rcfile=* --init-file=* unless --rcfile=/dev/null --init-file=/dev/null; @sh,dash,ash is open
  @sh,dash is reader; @sh is relied; is shell
sleep = safe always; is derived waits
snowsql = values -q --query -a -u -d; statements sql -q --query
source . = is open reader; @source is relied
  @source is ordinary
sqlcmd = values -Q -q -S -U -P -d -i -o; statements sql -Q -q
stress stress-ng sysbench memtester = resource
  @stress is ordinary
test [ = safe always; is lists names-words
  @test is ordinary
trap = tamper operand DEBUG; is names-words
  is ordinary
trino presto = @trino values --execute --server --catalog --schema; statements sql --execute
true = safe always; is constant
unset = tamper operand HISTFILE,HISTSIZE,HISTCONTROL,PROMPT_COMMAND,HISTFILESIZE,BASH_ENV; is names-words
  is ordinary
usql = values -c --command -f; statements sql -c --command
wait = safe line ^(%?\w+\0)*$; is waits
  is ordinary
whoami = safe always; is teller
wish = is versioned
yes = check pours; is constant endless
  is ordinary
cheat howdoi navi whatis apropos how2 explainshell tealdeer notify-send terminal-notifier osd_cat = is names-words
`
