/**
 * A program and its subcommand, then: `skip N` operands before the inner command, `valued` options that take a value,
 * `script` where the rest is text for a shell, `dashes` where the inner command needs a `--`, `remote` or `contained`
 * where it runs elsewhere.
 */

/** Wrappers to the rule language as well (policy §2.2). */
export const visible = `
env                 valued -u --unset -C --chdir -a --argv0
command
builtin
exec                valued -a
nohup
nice                valued -n --adjustment
ionice              valued -c --class -n --classdata -p --pid -P -u
stdbuf              valued -i -o -e --input --output --error
time                valued -f --format -o --output
timeout             skip 1 valued -k --kill-after -s --signal
gtimeout            skip 1 valued -k --kill-after -s --signal
setsid
chrt                skip 1 valued -T -P -D
taskset             skip 1
flock               skip 1 valued -w --wait --timeout -E --conflict-exit-code
watch               script valued -n --interval -q --equexit
busybox
toybox
sudo                valued -u --user -g --group -h --host -p --prompt -C -T -r --role -t --type -D --chdir -R
  --chroot -U
doas                valued -u -C
xargs               valued -a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars
ssh                 skip 1 script remote
parallel            valued -j --jobs -a --arg-file -S --sshlogin --results --joblog --timeout --delay --colsep -N
  -n -I --tmpdir --retries --load
`

/** Looked through for dangerous shapes only. */
export const transparent = `
unbuffer
catchsegv
cpulimit            valued -l -p -e
logsave             skip 1
ssh-agent           valued -a -t -E -P
strace              valued -e -o -p -s -a -b -E -I -O -P -S -u -X
ltrace              valued -e -o -p -s -a -n -u
valgrind
numactl             valued -N -m -C -p -i
cgexec              valued -g
prlimit
systemd-run         valued -p --property -u --unit --uid --gid --slice --on-active --on-calendar --description -E
  --setenv -M -H --working-directory
systemd-inhibit     valued --what --who --why --mode
firejail
proot               valued -r -b -w -S -0
fakeroot            valued -l -s -i
faketime            skip 1 valued -f
dbus-run-session
xvfb-run            valued -n --server-num -s --server-args -e --error-file -w --wait
torsocks
torify
proxychains         valued -f
proxychains4        valued -f
caffeinate          valued -t -w
chronic
rlwrap
cross-env
cross-env-shell     script
nodemon             valued -e --ext -w --watch -i --ignore -d --delay
entr
watchexec           valued -e --exts -w --watch -i --ignore -d --debounce
reflex              valued -r -R -g -G
unshare             valued -R --root -w --wd --map-user --map-group --setuid --setgid --propagation
nsenter             valued -t --target -S -G
chroot              skip 1 valued --userspec --groups
setpriv
gosu                skip 1
su-exec             skip 1
pkexec              valued --user
run0                valued -u --user -g --group -D --chdir --unit
runuser             valued -u --user -g --group
setarch             skip 1
linux32
linux64
direnv exec         skip 1
dotenv              dashes valued -f -e
dotenvx run         dashes
doppler run         dashes
op run              dashes
chamber exec        dashes
aws-vault exec      dashes
envdir              skip 1
envchain            skip 1
infisical run       dashes
sops exec-env       skip 1 script
poetry run
pipenv run
pdm run
rye run
hatch run
uv run              valued --with --python -p --project --directory --env-file --extra --group --package
uvx                 valued --from --with --python -p
conda run           valued -n --name -p --prefix
mamba run           valued -n --name -p --prefix
bundle exec
npx                 valued -p --package -w --workspace --prefix
bunx
pnpm exec
pnpm dlx            valued --package
pnpx
yarn exec
yarn workspace * exec
uv tool run         valued --from --with --python -p
yarn dlx            valued -p --package
npm exec            valued -p --package -w --workspace --prefix
npm x               valued -p --package -w --workspace --prefix
mise exec           dashes
mise x              dashes
volta run           valued --node --npm --yarn --pnpm
fnm exec            valued --using
devbox run
pixi run            valued -e --environment --manifest-path
corepack
eatmydata
flatpak-spawn
tini                valued -p -e
dumb-init           valued -r
rr record
heaptrack
choom               valued -n -p
uclampset           valued -m -M -p
trickle             valued -d -u -w -t -l -n
bwrap               valued --proc --dev --tmpfs --dir --chdir --uid --gid --hostname --unsetenv --seccomp --perms --size
  --mqueue --lock-file --args --userns --json-status-fd --info-fd pairs --bind --ro-bind --dev-bind --bind-try --ro-bind-try
  --dev-bind-try --setenv --symlink --file --bind-data --ro-bind-data --chmod
gdb                 debugger
lldb                debugger
asdf exec
rbenv exec
pyenv exec
nvm exec            skip 1
nvm run             skip 1
rustup run          skip 1
nix develop         dashes
nix shell           dashes
nix run             dashes
heroku local:run
foreman run
railway run
lerna exec          dashes
git bisect run
git submodule foreach script
docker exec         skip 1 contained valued -e --env -u --user -w --workdir --env-file --detach-keys
docker run          skip 1 contained
docker compose exec skip 1 contained valued -e --env -u --user -w --workdir --index
docker compose run  skip 1 contained valued -e --env -u --user -w --workdir --name --entrypoint -v --volume -p
docker-compose exec skip 1 contained valued -e --env -u --user -w --workdir --index
docker-compose run  skip 1 contained valued -e --env -u --user -w --workdir --name --entrypoint -v --volume -p
podman exec         skip 1 contained valued -e --env -u --user -w --workdir
podman run          skip 1 contained
kubectl exec        dashes contained
kubectl run         dashes contained
vagrant ssh         dashes remote
mosh                skip 1 remote
autossh             skip 1 script remote valued -M
sshpass             valued -p -f -d -P
pssh                script remote valued -H -h -l -p -t -o -e -A
parallel-ssh        script remote valued -H -h -l -p -t -o -e
pdsh                script remote valued -w -l -x -f -t -u
screen              valued -S -t -L -c -s -h
tmux new-session    script valued -s -n -c -t -x -y -e -F
tmux new            script valued -s -n -c -t -x -y -e -F
tmux new-window     script valued -n -c -t -e -F
tmux split-window   script valued -c -t -l -p -e -F
tmux run-shell      script valued -t -d
tmux send-keys      script valued -t
start-stop-daemon   dashes
daemonize           valued -a -e -o -p -l -u -c
chpst               valued -u -U -b -e -n -l -L -m -d -o -p -f -c -t
perf stat           valued -e -o -r -p -I
perf record         valued -e -o -F -p -g
hyperfine           script valued -w --warmup -r --runs -m -M -p --prepare -c --cleanup -S --shell --export-json
  --export-markdown -n -L -P
pv                  dashes
ts-node-dev         dashes
concurrently        script valued -n --names -c --prefix-colors -p --prefix
`
