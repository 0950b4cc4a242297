import { assert, describe, it } from "@effect/vitest"
import type { CallAction } from "../../../src/policy/decision/CallAction.ts"
import * as Propose from "../../../src/policy/rules/propose/Propose.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { factsOf, place, tools } from "./Ruled.ts"

const shellCall = (command: string): Propose.Proposing => {
  const { opaque, parseError, parts, shapes } = analyse(command, place)
  return { tool: "shell", parts, facts: { ...factsOf(), opaque, parseError }, shapes, tools }
}

const call = (tool: string, part: CallAction, links?: Readonly<Record<string, string>>): Propose.Proposing => ({
  tool,
  parts: [{ kind: "tool", text: tool, name: tool, parameters: {} }, part],
  facts: factsOf(links),
  shapes: [],
  tools
})

const texts = (entries: ReturnType<typeof Propose.allow>) => entries?.map(({ rule }) => rule.text)

describe("an always-allow proposal", () => {
  it.each<readonly [string, ReadonlyArray<string> | undefined]>([
    ["npm test", ["shell(npm test *)"]],
    ["npm test -- --watch", ["shell(npm test *)"]],
    ["npm run build -- x", ["shell(npm run build *)"]],
    ["cd packages/a && npm test && echo done", ["shell(npm test *)"]],
    ["timeout 60 npm test", ["shell(npm test *)"]],
    ["npm test && cargo build --release", ["shell(npm test *)", "shell(cargo build *)"]],
    ["pytest -q tests", ["shell(pytest *)"]],
    ["mkdir -p out", ["shell(mkdir *)"]],
    ["npm test > out.log", ["write(./out.log)", "shell(npm test *)"]],
    ["npm test > /tmp/out.log", undefined],
    ["npm exec x", undefined],
    ["npm", undefined],
    ["cp a b", ["shell(=cp a b)"]],
    ["git push", undefined],
    ["npx vitest", undefined],
    ["python3 x.py", undefined],
    ["bash -c 'npm test'", undefined],
    ["env npm test", undefined],
    ["xargs npm test", undefined],
    ["find . -exec npm test {} +", undefined],
    ["docker ps", undefined],
    ["ssh host", undefined],
    ["./run.sh", undefined],
    ["/usr/bin/npm test", undefined],
    ["FOO=1 npm test", undefined],
    ["npm test $(id -u)", undefined],
    ["npm test $(echo x)", ["shell(npm test *)"]],
    ["mkdir $X", undefined],
    ["mkdir -p \"$X/a\"", undefined],
    ["X=a; mkdir -p \"$X\"", ["shell(mkdir *)"]],
    ["$X", undefined],
    ["rm -rf src", undefined],
    ["npm publish", undefined],
    ["echo x", undefined],
    ["a x; b x; c x; d x; e x", ["a", "b", "c", "d", "e"].map((name) => `shell(${name} x *)`)],
    ["a x; b x; c x; d x; e x; f x", undefined],
    ["npm test &&", undefined]
  ])("for %s is %j", (command, expected) => {
    assert.deepStrictEqual(texts(Propose.allow(shellCall(command))), expected)
  })

  it("names the file, host or tool of other calls", () => {
    const write = (path: string, links?: Readonly<Record<string, string>>) =>
      texts(Propose.allow(call("file_edit", { kind: "write", text: path, path }, links)))
    assert.deepStrictEqual(write("src/a.ts"), ["write(./src/a.ts)"])
    assert.deepStrictEqual(write("src/[id].ts"), ["write(./src/\\[id].ts)"])
    assert.isUndefined(write("/elsewhere/a"))
    assert.isUndefined(write("src/a", { "/work/app/src/a": "/work/app/b" }))
    const fetched = call("web_fetch", { kind: "fetch", text: "", url: "https://Docs.example.com:8443/x" })
    assert.deepStrictEqual(texts(Propose.allow(fetched)), ["fetch(docs.example.com:8443)"])
    const mcp = { ...call("mcp__github__get", { kind: "mcp", text: "", server: "github", tool: "get" }) }
    assert.deepStrictEqual(texts(Propose.allow(mcp)), ["mcp(github/get)"])
    const todo: Propose.Proposing = { ...call("TodoWrite", { kind: "read", text: "", path: "" }), parts: [] }
    assert.isUndefined(texts(Propose.allow(todo)))
    const named: Propose.Proposing = {
      ...todo,
      parts: [{ kind: "tool", text: "TodoWrite", name: "TodoWrite", parameters: {} }]
    }
    assert.deepStrictEqual(texts(Propose.allow(named)), ["TodoWrite"])
  })
})

describe("an always-reject proposal", () => {
  it.each<readonly [string, ReadonlyArray<string> | undefined]>([
    ["npm install x", ["shell(npm install *)"]],
    ["cd packages/a && npm install x", ["shell(npm install *)"]],
    ["python3 x.py", ["shell(=python3 x.py)"]],
    ["git push origin main", ["shell(=git push origin main)"]],
    ["git push --force", ["shell(=git push --force)"]],
    ["npm install && npm test", undefined],
    ["npm test && git push --force", ["shell(=git push --force)"]],
    ["$X", undefined],
    ["echo x", undefined]
  ])("for %s is %j", (command, expected) => {
    assert.deepStrictEqual(texts(Propose.deny(shellCall(command))), expected)
  })
})
