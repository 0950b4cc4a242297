/**
 * Which options take their value from the next word, so that operands can be told from values. A row is a program or a program
 * with its subcommand; subcommand rows add to the program's. `-i?` takes a value only from the same word.
 */
const rows = `
awk: -F -v -f --file --assign
gawk: -F -v -f -l -E -i --file --assign --load --include --exec
mawk: -F -v -f
bash: -o -O +O --rcfile --init-file
sh: -o
dash: -o
zsh: -o
ksh: -o
fish: -c -C --command --init-command -d -o
python: -c -m -W -X --check-hash-based-pycs
pypy: -c -m -W -X
node: -e --eval -p --print -pe -r --require --import --loader --experimental-loader -C --conditions --env-file --input-type
bun: -e --eval -p --print -r --preload --cwd --env-file
deno: -c --config --import-map --lock -L --cert
perl: -e -E -M -m -I -F? -i? -l? -0? -x? -D? -C? -V?
ruby: -e -r -I -E -C -F? -i? -0? -x? -T? -W? -K?
php: -r -B -R -E -d -c -f -F -z -S -t
lua: -e -l
Rscript: -e
julia: -e -E --eval --print -L --load
osascript: -e -l
emacs: --eval -eval --execute -l --load -f --funcall
guile: -c -s -L -l
sbcl: --eval --load
erl: -eval -s -run
swift: -e
scala: -e
expect: -c -f
wrangler: --command --file --env -c --config
ipython: -c -m
usql: -c --command -f
libsql:
trino: --execute --server --catalog --schema
hive: -e -f
spark-sql: -e -f
beeline: -e -u -n -p -f
snowsql: -q --query -a -u -d
influx: -execute -host -port -database
pgcli: -c --command -h -U -d
elixir: -e --eval -r -S
groovy: -e
tclsh: -encoding
raku: -e -M -I
curl: -o --output -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string -T --upload-file -H --header -X --request -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -K --config -x --proxy -m --max-time -w --write-out -E --cert --key --cacert --connect-timeout --retry --retry-delay --url --output-dir --resolve --connect-to --interface --unix-socket -r --range -C --continue-at -D --dump-header -U --proxy-user --limit-rate -Y -y -z --time-cond --max-redirs --trace --trace-ascii --stderr
wget: -O --output-document -P --directory-prefix -o --output-file -a --append-output -i --input-file --post-file --post-data --body-file --body-data --method --header -U --user-agent -e --execute -T --timeout -t --tries -Q --use-askpass --user --password --load-cookies --save-cookies -A -R -D -I -X -l --level -w --wait -B --base --referer --ca-certificate --limit-rate
http: -o --output -d? -a --auth -A --session --proxy --verify --timeout -p
aria2c: -o --out -d --dir -i --input-file -x -s -j
ssh: -o -i -p -l -F -L -R -D -W -J -b -c -e -m -O -Q -S -w -E -B -I
scp: -o -i -P -F -S -J -l -c -D -X
sftp: -o -i -P -F -S -J -l -b -B -s -R -D
rsync: -e --rsh -f --filter --exclude --include --exclude-from --include-from --files-from --log-file --rsync-path -T --temp-dir --backup-dir --suffix --password-file --bwlimit --timeout --port -B -M --remote-option --chmod --chown --out-format --compare-dest --copy-dest --link-dest --partial-dir --max-size --min-size
nc: -e -c -p -s -w -i -q -x -X -I -O -P -T -V -m -g -G
ncat: -e --exec -c --sh-exec --lua-exec -p --source-port -s -w -i -d --proxy --proxy-type -m --allow --deny -o --output
socat: -T -t -b -L -W -lf
tar: -f --file -C --directory -I --use-compress-program --to-command --checkpoint-action -T --files-from -X --exclude-from --exclude -F --info-script --new-volume-script --rsh-command --rmt-command --transform --xform -N --newer -g --listed-incremental --owner --group --mode --mtime --strip-components -b -K -L -V
unzip: -d -x -P -O -I
zip: -x -i -TT -b -n -P -s -t --unzip-command
7z: 
cp: -t --target-directory -S --suffix
mv: -t --target-directory -S --suffix
ln: -t --target-directory -S --suffix
install: -t --target-directory -m --mode -o --owner -g --group -S --suffix --strip-program
dd: 
tee: 
sort: -o --output -k --key -t --field-separator -S --buffer-size -T --temporary-directory --compress-program --files0-from --parallel --batch-size
sed: -e --expression -f --file -l --line-length -i? -E?
grep: -e --regexp -f --file -m --max-count -A -B -C --include --exclude --exclude-dir --exclude-from --color -d -D --label
egrep: -e -f -m -A -B -C --include --exclude --exclude-dir
fgrep: -e -f -m -A -B -C --include --exclude --exclude-dir
rg: -e --regexp -f --file -g --glob --iglob -t --type -T --type-not -m --max-count -A -B -C --pre --pre-glob --hostname-bin -r --replace -j --threads -M --sort --sortr -d --max-depth --ignore-file --type-add --color --colors --engine -E
head: -n --lines -c --bytes
tail: -n --lines -c --bytes --pid -s
cut: -d -f -c -b --delimiter --fields
tr: 
uniq: -f -s -w
truncate: -s --size -r --reference -o
fallocate: -l --length -o --offset
split: -b -l -n -C -a -t --filter --additional-suffix
touch: -d --date -t -r --reference
mkdir: -m --mode
shred: -n --iterations -s --size --random-source
chmod: --reference
chown: --reference --from
chgrp: --reference
patch: -p -i --input -o --output -d --directory -r -D -B -V
base64: -w --wrap -i -o --input --output
base32: -w --wrap
xxd: -l -s -c -g -o -n
jq: -f --from-file --arg --argjson --slurpfile --rawfile --indent -L --tab?
openssl: -in -out -key -inkey -keyfile -passin -passout -pass -k -K -iv -CAfile -CA -CAkey -connect -servername -engine -provider -config -days -subj -newkey -keyout -host -port
gpg: -o --output -r --recipient -u --local-user --homedir --passphrase --passphrase-file --keyserver --default-key --batch? -b?
ssh-keygen: -f -t -b -C -N -P -D -I -n -V -z -s -Y -O -i? -m -R -F
man: -P --pager -H? -M -S -s -L -m -C -e -E -p -r -R
less: -k -o -O -p -P -t -T -x -y -z --lesskey-file --lesskey-src
vim: -c --cmd -S -w -W -T -u -U -i --servername --startuptime
gdb: -ex --eval-command -x --command -p --pid -iex -ix -d -cd -s -e -se -c -core
kill: -s --signal -n -q
pkill: -s --signal -u --euid -U --uid -g -G -P --parent -t --terminal -F --pidfile --ns --nslist
killall: -s --signal -u --user -y -o -n
crontab: -u
at: -f -q -t
sysctl: -f? -r --pattern
mount: -t --types -o --options -L -U -T
dmesg: -l -f -n -s --level
journalctl: -u --unit -n --lines -S --since -U --until -p -o --output -t -b? -g --grep -D --file -M
iptables: -t -A -I -D -s -d -j -p -i -o -m --dport --sport --to-destination --state
ip6tables: -t -A -I -D -s -d -j -p -i -o -m --dport --sport
make: -C --directory -f --file -I -j? -l? -o -W --eval
ninja: -C -f -j -k -l -t -d
docker: -H --host --context -c --config -l --log-level
docker run: -v --volume --mount -e --env --env-file -p --publish -u --user -w --workdir --name -h --hostname --network --net --pid --ipc --uts --userns --cap-add --cap-drop --device --security-opt --entrypoint -l --label -m --memory --cpus --gpus --restart --add-host --dns --platform --ulimit --tmpfs --link --log-driver --log-opt --runtime --pull --shm-size --volumes-from --group-add --sysctl --stop-signal --health-cmd --cgroupns --cgroup-parent
docker create: -v --volume --mount -e --env --env-file -p --publish -u --user -w --workdir --name --network --net --pid --ipc --uts --userns --cap-add --device --security-opt --entrypoint
docker exec: -e --env -u --user -w --workdir --env-file --detach-keys
docker compose: -f --file -p --project-name --profile --env-file --project-directory -e --env -u --user -w --workdir -t --timeout --rmi --scale --index --name
docker-compose: -f --file -p --project-name --profile --env-file -e -u -w -t --rmi --scale
docker build: -t --tag -f --file --build-arg --target --platform --secret --ssh -o --output --network --cache-from --cache-to --label
docker buildx: -t --tag -f --file --build-arg --target --platform --builder -o --output
kubectl: -n --namespace --context --cluster --kubeconfig --user --server -s --token --as --as-group --certificate-authority --client-key --client-certificate --request-timeout -v -f --filename -k --kustomize -l --selector -o --output -c --container --field-selector --type -p --patch --replicas --timeout --grace-period --since --tail --image --from-literal --from-file --sort-by
helm: -n --namespace --kube-context --kubeconfig -f --values --set --set-string --version --repo --timeout
git: -C -c --git-dir --work-tree --namespace --super-prefix --config-env
git commit: -m --message -F --file -c -C --author --date -t --template --fixup --squash --trailer
git push: -o --push-option --repo --receive-pack --exec
git clone: -b --branch -o --origin -u --upload-pack -c --config --depth --template --reference --separate-git-dir -j --filter
git fetch: --depth -j --upload-pack --shallow-since -o --filter
git pull: -s --strategy -X --depth --upload-pack
git ls-remote: --upload-pack
git checkout: -b -B --orphan --conflict
git switch: -c -C --create --force-create --orphan
git branch: -u --set-upstream-to --contains --no-contains --merged? --no-merged? --points-at --sort --format
git log: -n -S -G -L --grep --author --committer --since --until --after --before --format --pretty --max-count --output -O --skip
git shortlog: -n? --since --until
git diff: --output -O -S -G --diff-filter -U
git show: --output --format --pretty
git rebase: -x --exec --onto -s -X -C --strategy
git merge: -m -s -X -F --strategy
git tag: -m -F -u --sort --format --contains --points-at
git stash: -m --message
git clean: -e --exclude
git restore: -s --source --conflict
git reset: 
git config: -f --file --blob --type --default --get-color --get-regexp?
git grep: -e -f -A -B -C -m -O? --open-files-in-pager? --max-depth
git difftool: -x --extcmd -t --tool
git archive: -o --output --format --prefix --remote --exec
git format-patch: -o --output-directory -n? -v --subject-prefix
git blame: -L -S --since --date
git worktree: -b -B --reason
git gc: 
git cherry-pick: -m -s -X -S?
git revert: -m -s -X -S?
git apply: --directory --exclude --include -p -C
git remote: -t -m
git submodule: -b --branch --reference --depth --name
git bisect: 
npm: --prefix -w --workspace --registry --script-shell --userconfig --loglevel --tag --otp --access --cache --omit --include
npm exec: -c --call -p --package
npx: -c --call -p --package -w --workspace --prefix
pnpm: -C --dir --filter -F --prefix --registry -w? --reporter
pnpm dlx: --package
yarn: --cwd --registry
cargo: --manifest-path --target-dir -p --package --features --target --bin --example --test --bench -j --jobs -C --config -Z --color --vers --version --index --registry --token
go: -C -o -tags -run -count -timeout -ldflags -gcflags -mod -p -bench -coverprofile -exec -toolexec -overlay
pip: -r --requirement -c --constraint -e --editable -i --index-url --extra-index-url -f --find-links --trusted-host -t --target --prefix --root --python --proxy
uv: --directory --project --python -p --with -r --requirement --index-url --extra-index-url --default-index --index
gh: -R --repo --hostname -X --method -f --raw-field -F --field -H --header --input -q --jq -t --template --json -L --limit -b --body -B --base --title -a -l -m
glab: -R --repo -X --method -f --raw-field -F --field
terraform: -chdir -var -var-file -target -out -state -backup -lock-timeout -parallelism -replace -backend-config
tofu: -chdir -var -var-file -target -out
pulumi: -s --stack -C --cwd -c --config -m --message
aws: --profile --region --endpoint-url --output --query --cli-input-json --exclude --include --acl --bucket --key --instance-ids --secret-id --name --names --stack-name --role-arn --role-session-name --table-name --function-name --payload --body --ca-bundle --color --cli-read-timeout
gcloud: --project --zone --region --account --configuration --format --filter --impersonate-service-account --verbosity
az: -g --resource-group -n --name --subscription -o --output --query --ids -l --location
psql: -c --command -f --file -d --dbname -h --host -p --port -U --username -v --set -o --output -L -F -P -R -T
mysql: -e --execute -h --host -u --user -P --port -D --database -S --socket --init-command
mariadb: -e --execute -h --host -u --user -P --port -D --database -S --socket
sqlite3: -cmd -init -separator -newline -nullvalue -vfs
sqlcmd: -Q -q -S -U -P -d -i -o
clickhouse-client: -q --query -h --host -u --user --password -d --database --port
clickhouse: -q --query -h --host -u --user --password -d --database --port
cockroach: -e --execute --url --host
duckdb: -c -s -cmd -init
cqlsh: -e --execute -f --file -u -p -k
mongosh: --eval -f --file --host --port -u --username -p --password --authenticationDatabase
mongo: --eval --host --port -u --username -p --password
redis-cli: -h -p -n -a -u -s -r -i -x? --user --pass --eval -t
valkey-cli: -h -p -n -a -u -s -r -i --user --pass --eval
find: -name -iname -path -ipath -wholename -regex -iregex -type -newer -mtime -atime -ctime -mmin -amin -cmin -size -user -group -perm -maxdepth -mindepth -fprint -fprint0 -fls -printf -fstype -inum -links -samefile -newermt -uid -gid -D -xtype
fd: -e --extension -t --type -d --max-depth -E --exclude -g? -c --color -S --size --changed-within --changed-before -j --threads -o --owner --base-directory --min-depth --search-path
systemctl: -t --type -p --property -H --host -M --machine -n --lines -o --output --state -s --signal --job-mode --root --kill-whom --what
service: 
launchctl: 
ps: -p -u -U -g -G -t -C -o --sort --format --pid --user
tree: -L -P -I -o -T -H --filelimit
ansible: -i -m --module-name -a --args -u --user -e --extra-vars -l --limit -f -b?
ansible-playbook: -i -e --extra-vars -l --limit -t --tags -u --user --skip-tags
xargs: -a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars
env: -u --unset -C --chdir -S --split-string -a --argv0
su: -c --command -s --shell -g --group -G -w
script: -c --command -t? -T -I -O -B -o
tmux: -L -S -f -c? -n -s -t -x -y -e -F
ping: -c -i -I -w -W -s -t -M -Q -p
dig: -p -b -t -k -f -y -q -c
tcpdump: -z -w -i -c -r -s -G -C -W -F
`

