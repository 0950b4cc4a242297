/** Programs that run another program, and debuggers. `../Table.ts` says how a row is read. */
export const wrappers = String.raw`
aws-vault = starts exec dashes
busybox = wraps; downloads wget,nc,ftpget,tftp; is fed-shell open
bwrap =
  starts values --proc --dev --tmpfs --dir --chdir --uid --gid --hostname --unsetenv --seccomp --perms --size --mqueue
    --lock-file --args --userns --json-status-fd --info-fd pairs --bind --ro-bind --dev-bind --bind-try --ro-bind-try
    --dev-bind-try --setenv --symlink --file --bind-data --ro-bind-data --chmod
caffeinate = starts values -t -w
cgexec = starts values -g
choom = starts values -n -p
chrt = wraps skip 1 values -T -P -D; is open
concurrently = starts scripts values -n --names -c --prefix-colors -p --prefix
coreutils = runs-as --coreutils-prog --coreutils-prog-shebang; is open
cpulimit = starts values -l -p -e
cross-env-shell = starts script
csvtool = option-exec call
daemonize = starts values -a -e -o -p -l -u -c
dc = option-exec with -e=!*
devbox = starts run; hook ^(global )?shellenv
direnv = starts exec skip 1; hook ^(hook|export); next-runs exec
doas = wraps values -u -C; privilege; is open
dotenv = starts dashes values -f -e
  may-start run
dotenvx = starts run dashes; next-runs run
dumb-init = starts values -r
fakeroot = starts values -l -s -i
faketime = starts skip 1 values -f
flock = wraps skip 1 values -w --wait --timeout -E --conflict-exit-code script-at -c --command; is open
foreman = starts run
  is ordinary
gdb = values -ex --eval-command -x --command -p --pid -iex -ix -d -cd -s -e -se -c -core
  starts dashes begins --args -c --command
  option-exec with -ex=*shell* -ex=!* -ex=*python* -ex=*system* -ex=*call* --eval-command=*shell* -ex=*pipe*
    -ex=*source* -iex=*shell* -ix -x=/tmp*; is open single-dash
gimp = option-exec with -b --batch
gitk = option-exec with --argscmd
hyperfine =
  starts scripts values -w --warmup -r --runs -m -M -p --prepare -c --cleanup -S --shell --export-json --export-markdown
    -n -L -P
ionice = wraps values -c --class -n --classdata -p --pid -P -u; is open
jrunscript jjs = option-exec with -e
ld-linux-x86-64.so.2 ld-linux.so.2 ld.so = option-exec with --preload --library-path
  may-start values --library-path --preload --argv0 --inhibit-rpath
lldb = values -o -O -s -S -k -f -n -p -b? --one-line; starts dashes begins --args -c --command
  option-exec with -o=*script* -o=*platform* --one-line=*script* -o=*shell* -s; is open single-dash
logsave setarch envdir envchain = starts skip 1
m4 = option-exec with -D=*esyscmd*
nice = wraps values -n --adjustment; safe-inner leading; reads -# -n=number --adjustment=number
  is neutral open options-first ordinary
nodemon = starts values -e --ext -w --watch -i --ignore -d --delay; script-word --exec -x
nohup = wraps; is neutral open
numactl = starts values -N -m -C -p -i
parallel =
  wraps values -j --jobs -a --arg-file -S --sshlogin --results --joblog --timeout --delay --colsep -N -n -I --tmpdir
    --retries --load
  batch jobs -j --jobs -a --arg-file -S --sshlogin --results --joblog --timeout --delay --colsep -N -n -I --tmpdir
    --retries --load; is open
pdflatex xelatex lualatex latexmk latex pdftex tex =
  option-exec with --shell-escape -shell-escape --enable-write18 -enable-write18
  @pdflatex,xelatex,lualatex,latexmk is single-dash
pdsh = starts script remote values -w -l -x -f -t -u
perf = starts stat values -e -o -r -p -I | record values -e -o -F -p -g
pic = option-exec with -U
  is ordinary
pixi = starts run values -e --environment --manifest-path
proot = starts values -r -b -w -S -0
proxychains proxychains4 = starts values -f
pssh parallel-ssh = @pssh starts script remote values -H -h -l -p -t -o -e -A
  @parallel-ssh starts script remote values -H -h -l -p -t -o -e
pv = starts dashes; check pours
reflex = starts values -r -R -g -G
rpmquery rpmbuild = option-exec with -E --eval
rr = starts record
run-parts = option-exec operand /*
runuser = starts values -u --user -g --group; script -c --command; privilege
screen = starts values -S -t -L -c -s -h; power-service operand quit; is names-words open
  may-start values -S -dmS -t -c; script-word stuff
  is ordinary
script = values -c --command -t? -T -I -O -B -o; script -c --command; files write; is open
  is ordinary
scriptlive = script -c --command
sem =
  batch job -j --jobs -a --arg-file -S --sshlogin --results --joblog --timeout --delay --colsep -N -n -I --tmpdir
    --retries --load
sg = script operands 1; privilege
ssh-agent = starts values -a -t -E -P; hook ^(-[skca]\b|$)
start-stop-daemon ts-node-dev = starts dashes
stdbuf = wraps values -i -o -e --input --output --error; is open
strace ltrace = values -o -e -p -s
  @strace starts values -e -o -p -s -a -b -E -I -O -P -S -u -X; @ltrace starts values -e -o -p -s -a -n -u
  option-exec with -o=|*; is open
su = values -c --command -s --shell -g --group -G -w; script -c --command; privilege; is open relied
sudo = wraps values -u --user -g --group -h --host -p --prompt -C -T -r --role -t --type -D --chdir -R --chroot -U
  privilege; is names-words open relied
systemd-inhibit = starts values --what --who --why --mode
taskset = wraps skip 1; is open
time = wraps values -f --format -o --output; safe-inner leading; reads -pv -f=any --portability --verbose --format=any
  is neutral open options-first ordinary
timeout gtimeout = wraps skip 1 values -k --kill-after -s --signal; safe-inner leading
  reads -fpv -k=number -s= --kill-after=number --signal= --preserve-status --foreground --verbose
  is neutral open options-first waits
  alike timeout=gtimeout
tini = starts values -p -e
tmux = values -L -S -f -c? -n -s -t -x -y -e -F
  starts new-session always-script values -s -n -c -t -x -y -e -F | new always-script values -s -n -c -t -x -y -e -F |
    new-window always-script values -n -c -t -e -F | split-window always-script values -c -t -l -p -e -F | run-shell
    always-script values -t -d | send-keys always-script keys values -t; power-service kill-server,kill-session
  is names-words open
toybox = wraps
trickle = starts values -d -u -w -t -l -n
  is ordinary
uclampset = starts values -m -M -p
unbuffer catchsegv prlimit firejail dbus-run-session torsocks torify chronic rlwrap cross-env entr linux32 linux64
    eatmydata flatpak-spawn heaptrack = starts
valgrind = starts; is single-dash
watch = wraps script values -n --interval -q --equexit; is evaluates open waits
  is ordinary
watchexec = starts values -e --exts -w --watch -i --ignore -d --debounce
xargs = values -a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars
  wraps values -a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars appends
  batch input; safe-inner batch
  reads -0rtxo -n=number -L=number -P=number -s=number -I=any -d=any -E=any --null --no-run-if-empty --verbose --exit
    --max-args=number --max-procs=number --max-chars=number --delimiter=any
  is names-words open options-first reader
xvfb-run = starts values -n --server-num -s --server-args -e --error-file -w --wait
`
