import type { CallAction } from "../decision/CallAction.ts"
import type { RuleHit, Rules } from "../decision/RuleFacts.ts"
import * as Call from "./Call.ts"
import * as Match from "./Match.ts"
import { isNeutral } from "./Neutral.ts"
import { familyOf, type KnownTools, type List, print, type Rule } from "./Rule.ts"

export type { Facts } from "./Call.ts"

export type Layer = "managed" | "user" | "project" | "session"

/** A rule in force. `id` is the same wherever and whenever the same rule is loaded. */
export interface Entry {
  readonly id: string
  readonly layer: Layer
  readonly list: List
  readonly rule: Rule
  readonly reason: string | undefined
}

/** FNV-1a of 64 bits: a name, not a proof. */
const hash = (text: string): string => {
  let value = 0xcbf29ce484222325n
  for (const char of text) value = BigInt.asUintN(64, (value ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n)
  return value.toString(16).padStart(16, "0").slice(0, 12)
}

const keyOf = (layer: Layer, list: List, rule: Rule) => `${layer} ${list} ${print(rule)}`

export const entry = (layer: Layer, list: List, rule: Rule, reason?: string): Entry => ({
  id: hash(keyOf(layer, list, rule)),
  layer,
  list,
  rule,
  reason
})

/** What the rules say of one call; nothing when no list decides. */
export interface Verdict extends RuleHit {
  readonly reason: string | undefined
  /** Every rule of the deciding list that matched; for allow, those that together cover the call. */
  readonly ids: ReadonlyArray<string>
}

/**
 * All rules of a session (docs/policy.md#rule-precedence). Deny wins over ask, ask over allow; order and specificity do
 * not matter.
 */
export interface RuleSet extends Rules {
  readonly entries: ReadonlyArray<Entry>
  readonly decide: (tool: string, parts: ReadonlyArray<CallAction>, facts: Call.Facts) => Verdict | undefined
}

const verdict = (entries: ReadonlyArray<Entry>): Verdict | undefined => {
  const [first] = entries
  if (first === undefined) return undefined
  return {
    list: first.list,
    id: first.id,
    rule: print(first.rule),
    reason: first.reason,
    ids: entries.map(({ id }) => id)
  }
}

const allowed = (entries: ReadonlyArray<Entry>, call: Call.Call): Verdict | undefined => {
  if (call.facts.opaque || call.facts.parseError || entries.length === 0) return undefined
  if (call.parts.length === 0) return verdict(entries.filter(({ rule }) => Match.coversTool(rule, call)))
  const used = new Set<Entry>()
  for (const part of call.parts) {
    const by = entries.find(({ rule }) => Match.covers(rule, part, call))
    if (by === undefined && !isNeutral(part, call)) return undefined
    if (by !== undefined) used.add(by)
  }
  return verdict(Array.from(used))
}

/** A deny rule that leaves nothing of its tools. */
const hides = ({ specifier, tool }: Rule, name: string, tools: KnownTools): boolean => {
  const family = familyOf(name, tools)
  const whole = specifier === undefined
    || (specifier._tag === "Command" && specifier.pattern.everything)
    || (specifier._tag === "Host" && specifier.pattern.everything)
  if (specifier?._tag === "Mcp") {
    const [, server = "", ...tool] = name.split("__")
    return family === "mcp" && specifier.pattern.server(server) && (specifier.pattern.tool?.(tool.join("__")) ?? true)
  }
  if (!whole) return false
  switch (tool._tag) {
    case "Glob":
      return tool.test(name)
    case "Id":
      return tool.name === name
    case "Family":
      return tool.name === family || (tool.name === "read" && family === "write")
  }
}

export const make = (given: ReadonlyArray<Entry>, tools: KnownTools): RuleSet => {
  const entries = Array.from(new Map(given.map((one) => [keyOf(one.layer, one.list, one.rule), one])).values())
  const of = (list: List) => entries.filter((one) => one.list === list)
  const deny = of("deny")
  const ask = of("ask")
  const allow = of("allow")
  const paths = [...deny, ...ask].filter(({ rule }) => rule.specifier?._tag === "Path")
  return {
    entries,
    decide: (tool, parts, facts) => {
      const call = Call.make(tool, parts, facts, tools)
      const hits = ({ rule }: Entry) => Match.hits(rule, call)
      return verdict(deny.filter(hits)) ?? verdict(ask.filter(hits)) ?? allowed(allow, call)
    },
    mayHit: (tool, parts, facts, hidden) => {
      const left = hidden ? paths.filter(({ list }) => list === "ask") : paths
      if (left.length === 0) return undefined
      const call = Call.make(tool, parts, facts, tools)
      return verdict(left.filter(({ rule }) => Match.mayHit(rule, call)))
    },
    hidden: (names) => new Set(Array.from(names).filter((name) => deny.some(({ rule }) => hides(rule, name, tools))))
  }
}

/** The same rules and some more: a session's own, or one just granted. */
export const add = (set: RuleSet, more: ReadonlyArray<Entry>, tools: KnownTools): RuleSet =>
  make([...set.entries, ...more], tools)
