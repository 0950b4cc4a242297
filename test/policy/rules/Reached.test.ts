import { assert, describe, it } from "@effect/vitest"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { factsOf, place, rules, shell } from "./Ruled.ts"

const isDenied = (rule: string, command: string) => shell({ deny: [rule] }, command) === "deny"

describe("a deny rule sees through what starts another program", () => {
  it.each([
    "strace -f git push",
    "ltrace git push",
    "valgrind --leak-check=full git push",
    "setarch x86_64 git push",
    "prlimit --nofile=10 git push",
    "uv run git push",
    "pipenv run git push",
    "poetry run git push",
    "npx git push",
    "npx --yes git push",
    "bunx git push",
    "pnpm exec git push",
    "pnpm dlx git push",
    "yarn exec git push",
    "npm exec -- git push",
    "bundle exec git push",
    "direnv exec . git push",
    "mise exec -- git push",
    "mise exec node@22 -- git push",
    "mise x -- git push",
    "nix develop -c git push",
    "nix shell nixpkgs#git -c git push",
    "nix-shell --run 'git push'",
    "docker exec app git push",
    "docker exec -it -u root app git push",
    "docker run --rm -v $PWD:/w alpine git push",
    "docker run alpine sh -c 'git push'",
    "docker compose exec app git push",
    "docker compose run --rm app git push",
    "podman run alpine git push",
    "kubectl exec pod -- git push",
    "flatpak-spawn --host git push",
    "firejail git push",
    "unshare -r git push",
    "systemd-run --user git push",
    "conda run -n x git push",
    "rye run git push",
    "hatch run git push",
    "pdm run git push",
    "concurrently 'git push' ls",
    "cross-env A=1 git push",
    "xvfb-run git push",
    "faketime 2020-01-01 git push",
    "dotenv -- git push",
    "op run -- git push",
    "npm exec -c 'git push'",
    "tmux new 'git push'",
    "script -c 'git push' /dev/null",
    "ssh-agent git push",
    "nodemon --exec 'git push'",
    "hyperfine 'git push'",
    "watchexec -- git push",
    "ls | entr git push",
    "perf stat git push",
    "git submodule foreach 'git push'",
    "git rebase -x 'git push' main",
    "git bisect run git push",
    "zip -T -TT 'git push' a.zip f",
    "alias x='git push'",
    "catchsegv git push",
    "torify git push",
    "proxychains4 git push",
    "rustup run stable git push",
    "corepack pnpm exec git push",
    "sudo -u x npx git push",
    "npx npx git push",
    "unbuffer git push",
    "stdbuf -oL npx git push",
    "volta run git push",
    "fnm exec --using=20 git push",
    "devbox run -- git push",
    "pixi run git push",
    "runuser -u x -- git push",
    "make -s SHELL=x; strace -o f git push",
    "lerna exec -- git push",
    "pnpm -r exec git push",
    "yarn dlx git push",
    "uvx git push",
    "bash -c 'npx git push'",
    "eatmydata git push",
    "nsenter -t 1 -m git push",
    "bwrap --dev-bind / / git push",
    "tini -- git push",
    "dumb-init git push",
    "gdb --args git push",
    "rr record git push",
    "heaptrack git push",
    "choom -n 5 -- git push",
    "uclampset -m 5 git push",
    "trickle -d 5 git push",
    "chronic git push",
    "ts-node x; npm x -- git push",
    "sem git push",
    "nerdctl exec app git push",
    "entr -r git push < list",
    "doppler run -- git push"
  ])("%s", (command) => {
    assert.isTrue(isDenied("shell(git push *)", command))
    assert.strictEqual(shell({ ask: ["shell(git push *)"] }, command), "ask")
  })

  it.each([
    ["shell(npx vitest *)", "npx vitest run"],
    ["shell(docker exec *)", "docker exec app ls /srv"],
    ["shell(strace *)", "strace ls"],
    ["shell(uv run *)", "uv run pytest"]
  ])("while %s goes on allowing %s", (rule, command) => assert.strictEqual(shell({ allow: [rule] }, command), "allow"))

  it.each([
    ["shell(vitest *)", "npx vitest run"],
    ["shell(git push *)", "strace git push"],
    ["shell(git push *)", "x=push; git $x"],
    ["shell(rm *)", "{rm,-rf,x}"]
  ])("and %s does not begin to allow %s", (rule, command) => assert.isUndefined(shell({ allow: [rule] }, command)))
})

