import { assert, describe, it } from "@effect/vitest"
import { serverIds, toolNames } from "../../src/mcp/McpToolDeclaration.ts"

const named = (server: string, ...tools: ReadonlyArray<string>) =>
  tools.map((tool) => toolNames(server, tools).get(tool)!)

describe("The id of an MCP server", () => {
  it.each([
    [["github"], ["github"]],
    [["My Server!", "a__b", "_x_"], ["My_Server", "a_b", "x"]],
    [["same", "same", "same"], ["same", "same-2", "same-3"]],
    [["日本", ""], ["server", "server-2"]]
  ])("of %j", (names, ids) => assert.deepStrictEqual(serverIds(names), ids))

  it("has at most 24 characters, also of names that differ only after that", () => {
    const [one, other] = serverIds(["x".repeat(100), `${"x".repeat(100)}y`])
    assert.isAtMost(one!.length, 24)
    assert.notStrictEqual(one, other)
  })
})

describe("The name of an MCP tool", () => {
  it("is the server's id and its own name", () =>
    assert.deepStrictEqual(named("git", "log", "get-issue"), ["git__log", "git__get-issue"]))

  it("has at most 64 characters, all of which every provider accepts", () => {
    for (const name of named("git", "a".repeat(200), "what is.this/α", "b".repeat(60))) {
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
    }
  })

  it("does not depend on the order of tools that would have the same name", () => {
    const forwards = toolNames("git", ["a.b", "a_b", "a/b"])
    const backwards = toolNames("git", ["a/b", "a_b", "a.b"])
    for (const tool of ["a.b", "a_b", "a/b"]) assert.strictEqual(forwards.get(tool), backwards.get(tool))
    assert.strictEqual(forwards.get("a_b"), "git__a_b")
    assert.strictEqual(new Set(forwards.values()).size, 3)
  })

  it("differs for tools whose names differ only in what is cut off", () => {
    const long = "x".repeat(80)
    assert.strictEqual(new Set(named("git", `${long}1`, `${long}2`)).size, 2)
  })
})
