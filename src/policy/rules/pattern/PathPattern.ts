import { Result } from "effect"
import { dirname, isAbsolute, join, normalize } from "node:path"
import type { ActionContext, FileOperand } from "../../decision/CallAction.ts"
import { alternatives, compile, escaped, is, matches, type PatternAtom, textOf, tooMany } from "./Glob.ts"
import type { PatternFault } from "./RuleUnreadable.ts"

/**
 * Whether a shell pattern, or the files below a folder, include a path that a rule or a limit names. Nothing is looked
 * up on disk: where both sides have wildcards, the answer is `maybe`.
 */
export type PathCertainty = "sure" | "maybe"

/** One path segment of the rule's pattern; `text` where it is literal. */
interface PatternSegment {
  readonly atom: PatternAtom<string>
  readonly text: string | undefined
}

interface PathExtent {
  /** Absolute, with wildcards where `glob` is set. */
  readonly path: string
  readonly glob?: true | undefined
  readonly below?: FileOperand["below"]
}

/** The segments of a plain path. */
export const literalSegments = (path: string): ReadonlyArray<PatternSegment> =>
  path.split("/").filter((text) => text !== "").map((text) => ({ atom: (other) => other === text, text }))

/** Any number of segments. */
export const anySegments: PatternSegment = { atom: "many", text: undefined }

type Piece = { readonly text: string; readonly test: ((text: string) => boolean) | undefined }

const pieceOf = (text: string, glob: boolean): Piece => {
  const chars = Array.from(text, (char) => ({ char, quoted: false }))
  if (!glob || !chars.some((char) => is(char, "*") || is(char, "?") || is(char, "["))) return { text, test: undefined }
  const test = compile(chars, "file")
  // Shell patterns match hidden files only where they begin with a dot.
  return { text, test: (other) => test(other) && (text.startsWith(".") || !other.startsWith(".")) }
}

const fits = ({ atom, text }: PatternSegment, piece: Piece): PathCertainty | undefined => {
  if (atom === "many") return undefined
  if (piece.test === undefined) return atom(piece.text) ? "sure" : undefined
  return text === undefined ? "maybe" : piece.test(text) ? "sure" : undefined
}

const weaker = (a: PathCertainty | undefined, b: PathCertainty): PathCertainty | undefined => (a === "sure" ? b : a)

/** The most segments that are compared; longer paths count as `maybe`. */
const maxPieces = 256

export const mayInclude = (
  pattern: ReadonlyArray<PatternSegment>,
  { below, glob, path }: PathExtent
): PathCertainty | undefined => {
  const pieces = path.split("/").filter((text) => text !== "").map((text) => pieceOf(text, glob === true))
  if (pieces.length > maxPieces) return "maybe"
  const known = new Map<number, PathCertainty | undefined>()
  const end = pattern.findLastIndex(({ atom }) => atom !== "many") + 1
  const find = (at: number, piece: number): PathCertainty | undefined => {
    if (at === end) return at < pattern.length || piece === pieces.length ? "sure" : undefined
    const first = pattern[at]!
    if (piece === pieces.length) return below === undefined ? undefined : first.text === undefined ? "maybe" : "sure"
    if (first.atom !== "many") {
      const here = fits(first, pieces[piece]!)
      return here === undefined ? undefined : weaker(walk(at + 1, piece + 1), here)
    }
    const found = [walk(at + 1, piece), weaker(walk(at, piece + 1), "maybe")]
    return found.includes("sure") ? "sure" : found.find((each) => each !== undefined)
  }
  const walk = (at: number, piece: number): PathCertainty | undefined => {
    const key = at * (maxPieces + 1) + piece
    if (!known.has(key)) known.set(key, find(at, piece))
    return known.get(key)
  }
  return walk(0, 0)
}

/**
 * A file pattern in gitignore style: `x` and `./x` are below a workspace root, `x` without a slash at any depth, `~/x`
 * below the home, `//x` below `/`. A folder includes everything in it. See docs/policy.md#paths-in-rules.
 */
export interface PathPattern {
  readonly base: "workspace" | "home" | "root"
  /** It matches every path below its base. */
  readonly everything: boolean
  readonly alternatives: ReadonlyArray<ReadonlyArray<PatternAtom<string>>>
  readonly segments: ReadonlyArray<ReadonlyArray<PatternSegment>>
}

/** A path of a call: as written, and with links followed. */
export interface NamedPath {
  readonly written: string
  readonly canonical: string | undefined
}

const anchor = (text: string): Result.Result<readonly [PathPattern["base"], string], PatternFault> => {
  const fail = (problem: string) => Result.fail({ at: 0, problem })
  if (text.startsWith("//")) return Result.succeed(["root", text.slice(2)])
  if (text.startsWith("/")) {
    return fail(`one leading / is ambiguous; write /${text} for the file system, .${text} for the workspace`)
  }
  if (text === "~" || text.startsWith("~/")) return Result.succeed(["home", text.slice(2)])
  if (text.startsWith("~")) return fail("only ~/ is known; write another user's home as //home/NAME")
  if (text.startsWith("!")) return fail("there are no exceptions inside a rule: deny wins over ask, and ask over allow")
  return Result.succeed(["workspace", text])
}

