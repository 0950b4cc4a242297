import { assert, describe, it } from "@effect/vitest"
import { boundaryRefusal } from "../../../src/policy/decision/Boundary.ts"
import { limitsOf } from "../../../src/policy/decision/Limits.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { place, shell } from "./Ruled.ts"

const force = "git push ** --force **"

/** A deny rule, and commands that are what it is about in other words. */
const same: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  [
    force,
    "git-push --force",
    "/usr/lib/git-core/git-push -f",
    "git.exe push -f",
    "hub push -f",
    "git send-pack --force origin",
    "git push --forc",
    "git push --force=true",
    "git push --no-force --force",
    "git push origin +main",
    "git push --no-force origin +main",
    "git push --mirror",
    "exec -a x git push --force",
    "busybox env git push --force"
  ],
  [
    force,
    "git -c alias.p='push --force' p",
    "git -c alias.p=push p --force origin",
    "git -c alias.p='!git push --force' p",
    "git -c alias.q=p -c alias.p='push -f' q",
    "git config alias.p 'push --force' && git p",
    "git config --global alias.p 'push --force'; git p origin",
    "git config set alias.p 'push --force'; git p",
    "git config --add alias.p 'push --force'; git p",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push --force' git p",
    "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push --force'; git p",
    "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push --force' git p",
    "GIT_CONFIG_PARAMETERS=\"'alias.p=push --force'\" git p",
    "GIT_CONFIG_PARAMETERS=\"'alias.p'='push --force'\" git p",
    "alias p='git push'; p --force",
    "alias g=git; g push -f",
    "p() { git push \"$@\"; }; p --force"
  ],
  ["git push ** --mirror **", "git push --mirr"],
  ["rm -rf *", "coreutils --coreutils-prog=rm -rf x", "busybox rm -fr x", "toybox rm -r -f x", "grm -rf x"],
  ["rm ** --recursive **", "rm --rec x"],
  ["python3 **", "python3.12 x.py", "python x.py", "/usr/bin/python3.12 x.py"],
  ["python **", "python3 x.py", "python2 x.py"],
  ["node **", "nodejs x.js", "node22 x.js"],
  ["make **", "gmake x"],
  ["pip install **", "python3 -m pip install x", "python3 -I -mpip install x", "pip3 install x", "pip3.12 install x"],
  ["pip install **", "python3 /usr/bin/pip install x"],
  ["npm install **", "npm i x", "npm add x", "node /usr/lib/node_modules/npm/bin/npm-cli.js i x"],
  ["npm i **", "npm install x"],
  ["docker compose down **", "docker-compose down -v"],
  ["docker run **", "docker container run x"],
  ["docker rmi **", "docker image rm x"],
  ["kubectl delete **", "kubectl.exe delete pod x", "k delete pod x"],
  ["helm uninstall **", "helm delete x"],
  ["gpg **", "gpg2 -d x"],
  ["vim **", "vi x"],
  ["gh pr merge **", "gh alias set p 'pr merge'; gh p 1", "gh alias set p '!gh pr merge'; gh p 1"],
  ["cargo publish **", "cargo --config 'alias.p=\"publish\"' p", "CARGO_ALIAS_P=publish cargo p"],
  ["hg push **", "hg --config alias.x='push -f' x"]
]

const other: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  [
    force,
    "git push origin main",
    "git push --force --no-force",
    "git push --force-with-lease",
    "git push origin main --signed",
    "git commit -m --force",
    "git -c alias.p=push p",
    "git p --force",
    "alias ls='ls --color'; ls | grep x"
  ],
  ["python3 **", "python2 x.py", "pypy3 x.py"],
  ["podman run **", "docker run x"],
  ["push **", "git push"],
  ["pip install **", "python3 -m venv install", "python3 pip/install.py"],
  ["npm test **", "npm run x", "npm install x"]
]

describe("a deny rule matches the same command in other words", () => {
  for (const [rule, ...commands] of same) {
    it.each(commands)(
      `${rule}: %s`,
      (command) => assert.strictEqual(shell({ deny: [`shell(${rule})`] }, command), "deny")
    )
  }
  for (const [rule, ...commands] of other) {
    it.each(commands)(
      `and not ${rule}: %s`,
      (command) => assert.isUndefined(shell({ deny: [`shell(${rule})`] }, command))
    )
  }
})

describe("an allow rule matches what is written alone", () => {
  it.each([
    ["git push *", "git-push"],
    ["git push *", "git send-pack x"],
    ["git p *", "git -c alias.p=push p"],
    ["npm install *", "npm i x"],
    ["python3 *", "python3.12 x.py"],
    ["docker compose ps *", "docker-compose ps"],
    ["pip list *", "python3 -m pip list"],
    ["rm x *", "coreutils --coreutils-prog=rm x"]
  ])("%s: %s", (rule, command) => assert.isUndefined(shell({ allow: [`shell(${rule})`] }, command)))
})

describe("other words hide no danger", () => {
  it.each([
    "git-push --force",
    "git send-pack --force origin",
    "git -c alias.p='push --force' p",
    "git config alias.p 'push --force'; git p",
    "coreutils --coreutils-prog=rm -rf src",
    "node /usr/lib/node_modules/npm/bin/npm-cli.js publish",
    "gh alias set p 'repo delete'; gh p x"
  ])("%s", (command) => assert.isNotEmpty(analyse(command, place).shapes))

  it("and the part that a person reads is the one that was written, once", () => {
    assert.deepStrictEqual(analyse("git-push --force", place).shapes, [
      { category: "git-destructive", part: "git-push --force" }
    ])
  })

  it("nor a test: what is run through another name stays one", () => {
    assert.strictEqual(analyse("python -m unittest", place).capability, "shell_test")
  })
})

describe("a forbidden command", () => {
  it.each(["git-push", "python3.12 x.py", "gmake x", "coreutils --coreutils-prog=git x"])(
    "is none by another name: %s",
    (command) => {
      const { inner, parts, shapes } = analyse(command, place)
      const refusal = boundaryRefusal({ ...limitsOf(undefined), forbiddenCommands: ["git", "python3", "make"] }, {
        capabilities: ["shell_rw"],
        parts,
        inner,
        shapes,
        place,
        canonical: (path) => path,
        readable: [],
        shell: true,
        decidedElsewhere: true
      })
      assert.strictEqual(refusal?.code, "COMMAND_FORBIDDEN")
    }
  )
})
