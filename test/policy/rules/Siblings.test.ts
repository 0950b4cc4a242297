import { describe, expect, it } from "vitest"
import * as Propose from "../../../src/policy/rules/propose/Propose.ts"
import { make, type RuleEntry, ruleEntry } from "../../../src/policy/rules/RuleSet.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { read } from "../shell/Analysed.ts"
import { factsOf, place, tools } from "./Ruled.ts"

/** A command that only looks, and one of the same program that takes something away or changes it. */
const siblings = read<readonly [string, string]>("siblings.json")

const proposed = (command: string): ReadonlyArray<RuleEntry> => {
  const { inner, opaque, parseError, parts, shapes } = analyse(command, place)
  return Propose.allow({ tool: "shell", parts, facts: { ...factsOf(), opaque, parseError, inner }, shapes, tools }) ??
    []
}

/** Whether the rules allow a command even where they have no guard. */
const isAllowed = (entries: ReadonlyArray<RuleEntry>, command: string): boolean => {
  const { inner, opaque, parseError, parts } = analyse(command, place)
  const plain = entries.map(({ rule }) => ruleEntry("session", "allow", rule))
  return make(plain, tools).decide("shell", parts, { ...factsOf(), opaque, parseError, inner })?.list === "allow"
}

describe("an answer of always to a command that looks", () => {
  it.each(siblings)("%s does not allow %s", (looks, changes) => {
    expect(isAllowed(proposed(looks), changes)).toBe(false)
  })

  it("is offered for most of them", () => {
    const offered = siblings.filter(([looks]) => proposed(looks).length > 0)
    expect(offered.length / siblings.length).toBeGreaterThan(0.8)
  })
})
