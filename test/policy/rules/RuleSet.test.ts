import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse, type RuleKind } from "../../../src/policy/rules/Rule.ts"
import { add, make, ruleEntry } from "../../../src/policy/rules/RuleSet.ts"
import { analyse } from "../../../src/policy/shell/ShellAnalyser.ts"
import { factsOf, place, tools } from "./Ruled.ts"

/** The same numbers in every run. */
const random = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
  return seed / 4_294_967_296
}

const words = [
  "npm",
  "test",
  "git",
  "push",
  "rm",
  "-rf",
  "-f",
  "--force",
  "x",
  "src",
  "curl",
  "cd",
  "sudo",
  "env",
  "timeout",
  "5",
  "\"$X\"",
  "*.ts",
  "A=1"
]
const joints = [" && ", "; ", " | ", " > ", " $(", ") ", " || ", "\n"]
const patterns = [
  "npm",
  "test",
  "git",
  "push",
  "rm",
  "-rf",
  "--force",
  "*",
  "**",
  "x*",
  "{npm,git}",
  "curl",
  "sudo",
  "=npm"
]

const pick = <A>(next: () => number, from: ReadonlyArray<A>): A => from[Math.floor(next() * from.length)] as A

const commandOf = (next: () => number) =>
  Array.from(
    { length: 1 + Math.floor(next() * 3) },
    () => Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick(next, words)).join(" ")
  ).join(pick(next, joints))

const ruleOf = (next: () => number, list: RuleKind) => {
  const text = next() < 0.05
    ? "shell"
    : `shell(${Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(next, patterns)).join(" ")})`
  return ruleEntry("user", list, Result.getOrThrow(parse(text, { list, tools })))
}

const rank = { deny: 0, ask: 1, none: 2, allow: 3 }

describe("a set of rules", () => {
  it("becomes no wider by a deny or ask rule and no narrower by an allow rule", () => {
    const next = random(7)
    let decided = 0
    for (let round = 0; round < 5000; round++) {
      const { opaque, parseError, parts } = analyse(commandOf(next), place)
      const facts = { ...factsOf(), opaque, parseError }
      const some = Array.from(
        { length: Math.floor(next() * 5) },
        () => ruleOf(next, pick(next, ["deny", "ask", "allow"] as const))
      )
      const set = make(some, tools)
      const before = rank[set.decide("shell", parts, facts)?.list ?? "none"]
      for (const list of ["deny", "ask", "allow"] as const) {
        const after = rank[add(set, [ruleOf(next, list)], tools).decide("shell", parts, facts)?.list ?? "none"]
        assert.isTrue(list === "allow" ? after >= before : after <= before)
        if (after !== before) decided++
      }
      if (opaque || parseError) assert.notStrictEqual(before, rank.allow)
      const shuffled = make(some.toReversed(), tools).decide("shell", parts, facts)?.list
      assert.strictEqual(rank[shuffled ?? "none"], before)
    }
    assert.isAbove(decided, 500)
  })

  it("decides as strictly when an ask rule is made a deny rule", () => {
    const next = random(11)
    for (let round = 0; round < 2000; round++) {
      const { opaque, parseError, parts } = analyse(commandOf(next), place)
      const facts = { ...factsOf(), opaque, parseError }
      const ask = ruleOf(next, "ask")
      const deny = ruleEntry("user", "deny", ask.rule)
      const asked = make([ask], tools).decide("shell", parts, facts)
      assert.strictEqual(make([deny], tools).decide("shell", parts, facts) !== undefined, asked !== undefined)
    }
  })

  it("gives a rule of another layer another id, and keeps equal rules once", () => {
    const rule = Result.getOrThrow(parse("shell(npm test *)", { list: "allow", tools }))
    const set = make(
      [ruleEntry("user", "allow", rule), ruleEntry("user", "allow", rule), ruleEntry("session", "allow", rule)],
      tools
    )
    assert.strictEqual(set.entries.length, 2)
    assert.strictEqual(new Set(set.entries.map(({ id }) => id)).size, 2)
  })
})
