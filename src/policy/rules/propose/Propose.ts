import { Result } from "effect"
import type { CallAction, CommandAction, PathAction } from "../../decision/CallAction.ts"
import { appendsInput } from "../../shell/programs/Rules.ts"
import { programOf } from "../../shell/programs/Table.ts"
import { type KnownTools, parse, quoteWord, type RuleKind } from "../Rule.ts"
import type { ShellAnalysis } from "../../decision/ShellAnalysis.ts"
import * as Call from "../match/RuleCall.ts"
import type { Dangers } from "./Dangers.ts"
import { isNeutral } from "../match/Neutral.ts"
import { make, type RuleEntry, ruleEntry } from "../RuleSet.ts"

/** The rules that can be made of one command. */

/** Whether the word after the program is a subcommand. */
const hasSubcommands = (program: string): boolean => {
  const row = programOf(program)
  return row.is("subcommands") || row.has("next-runs") || row.has("next-names")
}

/** `gcc-12` and `vim.tiny` are what they are without the rest. */
const familiar = (program: string): string =>
  program.replace(/(\.exe|\.(tiny|basic|nox|gtk\d?|athena))$/, "").replace(/-?\d[\d.]*$/, "")

const isOpen = (program: string): boolean => {
  const row = programOf(program)
  return row.is("open") || row.is("shell") || row.is("foreign-shell") ||
    row.wrappers.some(({ verbs }) => verbs.length === 0) ||
    (!hasSubcommands(program) && (row.language !== undefined || row.statements !== undefined))
}

/**
 * A rule about it, whatever its arguments, would be one about any program: it runs what it is given, or what a
 * repository configures.
 */
const runsAnything = (program: string): boolean => isOpen(program) || isOpen(familiar(program))

/** The words after this subcommand are what it runs. */
const runsNext = (program: string, subcommand: string): boolean => {
  const row = programOf(program)
  return row.words("next-runs").includes(subcommand) || row.wrappers.some(({ verbs }) => verbs[0] === subcommand)
}

const isName = (word: string | null | undefined): word is string =>
  typeof word === "string" && /^[a-z][a-z0-9:_-]*$/.test(word)

/** What it is run with are names that another program found or was given. */
const runsNames = (wrapper: string): boolean =>
  appendsInput(wrapper) || programOf(wrapper).words("batch")[0] === "expression"

/** The command as it is written; nothing where a word of it is not literal. */
export const exactly = ({ argv, assignments, opaque }: CommandAction): string | undefined => {
  if (opaque || assignments.length > 0 || !argv.every((word) => word !== null)) return undefined
  return `shell(=${argv.map(quoteWord).join(" ")})`
}

/** The program and its subcommand with any arguments; nothing where that would say too much. */
const broadly = (part: CommandAction): string | undefined => {
  const { argv, opaque, wrappers } = part
  const [program, subcommand, script] = argv
  if (opaque || typeof program !== "string" || wrappers.some(runsNames)) {
    return undefined
  }
  if (program.includes("/") || runsAnything(program)) return undefined
  if (typeof subcommand === "string" && runsNext(program, subcommand)) return undefined
  const row = programOf(program)
  if (
    row.is("as-given") || (subcommand?.startsWith("-") === true && !hasSubcommands(program) && !row.is("well-named"))
  ) return exactly(part)
  if (!isName(subcommand)) return hasSubcommands(program) ? undefined : `shell(${quoteWord(program)} *)`
  if (!row.words("next-names").includes(subcommand)) return `shell(${quoteWord(program)} ${subcommand} *)`
  return isName(script) ? `shell(${quoteWord(program)} ${subcommand} ${script} *)` : undefined
}

/** The rules that an answer "always" stores: users can read, list and remove them. See docs/policy.md#always. */

/** The pattern of exactly this file; inside the workspace only. */
const file = ({ kind, path }: PathAction, { locate, place }: Call.RuleCall): string | undefined => {
  const found = path === null ? undefined : locate(path, place.cwd)
  if (found === undefined || found.canonical !== found.written) return undefined
  const root = place.cwd
  if (!found.written.startsWith(`${root}/`)) return undefined
  return `${kind}(./${found.written.slice(root.length + 1).replace(/[\\*?[{}!]/g, "\\$&")})`
}

/** Another port is another service. */
const host = (address: string): string | undefined => {
  if (!URL.canParse(address)) return undefined
  const { hostname, port } = new URL(address)
  return `fetch(${hostname.replace(/\.$/, "")}${port === "" ? "" : `:${port}`})`
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
      return host(part.url)
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
