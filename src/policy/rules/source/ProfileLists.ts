import { Result } from "effect"
import { hint } from "../../../config/schema/Suggestion.ts"
import type { RiskProfile } from "../../../config/Profiles.ts"
import { type KnownTools, parse } from "../Rule.ts"
import { type RuleEntry, ruleEntry } from "../RuleSet.ts"
import { RulesInvalid } from "./RulesFile.ts"

export interface ProfileRules {
  readonly entries: ReadonlyArray<RuleEntry>
  /** Warnings about names of unknown tools. */
  readonly notes: ReadonlyArray<string>
}

const lists = [
  ["excludedTools", "excluded_tools", "deny"],
  ["alwaysAsk", "always_ask", "ask"],
  ["autoApprove", "auto_approve", "allow"]
] as const

/** Reads the tool lists of a risk profile as rules of the layer `managed`. See docs/policy.md#tool-lists. */
export const read = (
  file: string,
  name: string,
  profile: Partial<RiskProfile>,
  tools: KnownTools
): Result.Result<ProfileRules, RulesInvalid> => {
  const { allowedTools } = profile
  const every = Array.from(tools.keys())
  const named = (texts: ReadonlyArray<string>) => texts.flatMap((text) => text.trim() === "*" ? every : [text.trim()])
  const allowed = new Set(named(allowedTools ?? []))
  // An empty list allows nothing; any other list does not affect tools of MCP servers.
  const left = allowedTools === undefined
    ? []
    : allowed.size === 0
    ? [...every, "mcp__*"]
    : every.filter((tool) => !allowed.has(tool) && !tool.includes("__"))
  const entries: Array<RuleEntry> = []
  const notes = Array.from(allowed).filter((text) => !tools.has(text) && !text.includes("__")).map((text) =>
    `risk_profiles.${name}.allowed_tools: there is no tool ${JSON.stringify(text)}${hint(text, every)}`
  )
  for (const [property, key, list] of lists) {
    const place = `risk_profiles.${name}.${key}`
    const texts = named(profile[property] ?? [])
    for (const [position, text] of (list === "deny" ? [...texts, ...left] : texts).entries()) {
      const rule = parse(text, { list, tools })
      if (Result.isSuccess(rule)) entries.push(ruleEntry("managed", list, rule.success))
      else if (rule.failure.unknownTool) notes.push(`${place}: ${rule.failure.problem}`)
      else {
        const { message: problem } = rule.failure
        return Result.fail(new RulesInvalid({ file, list: place, index: position + 1, rule: text, problem }))
      }
    }
  }
  return Result.succeed({ entries, notes })
}
