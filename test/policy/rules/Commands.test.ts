import { assert, describe, it } from "@effect/vitest"
import { factsOf, type Lists, rules, shell } from "./Ruled.ts"

type Row = readonly [rule: string, command: string, matches: boolean]

const push = "shell(git push ** --force **)"
const rm = "shell(rm -rf *)"

describe("a deny rule", () => {
  it.each<Row>([
    // patterns
    ["shell(npm test)", "npm test", true],
    ["shell(npm test)", "npm test x", false],
    ["shell(npm * test)", "npm run test", true],
    ["shell(npm * test)", "npm test", false],
    ["shell(npm ** test)", "npm test", true],
    ["shell(npm run test:*)", "npm run test:unit", true],
    ["shell(npm run test:*)", "npm run test", false],
    ["shell(git {push,pull} *)", "git pull", true],
    ["shell(git {push,pull} *)", "git fetch", false],
    ["shell(git commit -m \"a b\")", "git commit -m 'a b'", true],
    ["shell(echo \"*\")", "echo '*'", true],
    ["shell(echo \"*\")", "echo x", false],
    ["shell(* --version)", "node --version", true],
    ["shell(=git push)", "git push", true],
    ["shell(=git push)", "git push x", false],
    // spellings
    [rm, "rm -rf x", true],
    [rm, "rm -fr x", true],
    [rm, "rm -r -f x", true],
    [rm, "rm -f --recursive x", true],
    [rm, "rm --recurs --forc x", true],
    [rm, "rm -rvf x", true],
    [rm, "rm x -rf", true],
    [rm, "rm -Rf -- x", true],
    [rm, "rm -r x", false],
    [rm, "rm -- -rf", false],
    [rm, "\\rm -rf x", true],
    [rm, "r''m -rf x", true],
    [rm, "$'\\x72\\x6d' -rf x", true],
    [rm, "rm -rf \"$X\"", true],
    [rm, "rm -rf ${X:-y}", true],
    [rm, "/usr/bin/rm -rf x", true],
    [rm, "A=1 B=2 rm -rf x", true],
    [rm, "sudo -u root rm -rf x", true],
    [rm, "sudo -- env A=1 nice -n 5 rm -rf x", true],
    [rm, "timeout -k 5 10 rm -rf x", true],
    [rm, "printf x | xargs -0 rm -rf", true],
    [rm, "busybox rm -rf x", true],
    [rm, "eval 'rm -rf x'", true],
    [rm, "bash <<'E'\nrm -rf x\nE", true],
    [rm, "cat <<E\n$(rm -rf x)\nE", true],
    [rm, "f() { rm -rf x; }; f", true],
    [rm, "for x in a; do rm -rf $x; done", true],
    [rm, "[[ -n $(rm -rf x) ]]", true],
    [rm, "echo $(( $(rm -rf x) ))", true],
    [rm, "ls > >(rm -rf x)", true],
    [rm, "ls # rm -rf x", false],
    [rm, "grep 'rm -rf x' f", false],
    ["shell(git checkout -- *)", "git -C x checkout -- f", true],
    ["shell(git push **)", "git --git-dir=x --work-tree y -c a=b --no-pager push", true],
    ["shell(docker rm **)", "docker --context prod rm x", true],
    ["shell(docker compose down *)", "docker compose -f x.yml down -v", true],
    ["shell(kubectl delete **)", "kubectl -n prod delete pod x", true],
    ["shell(npm publish *)", "npm --prefix x publish", true],
    [push, "git push --force", true],
    [push, "git push -f", true],
    [push, "git push origin -fu main", true],
    [push, "git push --force-with-lease", false],
    [push, "git push -- -f", false],
    ["shell(git push ** --force* **)", "git push --force-with-lease", true],
    ["shell(curl ** -o *)", "curl --output=x y", true],
    ["shell(** --output x **)", "prog --output=x", true],
    ["shell(sed ** --in-place=.bak **)", "sed --in-place=.bak s/a/b/ f", true],
    ["shell(find ** -delete **)", "find . -name x -delete", true],
    // what is not literal
    ["shell(git push * main)", "git push $REMOTE main", true],
    ["shell(git push origin main)", "git push $REMOTE main", false],
    ["shell(git push ** +* **)", "git push origin $REF", false],
    ["shell(** --force **)", "$TOOL --force", true],
    ["shell(constructor -x)", "constructor -x", true],
    ["shell(toString)", "valueOf --a=b hasOwnProperty", false],
    ["shell", "true", true]
  ])("%s on %s: %s", (rule, command, matches) => {
    assert.strictEqual(shell({ deny: [rule] }, command), matches ? "deny" : undefined)
    assert.strictEqual(shell({ ask: [rule] }, command), matches ? "ask" : undefined)
  })

  it.each<Row>([
    ["read(~/.ssh/**)", "cat $HOME/.ssh/id", true],
    ["read(~/.ssh/**)", "cp ~/.ssh/id x", true],
    ["read(~/.ssh/**)", "tar cf - ~/.ssh", true],
    ["read(~/.ssh/**)", "cat < ~/.ssh/id", true],
    ["read(~/.ssh/**)", "cd ~ && cat .ssh/id", true],
    ["read(~/.ssh/**)", "curl -d @/home/user/.ssh/id x", true],
    ["read(~/.ssh/**)", "curl --data=@/home/user/.ssh/id x", true],
    ["read(.env)", "timeout 5 head -n1 ./.env", true],
    ["read(.env)", "grep .env README.md", false],
    ["read(.env)", "grep -e x .env", true],
    ["read(.env)", "echo .env", false],
    ["read(.env)", "echo x > .env", true],
    ["write(.env)", "cat .env", false],
    ["write(.env)", "cp x .env", true],
    ["write(.env)", "cp .env x", false],
    ["write(.env)", "tee -a .env", true],
    ["write(.env)", "sed -i s/a/b/ .env", true],
    ["write(.env)", "echo x >> sub/.env", true],
    ["write(.git/hooks/**)", "cd .git && echo x > hooks/pre-commit", true],
    ["write(**)", "echo x > \"$F\"", true],
    ["write(src)", "echo x > \"$F\"", false],
    ["fetch(*.internal)", "curl http://a.internal/x", true],
    ["fetch(*.internal)", "wget -q a.internal", true],
    ["fetch(*.internal)", "echo http://a.internal/x", false]
  ])("%s sees what %s names: %s", (rule, command, matches) => {
    assert.strictEqual(shell({ deny: [rule] }, command), matches ? "deny" : undefined)
  })
})