describe("a deny rule sees words as they will be", () => {
  it.each([
    ["shell(rm -rf *)", "{rm,-rf,/}"],
    ["shell(git push ** --force **)", "git {push,-f}"],
    ["shell(git push *)", "x=push; git $x"],
    ["shell(git push *)", "x=push && git \"$x\" origin"],
    ["shell(git push *)", "x='git push'; $x"],
    ["shell(git push ** --force **)", "x='push -f'; git $x"],
    ["shell(git push *)", "g=git; p=push; ${g} ${p}"],
    ["shell(git push *)", "export p=push; git $p"],
    ["shell(git push *)", "f() { git \"$@\"; }; f push"],
    ["shell(git push *)", "f() { git $1; }; f push"],
    ["shell(git push *)", "git() { command git \"$@\"; }; git push"],
    ["shell(git push *)", "f() { \"$@\"; }; f git push"],
    ["shell(git push *)", "for x in push; do git $x; done"],
    ["shell(git push *)", "git $(echo push)"],
    ["shell(git push *)", "git `printf push`"],
    ["shell(git push *)", "echo push | xargs git"],
    ["shell(git push *)", "xargs -I{} git {} <<< push"],
    ["shell(git push *)", "for i in 1 2; do git $x; x=push; done"],
    ["shell(git push *)", "docker run --entrypoint git alpine push"],
    ["shell(git push *)", "yarn workspace a exec git push"],
    ["shell(git push *)", "poetry -C x run git push"],
    ["shell(git push *)", "uv tool run git push"],
    ["shell(git push *)", "git --attr-source x push"],
    ["shell(git push *)", "git --attr-source=x push"],
    ["read(./secret/**)", "d=secret; cat $d/k"],
    ["read(./secret/**)", "cat {secret,x}/k"],
    ["write(lock)", "for f in lock; do echo > $f; done"]
  ])("%s on %s", (rule, command) => assert.isTrue(isDenied(rule, command)))
})

const folders = new Set(["/work/app", "/work/app/d", "/work/app/secret"])
const withDisk = {
  ...place,
  kindOf: (path: string) => (folders.has(path) ? "folder" : path === "/work/app/a.txt" ? "file" : "none")
} as const

const decided = (lists: Parameters<typeof rules>[0], command: string) => {
  const { inner, opaque, parseError, parts } = analyse(command, withDisk)
  const facts = { ...factsOf(), opaque, parseError, inner }
  const set = rules(lists)
  return { list: set.decide("shell", parts, facts)?.list, may: set.mayHit("shell", parts, facts, false)?.list }
}

