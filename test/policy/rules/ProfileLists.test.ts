import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { RiskProfile } from "../../../src/config/Profiles.ts"
import { read } from "../../../src/policy/rules/source/RuleLayers.ts"
import { tools } from "./Ruled.ts"

const lists = (profile: Partial<RiskProfile>) => {
  const found = Result.getOrThrow(read("config.toml", "work", profile, tools))
  return { notes: found.notes, rules: found.entries.map(({ list, rule }) => `${list} ${rule.text}`) }
}

const complaint = (profile: Partial<RiskProfile>) =>
  Result.getOrThrow(Result.flip(read("config.toml", "work", profile, tools))).message

describe("The lists of a risk profile", () => {
  it("are rules", () => {
    assert.deepStrictEqual(
      lists({ excludedTools: [" shell "], alwaysAsk: ["file_*", "mcp__x__y"], autoApprove: ["read"] }),
      {
        notes: [],
        rules: ["deny shell", "ask file_*", "ask mcp__x__y", "allow read"]
      }
    )
    assert.deepStrictEqual(lists({ autoApprove: ["*"] }).rules, Array.from(tools.keys(), (tool) => `allow ${tool}`))
    assert.deepStrictEqual(lists({ allowedTools: [] }).rules, [
      ...Array.from(tools.keys(), (tool) => `deny ${tool}`),
      "deny mcp__*"
    ])
    assert.deepStrictEqual(lists({}).rules, [])
    assert.notInclude(lists({ allowedTools: ["shell"] }).rules, "deny mcp__*")
    assert.notInclude(lists({ allowedTools: ["shell"] }).rules, "deny shell")
    assert.include(lists({ allowedTools: ["shell"] }).rules, "deny file_write")
  })

  it("say which of their names is no tool", () => {
    const { notes, rules } = lists({
      excludedTools: ["shel", "shell"],
      allowedTools: ["file_raed"],
      alwaysAsk: ["odd_*"],
      autoApprove: ["Bash"]
    })
    assert.deepStrictEqual(notes.slice(0, 2), [
      "risk_profiles.work.allowed_tools: there is no tool \"file_raed\"; did you mean \"file_read\"?",
      "risk_profiles.work.excluded_tools: there is no tool \"shel\"; write shell"
    ])
    assert.match(notes[2] ?? "", /^risk_profiles\.work\.always_ask: no tool is called like odd_\*/)
    assert.strictEqual(notes[3], "risk_profiles.work.auto_approve: there is no tool \"Bash\"; write shell")
    assert.deepStrictEqual(rules, ["deny shell", ...Array.from(tools.keys(), (tool) => `deny ${tool}`)])
  })

  it("fail where one cannot be read", () => {
    assert.match(
      complaint({ excludedTools: ["shell", "shell(ls"] }),
      /^config\.toml: risk_profiles\.work\.excluded_tools rule 2 "shell\(ls": at character 9: the parenthesis is not closed/
    )
    assert.match(complaint({ autoApprove: ["file_*"] }), /auto_approve rule 1 "file_\*": an allow rule names its tool/)
  })
})
