import { Context, Result } from "effect"
import { nearest } from "../../config/schema/Suggestion.ts"
import * as Hosts from "./pattern/HostPattern.ts"
import * as NamePattern from "./pattern/NamePattern.ts"
import * as Paths from "./pattern/PathPattern.ts"
import * as TokenPattern from "./pattern/TokenPattern.ts"
import { type PatternFault, RuleUnreadable } from "./pattern/RuleUnreadable.ts"

export type RuleKind = "deny" | "ask" | "allow"

export const families = ["shell", "read", "write", "fetch", "mcp", "task"] as const
export type ToolFamily = typeof families[number]

/** Every tool of this process, and the family of its calls. */
export type KnownTools = ReadonlyMap<string, ToolFamily | undefined>

/** The tools of this process that rules may name. The floor that has the tools provides it. */
export class ToolVocabulary extends Context.Service<ToolVocabulary, KnownTools>()("postern/policy/ToolVocabulary") {}

export type RuleTool =
  | { readonly _tag: "Family"; readonly name: ToolFamily }
  | { readonly _tag: "Id"; readonly name: string; readonly family: ToolFamily | undefined }
  | { readonly _tag: "Glob"; readonly name: string; readonly test: NamePattern.NameTest }

type RuleSpecifier =
  | { readonly _tag: "Command"; readonly pattern: TokenPattern.TokenPattern }
  | { readonly _tag: "Path"; readonly pattern: Paths.PathPattern }
  | { readonly _tag: "Host"; readonly pattern: Hosts.HostPattern }
  | { readonly _tag: "Mcp"; readonly pattern: NamePattern.McpPattern }
  | { readonly _tag: "Parameters"; readonly tests: ReadonlyArray<NamePattern.ParameterTest> }

/** A compiled rule, `tool` or `tool(specifier)`. See docs/policy.md#rule-syntax. */
export interface Rule {
  readonly text: string
  readonly tool: RuleTool
  readonly specifier: RuleSpecifier | undefined
}

/** The context in which a rule is parsed. */
interface RuleReading {
  readonly list: RuleKind
  readonly tools: KnownTools
}

const isFamily = (name: string): name is ToolFamily => families.some((family) => family === name)

/** The prefix of the ids of MCP tools, which are known only once their servers have answered. */
const mcpPrefix = "mcp__"

/** The family of a tool's calls. */
export const familyOf = (name: string, tools: KnownTools): ToolFamily | undefined =>
  tools.get(name) ?? (name.startsWith(mcpPrefix) ? "mcp" : isFamily(name) ? name : undefined)

/** Tool names of other agents, and Postern's names for them. */
const foreign: ReadonlyMap<string, ToolFamily> = new Map(Object.entries(
  {
    bash: "shell",
    exec: "shell",
    run_command: "shell",
    run_shell_command: "shell",
    read_file: "read",
    grep: "read",
    glob: "read",
    ls: "read",
    edit: "write",
    multiedit: "write",
    write_file: "write",
    webfetch: "fetch",
    web_fetch: "fetch",
    agent: "task"
  } as const
))

/** The problem of an unknown tool name, with a suggestion. */
const unknownTool = (name: string, tools: KnownTools): string => {
  const better = foreign.get(name.toLowerCase()) ?? families.find((family) => family === name.toLowerCase())
  const known = Array.from(tools.keys()).find((tool) => tool.toLowerCase() === name.toLowerCase()) ?? better ??
    nearest(name, [...tools.keys(), ...families])
  return `there is no tool "${name.slice(0, 80)}"; ` + (known === undefined
    ? `write ${families.join(", ")} or the name of a tool: ${Array.from(tools.keys()).join(", ")}`
    : `write ${known}`)
}

/** Models and lists of risk profiles write MCP tools as `server__tool`. */
const prefixed = (name: string, { tools }: RuleReading): string =>
  tools.has(name) || name.startsWith(mcpPrefix) || !name.includes("__", 1) ? name : mcpPrefix + name