describe("a rule about writing a file sees every way to write it", () => {
  it.each([
    "cp d/lock .",
    "cp -t . d/lock",
    "cp d/lock x/lock ./",
    "cp d/lock \"$PWD\"",
    "mv d/lock .",
    "install d/lock .",
    "install -m 644 -t . d/lock",
    "rsync d/lock .",
    "rsync -a host:d/lock .",
    "scp host:d/lock .",
    "ln d/lock",
    "ln -sf d/lock .",
    "ln -s ../d/lock ./",
    "git mv d/lock .",
    "cd d && cp lock ..",
    "tar xf a.tar lock",
    "tar -xzf a.tgz ./lock",
    "tar x lock < a.tar",
    "unzip a.zip lock",
    "unzip -d . a.zip lock",
    "perl -pi -e s/a/b/ lock",
    "perl -i.bak -ne print lock",
    "ruby -pi -e '$_.upcase!' lock",
    "gawk -i inplace '{print}' lock",
    "sed -i s/a/b/ lock",
    "sed -ni 1p lock",
    "sort -o lock a",
    "sort a --output=lock",
    "uniq a lock",
    "xxd -r a lock",
    "git checkout lock",
    "git checkout -- lock",
    "git checkout HEAD~1 -- lock",
    "git mv a lock",
    "git mv lock a",
    "git rm lock",
    "git restore lock",
    "git restore -s HEAD~1 lock",
    "git stash push lock",
    "git stash -- lock",
    "git clean -f lock",
    "patch lock < p",
    "patch -o lock a < p",
    "patch -p1 <<'E'\n--- a/lock\n+++ b/lock\nE",
    "git apply <<'E'\n+++ b/lock\nE",
    "gzip lock",
    "xz lock",
    "bzip2 lock",
    "gunzip lock.gz",
    "xz -d lock.xz",
    "zstd -d lock.zst",
    "zstd --rm -d lock.zst",
    "curl -o lock u",
    "curl --output lock http://x/y",
    "curl -O http://x/lock",
    "curl -sSLO http://x/lock",
    "curl --remote-name http://x/lock?a=b",
    "wget -O lock u",
    "wget http://x/lock",
    "wget -P . http://x/lock",
    "zip lock a",
    "dd of=lock if=a",
    "truncate -s 0 lock",
    "touch lock",
    "tee lock",
    "tee -a x lock",
    "echo x | tee lock",
    "split a lo",
    "csplit -f lo a 1",
    "rm lock",
    "rm -f ./lock",
    "unlink lock",
    "shred lock",
    "chmod 777 lock",
    "echo > lo?k",
    "rm lo*",
    "cp a lock",
    "ln -sf a lock",
    "awk '{print > \"lock\"}' a",
    "sed -n 'w lock' a",
    "find . -name lock -fprint lock",
    "git diff --output=lock",
    "git archive -o lock HEAD",
    "openssl enc -out lock -in a",
    "jq . a > lock",
    "ed lock",
    "vim -c wq lock",
    "gcc -o lock a.c",
    "npx rimraf lock",
    "git -C d mv x ../lock",
    "sponge lock",
    "ex -sc wq lock",
    "sqlite3 x '.output lock'; tee lock",
    "ssh-keygen -f lock",
    "7z a lock x",
    "base64 -d a > lock",
    "tar cf lock a",
    "cpio -o -O lock",
    "aria2c -o lock u",
    "mkfifo lock",
    "env tee lock",
    "xargs touch lock"
  ])("%s", (command) => assert.strictEqual(decided({ deny: ["write(./lock)"] }, command).list, "deny"))

  it.each([
    "rm -rf d",
    "rm -r -- d",
    "mv d e",
    "chmod -R 777 d",
    "git rm -r d",
    "rm -rf *",
    "rm -rf ./?",
    "mv d/ /tmp",
    "npx rimraf d",
    "find . -maxdepth 0; rm -rf ./d"
  ])(
    "and of what lies in a folder: %s",
    (command) => assert.strictEqual(decided({ deny: ["write(./d/lock)"] }, command).list, "deny")
  )

  it.each([
    "tar xf a.tar",
    "unzip a.zip",
    "tar xzf a.tgz -C d",
    "unzip a.zip -d d",
    "cp -r x/. .",
    "rsync -a x/ d/",
    "git checkout .",
    "git stash",
    "git stash pop",
    "patch -p1 < p",
    "git apply p",
    "git clean -fd"
  ])(
    "a person is asked where nobody can tell: %s",
    (command) =>
      assert.deepStrictEqual(decided({ deny: ["write(./d/lock)"] }, command), { list: undefined, may: "deny" })
  )

  it.each([
    "cp lock d",
    "cp lock x",
    "cat lock",
    "sort lock",
    "uniq lock",
    "xxd lock",
    "git checkout main",
    "git checkout -b lock2",
    "gzip -k a",
    "gzip -c lock",
    "git log lock",
    "git diff lock",
    "diff a lock",
    "curl http://x/lock",
    "tar cf a.tar lock",
    "tar tf a.tar lock",
    "unzip -l a.zip",
    "zip a lock",
    "split lock x",
    "git stash list",
    "git restore --staged lock",
    "rm -rf dist",
    "mv a b",
    "grep -r x .",
    "sed -n 1p lock",
    "awk '$1 > 5' lock",
    "perl -ne print lock",
    "git add lock",
    "npm test",
    "git status",
    "git stash show",
    "mv x/lock y",
    "cp -r d e",
    "git commit -m lock"
  ])(
    "but not where it is not written: %s",
    (command) =>
      assert.deepStrictEqual(decided({ deny: ["write(./lock)"] }, command), { list: undefined, may: undefined })
  )
})

