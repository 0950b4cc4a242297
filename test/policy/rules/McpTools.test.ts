import { assert, describe, it } from "@effect/vitest"
import type { CallAction } from "../../../src/policy/decision/CallAction.ts"
import * as Propose from "../../../src/policy/rules/propose/Propose.ts"
import { factsOf, type Lists, mcp, rules, tools } from "./Ruled.ts"

const proposed = (server: string, tool: string) => {
  const parts: ReadonlyArray<CallAction> = [{ kind: "mcp", text: `${server}/${tool}`, server, tool }]
  return Propose.allow({ tool: `mcp__${server}__${tool}`, parts, facts: factsOf(), shapes: [], tools })?.map((
    { rule }
  ) => rule.text)
}

describe("rules about tools of MCP servers", () => {
  it.each<readonly [string, Lists, string, string, string | undefined]>([
    ["by the name that models use", { allow: ["github__get_issue"] }, "github", "get_issue", "allow"],
    [
      "by the name that models use, for another tool",
      { allow: ["github__get_issue"] },
      "github",
      "create_issue",
      undefined
    ],
    ["by a wildcard in that name", { deny: ["github__*"] }, "github", "create_issue", "deny"],
    ["by the name with its prefix", { ask: ["mcp__github__get_issue"] }, "github", "get_issue", "ask"],
    ["by server", { deny: ["mcp(github)"] }, "github", "get_issue", "deny"],
    ["by another server", { deny: ["mcp(gitlab)"] }, "github", "get_issue", undefined],
    ["as the whole family", { ask: ["mcp"] }, "github", "get_issue", "ask"],
    ["and not as a shell", { deny: ["shell"] }, "github", "get_issue", undefined]
  ])("match %s", (_, lists, server, tool, outcome) => assert.strictEqual(mcp(lists, server, tool), outcome))

  it("hide what they deny by name, and nothing else of the server", () => {
    const hidden = rules({ deny: ["mcp(github/delete_*)", "gitlab__drop"] }).hidden([
      "mcp__github__delete_repo",
      "mcp__github__get",
      "mcp__gitlab__drop"
    ])
    assert.deepStrictEqual([...hidden], ["mcp__github__delete_repo", "mcp__gitlab__drop"])
  })

  it("are proposed for exactly the tool that was asked about, whatever a server calls it", () => {
    assert.deepStrictEqual(proposed("github", "get_issue"), ["mcp(github/get_issue)"])
    const wide = proposed("evil", "*")
    assert.deepStrictEqual(wide, ["mcp(evil/\\*)"])
    assert.isUndefined(mcp({ allow: wide ?? [] }, "evil", "wipe"))
    assert.deepStrictEqual(proposed("evil", "{a,b}"), ["mcp(evil/\\{a\\,b\\})"])
    assert.isUndefined(proposed("evil", "a b"))
    assert.isUndefined(proposed("evil", "a/b"))
  })
})
