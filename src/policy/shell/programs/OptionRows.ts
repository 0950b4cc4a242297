/**
 * Which options take their value from the next word, so that operands can be told from values. A row is a program or a
 * program with its subcommand; subcommand rows add to the program's. `-i?` takes a value only from the same word.
 */
export const optionRows = `
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
  node: -e --eval -p --print -pe -r --require --import --loader --experimental-loader -C --conditions --env-file
    --input-type
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
  ipython: -c -m
  usql: -c --command -f
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
  curl: -o --output -d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form --form-string
    -T --upload-file -H --header -X --request -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -K
    --config -x --proxy -m --max-time -w --write-out -E --cert --key --cacert --connect-timeout --retry
    --retry-delay --url --output-dir --resolve --connect-to --interface --unix-socket -r --range -C --continue-at -D
    --dump-header -U --proxy-user --limit-rate -Y -y -z --time-cond --max-redirs --trace --trace-ascii --stderr
  wget: -O --output-document -P --directory-prefix -o --output-file -a --append-output -i --input-file --post-file
    --post-data --body-file --body-data --method --header -U --user-agent -e --execute -T --timeout -t --tries -Q
    --use-askpass --user --password --load-cookies --save-cookies -A -R -D -I -X -l --level -w --wait -B --base
    --referer --ca-certificate --limit-rate
  http: -o --output -d? -a --auth -A --session --proxy --verify --timeout -p
  aria2c: -o --out -d --dir -i --input-file -x -s -j
  ssh: -o -i -p -l -F -L -R -D -W -J -b -c -e -m -O -Q -S -w -E -B -I
  scp: -o -i -P -F -S -J -l -c -D -X
  sftp: -o -i -P -F -S -J -l -b -B -s -R -D
  rsync: -e --rsh -f --filter --exclude --include --exclude-from --include-from --files-from --log-file --rsync-path
    -T --temp-dir --backup-dir --suffix --password-file --bwlimit --timeout --port -B -M --remote-option --chmod
    --chown --out-format --compare-dest --copy-dest --link-dest --partial-dir --max-size --min-size
  nc: -e -c -p -s -w -i -q -x -X -I -O -P -T -V -m -g -G
  ncat: -e --exec -c --sh-exec --lua-exec -p --source-port -s -w -i -d --proxy --proxy-type -m --allow --deny -o
    --output
  socat: -T -t -b -L -W -lf
  tar: -f --file -C --directory -I --use-compress-program --to-command --checkpoint-action -T --files-from -X
    --exclude-from --exclude -F --info-script --new-volume-script --rsh-command --rmt-command --transform --xform -N
    --newer -g --listed-incremental --owner --group --mode --mtime --strip-components -b -K -L -V
  unzip: -d -x -P -O -I
  zip: -x -i -TT -b -n -P -s -t --unzip-command
  cp: -t --target-directory -S --suffix
  mv: -t --target-directory -S --suffix
  ln: -t --target-directory -S --suffix
  install: -t --target-directory -m --mode -o --owner -g --group -S --suffix --strip-program
  sort: -o --output -k --key -t --field-separator -S --buffer-size -T --temporary-directory --compress-program
    --files0-from --parallel --batch-size
  sed: -e --expression -f --file -l --line-length -i?
  grep: -e --regexp -f --file -m --max-count -A -B -C --include --exclude --exclude-dir --exclude-from --color -d -D
    --label
  egrep: -e -f -m -A -B -C --include --exclude --exclude-dir
  fgrep: -e -f -m -A -B -C --include --exclude --exclude-dir
  rg: -e --regexp -f --file -g --glob --iglob -t --type -T --type-not -m --max-count -A -B -C --pre --pre-glob
    --hostname-bin -r --replace -j --threads -M --sort --sortr -d --max-depth --ignore-file --type-add --color
    --colors --engine -E
  head: -n --lines -c --bytes
  tail: -n --lines -c --bytes --pid -s
  cut: -d -f -c -b --delimiter --fields
  uniq: -f -s -w
  truncate: -s --size -r --reference -o
  fallocate: -l --length -o --offset
  split: -b -l -n -C -a -t --filter --additional-suffix
  csplit: -f --prefix -b --suffix-format -n --digits
  cpio: -O -F -D -H -I -E --directory --file --format
  gcc: -o -x -include -isystem -idirafter -T -u -z -I -L -D -U -l -arch -framework -wrapper? -B?
  ld: -o -T -L -l -e -m
  rustc: -o --out-dir --crate-name --crate-type --edition -C -L -l --emit --target
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
  openssl: -in -out -key -inkey -keyfile -passin -passout -pass -k -K -iv -CAfile -CA -CAkey -connect -servername
    -engine -provider -config -days -subj -newkey -keyout -host -port
  gpg: -o --output -r --recipient -u --local-user --homedir --passphrase --passphrase-file --keyserver --default-key
    --batch? -b?
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
  find: -name -iname -path -ipath -wholename -regex -iregex -type -newer -mtime -atime -ctime -mmin -amin -cmin
    -size -user -group -perm -maxdepth -mindepth -fprint -fprint0 -fls -printf -fstype -inum -links -samefile
    -newermt -uid -gid -D -xtype
  fd: -e --extension -t --type -d --max-depth -E --exclude -g? -c --color -S --size --changed-within
    --changed-before -j --threads -o --owner --base-directory --min-depth --search-path
  systemctl: -t --type -p --property -H --host -M --machine -n --lines -o --output --state -s --signal --job-mode
    --root --kill-whom --what
  ps: -p -u -U -g -G -t -C -o --sort --format --pid --user
  tree: -L -P -I -o -T -H --filelimit
  xargs: -a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars
  env: -u --unset -C --chdir -S --split-string -a --argv0
  su: -c --command -s --shell -g --group -G -w
  script: -c --command -t? -T -I -O -B -o
  tmux: -L -S -f -c? -n -s -t -x -y -e -F
  ping: -c -i -I -w -W -s -t -M -Q -p
  dig: -p -b -t -k -f -y -q -c
  tcpdump: -z -w -i -c -r -s -G -C -W -F
`

