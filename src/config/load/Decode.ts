import { Effect, Result, Schema, SchemaAST, type SchemaIssue } from "effect"
import { Toml } from "effect/encoding"
import { leaks } from "../../domain/secrets/ArgumentSecrets.ts"
import { redact } from "../../domain/secrets/LeakDetector.ts"
import type { EnvironmentVariables } from "../../platform/Environment.ts"
import { ConfigInvalid } from "../Errors.ts"
import { type ConfigProblem, inconsistency } from "../schema/Consistency.ts"
import { assign, dotted, type KeyAssignment, type KeyPath, type Table, valueAt } from "../schema/KeyPath.ts"
import { expected, lookup } from "../schema/Lookup.ts"
import { ConfigTable } from "../schema/Schema.ts"
import { hint } from "../schema/Suggestion.ts"
import { mayHoldSecret, parseText } from "../schema/Values.ts"
import { prefix } from "./EnvironmentOverrides.ts"
import { keyAround, problemOf } from "../toml/TomlProblem.ts"
import { beginning } from "../../domain/Cut.ts"
import * as Chunk from "../../platform/Chunk.ts"

const loadLayout = Chunk.make(() => import("../toml/TomlLayout.ts"))

interface EnvironmentOverride extends KeyAssignment {
  /** The name of the environment variable. */
  readonly variable: string
}

/** `POSTERN_acp__default_agent=main` and the like. The failure is a sentence about the first variable that fits nowhere. */
export const fromEnvironment = (
  names: ReadonlyArray<string>,
  environment: EnvironmentVariables
): Result.Result<ReadonlyArray<EnvironmentOverride>, string> => {
  const overrides: Array<EnvironmentOverride> = []
  for (const variable of names) {
    const path = variable.slice(prefix.length).split("__")
    const found = lookup(path)
    if (found._tag === "Unknown") {
      const key = path[found.depth] ?? ""
      return Result.fail(
        `${variable}: ${dotted(path.slice(0, found.depth + 1))} is not a known key${hint(key, found.known)}`
      )
    }
    if (SchemaAST.isObjects(found.ast) && found.ast.propertySignatures.length > 0) {
      return Result.fail(
        `${variable}: ${dotted(path)} is ${expected(found.ast)}; name one of its keys: ${
          found.ast.propertySignatures.map(({ name }) => String(name)).join(", ")
        }`
      )
    }
    overrides.push({ variable, path, value: parseText(found.ast, environment[variable] ?? "") })
  }
  return Result.succeed(overrides)
}

/** The text of a configuration file, `undefined` where there is none. */
interface ConfigText {
  readonly file: string
  readonly text: string | undefined
}

/** Errors are one line without secrets, whatever a value or a path contains. */
const oneLine = (text: string): string =>
  redact(text.replace(/\s*[\r\n]+\s*/g, " "), {
    enabled: true,
    sensitivity: 0.7,
    highEntropyTokens: false,
    placeholders: true
  }).text

/** The key, unless it is an unknown one that may be a secret itself. */
const safeName = (path: KeyPath): string =>
  lookup(path)._tag === "Known" && !path.some((key) => leaks(key, true)) ? dotted(path) : ""

const syntaxError = (file: string, text: string, message: string): string => {
  const { column, inValue, line, problem } = problemOf(message)
  const key = inValue ? safeName(keyAround(text, Number(line)) ?? []) : ""
  return `${file}:${line}:${column}: not valid TOML: ${key === "" ? "" : `${key}: `}${problem}`
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${beginning(text, 57)}...` : text
}

const problemIn = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>, input: unknown): ConfigProblem => {
  switch (issue._tag) {
    case "Pointer":
      return problemIn(issue.issue, [...path, ...issue.path], input)
    case "Filter":
    case "Encoding":
      return problemIn(issue.issue, path, input)
    case "Composite":
      return problemIn(issue.issues[0], path, input)
  }
  const name = dotted(path)
  const found = lookup(path.map(String))
  if (found._tag === "Unknown" || issue._tag === "UnexpectedKey") {
    const better = found._tag === "Unknown" ? hint(String(path.at(-1)), found.known) : ""
    return { path, problem: `${name} is not a known key${better}` }
  }
  if (issue._tag === "MissingKey") return { path, problem: `${name} is missing; it must be ${expected(found.ast)}` }
  const value = valueAt(input, path)
  // A value in place of a table may well be a secret.
  const hidden = SchemaAST.isObjects(found.ast) || mayHoldSecret(path.map(String), value)
  return { path, problem: `${name} must be ${expected(found.ast)}${hidden ? "" : `, not ${shown(value)}`}` }
}

const isBelow = (path: KeyPath, table: KeyPath) => table.every((key, index) => path[index] === key)

/** Where a value came from: the variable that set it, the line of the file, or a variable that made the table around it. */
const placeOf = Effect.fnUntraced(function*(
  path: KeyPath,
  { file, text }: ConfigText,
  overrides: ReadonlyArray<EnvironmentOverride>
) {
  const { layoutOf, lineOf } = yield* loadLayout
  const line = text === undefined ? undefined : lineOf(yield* layoutOf(text), path)
  return overrides.findLast((override) => isBelow(path, override.path))?.variable ??
    (line === undefined ? undefined : `${file}:${line}`) ??
    overrides.findLast((override) => isBelow(override.path, path.slice(0, -1)))?.variable ??
    (text === undefined ? "configuration" : file)
})

const decodeTable = Schema.decodeUnknownResult(ConfigTable, { onExcessProperty: "error", errors: "first" })

/** The other spelling of the same setting: a stronger source replaces both spellings of a weaker one. */
const otherSpelling = ([table = "", alias, ...rest]: KeyPath): KeyPath | undefined => {
  if (table === "autonomy" && alias !== undefined) return ["risk_profiles", "default", alias, ...rest]
  return table === "risk_profiles" && alias === "default" && rest.length > 0 ? ["autonomy", ...rest] : undefined
}

const merge = (root: Table, override: EnvironmentOverride): void => {
  const other = otherSpelling(override.path)
  const around = other && valueAt(root, other.slice(0, -1))
  if (typeof around === "object" && around !== null) Reflect.deleteProperty(around, other?.at(-1) ?? "")
  assign(root, override)
}

/** The file with the environment on top, validated as one whole. */
export const decode = Effect.fnUntraced(function*(
  source: ConfigText,
  names: ReadonlyArray<string>,
  environment: EnvironmentVariables
): Effect.fn.Return<ConfigTable, ConfigInvalid> {
  const fail = (message: string) => new ConfigInvalid({ message: oneLine(message) })
  const { file, text = "" } = source
  const parsed = Toml.parse(text)
  if (Result.isFailure(parsed)) return yield* fail(syntaxError(file, text, parsed.failure.message))
  const overrides = fromEnvironment(names, environment)
  if (Result.isFailure(overrides)) return yield* fail(overrides.failure)
  for (const override of overrides.success) merge(parsed.success, override)
  const decoded = decodeTable(parsed.success)
  const found = Result.isFailure(decoded)
    ? problemIn(decoded.failure.issue, [], parsed.success)
    : inconsistency(decoded.success)
  if (found !== undefined) {
    const path = found.path.filter((key) => typeof key === "string")
    const problem = oneLine(found.problem)
    const place = oneLine(yield* placeOf(path, source, overrides.success))
    return yield* new ConfigInvalid({ message: `${place}: ${problem}`, problem, path })
  }
  return yield* Effect.mapError(
    Effect.fromResult(decoded),
    () => new ConfigInvalid({ message: "the configuration is not valid" })
  )
})
