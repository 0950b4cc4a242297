import { Effect, Result, Schema, SchemaAST, type SchemaIssue } from "effect"
import { Toml } from "effect/encoding"
import { leaks } from "../../domain/secrets/ArgumentSecrets.ts"
import { redact } from "../../domain/secrets/LeakDetector.ts"
import { allowed, dotted, lookup, type Path } from "../schema/Lookup.ts"
import { ConfigInvalid, type Source } from "./ConfigFile.ts"
import { contradiction, type Fault } from "./Consistency.ts"
import { ConfigTable } from "../schema/Schema.ts"
import { isConcealed } from "../schema/Values.ts"
import type { EnvironmentVariables } from "./EnvironmentOverrides.ts"
import { hint } from "./Suggestion.ts"
import { assign, fromEnvironment, type Override } from "./Overrides.ts"
import { keyAround, problemOf } from "./TomlProblem.ts"

/** Errors are one line without keys, whatever a value or a path contains. */
const oneLine = (text: string): string =>
  redact(text.replace(/\s*[\r\n]+\s*/g, " "), { enabled: true, sensitivity: 0.7, highEntropyTokens: false }).text

/** What stands before an equals sign may be a secret as well. */
const named = (path: Path): string =>
  lookup(path)._tag === "Known" && !path.some((key) => leaks(key, true)) ? dotted(path) : ""

const syntaxError = ({ file, text }: Source, message: string): string => {
  const { column, inValue, line, problem } = problemOf(message)
  const key = inValue ? named(keyAround(text, Number(line)) ?? []) : ""
  return `${file}:${line}:${column}: not valid TOML: ${key === "" ? "" : `${key}: `}${problem}`
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

const at = (root: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => Object(value)[key] as unknown, root)

const faultOf = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>, input: unknown): Fault => {
  switch (issue._tag) {
    case "Pointer":
      return faultOf(issue.issue, [...path, ...issue.path], input)
    case "Filter":
    case "Encoding":
      return faultOf(issue.issue, path, input)
    case "Composite":
      return faultOf(issue.issues[0], path, input)
  }
  const name = dotted(path)
  const found = lookup(path.map(String))
  if (found._tag === "Unknown" || issue._tag === "UnexpectedKey") {
    const better = found._tag === "Unknown" ? hint(String(path.at(-1)), found.known) : ""
    return { path, problem: `${name} is not a known key${better}` }
  }
  if (issue._tag === "MissingKey") return { path, problem: `${name} is missing; it must be ${allowed(found.ast)}` }
  const value = at(input, path)
  const hidden = SchemaAST.isObjects(found.ast) || isConcealed(path.map(String), value) // a value in place of a table may well be a key
  return { path, problem: `${name} must be ${allowed(found.ast)}${hidden ? "" : `, not ${shown(value)}`}` }
}

const startsWith = (path: Path, prefix: Path) => prefix.every((key, index) => path[index] === key)

/** Where a value came from: the variable that set it, the line of the file, or a variable that made the table around it. */
const placeOf = Effect.fnUntraced(function*(
  path: Path,
  source: Source | undefined,
  overrides: ReadonlyArray<Override>
) {
  const { layoutOf, lineOf } = yield* Effect.promise(() => import("./TomlLayout.ts"))
  const line = source === undefined ? undefined : lineOf(yield* layoutOf(source.text), path)
  return overrides.findLast((override) => startsWith(path, override.path))?.variable ??
    (line === undefined ? undefined : `${source?.file}:${line}`) ??
    overrides.findLast((override) => startsWith(override.path, path.slice(0, -1)))?.variable ??
    source?.file ?? "configuration"
})

const decodeTable = Schema.decodeUnknownResult(ConfigTable, { onExcessProperty: "error", errors: "first" })

/** The table with the other spelling of the same knob: a stronger source wins over both spellings of a weaker one. */
const otherSpelling: Readonly<Record<string, Path>> = {
  "autonomy.level": ["risk_profiles", "default"],
  "risk_profiles.default.level": ["autonomy"]
}

const merge = (root: Record<string, unknown>, override: Override): void => {
  const other = at(root, otherSpelling[dotted(override.path)] ?? [""])
  if (typeof other === "object" && other !== null) Reflect.deleteProperty(other, "level")
  assign(root, override)
}

/** The file with the environment on top, validated as one whole. */
export const decode = Effect.fnUntraced(function*(
  source: Source | undefined,
  names: ReadonlyArray<string>,
  environment: EnvironmentVariables
): Effect.fn.Return<ConfigTable, ConfigInvalid> {
  const fail = (message: string) => new ConfigInvalid({ message: oneLine(message) })
  const parsed = Toml.parse(source?.text ?? "")
  if (Result.isFailure(parsed)) {
    return yield* fail(syntaxError(source ?? { file: "", text: "" }, parsed.failure.message))
  }
  const overrides = fromEnvironment(names, environment)
  if (Result.isFailure(overrides)) return yield* fail(overrides.failure)
  for (const override of overrides.success) merge(parsed.success, override)
  const decoded = decodeTable(parsed.success)
  const fault = Result.isFailure(decoded)
    ? faultOf(decoded.failure.issue, [], parsed.success)
    : contradiction(decoded.success)
  if (fault !== undefined) {
    const path = fault.path.filter((key) => typeof key === "string")
    const problem = oneLine(fault.problem)
    const place = oneLine(yield* placeOf(path, source, overrides.success))
    return yield* new ConfigInvalid({ message: `${place}: ${problem}`, problem, path })
  }
  return yield* Effect.mapError(
    Effect.fromResult(decoded),
    () => new ConfigInvalid({ message: "the configuration is not valid" })
  )
})
