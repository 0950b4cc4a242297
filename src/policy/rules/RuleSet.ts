import type { CallAction } from "../decision/CallAction.ts"
import type { RuleHit, Rules } from "../decision/RuleFacts.ts"
import * as Call from "./match/RuleCall.ts"
import * as Match from "./match/Match.ts"
import { isNeutral } from "./match/Neutral.ts"
import { familyOf, type KnownTools, print, type Rule, type RuleKind } from "./Rule.ts"

export type { MatchFacts } from "./match/RuleCall.ts"

export type RuleLayer = "managed" | "user" | "project" | "session"

/** A rule in force. The same rule has the same `id` in every process. */
export interface RuleEntry {
  readonly id: string
  readonly layer: RuleLayer
  readonly list: RuleKind
  readonly rule: Rule
  readonly reason: string | undefined
  /** An allow rule that does not cover dangerous calls: those are decided as if it were not there. */
  readonly guard: boolean
}

/** FNV-1a of 64 bits: an identifier, not a cryptographic hash. */
const hash = (text: string): string => {
  let value = 0xcbf29ce484222325n
  for (const char of text) value = BigInt.asUintN(64, (value ^ BigInt(char.codePointAt(0) ?? 0)) * 0x100000001b3n)
  return value.toString(16).padStart(16, "0").slice(0, 12)
}

const keyOf = ({ guard, layer, list, rule }: Omit<RuleEntry, "id">) =>
  `${layer} ${list} ${print(rule)}${guard ? " guard" : ""}`

export const ruleEntry = (
  layer: RuleLayer,
  list: RuleKind,
  rule: Rule,
  { guard = false, reason }: { readonly guard?: boolean | undefined; readonly reason?: string | undefined } = {}
): RuleEntry => {
  const made = { layer, list, rule, reason, guard }
  return { id: hash(keyOf(made)), ...made }
}

/** The decision of the rules about one call. */
interface RuleVerdict extends RuleHit {
  readonly reason: string | undefined
  /** The rules of the deciding list that matched; for allow, those that together cover the call. */
  readonly ids: ReadonlyArray<string>
}

/**
 * All rules of a session. Deny wins over ask, ask over allow; order and specificity do not matter. See
 * docs/policy.md#rule-precedence.
 */
export interface RuleSet extends Rules {
  readonly entries: ReadonlyArray<RuleEntry>
  readonly decide: (tool: string, parts: ReadonlyArray<CallAction>, facts: Call.MatchFacts) => RuleVerdict | undefined
}

const verdict = (entries: ReadonlyArray<RuleEntry>): RuleVerdict | undefined => {
  const [first] = entries
  if (first === undefined) return undefined
  return {
    list: first.list,
    id: first.id,
    layer: first.layer,
    rule: print(first.rule),
    reason: first.reason,
    ...(entries.some(({ guard }) => guard) ? { guard: true as const } : {}),
    ids: entries.map(({ id }) => id)
  }
}

/** Words of options that take a program, a file of settings or of text, or another host. */
const furtherWords = new Set(
  ("config file plugin plugins script exec command cmd shell registry endpoint url host repo repository remote python " +
    "interpreter basetemp require import loader preload hook hooks proxy prefix git under index find extra").split(" ")
)
const furtherLetters = /^-[cCFRIDXe]$/

const isFurther = (word: string): boolean => {
  if (/^(https?|git(\+\w+)?|ftps?|ssh|file|data):/i.test(word)) return true
  if (!word.startsWith("--")) return furtherLetters.test(word)
  const [name = ""] = word.slice(2).split("=", 1)
  return name.toLowerCase().split(/[-_]/).some((one) => furtherWords.has(one))
}

/**
 * Whether the part of a command behind what was approved names a program, settings or a host: the person who answered "always" has seen none of that. See docs/policy.md#always.
 */
const goesFurther = (rule: Rule, part: CallAction): boolean => {
  if (part.kind !== "command") return false
  const seen = new Set(print(rule).split(/[\s()]+/))
  return [part.values ?? part.argv, ...part.alternatives ?? []].some((words) =>
    words.some((word) => word !== null && !seen.has(word) && isFurther(word))
  )
}

const allowed = (entries: ReadonlyArray<RuleEntry>, call: Call.RuleCall): RuleVerdict | undefined => {
  const { dangerous = false, opaque, parseError, reads } = call.facts
  const counting = dangerous ? entries.filter(({ guard }) => !guard) : entries
  if (opaque || parseError || counting.length === 0) return undefined
  if (call.parts.length === 0) return verdict(counting.filter(({ rule }) => Match.coversTool(rule, call)))
  const used = new Set<RuleEntry>()
  let givesPrinted = false
  let isJudged = true
  for (const part of call.parts) {
    // Who wrote a rule about what a substitution runs allows what it prints as well.
    const by = counting.find(({ guard, rule }) =>
      Match.covers(rule, part, call) && !(guard && goesFurther(rule, part))
    ) ??
      counting.find(({ guard, rule }) => !guard && Match.covers(rule, part, call, true))
    if (by === undefined && !isNeutral(part, call) && reads?.has(part) !== true) return undefined
    if (by !== undefined) used.add(by)
    givesPrinted ||= by !== undefined && !Match.covers(by.rule, part, call)
    isJudged &&= by?.guard === false || part.kind !== "command" || part.captured !== true
  }
  return givesPrinted && !isJudged ? undefined : verdict(Array.from(used))
}

/** Whether a deny rule forbids every call of its tools. */
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

export const make = (given: ReadonlyArray<RuleEntry>, tools: KnownTools): RuleSet => {
  const entries = Array.from(new Map(given.map((one) => [keyOf(one), one])).values())
  const of = (list: RuleKind) => entries.filter((one) => one.list === list)
  const deny = of("deny")
  const ask = of("ask")
  const allow = of("allow")
  const paths = [...deny, ...ask].filter(({ rule }) => rule.specifier?._tag === "Path")
  return {
    entries,
    decide: (tool, parts, facts) => {
      const call = Call.make(tool, parts, facts, tools)
      const hits = ({ rule }: RuleEntry) => Match.hits(rule, call)
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

/** The same rules and more. */
export const add = (set: RuleSet, more: ReadonlyArray<RuleEntry>, tools: KnownTools): RuleSet =>
  make([...set.entries, ...more], tools)
