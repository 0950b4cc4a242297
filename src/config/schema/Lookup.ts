import { SchemaAST } from "effect"
import { ConfigTable } from "./Schema.ts"

export type Path = ReadonlyArray<string>

export type Lookup =
  | { readonly _tag: "Known"; readonly ast: SchemaAST.AST }
  /** `depth` is the position of the first key that does not exist, `known` what could stand there. */
  | { readonly _tag: "Unknown"; readonly depth: number; readonly known: ReadonlyArray<string> }

/** The schema behind a dotted path of `config.toml`. Below an uninterpreted table every key is known. */
export const lookup = (path: Path): Lookup => {
  let ast = ConfigTable.ast as SchemaAST.AST
  for (const [depth, key] of path.entries()) {
    if (SchemaAST.isUnknown(ast)) break
    if (SchemaAST.isArrays(ast) && ast.rest[0] !== undefined) {
      ast = ast.rest[0]
      continue
    }
    if (!SchemaAST.isObjects(ast)) return { _tag: "Unknown", depth, known: [] }
    const next: SchemaAST.AST | undefined = ast.propertySignatures.find(({ name }) => name === key)?.type ??
      (key === "" ? undefined : ast.indexSignatures[0]?.type)
    if (next === undefined) {
      return {
        _tag: "Unknown",
        depth,
        known: ast.propertySignatures.map(({ name }) => String(name))
      }
    }
    ast = next
  }
  return { _tag: "Known", ast }
}

/** What a value at this place must be, in words. */
export const allowed = (ast: SchemaAST.AST): string =>
  SchemaAST.resolveDescription(ast) ?? (SchemaAST.isObjects(ast) ? "a table" : "a value")

/** `agents.main."odd name".fallback[1]`, as a person would write it. */
export const dotted = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    const name = /^[A-Za-z0-9_-]+$/.test(String(key)) ? String(key) : JSON.stringify(String(key))
    return text === "" ? name : `${text}.${name}`
  }, "")

/** Values at these places are never shown, not even in an error. */
export const isSecret = (path: ReadonlyArray<PropertyKey>): boolean =>
  path.some((key) => /(^|_)(api_key|token|secrets?|password|headers|env)$/i.test(String(key)))
