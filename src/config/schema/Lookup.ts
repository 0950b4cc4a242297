import { Result, SchemaAST } from "effect"
import { dotted, type KeyPath } from "./KeyPath.ts"
import { ConfigTable } from "./Schema.ts"
import { hint } from "./Suggestion.ts"

export type Lookup =
  | { readonly _tag: "Known"; readonly ast: SchemaAST.AST }
  /** `depth` is the position of the first key that does not exist, `known` what could stand there. */
  | { readonly _tag: "Unknown"; readonly depth: number; readonly known: ReadonlyArray<string> }

/** The schema of the value at a path. Below an uninterpreted table every key is known. */
export const lookup = (path: KeyPath): Lookup => {
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

/** What a value of this type must be, in words. */
export const expected = (ast: SchemaAST.AST): string =>
  SchemaAST.resolveDescription(ast) ?? (SchemaAST.isObjects(ast) ? "a table" : "a value")

/** A written path with its canonical spelling and its type. */
interface ResolvedPath {
  readonly path: KeyPath
  /** The one spelling of the path that is shown, compared and granted. */
  readonly name: string
  readonly ast: SchemaAST.AST
}

const segment = /^(?:"((?:[^"\\]|\\.)*)"|([A-Za-z0-9_-]+))(?:\.(?=.)|$)/

const unquoted = (text: string): string => {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

/** In characters; far more than any path of the configuration has. */
const maxLength = 1000

const split = (text: string): KeyPath | undefined => {
  if (text.length > maxLength) return undefined
  const path: Array<string> = []
  for (let rest = text.trim(); rest !== "";) {
    const found = segment.exec(rest)
    if (found === null) return undefined
    path.push(found[2] ?? unquoted(found[1] ?? ""))
    rest = rest.slice(found[0].length)
  }
  return path.length === 0 ? undefined : path
}

const isFixedKey = (around: KeyPath, key: string): boolean => {
  const found = lookup(around)
  return found._tag === "Known" && SchemaAST.isObjects(found.ast) &&
    found.ast.propertySignatures.some(({ name }) => name === key)
}

/** Keys of fixed tables may be written with `-` for `_`; aliases are taken as they are. */
const spelled = (path: KeyPath): KeyPath =>
  path.reduce<KeyPath>((around, key) => {
    const snake = key.replaceAll("-", "_")
    return [...around, isFixedKey(around, snake) ? snake : key]
  }, [])

/** Reads a path such as `acp.max_sessions` or `agents."odd name".model`; the failure is a sentence. */
export const resolvePath = (text: string): Result.Result<ResolvedPath, string> => {
  const written = split(text)
  if (written === undefined) {
    return Result.fail(`${JSON.stringify(text.slice(0, 100))} is not a path such as "acp.max_sessions"`)
  }
  const path = spelled(written)
  const name = dotted(path)
  if (path.includes("__proto__")) return Result.fail(`${name} cannot be used as a key`)
  for (let depth = 1; depth < path.length; depth++) {
    const around = lookup(path.slice(0, depth))
    if (around._tag === "Known" && SchemaAST.isArrays(around.ast)) {
      return Result.fail(`${dotted(path.slice(0, depth))} is a list; name the whole of it`)
    }
  }
  const found = lookup(path)
  if (found._tag === "Known") return Result.succeed({ path, name, ast: found.ast })
  const wrong = dotted(path.slice(0, found.depth + 1))
  return Result.fail(`${wrong} is not a known key${hint(path[found.depth] ?? "", found.known)}`)
}
