import { assert, describe, it } from "@effect/vitest"
import * as Dangers from "../../../src/policy/rules/Dangers.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { factsOf, fetch, type Lists, mcp, place, read, rules, shell, tools, write } from "./Ruled.ts"

type Outcome = "deny" | "ask" | "allow" | undefined

const npmTest: Lists = { allow: ["shell(npm test *)"] }
const npmTestAndLogs: Lists = { allow: ["shell(npm test *)", "write(./*.log)"] }
const rm: Lists = { deny: ["shell(rm -rf *)"] }
const push: Lists = { ask: ["shell(git push **)"] }
const curl: Lists = { deny: ["shell(curl **)"] }
const api: Lists = { allow: ["shell(curl https://api.example.com/*)"] }

const commands: ReadonlyArray<readonly [number, Lists, string, Outcome]> = [
  [1, npmTest, "npm test", "allow"],
  [2, npmTest, "npm test -- --watch", "allow"],
  [3, npmTest, "npm testing", undefined],
  [4, npmTest, "npm test && rm -rf src", undefined],
  [5, npmTest, "cd packages/a && npm test", "allow"],
  [6, npmTest, "cd / && npm test", undefined],
  [7, npmTest, "NODE_ENV=test npm test", "allow"],
  [8, npmTest, "LD_PRELOAD=x npm test", undefined],
  [9, npmTest, "npm test > out.log", undefined],
  [10, npmTestAndLogs, "npm test > out.log", "allow"],
  [11, npmTestAndLogs, "npm test $(cat x)", undefined],
  [12, { allow: ["shell(npm test *)", "shell(cat *)"] }, "npm test $(cat x)", "allow"],
  [13, npmTest, "timeout 60 npm test", "allow"],
  [14, npmTest, "xargs npm test", undefined],
  [15, rm, "ls; rm -fr x", "deny"],
  [16, rm, "FOO=1 /bin/rm -r -f x", "deny"],
  [17, rm, "find . -exec rm -rf {} +", "deny"],
  [18, rm, "bash -c 'rm -rf x'", "deny"],
  [19, rm, "echo \"rm -rf x\"", undefined],
  [20, rm, "git commit -m \"rm -rf x\"", undefined],
  [21, rm, "cat <<'E'\nrm -rf x\nE", undefined],
  [22, rm, "$R -rf x", undefined],
  [23, push, "git -C ../x push", "ask"],
  [24, push, "cd x && git push --dry-run", "ask"],
  [25, { deny: ["shell(git push ** --force **)"] }, "git push -uf origin main", "deny"],
  [26, { deny: ["shell(git push ** +* **)"] }, "git push origin +main", "deny"],
  [27, { allow: ["shell(git status *)"], deny: ["shell(git **)"] }, "git status", "deny"],
  [28, curl, "echo $(curl x)", "deny"],
  [29, curl, "diff <(curl x) y", "deny"],
  [30, curl, "FOO[$(curl x)]=1 true", "deny"],
  [31, curl, "command -v curl", undefined],
  [32, api, "curl https://api.example.com/a", "allow"],
  [33, api, "curl -L https://api.example.com/a", undefined],
  [35, { deny: ["read(~/.ssh/**)"] }, "cat ~/.ssh/id_rsa", "deny"],
  [39, { deny: ["write(.git/hooks/**)"] }, "printf x > .git/hooks/pre-commit", "deny"],
  [44, { allow: ["shell(docker run *)"] }, "docker run --privileged x", "allow"],
  [45, { allow: ["shell(=make build)"] }, "make build SHELL=/tmp/x", undefined],
  [46, { ask: ["shell(** --force **)"] }, "npm i --force", "ask"],
  [47, { allow: ["shell"], deny: ["shell(sudo **)"] }, "time sudo ls", "deny"],
  [48, { allow: ["shell"] }, "eval \"$X\"", undefined]
]

const warnings = (text: string) => Dangers.of({ place, tools, analyse }).warnings(rules({ allow: [text] }).entries)

describe("the worked examples", () => {
  it.each(commands)("%i: %o decides %j as %s", (_, lists, command, outcome) => {
    assert.strictEqual(shell(lists, command), outcome)
  })

  it("34: a link into a denied folder is denied", () => {
    const facts = factsOf({ "/work/app/./k": "/home/user/.ssh/id_rsa", "/work/app/k": "/home/user/.ssh/id_rsa" })
    assert.strictEqual(read({ deny: ["read(~/.ssh/**)"] }, "./k", facts), "deny")
  })

  it("36: what a program opens by itself is not in the text", () => {
    assert.strictEqual(shell({ deny: ["read(~/.ssh/**)"], allow: ["shell(python x.py)"] }, "python x.py"), "allow")
  })

  it("37 and 38: an edit has to stay in the folder, as written and where it leads", () => {
    const allow: Lists = { allow: ["write(./src/**)"] }
    assert.strictEqual(write(allow, "src/a.ts"), "allow")
    assert.isUndefined(write(allow, "src/link/../../x"))
    const link = factsOf({ "/work/app/src/link/../x": "/elsewhere/x" })
    assert.isUndefined(write(allow, "src/link/../x", link))
  })

  it("40: a trailing dot is no other host", () => {
    assert.strictEqual(fetch({ deny: ["fetch(*.internal)"] }, "http://a.internal."), "deny")
  })

  it("41: every hop is judged by its own host", () => {
    const allow: Lists = { allow: ["fetch(example.com)"] }
    assert.strictEqual(fetch(allow, "https://example.com/x"), "allow")
    assert.isUndefined(fetch(allow, "https://evil.com/"))
  })

  it("42: a wildcard over tools denies and hides them", () => {
    const lists: Lists = { deny: ["mcp__*"] }
    assert.strictEqual(mcp(lists, "github", "get_issue"), "deny")
    assert.deepStrictEqual(Array.from(rules(lists).hidden(["shell", "mcp__github__get_issue"])), [
      "mcp__github__get_issue"
    ])
  })

  it("43: a wildcard over a server's tools allows only those", () => {
    const lists: Lists = { allow: ["mcp(github/get_*)"] }
    assert.isUndefined(mcp(lists, "github", "create_issue"))
    assert.strictEqual(mcp(lists, "github", "get_issue"), "allow")
  })

  it("32 and 44: what such an allow rule also lets through is said when it is loaded", () => {
    assert.match(warnings("shell(curl https://api.example.com/*)").join(), /fetch rule checks every hop/)
    assert.match(warnings("shell(docker run *)").join(), /also allows docker run --privileged x/)
    assert.match(warnings("shell(git push *)").join(), /git push --force/)
    assert.deepStrictEqual(warnings("shell(npm test *)"), [])
  })

  it("bare deny rules take their tools out of sight", () => {
    const hidden = (rule: string) => Array.from(rules({ deny: [rule] }).hidden(tools.keys()))
    assert.deepStrictEqual(hidden("shell"), ["shell"])
    assert.deepStrictEqual(hidden("shell(**)"), ["shell"])
    assert.deepStrictEqual(hidden("shell(rm **)"), [])
    assert.deepStrictEqual(hidden("read"), ["file_read", "content_search", "file_write", "file_edit"])
    assert.deepStrictEqual(hidden("file_*"), ["file_read", "file_write", "file_edit"])
    assert.deepStrictEqual(hidden("TodoWrite"), ["TodoWrite"])
  })
})