const segmentsOf = (text: string): Result.Result<ReadonlyArray<ReadonlyArray<PatternSegment>>, PatternFault> => {
  const all = alternatives(escaped(text))
  if (all === undefined) return Result.fail({ at: 0, problem: tooMany })
  const compiled: Array<ReadonlyArray<PatternSegment>> = []
  for (const chars of all) {
    const atoms: Array<PatternSegment> = []
    let segment: Array<(typeof chars)[number]> = []
    let slashes = 0
    for (const char of [...chars, { char: "/", quoted: false }]) {
      if (char.char !== "/") {
        segment.push(char)
        continue
      }
      slashes++
      const name = textOf(segment)
      if (name === "..") {
        return Result.fail({
          at: text.indexOf(".."),
          problem: "a pattern cannot contain ..; write the place itself with //"
        })
      }
      if (segment.length === 2 && segment.every((one) => is(one, "*"))) atoms.push(anySegments)
      else if (name !== "" && name !== ".") {
        const isOpen = segment.some((one) => is(one, "*") || is(one, "?") || is(one, "["))
        atoms.push({ atom: compile(segment, "file"), text: isOpen ? undefined : name })
      }
      segment = []
    }
    const last = atoms.at(-1)
    const anywhere = slashes === 1 || (slashes === 2 && chars.at(-1)?.char === "/")
    compiled.push([
      ...(anywhere && last !== anySegments && chars.length > 0 && textOf(chars) !== "." ? [anySegments] : []),
      ...atoms,
      ...(last === anySegments ? [] : [anySegments])
    ])
  }
  return Result.succeed(compiled)
}

export const parse = (text: string): Result.Result<PathPattern, PatternFault> => {
  const trimmed = text.trim()
  if (trimmed === "") {
    return Result.fail({ at: 0, problem: "the path is empty; write the tool alone to mean every path" })
  }
  return Result.flatMap(
    anchor(trimmed),
    ([base, rest]) =>
      Result.map(segmentsOf(base === "workspace" ? rest : `./${rest}`), (segments) => ({
        base,
        everything: segments.some((each) => each.every(({ atom }) => atom === "many")) || trimmed === "*" ||
          trimmed === "./*",
        alternatives: segments.map((each) => each.map(({ atom }) => atom)),
        segments
      }))
  )
}

const below = (folder: string, path: string): string | undefined => {
  const start = folder.endsWith("/") ? folder : `${folder}/`
  return path === folder ? "" : path.startsWith(start) ? path.slice(start.length) : undefined
}

const basesOf = ({ base }: PathPattern, { cwd, home, roots }: ActionContext): ReadonlyArray<string> =>
  base === "root" ? ["/"] : base === "home" ? [home] : roots.includes(cwd) ? roots : [cwd, ...roots]

/** `path` is absolute without `.` and `..`. */
export const matchesPath = (pattern: PathPattern, path: string, place: ActionContext): boolean =>
  basesOf(pattern, place).some((base) => {
    const rest = below(base, path)
    if (rest === undefined) return false
    const segments = rest === "" ? [] : rest.split("/")
    return pattern.alternatives.some((atoms) => matches(atoms, segments))
  })

/** Whether a shell pattern, or the files below a folder, include what the rule names. */
export const reach = (pattern: PathPattern, what: PathExtent, place: ActionContext): PathCertainty | undefined => {
  const found = basesOf(pattern, place).flatMap((base) =>
    pattern.segments.map((segments) => mayInclude([...literalSegments(base), ...segments], what))
  )
  return found.includes("sure") ? "sure" : found.find((each) => each !== undefined)
}

/** For deny and ask: the path as written or with links followed. */
export const hit = (pattern: PathPattern, path: NamedPath, place: ActionContext): boolean =>
  matchesPath(pattern, path.written, place) ||
  (path.canonical !== undefined && matchesPath(pattern, path.canonical, place))

/** For allow: both. */
export const cover = (pattern: PathPattern, path: NamedPath, place: ActionContext): boolean =>
  path.canonical !== undefined && matchesPath(pattern, path.written, place) &&
  matchesPath(pattern, path.canonical, place)

/** A leading `~` as the shell reads it. */
export const untilde = (word: string, cwd: string, home: string): string => {
  const [, user, rest = ""] = /^~([a-z_][\w-]*|\+)?(\/.*)?$/s.exec(word) ?? []
  if (!word.startsWith("~") || (user === undefined && word !== "~" && !word.startsWith("~/"))) return word
  return (user === undefined ? home : user === "+" ? cwd : user === "root" ? "/root" : join(dirname(home), user)) + rest
}

/**
 * Resolves a written path against `cwd`. Links are followed as the kernel does: removing `..` first could name another
 * file.
 */
export const named = (
  word: string,
  cwd: string,
  home: string,
  canonical: (path: string) => string | undefined
): NamedPath => {
  const expanded = untilde(word, cwd, home)
  const path = isAbsolute(expanded) ? expanded : `${cwd}/${expanded}`
  const written = normalize(path)
  return {
    written: written.length > 1 && written.endsWith("/") ? written.slice(0, -1) : written,
    canonical: canonical(path)
  }
}
