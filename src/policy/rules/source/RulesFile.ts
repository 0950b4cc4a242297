import { readFileSync, statSync } from "node:fs"
import { Effect, Predicate, Result, Schema } from "effect"
import type { ActionContext, CallAction } from "../../decision/CallAction.ts"
import type { Analyse } from "../../decision/ShellAnalysis.ts"
import type { MatchFacts } from "../match/RuleCall.ts"
import { named } from "../pattern/PathPattern.ts"
import { familyOf, type KnownTools, parse, type RuleKind } from "../Rule.ts"
import { make, type RuleEntry, ruleEntry, type RuleLayer } from "../RuleSet.ts"
import { overridesIn, prefix } from "../../../config/load/EnvironmentOverrides.ts"
import { assign } from "../../../config/schema/KeyPath.ts"
import type { EnvironmentVariables } from "../../../platform/Environment.ts"
import { type PolicySettings, read as readSettings } from "../../../domain/PolicySettings.ts"
import { parseText } from "./RulesText.ts"
import { beginning } from "../../../domain/Cut.ts"
import * as Chunk from "../../../platform/Chunk.ts"

const loadDecode = Chunk.make(() => import("../../../config/load/Decode.ts"))

/** What a rule is tried with before it is used: the examples of a rules file, and samples of dangerous commands. */

export interface RuleTrial {
  readonly place: ActionContext
  readonly tools: KnownTools
  readonly analyse: Analyse
}

interface Example {
  readonly tool: string
  readonly parts: ReadonlyArray<CallAction>
  readonly facts: MatchFacts
}

const factsOf = (place: ActionContext): MatchFacts => ({
  place,
  opaque: false,
  parseError: false,
  canonical: (path) => named(path, place.cwd, place.home, () => undefined).written
})

export const shellCall = (command: string, { analyse, place }: RuleTrial) => {
  const { inner, opaque, parseError, parts, shapes } = analyse(command, place)
  return { tool: "shell", parts, shapes, facts: { ...factsOf(place), opaque, parseError, inner } }
}

const parametersOf = (text: string) =>
  Object.fromEntries(
    text.split(",").map((one) => {
      const border = one.indexOf("=")
      return border < 0 ? [one.trim(), ""] : [one.slice(0, border).trim(), one.slice(border + 1).trim()]
    })
  )

const callOf = ({ rule: { specifier, tool } }: RuleEntry, text: string, trial: RuleTrial): Example => {
  const family = tool._tag === "Glob" ? undefined : familyOf(tool.name, trial.tools)
  const call = (parts: ReadonlyArray<CallAction>, name = tool.name): Example => ({
    tool: name,
    parts,
    facts: factsOf(trial.place)
  })
  if (specifier?._tag === "Parameters") {
    return call([{ kind: "tool", text, name: tool.name, parameters: parametersOf(text) }])
  }
  switch (family) {
    case "shell":
      return shellCall(text, trial)
    case "read":
    case "write":
      return call([{ kind: family, text, path: text }])
    case "fetch":
      return call([{ kind: "fetch", text, url: text.includes("://") ? text : `https://${text}` }])
    case "mcp": {
      const [server = "", name = ""] = text.startsWith("mcp__") ? text.slice(5).split("__") : text.split("/")
      return call(
        [{ kind: "mcp", text, server, tool: name }],
        tool._tag === "Family" ? `mcp__${server}__${name}` : text
      )
    }
  }
  return call([{ kind: "tool", text, name: text, parameters: {} }], text)
}

/**
 * Whether the rule alone decides the call that `text` describes: a command, a path, a URL, `server/tool`, or a tool's
 * name.
 */
export const decides = (entry: RuleEntry, text: string, trial: RuleTrial): boolean => {
  const { facts, parts, tool } = callOf(entry, text, trial)
  return make([entry], trial.tools).decide(tool, parts, facts) !== undefined
}

/** Invalid rules, and where: a file or table, the list and the 1-based position in it. No session starts with them. */
export class RulesInvalid extends Schema.TaggedError<RulesInvalid>()("RulesInvalid", {
  file: Schema.String,
  list: Schema.optionalKey(Schema.String),
  index: Schema.optionalKey(Schema.Int),
  rule: Schema.optionalKey(Schema.String),
  problem: Schema.String
}) {
  override get message() {
    const place = this.list === undefined
      ? ""
      : this.index === undefined
      ? ` ${this.list}:`
      : ` ${this.list} rule ${this.index}`
    const rule = this.index === undefined
      ? ""
      : this.rule === undefined
      ? ":"
      : ` ${JSON.stringify(beginning(this.rule, 200))}:`
    return `${this.file}:${place}${rule} ${this.problem}`.replace(/\s*[\r\n]+\s*/g, " ")
  }
}

const Texts = Schema.Array(Schema.String)

const Written = Schema.Union([
  Schema.String,
  Schema.Struct({
    rule: Schema.String,
    reason: Schema.optionalKey(Schema.String),
    guard: Schema.optionalKey(Schema.Boolean),
    match: Schema.optionalKey(Texts),
    notMatch: Schema.optionalKey(Texts)
  })
])

const readWritten = Schema.decodeUnknownResult(Written, { onExcessProperty: "error" })

export const lists = ["deny", "ask", "allow"] as const

const mostRules = 1000

export interface RulesFileContents {
  readonly entries: ReadonlyArray<RuleEntry>
  readonly settings: Partial<PolicySettings>
}

type Decoded = Result.Result<RulesFileContents, RulesInvalid>

