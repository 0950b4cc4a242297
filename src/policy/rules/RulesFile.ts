import { readFileSync, statSync } from "node:fs"
import { Effect, Predicate, Result, Schema } from "effect"
import { Toml } from "effect/encoding"
import { overridesIn, prefix } from "../../config/load/EnvironmentOverrides.ts"
import { assign } from "../../config/schema/KeyPath.ts"
import { tomlProblem } from "../../config/toml/TomlProblem.ts"
import { type PolicySettings, read as readKnobs } from "../../domain/PolicySettings.ts"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { decides, type Trial } from "./Examples.ts"
import { type List, parse } from "./Rule.ts"
import { type Entry, entry, type Layer } from "./RuleSet.ts"

/** Rules that cannot be used, and where: a file or table, the list and the 1-based place in it. No session starts with them. */
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
      : ` ${JSON.stringify(this.rule.slice(0, 200))}:`
    return `${this.file}:${place}${rule} ${this.problem}`.replace(/\s*[\r\n]+\s*/g, " ")
  }
}

const Texts = Schema.Array(Schema.String)

const Written = Schema.Union([
  Schema.String,
  Schema.Struct({
    rule: Schema.String,
    reason: Schema.optionalKey(Schema.String),
    match: Schema.optionalKey(Texts),
    notMatch: Schema.optionalKey(Texts)
  })
])

const readWritten = Schema.decodeUnknownResult(Written, { onExcessProperty: "error" })

export const lists = ["deny", "ask", "allow"] as const

const mostRules = 1000

export interface Contents {
  readonly entries: ReadonlyArray<Entry>
  readonly knobs: Partial<PolicySettings>
}

type Decoded = Result.Result<Contents, RulesInvalid>

/** One table with `deny`, `ask` and `allow`, and a project's `policy`; every example in it has been tried. */
const decode = (file: string, table: unknown, layer: Layer, trial: Trial): Decoded => {
  const fail = (problem: string, place: { list?: string; index?: number; rule?: string } = {}) =>
    Result.fail(new RulesInvalid({ file, problem, ...place }))
  if (!Predicate.isObject(table)) return fail("the rules must be a table with deny, ask and allow")
  const hasKnobs = layer === "project" && Object.hasOwn(table, "policy")
  const knobs = readKnobs(hasKnobs ? Reflect.get(table, "policy") : {})
  if (Result.isFailure(knobs)) return fail(knobs.failure, { list: "[policy]" })
  const extra = Object.keys(table).find((key) => !lists.some((list) => list === key) && !(hasKnobs && key === "policy"))
  if (extra !== undefined) return fail(`"${extra}" is no list of rules; write deny, ask or allow`)
  const entries: Array<Entry> = []
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
  return Result.succeed({ entries, knobs: knobs.success })
}

interface Fault {
  readonly problem: string
  readonly where: { readonly rule?: string }
}

const decodeOne = (value: unknown, list: List, layer: Layer, trial: Trial): Result.Result<Entry, Fault> => {
  const fail = (problem: string, rule?: string): Result.Result<never, Fault> =>
    Result.fail({ problem, where: rule === undefined ? {} : { rule } })
  const read = readWritten(value)
  if (Result.isFailure(read)) {
    return fail(
      "must be a text, or { rule, reason, match, notMatch } with texts for the first two, lists of texts for the others"
    )
  }
  const { match = [], notMatch = [], reason, rule: text } = typeof read.success === "string"
    ? { rule: read.success }
    : read.success
  const rule = parse(text, { list, tools: trial.tools })
  if (Result.isFailure(rule)) return fail(rule.failure.message, text)
  const made = entry(layer, list, rule.success, reason)
  const silent = match.find((example) => !decides(made, example, trial))
  if (silent !== undefined) return fail(`its example ${JSON.stringify(silent)} should match and does not`, text)
  const loud = notMatch.find((example) => decides(made, example, trial))
  return loud === undefined
    ? Result.succeed(made)
    : fail(`its example ${JSON.stringify(loud)} should not match and does`, text)
}

const parseFile = (file: string, text: string) =>
  Result.mapError(Toml.parse(text), (error) => new RulesInvalid({ file, problem: tomlProblem(error) }))

/** The value of `[policy.rules]` in a parsed `config.toml`; `undefined` where there is none. */
const userTable = (
  file: string,
  { policy = {} }: { readonly policy?: unknown }
): Result.Result<unknown, RulesInvalid> =>
  Predicate.isObject(policy)
    ? Result.succeed(Object.hasOwn(policy, "rules") ? Reflect.get(policy, "rules") : undefined)
    : Result.fail(new RulesInvalid({ file, problem: "policy must be a table" }))

const nothing: Contents = { entries: [], knobs: {} }

/** The user's rules, out of the value of `[policy.rules]`. */
export const decodeUserTable = (file: string, table: unknown, trial: Trial): Decoded =>
  table === undefined ? Result.succeed(nothing) : decode(`${file} [policy.rules]`, table, "user", trial)

/** The rules in the text of a layer's file: `config.toml` for the user's, else a file that holds nothing but rules. */
export const decodeText = (file: string, text: string, layer: Layer, trial: Trial): Decoded =>
  Result.flatMap(parseFile(file, text), (root) =>
    layer === "user"
      ? Result.flatMap(userTable(file, root), (table) => decodeUserTable(file, table, trial))
      : decode(file, root, layer, trial))

const rulesPrefix = `${prefix}policy__rules__`

/**
 * The value of `[policy.rules]` as `config.toml` has it now, with the environment on top: for processes whose rules follow the file while
 * the rest of the configuration is read once.
 */
export const readUserTable = Effect.fnUntraced(function*(
  file: string,
  environment: EnvironmentVariables = process.env
): Effect.fn.Return<unknown, RulesInvalid> {
  const refuse = (problem: string) => new RulesInvalid({ file, problem })
  const text = yield* Effect.try({
    try: () => statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "utf8"),
    catch: (error) => refuse(`cannot be read: ${String(error)}`)
  })
  const root = yield* Effect.fromResult(parseFile(file, text))
  const names = overridesIn(environment).filter((name) => name.startsWith(rulesPrefix))
  if (names.length > 0) {
    const { fromEnvironment } = yield* Effect.promise(() => import("../../config/load/Decode.ts"))
    const overrides = yield* Effect.fromResult(Result.mapError(fromEnvironment(names, environment), refuse))
    for (const override of overrides) assign(root, override)
  }
  return yield* Effect.fromResult(userTable(file, root))
})