/** The long options with which a program that can also write still only reads. */
export const readingOptionRows = `
  file: --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going
  tree: --noreport --dirsfirst --gitignore --prune --du --si --inodes
  yq: --raw-output --null-input --exit-status --colors --no-colors --prettyPrint --output-format --input-format
  base64: --decode --ignore-garbage --wrap
  base32: --decode --ignore-garbage --wrap
  rg: --regexp --file --glob --iglob --type --type-not --type-list --max-count --max-depth --max-columns --context
    --after-context --before-context --replace --threads --sort --sortr --color --colors --engine --encoding --files
    --files-with-matches --files-without-match --count --count-matches --ignore-case --smart-case --case-sensitive
    --fixed-strings --word-regexp --line-regexp --line-number --no-line-number --heading --no-heading --with-filename
    --no-filename --only-matching --invert-match --multiline --multiline-dotall --pcre2 --hidden --no-hidden --text
    --no-ignore --no-ignore-vcs --unrestricted --follow --json --stats --trim --vimgrep --null --quiet --no-messages
    --column --passthru --pretty --no-config --max-filesize
  find: -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -atime -mtime -ctime
    -amin -mmin -cmin -size -user -group -perm -maxdepth -mindepth -print -print0 -printf -ls -empty -prune -not -o
    -or -a -and -depth -d -H -L -P -E -X -s -x -mount -xdev -quit -follow -links -inum -samefile -readable -writable
    -executable -true -false -daystart -noleaf -nouser -nogroup -uid -gid -fstype -lname -ilname
  fd: --extension --type --max-depth --min-depth --exact-depth --exclude --glob --regex --color --size --changed-within
    --changed-before --hidden --no-ignore --no-ignore-vcs --absolute-path --full-path --case-sensitive --ignore-case
    --fixed-strings --follow --print0 --max-results
  sort: --reverse --numeric-sort --unique --key --field-separator --human-numeric-sort --version-sort --ignore-case
    --month-sort --general-numeric-sort --stable --check --random-sort --zero-terminated
  uniq: --count --repeated --unique --ignore-case --zero-terminated --skip-fields --skip-chars --check-chars
  npm: --all --depth --json --long --prod --production --dev --omit --parseable --global --workspaces --link
  cargo: --offline --locked --frozen --format-version --no-deps --all-features --no-default-features --features --edges
    --invert --depth --duplicates --package --workspace --prefix --charset --target
`