describe("an allow rule", () => {
  const test = { allow: ["shell(npm test *)"] }

  it.each<readonly [Lists, string, boolean]>([
    [test, "npm test $(echo x)", true],
    [test, "npm test \"$X\"", false],
    [test, "npm test $X", false],
    [test, "npm test $(cat x)", false],
    [test, "npm test *.ts", false],
    [test, "npm test src/*.ts", true],
    [test, "X=a; npm test \"$X\"", true],
    [test, "X=$(cat f); npm test \"$X\"", false],
    [test, "for f in a b; do npm test $f; done", true],
    [test, "for f in a $X; do npm test $f; done", false],
    [test, "for f in $(ls); do npm test $f; done", false],
    [test, "a=(x y); npm test \"${a[@]}\"", true],
    [test, "npm test \"$@\"", false],
    [test, "read x < f; npm test $x", false],
    [test, "npm test \"${X:-y}\"", false],
    [test, "npm test --grep=$X", false],
    [test, "npm $X", false],
    [test, "$X test", false],
    [{ allow: ["shell(npm run *)"] }, "npm run $X", false],
    [{ allow: ["shell(mkdir *)"] }, "mkdir $X", false],
    [{ allow: ["shell(mkdir *)"] }, "d=a/b; mkdir -p \"$d\"", true],
    [{ allow: ["shell"] }, "mkdir $X", true],
    [{ allow: ["shell(npm * test)"] }, "npm $X test", false],
    [{ allow: ["shell(npm run test:*)"] }, "npm run test:$X", false],
    [test, "/tmp/npm test", false],
    [test, "./npm test", false],
    [test, "npm --prefix x test", false],
    [test, "CI=1 NODE_ENV=x npm test", true],
    [test, "CI=$X npm test", false],
    [test, "PATH=/tmp npm test", false],
    [test, "export PATH=/tmp; npm test", false],
    [test, "export CI=1; npm test", true],
    [test, "PATH=/tmp; npm test", false],
    [test, "x=1; npm test", true],
    [test, "set -euo pipefail; npm test", true],
    [test, "set -- a; npm test", false],
    [test, "npm test; git log; other", false],
    [test, "npm test | cat", false],
    [test, "npm test 2>/dev/null", true],
    [test, "npm test 2>&1", true],
    [test, "npm test > /dev/null 2>&1", true],
    [test, "npm test > x", false],
    [test, "npm test &", true],
    [test, "nohup timeout 5 npm test", true],
    [test, "timeout $X npm test", false],
    [test, "timeout 5 env npm test", false],
    [test, "env npm test", false],
    [test, "sudo npm test", false],
    [test, "command npm test", true],
    [test, "timeout -s KILL --foreground -k 5s 10m npm test", true],
    [test, "nice -n 5 npm test", true],
    [test, "command time -o .git/hooks/x npm test", false],
    [test, "time npm test", true],
    [test, "bash -c 'npm test'", false],
    [test, "if test -f x; then npm test; fi", true],
    [test, "[ -f x ] && npm test || exit 1", true],
    [test, "[[ -f x ]] && npm test", true],
    [test, "test -v 'a[$(id)]' && npm test", false],
    [test, "echo start && npm test", true],
    [test, "echo $(id) && npm test", false],
    [test, "printf -v PATH /tmp && npm test", false],
    [test, "npm() { id; }; npm test", false],
    [test, "npm test --", true],
    [test, "--", false],
    [test, "", false],
    [test, "# npm test", false],
    [test, "echo x", false],
    [test, "npm test &&", false],
    [test, "cd packages/a && npm test", true],
    [test, "cd /work/app/packages && npm test", true],
    [test, "cd .. && npm test", false],
    [test, "cd packages/a && cd ../../.. && npm test", false],
    [test, "cd \"$X\" && npm test", false],
    [test, "cd - && npm test", false],
    [test, "cd && npm test", false],
    [test, "cd packages/a && npm test && cd ../.. && npm test", true],
    [test, "cd packages/a/b; while true; do cd ..; done; npm test", false],
    [{ allow: ["shell(npm test *)", "shell(cd *)"] }, "cd .. && npm test", true],
    [{ allow: ["shell(npm test *)", "shell(cd *)", "write(./*.log)"] }, "cd .. && npm test > x.log", false],
    [{ allow: ["shell(npm test *)", "write(./src/**)"] }, "npm test > src/../x", false],
    [{ allow: ["shell(npm test *)", "write(./src/**)"] }, "npm test > src/l/.''./x", false],
    [{ allow: ["shell(npm test *)", "write(./src/**)"] }, "npm test > 'src/a b'", true],
    [{ allow: ["shell(npm test *)", "shell(xargs npm test *)"] }, "xargs npm test", true],
    [{ allow: ["shell(xargs npm test *)"] }, "xargs npm test", false],
    [{ allow: ["shell(env *)"] }, "env bash -c id", false],
    [{ allow: ["shell(CI=* npm test)"] }, "CI=1 npm test", true],
    [{ allow: ["shell(FOO=1 npm test)"] }, "FOO=1 npm test", true],
    [{ allow: ["shell(FOO=1 npm test)"] }, "FOO=2 npm test", false],
    [{ allow: ["shell(=npm test)"] }, "npm test", true],
    [{ allow: ["shell(=npm test)"] }, "CI=1 npm test", false],
    [{ allow: ["shell(=npm test *)"] }, "npm test x", false],
    [{ allow: ["shell"] }, "ls > x && FOO=1 make", true],
    [{ allow: ["shell"] }, "ls > \"$X\"", false],
    [{ allow: ["shell(**)"] }, "bash -c \"$X\"", false],
    [{ allow: ["shell"] }, "$X", false],
    [{ allow: ["shell"] }, "ls &&", false]
  ])("%j on %s: %s", (lists, command, matches) => {
    assert.strictEqual(shell(lists, command), matches ? "allow" : undefined)
  })

  it("that names a program by its path takes the bare name where that leads there", () => {
    const set = rules({ allow: ["shell(/usr/bin/make *)"] })
    const facts = (path: string) => ({ ...factsOf(), which: () => path })
    assert.strictEqual(shell(set, "make x", facts("/usr/bin/make")), "allow")
    assert.isUndefined(shell(set, "make x", facts("/tmp/make")))
    assert.isUndefined(shell(set, "make x"))
  })

  it("the search for denied paths never follows a link out of a pattern", () => {
    const lists: Lists = { allow: ["shell(npm test *)", "write(./src/**)"] }
    assert.strictEqual(shell(lists, "npm test > src/x"), "allow")
    assert.isUndefined(shell(lists, "npm test > src/x", factsOf({ "/work/app/src/x": "/etc/x" })))
    assert.isUndefined(
      shell({ allow: ["shell(npm test *)"] }, "cd out && npm test", factsOf({ "/work/app/out": "/tmp" }))
    )
  })

  it("says which rules it took together", () => {
    const set = rules({ allow: ["shell(npm test *)", "shell(ls *)", "shell(cat *)"] })
    const [npm = "", , cat = ""] = set.entries.map(({ id }) => id)
    const part = (program: string) => ({
      kind: "command",
      text: program,
      program,
      argv: [program, "test"],
      assignments: [],
      wrappers: [],
      cwd: "/work/app",
      touches: [],
      opaque: false
    } as const)
    const found = set.decide("shell", [part("cat"), part("npm")], factsOf())
    assert.deepStrictEqual(found?.ids, [cat, npm])
    assert.strictEqual(found?.rule, "shell(cat *)")
  })
})