const table = new Map<string, Set<string>>()
for (const row of rows.trim().split("\n")) {
  const colon = row.indexOf(":")
  const name = row.slice(0, colon)
  const own = row.slice(colon + 1).trim().split(" ")
  table.set(name, new Set([...table.get(name.split(" ")[0]!) ?? [], ...own]))
}
const alias: Readonly<Record<string, string>> = {
  podman: "docker", nerdctl: "docker", oc: "kubectl", k: "kubectl", tofu: "terraform", terragrunt: "terraform", netcat: "nc", "nc.openbsd": "nc", "nc.traditional": "nc",
  nodejs: "node", tsx: "node", "ts-node": "node", vi: "vim", nvim: "vim", ex: "vim", view: "vim", gvim: "vim", rview: "vim", vimdiff: "vim", nano: "vim",
  https: "http", gtar: "tar", bsdtar: "tar", gsed: "sed", gfind: "find", fdfind: "fd", pip3: "pip", pipx: "pip", gpg2: "gpg", pgcli: "psql", mycli: "mysql", luajit: "lua",
  mksh: "sh", ash: "sh", yash: "sh", rbash: "bash", more: "less", most: "less", batcat: "bat", nft: "nft", "docker-buildx": "docker", dash: "sh", bunx: "npx"
}

