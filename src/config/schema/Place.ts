import { Result, SchemaAST } from "effect"
import { dotted, lookup, type Path } from "./Lookup.ts"
import { hint } from "../load/Suggestion.ts"

/** A place in the configuration as somebody named it. */
export interface Place {
  readonly path: Path
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
const longest = 1000

const split = (text: string): Path | undefined => {
  if (text.length > longest) return undefined
  const path: Array<string> = []
  for (let rest = text.trim(); rest !== "";) {
    const found = segment.exec(rest)
    if (found === null) return undefined
    path.push(found[2] ?? unquoted(found[1] ?? ""))
    rest = rest.slice(found[0].length)
  }
  return path.length === 0 ? undefined : path
}

const isKeyOf = (around: Path, key: string): boolean => {
  const found = lookup(around)
  return found._tag === "Known" && SchemaAST.isObjects(found.ast) &&
    found.ast.propertySignatures.some(({ name }) => name === key)
}

/** Keys of fixed tables may be written with `-` for `_`; aliases are taken as they are. */
const spelled = (path: Path): Path =>
  path.reduce<Path>((around, key) => {
    const snake = key.replaceAll("-", "_")
    return [...around, isKeyOf(around, snake) ? snake : key]
  }, [])

/** A path such as `acp.max_sessions` or `agents."odd name".model`; the failure is a sentence. */
export const parse = (text: string): Result.Result<Place, string> => {
  const named = split(text)
  if (named === undefined) {
    return Result.fail(`${JSON.stringify(text.slice(0, 100))} is not a path such as "acp.max_sessions"`)
  }
  const path = spelled(named)
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

/** Whether one of the paths is the other or leads to it. */
export const overlaps = (a: Path, b: Path): boolean => a.every((key, at) => at >= b.length || key === b[at])

/**
 * Whether a principal's `config_write_paths` let it write here: `*`, an exact path, or `prefix.*` for whatever is below the prefix.
 * A whole table is written only by who may write its path.
 */
export const isWritable = (patterns: ReadonlyArray<string>) => (name: string): boolean =>
  patterns.some((pattern) =>
    pattern === "*" || pattern === name || (pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -1)))
  )
