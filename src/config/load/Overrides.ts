import { Result, SchemaAST } from "effect"
import { Toml } from "effect/encoding"
import { allowed, dotted, lookup, type Path } from "../schema/Lookup.ts"
import { type EnvironmentVariables, prefix } from "./EnvironmentOverrides.ts"
import { hint } from "./Suggestion.ts"

export interface Override {
  /** The name of the environment variable. */
  readonly variable: string
  readonly path: Path
  readonly value: unknown
}

/** Texts are taken as they are; anything else is written as in TOML, a list also with plain commas. */
export const valueOf = (ast: SchemaAST.AST, text: string): unknown => {
  if (SchemaAST.isString(ast) || SchemaAST.isLiteral(ast) || SchemaAST.isUnion(ast)) return text
  const parsed = Toml.parse(`value = ${text}`)
  if (Result.isSuccess(parsed) && Object.keys(parsed.success).length === 1) return parsed.success["value"]
  return SchemaAST.isArrays(ast) ? text.split(",").map((item) => item.trim()).filter((item) => item !== "") : text
}

/** `POSTERN_acp__default_agent=main` and the like. The failure is a sentence about the first variable that fits nowhere. */
export const fromEnvironment = (
  names: ReadonlyArray<string>,
  environment: EnvironmentVariables
): Result.Result<ReadonlyArray<Override>, string> => {
  const overrides: Array<Override> = []
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
        `${variable}: ${dotted(path)} is ${allowed(found.ast)}; name one of its keys: ${
          found.ast.propertySignatures.map(({ name }) => String(name)).join(", ")
        }`
      )
    }
    overrides.push({ variable, path, value: valueOf(found.ast, environment[variable] ?? "") })
  }
  return Result.succeed(overrides)
}

type Table = Record<string, unknown>

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

const table = (): Table => Object.create(null) as Table

/** Sets a path in a freshly parsed table, making the tables on the way; a value in the way is replaced. */
export const assign = (root: Table, { path, value }: Override): void => {
  let current = root
  for (const key of path.slice(0, -1)) {
    const next = current[key]
    current = isTable(next) ? next : (current[key] = table()) as Table
  }
  current[path.at(-1) ?? ""] = value
}
