import { Result } from "effect"
import type { ActionContext, CallAction, CommandAction, PathAction, Word } from "../../decision/CallAction.ts"
import { type Arg, Command, HOLE, literal, noInput, supplied } from "../../shell/programs/Command.ts"
import { findingsOf } from "../../shell/danger/RiskFindings.ts"
import { appendsInput, fits } from "../../shell/programs/Rules.ts"
import { programOf } from "../../shell/programs/Table.ts"
import { type KnownTools, parse, quoteWord, type RuleKind } from "../Rule.ts"
import type { ShellAnalysis } from "../../decision/ShellAnalysis.ts"
import * as Call from "../match/RuleCall.ts"
import { isNeutral } from "../match/Neutral.ts"
import { make, type RuleEntry, ruleEntry } from "../RuleSet.ts"

/** The rules that can be made of one command. See docs/policy.md#always. */

/** `gcc-12` and `vim.tiny` are what they are without the rest. */
const familiar = (program: string): string =>
  program.replace(/(\.exe|\.(tiny|basic|nox|gtk\d?|athena))$/, "").replace(/-?\d[\d.]*$/, "")

const isOpen = (program: string): boolean => {
  const row = programOf(program)
  return row.is("open") || row.is("shell") || row.is("foreign-shell") ||
    row.wrappers.some(({ verbs }) => verbs.length === 0) ||
    (!row.has("commands") && !row.has("next-runs") && (row.language !== undefined || row.statements !== undefined))
}

/**
 * A rule about it, whatever its arguments, would be one about any program: it runs what it is given, or what a
 * repository configures.
 */
const runsAnything = (program: string): boolean => isOpen(program) || isOpen(familiar(program))

/** What it is run with are names that another program found or was given. */
const runsNames = (wrapper: string): boolean =>
  appendsInput(wrapper) || programOf(wrapper).words("batch")[0] === "expression"

const isName = (word: string | null | undefined): word is string =>
  typeof word === "string" && /^[a-z][a-z0-9:_-]*$/.test(word)

const argOf = (word: Word): Arg => (word === null ? supplied(HOLE) : literal(word))

const commandOf = ({ argv, cwd, text, wrappers }: CommandAction): Command =>
  new Command({
    text,
    name: argOf(argv[0] ?? null),
    args: argv.slice(1).map(argOf),
    assignments: [],
    wrappers,
    cwd,
    where: "here",
    input: noInput,
    writes: [],
    reads: [],
    background: false,
    downloads: new Set(),
    written: new Map(),
    kept: []
  })

/** The words of a command that name what it does. */
interface CommandName {
  /** The program and all words up to the last subcommand, with the options between them. */
  readonly words: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
}

/**
 * The name of a command: of a program whose row says how deep its subcommands go, or of one without a row, all of whose
 * leading names may be subcommands. `undefined` where that is not certain, as after an option that may take a value.
 */
const nameOf = ({ argv }: CommandAction, { row }: Command): CommandName | undefined => {
  if (row.name !== "" && !row.has("commands")) return undefined
  const ends: Array<number> = []
  const operands: Array<string> = []
  let valued = new Set([...(row.values() ?? []), ...(row.globals() ?? [])])
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]
    if (word === null || word === undefined || word === "--") break
    if (word.startsWith("-")) {
      if (valued.has(word)) at++
      else if (!word.includes("=")) break
      continue
    }
    if (!isName(word)) break
    operands.push(word)
    ends.push(at + 1)
    if (operands.length === 1) valued = new Set([...valued, ...(row.values(word) ?? [])])
  }
  const least = row.name === "" ? operands.length : row.commandDepth(operands)
  // A word that says what is done belongs to the name, however deep it stands.
  const depth = least === undefined || least === 0 ? least : firstFrom(operands, least)
  const words = depth === undefined || depth === 0 ? undefined : argv.slice(0, ends[depth - 1])
  return words?.every((word) => word !== null) ? { words, verbs: operands.slice(0, depth) } : undefined
}

const acts = new RegExp(
  "^(list|ls|show|get|describe|status|info|view|read|inspect|search|find|check|put|set|add|create|update|delete|remove|rm" +
    "|destroy|drop|apply|edit|import|export|enable|disable|start|stop|restart|reset|purge|upload|download|publish|deploy)$"
)

/** The first place from one on where no word says what is done. */
const firstFrom = (operands: ReadonlyArray<string>, from: number): number => {
  let end = from
  while (end < operands.length && acts.test(operands[end]!)) end++
  return end
}

