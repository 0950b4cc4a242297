/** Programs that run another program, and debuggers. `../Table.ts` says how a row is read. */
export const wrappers = String.raw`
aws-vault = starts exec dashes
busybox = wraps asks --list --list-full --install --help; downloads wget,nc,ftpget,tftp; is fed-shell multi-call open
bwrap =
  starts values --proc --dev --tmpfs --dir --chdir --uid --gid --hostname --unsetenv --seccomp --perms --size --mqueue
    --lock-file --args --userns --json-status-fd --info-fd pairs --bind --ro-bind --dev-bind --bind-try --ro-bind-try
    --dev-bind-try --setenv --symlink --file --bind-data --ro-bind-data --chmod
caffeinate = starts values -t -w
cgexec = starts values -g
alacritty xterm-256color terminator tilix urxvt rxvt st lxterminal xfce4-terminal mate-terminal x-terminal-emulator
    konsole gnome-terminal ptyxis foot kitty ghostty =
  starts values -T --title -t -d --working-directory -g --geometry -p --profile -o --option --config-file --class
    begins -e -x --command --execute --
abduco dtach = starts values -c -n -A -N -e -r -a -p
chokidar = script -c --command; values -c --command -d -t -i
choom = starts values -n -p
coresched = starts dashes
cttyhack catatonit fakechroot nq softrun with-contenv s6-setsid zrun sotruss unchroot =
  starts values -o --output -e -f
daemon = starts values -n --name -p -P -o -O -E -L -u --user -D --chdir -e --env -t -T -l -m -F --pidfile -r
dpkg-architecture = starts begins -c --command
enosys = starts values -s --syscall -i --ioctl
envdir setlock logsave setuidgid s6-envdir s6-setuidgid s6-setlock = starts skip 1 values -i
  @setuidgid,s6-setuidgid privilege
execlineb = values -c; script -c
chrt = wraps skip 1 values -T -P -D; is open
concurrently = starts scripts values -n --names -c --prefix-colors -p --prefix
coreutils = runs-as --coreutils-prog --coreutils-prog-shebang; is multi-call open
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
genv gnice gnohup gstdbuf gxargs gtime gchroot gruncon gtee gcat ghead gtail gtouch gls gdu gdf gdate gmktemp greadlink
    grealpath ggrep gsplit gcsplit gshuf gsort gwc gtr gcut god gdd gchmod gchown gtruncate gkill =
  is prefixed
gimp = option-exec with -b --batch
gitk = option-exec with --argscmd
hyperfine = values -p --prepare -c --cleanup -s --setup -C --conclude
  script -p --prepare -c --cleanup -s --setup -C --conclude
  starts scripts values -w --warmup -r --runs -m -M -p --prepare -c --cleanup -S --shell --export-json --export-markdown
    -n -L -P -s --setup -C --conclude
ionice = wraps values -c --class -n --classdata -p --pid -P -u; is open
jrunscript jjs = option-exec with -e
ifne = starts
ld.so = option-exec with --preload --library-path --audit; argv0 --argv0
  starts values --library-path --preload --argv0 --inhibit-rpath --audit --glibc-hwcaps-prepend --glibc-hwcaps-mask asks
    --list --verify --list-tunables --list-diagnostics --help --version
  is as-given
lldb = values -o -O -s -S -k -f -n -p -b? --one-line; starts dashes begins --args -c --command
  option-exec with -o=*script* -o=*platform* --one-line=*script* -o=*shell* -s; is open single-dash
envchain = starts skip 1
m4 = option-exec with -D=*esyscmd*
memusage memusagestat = starts values -p --progname -d --data -t
mispipe pee = starts scripts
nice = wraps values -n --adjustment; safe-inner leading; reads -# -n=number --adjustment=number
  is neutral open options-first ordinary
nodemon = starts values -e --ext -w --watch -i --ignore -d --delay; script-word --exec -x
nohup = wraps; is neutral open
onchange = starts dashes
openvt = starts values -c --console -p
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
perf = starts stat values -e -o -r -p -I | record values -e -o -F -p -g | trace values -e -o -p -t -u | mem record
    values -e | c2c record | lock record | sched record | kmem record | ftrace values -p -t
pic = option-exec with -U
  is ordinary
pipesz = starts values -s --set -f --file -n --fd
pixi = starts run values -e --environment --manifest-path
proot = starts values -r -b -w -S -0
env-cmd = starts values -f --file -r --rc-file -e --environments
bpftrace = values -c -e -p -o; script -c
proxychains proxychains4 = starts values -f
pssh parallel-ssh = @pssh starts script remote values -H -h -l -p -t -o -e -A
  @parallel-ssh starts script remote values -H -h -l -p -t -o -e
pv = starts dashes; check pours
reflex = starts values -r -R -g -G
retry = starts values -t --times -d --delay -m --until
rpmquery rpmbuild = option-exec with -E --eval
rr = starts record
run-parts = option-exec operand /*
runcon = starts values -u --user -r --role -t --type -l --range passes *:*
runuser = values -c --command -u --user -g --group -G -s --shell -w --whitelist-environment
  starts values -u --user -g --group -G -w --whitelist-environment; script -c --command; privilege
screen = starts values -S -t -L -c -s -h -dmS -DmS -dmLS -LdmS; power-service operand quit; is names-words open
  may-start values -S -dmS -t -c; script-word stuff
  is ordinary
script = values -c --command -t? -T -I -O -B -o -E --echo -m --log-format; script -c --command; files write; is open
  starts skip 1 values -c --command -T -I -O -B -o -E --echo -m --log-format
  is ordinary
scriptlive = script -c --command
sem =
  batch job -j --jobs -a --arg-file -S --sshlogin --results --joblog --timeout --delay --colsep -N -n -I --tmpdir
    --retries --load
setarch linux32 linux64 i386 x86_64 uname26 =
  starts passes i386,i486,i586,i686,x86*,ppc*,s390*,sparc*,arm*,aarch64,ia64,mips*,alpha*,parisc*,riscv*,loongarch*,
    linux32,linux64,uname26
sg = script operands 1; values -c; script -c; privilege
softlimit s6-softlimit =
  starts values -m -d -s -l -a -p -o -c -f -r -t -M -D -S -L -A -P -O -C -F -R -T
ssh-agent = starts values -a -t -E -P; hook ^(-[skca]\b|$)
start-stop-daemon =
  values -p --pidfile -n --name -u --user -c --chuid -g --group -r --chroot -d --chdir -s --signal -R --retry -N
    --nicelevel -P --procsched -I --iosched -k --umask -O --output -T --notify-timeout --ppid -e --env
  runs-as -x --exec -a --startas
ts-node-dev = starts dashes
stdbuf = wraps values -i -o -e --input --output --error; is open
strace ltrace = values -o -e -p -s
  @strace starts values -e -o -p -s -a -b -E -I -O -P -S -u -X; @ltrace starts values -e -o -p -s -a -n -u
  option-exec with -o=|*; is open
su = values -c --command -s --shell -g --group -G -w; script -c --command; privilege; is open relied
sudo = wraps values -u --user -g --group -h --host -p --prompt -C -T -r --role -t --type -D --chdir -R --chroot -U
  privilege; is names-words open relied
systemd-cat = starts values -t --identifier -p --priority --stderr-priority --level-prefix --namespace
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
    new-window always-script values -n -c -t -e -F | neww always-script values -n -c -t -e -F | split-window
    always-script values -c -t -l -p -e -F | splitw always-script values -c -t -l -p -e -F | run-shell always-script
    values -t -d -c | run always-script values -t -d -c | send-keys always-script keys values -t | send always-script
    keys values -t | respawn-pane always-script values -t -c -e | respawnp always-script values -t -c -e |
    respawn-window always-script values -t -c -e | respawnw always-script values -t -c -e | if-shell scripts values -t |
    if scripts values -t | display-popup always-script values -c -t -d -e -h -w -x -y -S -s -T -b | popup always-script
    values -c -t -d -e -h -w -x -y -S -s -T -b | pipe-pane always-script values -t | pipep always-script values -t; power-service kill-server,kill-session
  is names-words open
toybox = wraps asks --long --help --version; is multi-call open
trace-cmd = starts record values -e -o -p -P -l -g -n | start values -e -p
tsp = starts values -L -N -D -E -O
uftrace = starts record values -d -F -N -D | live values -d -F -N -D
trickle = starts values -d -u -w -t -l -n
  is ordinary
uclampset = starts values -m -M -p
unbuffer catchsegv prlimit firejail dbus-run-session torsocks torify chronic rlwrap cross-env entr
    eatmydata flatpak-spawn heaptrack = starts
valgrind = starts; is single-dash
viddy hwatch = starts script values -n --interval
wezterm = starts start dashes values --cwd --class
when-changed = starts skip 1
watch = wraps script values -n --interval -q --equexit; is evaluates open waits
  is ordinary
watchexec = starts always-script values -e --exts -w --watch -i --ignore -d --debounce -f --filter -s --signal -p --poll
xargs = values -a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars
  wraps values -a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars appends
  batch input; safe-inner batch
  reads -0rtxo -a=file --arg-file=file -n=number -L=number -P=number -s=number -I=any -d=any -E=any --null --no-run-if-empty --verbose --exit
    --max-args=number --max-procs=number --max-chars=number --delimiter=any
  is names-words open options-first reader
xvfb-run = starts values -n --server-num -s --server-args -e --error-file -w --wait
`
