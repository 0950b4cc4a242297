import { assert, describe, it } from "@effect/vitest"
import * as Dangers from "../../../src/policy/rules/propose/Dangers.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { factsOf, fetch, type Lists, mcp, place, read, rules, shell, tools, write } from "./Ruled.ts"

type Outcome = "deny" | "ask" | "allow" | undefined

/** Besides the examples of docs/policy.md#rule-examples. */
const commands: ReadonlyArray<readonly [Lists, string, Outcome]> = [
  [{ deny: ["shell(rm -rf *)"] }, "cat <<'E'\nrm -rf x\nE", undefined],
  [{ deny: ["shell(curl **)"] }, "diff <(curl x) y", "deny"],
  [{ allow: ["shell(curl https://api.example.com/*)"] }, "curl https://api.example.com/a", "allow"]
]

const warnings = (text: string) => Dangers.of({ place, tools, analyse }).warnings(rules({ allow: [text] }).entries)

describe("rules on calls", () => {
  it.each(commands)("%o decides %j as %s", (lists, command, outcome) => {
    assert.strictEqual(shell(lists, command), outcome)
  })

  it("a link into a denied folder is denied", () => {
    const facts = factsOf({ "/work/app/./k": "/home/user/.ssh/id_rsa", "/work/app/k": "/home/user/.ssh/id_rsa" })
    assert.strictEqual(read({ deny: ["read(~/.ssh/**)"] }, "./k", facts), "deny")
  })

  it("what a program opens by itself is not in the text", () => {
    assert.strictEqual(shell({ deny: ["read(~/.ssh/**)"], allow: ["shell(python x.py)"] }, "python x.py"), "allow")
  })

  it("an edit has to stay in the folder, as written and where it leads", () => {
    const allow: Lists = { allow: ["write(./src/**)"] }
    assert.strictEqual(write(allow, "src/a.ts"), "allow")
    assert.isUndefined(write(allow, "src/link/../../x"))
    const link = factsOf({ "/work/app/src/link/../x": "/elsewhere/x" })
    assert.isUndefined(write(allow, "src/link/../x", link))
  })

  it("a trailing dot is no other host", () => {
    assert.strictEqual(fetch({ deny: ["fetch(*.internal)"] }, "http://a.internal."), "deny")
  })

  it("every hop is judged by its own host", () => {
    const allow: Lists = { allow: ["fetch(example.com)"] }
    assert.strictEqual(fetch(allow, "https://example.com/x"), "allow")
    assert.isUndefined(fetch(allow, "https://evil.com/"))
  })

  it("a wildcard over tools denies and hides them", () => {
    const lists: Lists = { deny: ["mcp__*"] }
    assert.strictEqual(mcp(lists, "github", "get_issue"), "deny")
    assert.deepStrictEqual(Array.from(rules(lists).hidden(["shell", "mcp__github__get_issue"])), [
      "mcp__github__get_issue"
    ])
  })

  it("a wildcard over a server's tools allows only those", () => {
    const lists: Lists = { allow: ["mcp(github/get_*)"] }
    assert.isUndefined(mcp(lists, "github", "create_issue"))
    assert.strictEqual(mcp(lists, "github", "get_issue"), "allow")
  })

  it("what such an allow rule also lets through is said when it is loaded", () => {
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