/** A program without subcommands whose name alone says what it does; a subcommand-like first word is kept. */
const wellNamed = ({ argv: [program, first] }: CommandAction, { row }: Command): ReadonlyArray<string> | undefined =>
  row.is("well-named") && typeof program === "string" ? isName(first) ? [program, first] : [program] : undefined

const starting = (words: ReadonlyArray<string>): string => `shell(${words.map(quoteWord).join(" ")} *)`

/** The command as it is written; nothing where a word of it is not literal. */
export const exactly = ({ argv, assignments, opaque }: CommandAction): string | undefined => {
  if (opaque || assignments.length > 0 || !argv.every((word) => word !== null)) return undefined
  return `shell(=${argv.map(quoteWord).join(" ")})`
}

const isPlain = ({ argv: [program], opaque, wrappers }: CommandAction): boolean =>
  !opaque && typeof program === "string" && !program.includes("/") && !wrappers.some(runsNames)

/** It runs what the words after this subcommand name, or what it fetches. */
const runsOthers = (command: Command): boolean => {
  const { line, row } = command
  return row.words("next-runs").includes(line.verb()) ||
    row.wrappers.some(({ verbs }) => verbs[0] === line.verb()) || fits(command, "unoffered")
}

/** What "always allow" stores about a command: no wider than the command's own name. */
const allowing = (part: CommandAction, place: ActionContext): string | undefined => {
  const [program] = part.argv
  if (!isPlain(part) || typeof program !== "string") return undefined
  const command = commandOf(part)
  if (runsAnything(program)) return fits(command, "exact") ? exactly(part) : undefined
  if (runsOthers(command)) return undefined
  const words = nameOf(part, command)?.words ?? wellNamed(part, command)
  if (words !== undefined) {
    // `npm publish --dry-run` is harmless for its option: without it the rule would be about nothing else than dangers.
    const isDangerous = findingsOf(commandOf({ ...part, argv: words }), place).length > 0
    return isDangerous ? exactly(part) : starting(words)
  }
  const { row } = command
  // A subcommand may be missing, or the first word may be a script.
  const isUnclear = row.has("commands") && (part.argv.length === 1 || row.language !== undefined)
  return isUnclear ? undefined : exactly(part)
}

/** What "always reject" stores about a command without a danger. */
const rejecting = (part: CommandAction): string | undefined => {
  const [program] = part.argv
  if (!isPlain(part) || typeof program !== "string" || runsAnything(program)) return exactly(part)
  const command = commandOf(part)
  const verbs = nameOf(part, command)?.verbs
  const words = verbs === undefined ? wellNamed(part, command) : [program, ...verbs]
  return words === undefined ? exactly(part) : starting(words)
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

const ruleFor = (part: CallAction, call: Call.RuleCall): string | undefined => {
  switch (part.kind) {
    case "command":
      return allowing(part, call.place)
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
}

const mostRules = 5

const reader = (list: RuleKind, { tools }: Proposing): Read => (text) => {
  const rule = parse(text, { list, tools })
  if (Result.isFailure(rule)) return undefined
  // A person saw one call, so what the rule allows besides is held to the dangers that are known by then.
  return ruleEntry("session", list, rule.success, { guard: list === "allow" })
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
 * The rules that "always allow" would store: together they allow this call, each is about one command of a program, and
 * none covers a dangerous call. `undefined` when there are none; then only "once" is offered.
 */
export const allow = (input: Proposing): ReadonlyArray<RuleEntry> | undefined => {
  const { facts, parts, shapes, tool, tools } = input
  if (facts.opaque || facts.parseError || shapes.length > 0 || parts.length === 0) return undefined
  const call = Call.make(tool, parts, facts, tools)
  const read = reader("allow", input)
  const isCovered = (part: CallAction) => isNeutral(part, call) || facts.reads?.has(part) === true
  const texts = parts.filter((part) => !isCovered(part)).map((part) => ruleFor(part, call))
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
  const { facts, parts, shapes, tool, tools } = input
  const call = Call.make(tool, parts, facts, tools)
  const read = reader("deny", input)
  const dangerous = parts.filter((part) => shapes.some((shape) => shape.part === part.text))
  const judged = dangerous.length > 0 ? dangerous : parts.filter((part) => !isNeutral(part, call))
  if (judged.length !== 1) return undefined
  const texts = judged.map((part) => {
    if (part.kind !== "command") return ruleFor(part, call)
    return shapes.length > 0 ? exactly(part) : rejecting(part)
  })
  const entries = collect(texts, read)
  return entries !== undefined && make(entries, tools).decide(tool, parts, facts)?.list === "deny" ? entries : undefined
}