/** Decodes a table with `deny`, `ask` and `allow`, and a project's `policy`; tries every example in it. */
const decode = (file: string, table: unknown, layer: RuleLayer, trial: RuleTrial): Decoded => {
  const fail = (problem: string, place: { list?: string; index?: number; rule?: string } = {}) =>
    Result.fail(new RulesInvalid({ file, problem, ...place }))
  if (!Predicate.isObject(table)) return fail("the rules must be a table with deny, ask and allow")
  const hasSettings = layer === "project" && Object.hasOwn(table, "policy")
  const settings = readSettings(hasSettings ? Reflect.get(table, "policy") : {})
  if (Result.isFailure(settings)) return fail(settings.failure, { list: "[policy]" })
  const extra = Object.keys(table).find((key) =>
    !lists.some((list) => list === key) && !(hasSettings && key === "policy")
  )
  if (extra !== undefined) return fail(`"${extra}" is no list of rules; write deny, ask or allow`)
  const entries: Array<RuleEntry> = []
  for (const list of lists) {
    const written: unknown = Object.hasOwn(table, list) ? Reflect.get(table, list) : []
    if (!Array.isArray(written)) return fail("must be a list, as in [\"shell(npm test *)\"]", { list })
    if (written.length > mostRules) return fail(`has more than ${mostRules} rules`, { list })
    for (const [position, one] of written.entries()) {
      const found = decodeOne(one, list, layer, trial)
      if (Result.isFailure(found)) {
        return fail(found.failure.problem, { list, index: position + 1, ...found.failure.where })
      }
      entries.push(found.success)
    }
  }
  return Result.succeed({ entries, settings: settings.success })
}

interface Fault {
  readonly problem: string
  readonly where: { readonly rule?: string }
}

const decodeOne = (
  value: unknown,
  list: RuleKind,
  layer: RuleLayer,
  trial: RuleTrial
): Result.Result<RuleEntry, Fault> => {
  const fail = (problem: string, rule?: string): Result.Result<never, Fault> =>
    Result.fail({ problem, where: rule === undefined ? {} : { rule } })
  const read = readWritten(value)
  if (Result.isFailure(read)) {
    return fail(
      "must be a text, or { rule, reason, guard, match, notMatch } with texts for the first two, true or false for guard, " +
        "lists of texts for the others"
    )
  }
  const { guard, match = [], notMatch = [], reason, rule: text } = typeof read.success === "string"
    ? { rule: read.success }
    : read.success
  if (guard === true && list !== "allow") {
    return fail("guard is for allow rules; the other lists cover every call", text)
  }
  const rule = parse(text, { list, tools: trial.tools })
  if (Result.isFailure(rule)) return fail(rule.failure.message, text)
  const made = ruleEntry(layer, list, rule.success, { guard, reason })
  const silent = match.find((example) => !decides(made, example, trial))
  if (silent !== undefined) return fail(`its example ${JSON.stringify(silent)} should match and does not`, text)
  const loud = notMatch.find((example) => decides(made, example, trial))
  return loud === undefined
    ? Result.succeed(made)
    : fail(`its example ${JSON.stringify(loud)} should not match and does`, text)
}

const parseFile = (file: string, text: string) =>
  Result.mapBoth(parseText(text), {
    onSuccess: ({ root }) => root,
    onFailure: (problem) => new RulesInvalid({ file, problem })
  })

/** The value of `[policy.rules]` in a parsed `config.toml`; `undefined` where there is none. */
const userTable = (
  file: string,
  { policy = {} }: { readonly policy?: unknown }
): Result.Result<unknown, RulesInvalid> =>
  Predicate.isObject(policy)
    ? Result.succeed(Object.hasOwn(policy, "rules") ? Reflect.get(policy, "rules") : undefined)
    : Result.fail(new RulesInvalid({ file, problem: "policy must be a table" }))

const nothing: RulesFileContents = { entries: [], settings: {} }

/** The user's rules, out of the value of `[policy.rules]`. */
export const decodeUserTable = (file: string, table: unknown, trial: RuleTrial): Decoded =>
  table === undefined ? Result.succeed(nothing) : decode(`${file} [policy.rules]`, table, "user", trial)

/** The rules in a layer's parsed file: `config.toml` for the user's, else a file that holds nothing but rules. */
export const decodeRoot = (file: string, root: object, layer: RuleLayer, trial: RuleTrial): Decoded =>
  layer === "user"
    ? Result.flatMap(userTable(file, root), (table) => decodeUserTable(file, table, trial))
    : decode(file, root, layer, trial)

/** The same for its text. */
export const decodeText = (file: string, text: string, layer: RuleLayer, trial: RuleTrial): Decoded =>
  Result.flatMap(parseFile(file, text), (root) => decodeRoot(file, root, layer, trial))

const rulesPrefix = `${prefix}policy__rules__`

/**
 * The value of `[policy.rules]` as `config.toml` has it now, with the environment on top: for processes whose rules follow the file while
 * the rest of the configuration is read once.
 */
export const readUserTable = Effect.fnUntraced(function*(
  file: string,
  environment: EnvironmentVariables
): Effect.fn.Return<unknown, RulesInvalid> {
  const refuse = (problem: string) => new RulesInvalid({ file, problem })
  const text = yield* Effect.try({
    try: () => statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "utf8"),
    catch: (error) => refuse(`cannot be read: ${String(error)}`)
  })
  const root = yield* Effect.fromResult(parseFile(file, text))
  const names = overridesIn(environment).filter((name) => name.startsWith(rulesPrefix))
  if (names.length > 0) {
    const { fromEnvironment } = yield* loadDecode
    const overrides = yield* Effect.fromResult(Result.mapError(fromEnvironment(names, environment), refuse))
    for (const override of overrides) assign(root, override)
  }
  return yield* Effect.fromResult(userTable(file, root))
})
