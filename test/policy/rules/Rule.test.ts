import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse, print, quoteWord, type RuleKind } from "../../../src/policy/rules/Rule.ts"
import { decideParts, fetch, mcp, read, tools, write } from "./Ruled.ts"

const complaint = (text: string, list: RuleKind = "deny") => {
  const rule = parse(text, { list, tools })
  return Result.isFailure(rule) ? rule.failure.message : undefined
}

describe("a rule that cannot be read", () => {
  it.each<readonly [string, RuleKind, RegExp]>([
    ["", "deny", /no tool; write it as tool or tool\(specifier\)/],
    ["npm test", "deny", /"npm test" is no tool.*shell\(npm test\)/],
    ["shel(ls)", "deny", /there is no tool "shel"; write shell$/],
    ["somewhat(ls)", "deny", /there is no tool "somewhat"; write shell, read/],
    ["Bash(ls)", "deny", /there is no tool "Bash"; write shell$/],
    ["Edit(x)", "allow", /write write$/],
    ["todowrite", "deny", /write TodoWrite$/],
    ["shell(ls", "deny", /at character 9: the parenthesis is not closed/],
    ["shell()", "deny", /at character 7: the pattern is empty/],
    ["shell(git commit -m \"x)", "deny", /at character 21: the quote " is not closed/],
    ["shell(=)", "allow", /nothing follows/],
    ["file_*", "allow", /names its tool/],
    ["file_*(x)", "deny", /takes nothing in parentheses/],
    ["files_*", "deny", /no tool is called like files_\*/],
    ["read(/etc/passwd)", "deny", /write \/\/etc\/passwd .*, \.\/etc\/passwd/],
    ["read(~root/x)", "deny", /only ~\/ is known/],
    ["read(!x)", "deny", /no exceptions/],
    ["read(../x)", "deny", /cannot contain \.\./],
    ["write()", "deny", /the path is empty/],
    ["fetch(https://example.com/x)", "allow", /not an address; write fetch\(example\.com\)/],
    ["fetch(a..b)", "allow", /no host/],
    ["mcp(a/b/c)", "allow", /mcp\(server\/tool\)/],
    ["mcp(*/get)", "allow", /names its server/],
    ["task(model=opus)", "allow", /for deny and ask only; write task alone/],
    ["task(opus)", "deny", /name=value/],
    ["read({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})", "deny", /more than 64/]
  ])("%j in %s says where and what to write", (text, list, expected) => {
    assert.match(complaint(text, list) ?? "", expected)
  })
})

describe("a rule", () => {
  it("prints as it is written, without needless spaces, and reads the same again", () => {
    for (
      const text of [
        "shell",
        "shell(npm test *)",
        "shell(=make build)",
        "mcp(github/get_*)",
        "write(./src/**)",
        "fetch(*.example.com)"
      ]
    ) {
      const rule = Result.getOrThrow(parse(` ${text.replace("(", "( ").replace(")", " )")} `, { list: "allow", tools }))
      assert.strictEqual(print(rule), text)
      assert.strictEqual(print(Result.getOrThrow(parse(print(rule), { list: "allow", tools }))), text)
    }
  })

  it("may name a tool of a server that has not answered yet", () => {
    assert.isUndefined(complaint("mcp__github__get_issue", "allow"))
    assert.isUndefined(complaint("*__delete_*", "deny"))
  })

  it("quotes words so that they match themselves alone", () => {
    for (
      const word of ["a", "a b", "*", "{a,b}", "it's", "say \"x\"", "both ' and \"", "", "=x", "\\", "--x=y", "a\\*"]
    ) {
      const text = `shell(=x ${quoteWord(word)})`
      const part = (other: string) => ({
        kind: "command",
        text: "",
        program: "x",
        argv: ["x", other],
        assignments: [],
        wrappers: [],
        cwd: "/work/app",
        touches: [],
        opaque: false
      } as const)
      assert.strictEqual(decideParts({ allow: [text] }, "shell", [part(word)]), "allow", text)
      assert.isUndefined(decideParts({ allow: [text] }, "shell", [part(`${word}x`)]), text)
    }
  })
})

describe("a path rule", () => {
  const denied = (rule: string, path: string) => read({ deny: [rule] }, path) === "deny"

  it.each<readonly [string, string, boolean]>([
    ["read(.env)", ".env", true],
    ["read(.env)", "a/b/.env", true],
    ["read(./.env)", "a/.env", false],
    ["read(./.env)", "/work/app/.env", true],
    ["read(.env)", "/etc/.env", false],
    ["read(*.pem)", "keys/a.pem", true],
    ["read(secrets)", "secrets/deep/a", true],
    ["read(secrets/)", "secrets/deep/a", true],
    ["read(src/*.ts)", "src/a.ts", true],
    ["read(src/*.ts)", "src/b/a.ts", false],
    ["read(src/**/*.ts)", "src/a.ts", true],
    ["read(src/**/*.ts)", "src/b/c/a.ts", true],
    ["read(~/.ssh/**)", "/home/user/.ssh/id", true],
    ["read(~/.ssh/**)", "~/.ssh", true],
    ["read(~/.ssh)", "~/.ssh/id", true],
    ["read(//etc/**)", "/etc/passwd", true],
    ["read(//etc/**)", "etc/passwd", false],
    ["read(//**)", "x", true],
    ["read(**)", "x/y", true],
    ["read(**)", "/x", false],
    ["read(file?.[a-c])", "file1.b", true],
    ["read(file?.[!a-c])", "file1.b", false],
    ["read({a,b}.txt)", "b.txt", true],
    ["read(a\\*)", "ab", false],
    ["read(a\\*)", "a*", true],
    ["read(src)", "source", false],
    ["read(src)", "./src/../src/x", true]
  ])("%s on %s: %s", (rule, path, expected) => {
    assert.strictEqual(denied(rule, path), expected)
  })

  it("about reading also forbids edits, and not the other way round", () => {
    assert.strictEqual(write({ deny: ["read(.env)"] }, ".env"), "deny")
    assert.strictEqual(write({ deny: ["read"] }, ".env"), "deny")
    assert.isUndefined(read({ deny: ["write(.env)"] }, ".env"))
    assert.isUndefined(write({ allow: ["read(.env)"] }, ".env"))
    assert.isUndefined(write({ allow: ["read"] }, ".env"))
  })

  it("may name one tool only", () => {
    assert.strictEqual(write({ deny: ["file_edit(src)"] }, "src/a"), "deny")
    assert.isUndefined(write({ deny: ["file_write(src)"] }, "src/a"))
    assert.strictEqual(write({ allow: ["file_edit"] }, "src/a"), "allow")
  })
})

describe("a host rule", () => {
  it.each<readonly [string, string, boolean]>([
    ["fetch(example.com)", "https://EXAMPLE.com:8443/x", true],
    ["fetch(example.com)", "https://www.example.com", false],
    ["fetch(example.com)", "http://example.com@evil.com/", false],
    ["fetch(*.example.com)", "https://a.b.example.com", true],
    ["fetch(*.example.com)", "https://example.com", false],
    ["fetch(*.example.com)", "https://badexample.com", false],
    ["fetch(example.com:443)", "https://example.com", true],
    ["fetch(example.com:443)", "http://example.com", false],
    ["fetch(api-*.example.com)", "https://api-1.example.com", true],
    ["fetch(api-*.example.com)", "https://api-1.x.example.com", false],
    ["fetch(127.0.0.1)", "http://0x7f.1/", true],
    ["fetch([::1])", "http://[0:0::1]:80/", true],
    ["fetch(bücher.example)", "http://xn--bcher-kva.example", true],
    ["fetch(*)", "https://anything.example", true]
  ])("%s on %s: %s", (rule, url, expected) => {
    assert.strictEqual(fetch({ deny: [rule] }, url) === "deny", expected)
    assert.strictEqual(fetch({ allow: [rule] }, url) === "allow", expected)
  })

  it("allows no address that cannot be read", () => {
    assert.isUndefined(fetch({ allow: ["fetch(*)"] }, "not an address"))
  })
})

describe("other rules", () => {
  const task = (lists: Parameters<typeof decideParts>[0], parameters: Readonly<Record<string, unknown>>) =>
    decideParts(lists, "task", [{ kind: "tool", text: "task", name: "task", parameters }])

  it("test parameters of a tool", () => {
    assert.strictEqual(task({ deny: ["task(model=opus)"] }, { model: "opus" }), "deny")
    assert.strictEqual(task({ ask: ["task(model=opus*, depth=3)"] }, { model: "opus-5", depth: 3 }), "ask")
    assert.isUndefined(task({ deny: ["task(model=opus)"] }, { model: "haiku" }))
    assert.isUndefined(task({ deny: ["task(toString=*)"] }, {}))
  })

  it("name servers and their tools", () => {
    assert.strictEqual(mcp({ deny: ["mcp(github)"] }, "github", "x"), "deny")
    assert.isUndefined(mcp({ deny: ["mcp(github)"] }, "gitlab", "x"))
    assert.strictEqual(mcp({ allow: ["mcp__github__x"] }, "github", "x"), "allow")
    assert.isUndefined(mcp({ allow: ["mcp(github/get_*)"] }, "github", "create"))
  })

  it("decide calls that touch nothing by the tool's name", () => {
    const todo = (lists: Parameters<typeof decideParts>[0]) =>
      decideParts(lists, "TodoWrite", [{ kind: "tool", text: "TodoWrite", name: "TodoWrite", parameters: {} }])
    assert.strictEqual(todo({ allow: ["TodoWrite"] }), "allow")
    assert.strictEqual(todo({ ask: ["*"] }), "ask")
    assert.isUndefined(todo({ allow: ["write"] }))
  })
})