describe("a rule about reading a file sees", () => {
  it.each([
    "cat secr*/k",
    "cat s*/*",
    "cat ./*/k",
    "cat secret/?",
    "head -n1 secret/*",
    "git show :secret/k",
    "git show HEAD:secret/k",
    "git cat-file -p HEAD:secret/k",
    "git show HEAD~2:./secret/k",
    "cd src && git show :../secret/k",
    "tsort secret/k",
    "egrep x secret/k",
    "fgrep -f secret/k a",
    "zgrep x secret/k",
    "nl secret/k",
    "base64 secret/*",
    "cp secret/* /tmp",
    "tar c secret/*",
    "python3 secr*/k.py",
    "git grep x -- secret/k",
    "for f in secret/*; do cat $f; done",
    "gzip -c secret/k",
    "uniq secret/k",
    "git diff --no-index /dev/null secret/k",
    "git blame secret/k",
    "git log -p -- secret/k",
    "split secret/k x",
    "dd if=secret/k",
    "diff secret/k /dev/null",
    "for i in 1 2; do cat k; cd secret; done",
    "while read x; do head k; cd secret; done < l",
    "trap 'cat k' EXIT; cd secret",
    "f() { cat k; }; cd secret; f",
    "cd secret; git show :./k",
    "mv secret/k x",
    "less secret/k",
    "mv ../app ../b",
    "xargs -a secret/k echo"
  ])("%s", (command) => assert.strictEqual(decided({ deny: ["read(./secret/**)"] }, command).list, "deny"))

  it.each([
    "grep -r X .",
    "grep -R X",
    "rg X",
    "rg X src/..",
    "ag X",
    "tar c .",
    "tar czf /tmp/a.tgz .",
    "cp -r . /tmp/x",
    "cp -a ../app /tmp",
    "rsync -a . /tmp/x",
    "zip -r a.zip .",
    "diff -r . ../x",
    "git grep X",
    "git archive HEAD",
    "7z a x .",
    "find . -type f -exec cat {} +",
    "find . -name k | xargs cat",
    "ls | xargs cat",
    "cat \"$(ls | head -1)\"",
    "cat $1",
    "for f in $(ls); do cat $f; done",
    "find . | xargs -n1 head",
    "fd -t f -x cat",
    "scp -r . host:x",
    "cat $(find . -name k)"
  ])(
    "where it may come to what it names, a person is asked: %s",
    (command) =>
      assert.deepStrictEqual(decided({ deny: ["read(./secret/**)"] }, command), { list: undefined, may: "deny" })
  )

  it.each([
    "grep -r X src",
    "rg X src",
    "cat src/*",
    "cat *.md",
    "ls -R .",
    "find . -name k",
    "cp -r src dst",
    "tar c src",
    "git status",
    "git log",
    "npm test",
    "cat a",
    "wc -l src/*",
    "find src -exec cat {} +",
    "echo *",
    "git show HEAD",
    "du -sh ."
  ])(
    "and not where it cannot: %s",
    (command) =>
      assert.deepStrictEqual(decided({ deny: ["read(./secret/**)"] }, command), { list: undefined, may: undefined })
  )

  it("nothing below a file", () => {
    const deny = { deny: ["read(.env)"] }
    assert.strictEqual(decided(deny, "mv a b").may, "deny")
    assert.isUndefined(decided(deny, "mv a.txt b").may)
    assert.isUndefined(decided(deny, "rg x a.txt").may)
  })

  it("hidden files only where they are meant", () => {
    const deny = { deny: ["read(./.env)"] }
    assert.isUndefined(decided(deny, "cat *").list)
    assert.strictEqual(decided(deny, "cat .e*").list, "deny")
    assert.strictEqual(decided(deny, "cat .*").list, "deny")
    assert.strictEqual(decided({ deny: ["read(*.pem)"] }, "cat *").may, "deny")
    assert.isUndefined(decided({ deny: ["read(~/.ssh/**)"] }, "grep -r X .").may)
    assert.strictEqual(decided({ deny: ["read(~/.ssh/**)"] }, "grep -r X ~").may, "deny")
    assert.strictEqual(decided({ deny: ["read(~/.ssh/**)"] }, "cat /home/*/.ssh/id").list, "deny")
  })
})