const toolOf = (written: string, bare: boolean, reading: RuleReading): Result.Result<RuleTool, PatternFault> => {
  const name = prefixed(written, reading)
  const fail = (problem: string) => Result.fail({ at: 0, problem })
  const missing = (problem: string) => Result.fail({ at: 0, problem, unknownTool: true as const })
  if (isFamily(name)) return Result.succeed({ _tag: "Family", name })
  if (/[*{]/.test(name)) {
    if (reading.list === "allow") {
      return fail("an allow rule names its tool; wildcards over tools are for deny and ask only")
    }
    if (!bare) return fail("a wildcard over tools takes nothing in parentheses; name the tool, or drop them")
    const fixed = name.slice(0, name.search(/[*{]/))
    const open = mcpPrefix.startsWith(fixed) || fixed.startsWith(mcpPrefix)
    return Result.flatMap(NamePattern.glob(name), (test) =>
      open || Array.from(reading.tools.keys()).some(test)
        ? Result.succeed({ _tag: "Glob" as const, name, test })
        : missing(`no tool is called like ${name}; the tools are ${Array.from(reading.tools.keys()).join(", ")}`))
  }
  if (reading.tools.has(name) || (name.startsWith(mcpPrefix) && name.length > mcpPrefix.length)) {
    return Result.succeed({ _tag: "Id", name, family: familyOf(name, reading.tools) })
  }
  return missing(unknownTool(name, reading.tools))
}

const specifierOf = (text: string, tool: RuleTool, list: RuleKind): Result.Result<RuleSpecifier, PatternFault> => {
  const family = tool._tag === "Family" ? tool.name : tool._tag === "Id" ? tool.family : undefined
  switch (family) {
    case "shell":
      return Result.map(TokenPattern.parse(text), (pattern) => ({ _tag: "Command", pattern }))
    case "read":
    case "write":
      return Result.map(Paths.parse(text), (pattern) => ({ _tag: "Path", pattern }))
    case "fetch":
      return Result.map(Hosts.parse(text), (pattern) => ({ _tag: "Host", pattern }))
    case "mcp":
      if (tool._tag !== "Family") break
      return Result.map(NamePattern.parseMcp(text, list !== "allow"), (pattern) => ({ _tag: "Mcp", pattern }))
  }
  return list === "allow"
    ? Result.fail({
      at: 0,
      problem: `tests of parameters are for deny and ask only; write ${tool.name} alone to allow it`
    })
    : Result.map(NamePattern.parseParameters(text), (tests) => ({ _tag: "Parameters", tests }))
}

/** The longest rule: rules are shown in full wherever they decide. */
const longest = 4096

export const parse = (text: string, reading: RuleReading): Result.Result<Rule, RuleUnreadable> => {
  const fail = (fault: PatternFault) => Result.fail(new RuleUnreadable({ text, ...fault }))
  if (text.length > longest) {
    return fail({ at: 0, problem: `a rule has at most ${longest} characters, not ${text.length}` })
  }
  const start = Math.max(0, text.search(/\S/))
  const open = text.indexOf("(")
  const name = text.slice(start, open < 0 ? undefined : open).trim()
  if (name === "") return fail({ at: start, problem: "the rule has no tool; write it as tool or tool(specifier)" })
  if (/\s|\)/.test(name)) {
    const better = `shell(${name.replaceAll(")", "")})`
    return fail({ at: start, problem: `"${name}" is no tool; put what it is about in parentheses, as in ${better}` })
  }
  const end = text.trimEnd().length
  if (open >= 0 && text[end - 1] !== ")") {
    return fail({ at: end, problem: "the parenthesis is not closed at the end of the rule" })
  }
  const tool = toolOf(name, open < 0, reading)
  if (Result.isFailure(tool)) return fail({ ...tool.failure, at: start })
  if (open < 0) return Result.succeed({ text: name, tool: tool.success, specifier: undefined })
  const inner = text.slice(open + 1, end - 1)
  const specifier = specifierOf(inner, tool.success, reading.list)
  if (Result.isFailure(specifier)) return fail({ ...specifier.failure, at: open + 1 + specifier.failure.at })
  return Result.succeed({ text: `${name}(${inner.trim()})`, tool: tool.success, specifier: specifier.success })
}

/** The rule as users write it, without superfluous spaces. */
export const print = (rule: Rule): string => rule.text

/** A word of a command as a pattern that matches only it. */
export const quoteWord = (word: string): string => {
  if (/^[\w@%+:,./-]+=?[\w@%+:,./=-]*$/.test(word) && !word.startsWith("=")) return word
  const quote = word.includes("\"") ? "'" : "\""
  return word.split(quote).map((part) => `${quote}${part}${quote}`).join(`\\${quote}`)
}
