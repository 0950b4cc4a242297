import { Result } from "effect"
import { dirname, isAbsolute, join, normalize } from "node:path"
import type { ActionContext } from "../decision/CallAction.ts"
import { alternatives, compile, escaped, is, textOf, tooMany } from "./Glob.ts"
import type { Fault } from "./Unreadable.ts"
import { literally, many, type Reach, reaches, type Reaching, type Segment } from "./Reach.ts"
import { type Atom, matches } from "./Wildcard.ts"

/**
 * A file pattern in gitignore style (docs/policy.md#paths-in-rules): `x` and `./x` lie under a workspace root, `x`
 * without a slash at any depth,
 * `~/x` under the home, `//x` under `/`. A folder stands for everything in it.
 */
export interface PathPattern {
  readonly base: "workspace" | "home" | "root"
  /** It matches every path below its base. */
  readonly everything: boolean
  readonly alternatives: ReadonlyArray<ReadonlyArray<Atom<string>>>
  readonly segments: ReadonlyArray<ReadonlyArray<Segment>>
}

/** One path a call names: where it is as written, and where it is once links are followed. */
export interface NamedPath {
  readonly written: string
  readonly canonical: string | undefined
}

const anchor = (text: string): Result.Result<readonly [PathPattern["base"], string], Fault> => {
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

const segmentsOf = (text: string): Result.Result<ReadonlyArray<ReadonlyArray<Segment>>, Fault> => {
  const all = alternatives(escaped(text))
  if (all === undefined) return Result.fail({ at: 0, problem: tooMany })
  const compiled: Array<ReadonlyArray<Segment>> = []
  for (const chars of all) {
    const atoms: Array<Segment> = []
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
      if (segment.length === 2 && segment.every((one) => is(one, "*"))) atoms.push(many)
      else if (name !== "" && name !== ".") {
        const isOpen = segment.some((one) => is(one, "*") || is(one, "?") || is(one, "["))
        atoms.push({ atom: compile(segment, "file"), text: isOpen ? undefined : name })
      }
      segment = []
    }
    const last = atoms.at(-1)
    const anywhere = slashes === 1 || (slashes === 2 && chars.at(-1)?.char === "/")
    compiled.push([
      ...(anywhere && last !== many && chars.length > 0 && textOf(chars) !== "." ? [many] : []),
      ...atoms,
      ...(last === many ? [] : [many])
    ])
  }
  return Result.succeed(compiled)
}

export const parse = (text: string): Result.Result<PathPattern, Fault> => {
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

/** `path` is absolute and has no `.` or `..` in it. */
export const matchesPath = (pattern: PathPattern, path: string, place: ActionContext): boolean =>
  basesOf(pattern, place).some((base) => {
    const rest = below(base, path)
    if (rest === undefined) return false
    const segments = rest === "" ? [] : rest.split("/")
    return pattern.alternatives.some((atoms) => matches(atoms, segments))
  })

/** Whether a pattern of the shell, or what lies below a folder, comes to what the rule names. */
export const reach = (pattern: PathPattern, what: Reaching, place: ActionContext): Reach | undefined => {
  const found = basesOf(pattern, place).flatMap((base) =>
    pattern.segments.map((segments) => reaches([...literally(base), ...segments], what))
  )
  return found.includes("sure") ? "sure" : found.find((each) => each !== undefined)
}

/** For deny and ask: the written path or the one behind it. */
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
 * Where a written path is when the current folder is `cwd`. Links are followed on the path as the system would walk it: taking
 * `..` away first would name another file.
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
