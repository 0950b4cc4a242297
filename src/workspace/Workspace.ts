import { basename, dirname, isAbsolute, join, normalize, resolve as absolute } from "node:path"
import { lstat, realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { Effect, Schema } from "effect"
import { isInside } from "../platform/FilePath.ts"
import { alwaysQuoted } from "../platform/QuotedName.ts"

/**
 * The one file that Work mode `pl` may write (docs/policy.md#work-modes): Markdown, in the folder the session works in.
 */
export const relativePath = ".postern/plan.md"

export const pathIn = (cwd: string): string => join(cwd, relativePath)

/** A path that may not be used; `reason` names the rule in words for the model and the user. */
export class PathRefused extends Schema.TaggedError<PathRefused>()("PathRefused", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${alwaysQuoted(this.path)} was refused: ${this.reason}`
  }
}

export type Intent = "read" | "write"

/** The folders one session may touch (docs/sessions.md#folders): `cwd` first, then its further roots. */
export interface Workspace {
  /** Canonical absolute path; relative paths resolve against it, and only against it. */
  readonly cwd: string
  /** Canonical absolute paths, `cwd` included. */
  readonly roots: ReadonlyArray<string>
  /** The agent's own folder: readable, never written to through this session unless it is `cwd`. */
  readonly readable: ReadonlyArray<string>
  /** Folders with skills, those of the agent itself first. They need not exist. */
  readonly skills: ReadonlyArray<string>
  /** Absolute paths by which the folders were named, where those are not canonical. */
  readonly aliases: { readonly roots: ReadonlyArray<string>; readonly readable: ReadonlyArray<string> }
  /**
   * Canonical absolute paths of the operator's further folders, read and written like the roots. They need not exist.
   */
  readonly allowed: ReadonlyArray<string>
  /**
   * The canonical path behind `path`, all symbolic links followed, refused outside the folders. Missing last parts are
   * fine: a read then finds nothing, a write creates them.
   */
  readonly resolve: (path: string, intent: Intent) => Effect.Effect<string, PathRefused>
}

interface WorkspaceFolders {
  /** Absolute path of an existing folder, like all the others. */
  readonly cwd: string
  readonly roots?: ReadonlyArray<string>
  readonly readable?: ReadonlyArray<string>
  readonly allowed?: ReadonlyArray<string>
  readonly skills?: ReadonlyArray<string>
  /** Whether paths outside the folders are refused; they are when absent. */
  readonly confined?: boolean
  /** What `~/` stands for; the user's home when absent. */
  readonly home?: string
}

const devices: ReadonlySet<string> = new Set(["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"])

/** A device that holds no data, such as /dev/null: allowed outside the folders of the session. */
export const isDevice = (path: string, intent: Intent): boolean =>
  path === "/dev/null" || (intent === "read" && devices.has(path))

/** Where Linux shows the environment and the memory of each process. */
const ofProcess = /^\/proc\/\d+(\/|$)/

const encodedParent = /(^|[/\\]|%2f|%5c)(\.|%2e){2}($|[/\\]|%2f|%5c)/i

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN"

/** Fails on the first folder that is not an absolute path to an existing folder, and names it. */
export const make = Effect.fnUntraced(function*(folders: WorkspaceFolders): Effect.fn.Return<Workspace, PathRefused> {
  const cwd = yield* canonicalFolder(folders.cwd)
  const extra = yield* Effect.forEach(folders.roots ?? [], canonicalFolder)
  const readable = yield* Effect.forEach(folders.readable ?? [], canonicalFolder)
  const roots = [...new Set([cwd, ...extra])]
  const home = folders.home ?? homedir()
  const place = (path: string) => {
    const expanded = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path
    return isAbsolute(expanded) ? absolute(normalize(expanded)) : absolute(cwd, expanded)
  }
  const spelledAllowed = (folders.allowed ?? []).map(place)
  const further = yield* Effect.forEach(spelledAllowed, (path) => Effect.orElseSucceed(follow(path), () => path))
  const confined = folders.confined ?? true
  // A client that opened the folder through a link names files through the same link.
  const writable = [...roots, ...further]
  const other = (paths: ReadonlyArray<string>, canonical: ReadonlyArray<string>) =>
    paths.map((path) => absolute(path)).filter((path) => !canonical.includes(path))
  const aliases = {
    roots: other([folders.cwd, ...folders.roots ?? []], roots),
    readable: other(folders.readable ?? [], readable)
  }
  const spelledRoots = [...writable, ...spelledAllowed, ...aliases.roots]
  const spelledReadable = [...readable, ...aliases.readable]

  const within = (path: string, folders: ReadonlyArray<string>) => folders.some((folder) => isInside(folder, path))
  const allowed = (path: string, intent: Intent, writable: ReadonlyArray<string>, readOnly: ReadonlyArray<string>) =>
    !confined || within(path, writable) || (intent === "read" && within(path, readOnly))

  const resolve = (path: string, intent: Intent) =>
    Effect.gen(function*(): Effect.fn.Return<string, PathRefused> {
      const refuse = (reason: string) => new PathRefused({ path, reason })
      const problem = malformed(path)
      if (problem !== undefined) return yield* refuse(problem)
      const named = place(path)
      if (isDevice(named, intent)) return named
      if (!allowed(named, intent, spelledRoots, spelledReadable)) {
        return yield* refuse(
          intent === "write" && within(named, spelledReadable)
            ? "this folder may be read in this session, but not written to."
            : "it is outside the folders of this session."
        )
      }
      if (intent === "write" && (yield* isLink(named))) {
        return yield* refuse("it is a symbolic link, and files are never written through links.")
      }
      const canonical = yield* Effect.mapError(follow(named), refuse)
      if (!allowed(canonical, intent, writable, readable)) {
        return yield* refuse("a symbolic link on this path leads outside the folders of this session.")
      }
      if (ofProcess.test(canonical)) return yield* refuse("it belongs to a running process, whose secrets are its own.")
      return canonical
    })

  const skills = yield* Effect.forEach(folders.skills ?? [], (path) => Effect.orElseSucceed(follow(path), () => path))
  return { cwd, roots, readable, aliases, skills, allowed: further, resolve }
})

const canonicalFolder = Effect.fnUntraced(function*(path: string) {
  const refuse = (reason: string) => new PathRefused({ path, reason })
  if (path.includes("\0")) return yield* refuse("a path cannot contain a NUL character.")
  if (!isAbsolute(path)) return yield* refuse("a workspace folder must be given as an absolute path.")
  const found = yield* Effect.tryPromise({
    try: async () => {
      const canonical = await realpath(path)
      return { canonical, folder: (await lstat(canonical)).isDirectory() }
    },
    catch: (error) => {
      const code = codeOf(error)
      return refuse(code === "ENOENT" ? "the folder does not exist." : `the folder cannot be opened (${code}).`)
    }
  })
  return found.folder ? found.canonical : yield* refuse("it is not a folder.")
})

/** What no path may be that a file tool is given, whatever lies there; the reason is for the model. */
export const malformed = (path: string): string | undefined => {
  if (path.trim() === "") return "the path is empty."
  if (path.includes("\0")) return "a path cannot contain a NUL character."
  if (path.startsWith("~") && path !== "~" && path[1] !== "/") return "paths in another user's home are not available."
  if (encodedParent.test(path)) return "paths with \"..\" are not accepted; name the target itself."
  return undefined
}

const isLink = (path: string) => Effect.promise(() => lstat(path).then((entry) => entry.isSymbolicLink(), () => false))

/** The canonical path, where the last parts may be missing; the failure is a reason. */
const follow = (path: string): Effect.Effect<string, string> =>
  Effect.tryPromise({ try: () => followAsync(path), catch: (error) => unresolvable(codeOf(error)) })

const followAsync = async (path: string): Promise<string> => {
  const missing: Array<string> = []
  for (let current = path;; current = dirname(current)) {
    try {
      return join(await realpath(current), ...missing)
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || current === dirname(current)) throw error
      // An entry whose target is missing is a dangling link: writing there would create a file we never checked.
      if (await lstat(current).then(() => true, () => false)) throw error
      missing.unshift(basename(current))
    }
  }
}

const unresolvable = (code: string): string => {
  switch (code) {
    case "ENOENT":
      return "it is a symbolic link whose target does not exist."
    case "ELOOP":
      return "its symbolic links form a loop."
    case "ENOTDIR":
      return "a part of the path is a file, not a folder."
    case "EACCES":
    case "EPERM":
      return "permission was denied by the operating system."
    case "ENAMETOOLONG":
      return "the path is too long."
    default:
      return `it cannot be resolved (${code}).`
  }
}