/** The value-taking options of a program, or of its subcommand where that has a row of its own. */
export const optionsOf = (program: string, verb?: string): ReadonlySet<string> | undefined => {
  const name = alias[program] ?? program
  return table.get(verb === undefined ? name : `${name} ${verb}`)
}

/** Programs whose long options have one dash. */
export const singleDash: ReadonlySet<string> = new Set([
  "find", "gfind", "terraform", "tofu", "terragrunt", "openssl", "java", "javac", "go", "gdb", "ffmpeg", "convert", "lldb", "sqlite3", "xterm", "ip", "valgrind",
  "fsutil", "qemu-img", "hdiutil", "diskutil", "networksetup", "pwsh", "powershell", "cmd", "gs", "pdflatex", "xelatex", "lualatex", "latexmk"
])

/** Programs that accept shortened long options, as `--recurs`. */
export const abbreviating: ReadonlySet<string> = new Set([
  "rm", "chmod", "chown", "chgrp", "cp", "mv", "ln", "install", "shred", "truncate", "sort", "tar", "git", "wget", "sed", "grep", "tee", "wipefs", "curl"
])

/** Options before the subcommand, which change where it works and not what it does. */
export const globalOptions: Readonly<Record<string, ReadonlyArray<string>>> = {
  git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"],
  docker: ["-H", "--host", "--context", "-c", "--config", "-l", "--log-level"],
  podman: ["--url", "--connection", "--root", "--log-level"],
  kubectl: ["-n", "--namespace", "--context", "--cluster", "--kubeconfig", "--user", "-s", "--server", "--token", "--as"],
  helm: ["-n", "--namespace", "--kube-context", "--kubeconfig"],
  npm: ["--prefix", "-w", "--workspace", "--registry", "--userconfig", "--loglevel"],
  pnpm: ["-C", "--dir", "--filter", "-F", "--prefix"],
  yarn: ["--cwd"],
  cargo: ["--manifest-path", "-C", "--config", "-Z", "--color"],
  go: ["-C"],
  terraform: ["-chdir"],
  aws: ["--profile", "--region", "--endpoint-url", "--output", "--query"],
  gcloud: ["--project", "--account", "--configuration", "--region", "--zone"],
  az: ["--subscription", "--output", "-o", "--query"],
  gh: ["-R", "--repo", "--hostname"],
  make: ["-C", "--directory", "-f", "--file"],
  systemctl: ["-H", "--host", "-M", "--machine"],
  "docker compose": ["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory"],
  "docker-compose": ["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory"]
}
