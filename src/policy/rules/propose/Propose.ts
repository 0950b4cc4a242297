import { Result } from "effect"
import type { CallAction, PathAction } from "../../decision/CallAction.ts"
import type { ShellAnalysis } from "../../decision/ShellAnalysis.ts"
import * as Call from "../match/RuleCall.ts"
import { broadly, exactly, hasSubcommands } from "./CommandRule.ts"
import type { Dangers } from "./Dangers.ts"
import { isNeutral } from "../match/Neutral.ts"
import { type KnownTools, parse, quoteWord, type RuleKind } from "../Rule.ts"
import { make, type RuleEntry, ruleEntry } from "../RuleSet.ts"

/** The rules that an answer "always" stores: users can read, list and remove them. See docs/policy.md#always. */

/** The pattern of exactly this file; inside the workspace only. */
const file = ({ kind, path }: PathAction, { locate, place }: Call.RuleCall): string | undefined => {
  const found = path === null ? undefined : locate(path, place.cwd)
  if (found === undefined || found.canonical !== found.written) return undefined
  const root = place.cwd
  if (!found.written.startsWith(`${root}/`)) return undefined
  return `${kind}(./${found.written.slice(root.length + 1).replace(/[\\*?[{}!]/g, "\\$&")})`
}

type Read = (text: string) => RuleEntry | undefined

const ruleFor = (part: CallAction, call: Call.RuleCall, dangers: Dangers, read: Read): string | undefined => {
  switch (part.kind) {
    case "command": {
      const broad = broadly(part)
      if (broad === undefined || broad === exactly(part)) return broad
      // Without subcommands the next word is an ordinary argument, and the rule is about the program.
      const reach = read(hasSubcommands(part.program ?? "") ? broad : `shell(${quoteWord(part.program ?? "")} *)`)
      return reach !== undefined && dangers.covered([reach]).length > 0 ? exactly(part) : broad
    }
    case "read":
    case "write":
      return file(part, call)
    case "fetch":
      return URL.canParse(part.url) ? `fetch(${new URL(part.url).hostname.replace(/\.$/, "")})` : undefined
    case "mcp":
      return `mcp(${part.server}/${part.tool.replace(/[\\*?[{}!,]/g, "\\$&")})`
    case "tool":
      return part.name
  }
}

export interface Proposing {
  readonly tool: string
  readonly parts: ReadonlyArray<CallAction>
  readonly facts: Call.MatchFacts
  readonly shapes: ShellAnalysis["shapes"]
  readonly tools: KnownTools
  readonly dangers: Dangers
}

const mostRules = 5

const reader = (list: RuleKind, { tools }: Proposing): Read => (text) => {
  const rule = parse(text, { list, tools })
  return Result.isSuccess(rule) ? ruleEntry("session", list, rule.success) : undefined
}

const collect = (texts: ReadonlyArray<string | undefined>, read: Read): ReadonlyArray<RuleEntry> | undefined => {
  const all: Array<RuleEntry> = []
  for (const text of new Set(texts)) {
    const made = text === undefined ? undefined : read(text)
    if (made === undefined) return undefined
    all.push(made)
  }
  return all.length === 0 || all.length > mostRules ? undefined : all
}

/**
 * The rules that "always allow" would store: together they allow this call, each names a program and its subcommand at
 * least, and none covers a known danger. `undefined` when there are none; then only "once" is offered.
 */
export const allow = (input: Proposing): ReadonlyArray<RuleEntry> | undefined => {
  const { dangers, facts, parts, shapes, tool, tools } = input
  if (facts.opaque || facts.parseError || shapes.length > 0 || parts.length === 0) return undefined
  const call = Call.make(tool, parts, facts, tools)
  const read = reader("allow", input)
  const texts = parts.filter((part) => !isNeutral(part, call)).map((part) => ruleFor(part, call, dangers, read))
  const entries = collect(texts, read)
  return entries !== undefined && make(entries, tools).decide(tool, parts, facts)?.list === "allow"
    ? entries
    : undefined
}

/**
 * The rule that "always reject" would store. With several actions it is the dangerous one; `undefined` when it is
 * unclear which one was rejected.
 */
export const deny = (input: Proposing): ReadonlyArray<RuleEntry> | undefined => {
  const { dangers, facts, parts, shapes, tool, tools } = input
  const call = Call.make(tool, parts, facts, tools)
  const read = reader("deny", input)
  const dangerous = parts.filter((part) => shapes.some((shape) => shape.part === part.text))
  const judged = dangerous.length > 0 ? dangerous : parts.filter((part) => !isNeutral(part, call))
  if (judged.length !== 1) return undefined
  const texts = judged.map((part) => {
    if (part.kind !== "command") return ruleFor(part, call, dangers, read)
    return shapes.length > 0 ? exactly(part) : broadly(part) ?? exactly(part)
  })
  const entries = collect(texts, read)
  return entries !== undefined && make(entries, tools).decide(tool, parts, facts)?.list === "deny" ? entries : undefined
}
