import { lstatSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { isInside } from "../../platform/FilePath.ts"
import { quoted } from "../../platform/QuotedName.ts"
import * as Disk from "../Disk.ts"
import { type GitConfigReader, type GitFolders, noGit } from "./GitConfig.ts"

/** Paths that run programs outside the sandbox later, or that the host itself obeys: readable and not writable. */
export interface ProtectedPaths {
  readonly readOnly: ReadonlyArray<string>
  /** Folders that must stay where they are: those on the way to what is protected in a root, and repositories below. */
  readonly pinned: ReadonlyArray<string>
  /** Links, and what did not exist: nothing can be mounted there, so a change is reported afterwards. */
  readonly watched: ReadonlyArray<string>
}

/** `path` could only be protected where a link leads now, and the link itself can be replaced. */
interface LinkedPath {
  readonly linked: string
}

/** What is known of the disk before a search: places further down, and how git's configuration is read. */
export interface ProtectionSources {
  /** Folders below the roots that hold some of {@link marks}, and which; the ones known longest first. */
  readonly marked: ReadonlyMap<string, ReadonlySet<string>>
  readonly configOf: GitConfigReader
}

export const noSources: ProtectionSources = { marked: new Map(), configOf: noGit }

const inFolder = [".postern", ".mcp.json", ".vscode", ".idea", ".envrc", ".husky", ".claude"]
const inRepository = ["hooks", "config", "config.worktree", "commondir", "info/attributes"]
/** What leads git from another folder of the same repository to its settings. */
const inWorktree = ["commondir", "gitdir", "config.worktree"]
/** Folders looked at for repositories of submodules and worktrees. */
const maxFolders = 500

/** Mounts for places further down; each makes the start of a command about 0.1 ms longer. */
const maxNested = 150

/** The entries that show what is to be protected in a folder. */
export const marks: ReadonlySet<string> = new Set([...inFolder, ".git", "HEAD", "objects", "refs", "commondir"])
/** What is in these is protected as a whole, or known from git. */
export const closedFolders: ReadonlySet<string> = new Set([...inFolder, ".git"])
/** A folder that git takes for a repository: a bare one, or one with another name than `.git`. */
export const isRepository = (names: ReadonlySet<string>): boolean =>
  names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")))

/** Where `core.hooksPath` names a folder that has to stay writable. */
const hookNames =
  `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
  pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
  reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman
  post-index-change`.split(/\s+/)

/** Everything git runs or obeys in one repository folder, its submodules' included. */
const repository = (folder: string): ReadonlyArray<string> => {
  const inner = (
    name: string,
    find: (top: string) => ReadonlyArray<string> | undefined,
    parts: ReadonlyArray<string>
  ) => {
    const top = join(folder, name)
    if (Disk.kind(top) === "missing") return []
    // Where they cannot all be found the folder as a whole is protected.
    return find(top)?.flatMap((path) => parts.map((part) => join(path, part))) ?? [top]
  }
  return [
    ...inRepository.map((name) => join(folder, name)),
    ...inner("modules", repositoriesIn, inRepository),
    ...inner("worktrees", (top) => Disk.names(top)?.map((tree) => join(top, tree)), inWorktree)
  ]
}

const repositoriesIn = (top: string): ReadonlyArray<string> | undefined => {
  const found: Array<string> = []
  const folders = [top]
  for (const folder of folders) {
    const names = Disk.names(folder)
    if (names === undefined || folders.length > maxFolders) return undefined
    const inner = names.map((name) => join(folder, name)).filter((path) => Disk.kind(path) === "folder")
    for (const path of inner) {
      if (Disk.kind(join(path, "HEAD")) !== "file") folders.push(path)
      else {
        found.push(path)
        if (Disk.kind(join(path, "modules")) !== "missing") folders.push(join(path, "modules"))
      }
    }
  }
  return found
}

/** The folder that a `.git` file points to, and the repository it shares. */
const linkedRepository = (file: string): ReadonlyArray<string> => {
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(Disk.text(file) ?? "")?.[1]
  const folder = named === undefined ? undefined : Disk.real(resolve(dirname(file), named))
  if (folder === undefined) return []
  const common = Disk.text(join(folder, "commondir"))?.trim()
  const shared = common === undefined ? undefined : Disk.real(isAbsolute(common) ? common : join(folder, common))
  return [folder, ...(shared === undefined ? [] : [shared])]
}

interface Git {
  /** What the `.git` entry itself is: a file that points elsewhere, or a link. */
  readonly readOnly: ReadonlyArray<string>
  readonly watched: ReadonlyArray<string>
  /** Folders of the repository; the first is the one of this worktree. */
  readonly folders: ReadonlyArray<string>
}

const ofGit = (root: string): Git => {
  const path = join(root, ".git")
  switch (Disk.kind(path)) {
    case "folder":
      return { folders: [path], readOnly: [], watched: [] }
    case "file":
      return { folders: linkedRepository(path), readOnly: [path], watched: [] }
    case "link": {
      const real = Disk.real(path)
      return { folders: real === undefined ? [] : [real], readOnly: [], watched: [path] }
    }
    case "missing":
      return { folders: [], readOnly: [], watched: [path] }
    case "closed":
      return { folders: [], readOnly: [path], watched: [] }
  }
}

/** The folder of hooks that git's configuration names, and its files. */
const configured = (folders: GitFolders, roots: ReadonlyArray<string>, configOf: GitConfigReader) => {
  const { files, hooks } = configOf(folders)
  if (hooks === undefined) return files
  const isWide = roots.some((root) => isInside(hooks, root)) || isInside(hooks, folders.worktree)
  return [...isWide ? hookNames.map((name) => join(hooks, name)) : [hooks], ...files]
}

const pathsOf = (root: string, { folders }: Git, roots: ReadonlyArray<string>, configOf: GitConfigReader) => [
  ...folders.flatMap(repository),
  ...folders.slice(0, 1).flatMap((folder) => configured({ folder, worktree: root }, roots, configOf))
]

/** A link on the way from `root` to `path`, `path` included. */
const linkWithin = (root: string, path: string): string | undefined => {
  for (let at = path; at !== root && isInside(root, at); at = dirname(at)) if (Disk.kind(at) === "link") return at
  return undefined
}

const isGitFolder = (path: string): boolean =>
  Disk.kind(join(path, "HEAD")) !== "missing" &&
  (Disk.kind(join(path, "commondir")) !== "missing" ||
    (Disk.kind(join(path, "objects")) !== "missing" && Disk.kind(join(path, "refs")) !== "missing"))

/**
 * Whether Postern's own tools do not write to a path of these roots, whether it exists or not; links were followed
 * already. Looks at the folders on the way to it only.
 */
export const guard = (roots: ReadonlyArray<string>, configOf: GitConfigReader): (path: string) => boolean => (path) => {
  const covers = (protectedPath: string) =>
    isInside(protectedPath, path) || isInside(Disk.real(protectedPath) ?? protectedPath, path)
  return roots.filter((root) => isInside(root, path)).some((root) => {
    for (let at = path; isInside(root, at); at = dirname(at)) {
      if (at !== root && (inFolder.includes(basename(at)) || (basename(at) === ".git" && at === path))) return true
      const git = ofGit(at)
      if ([...inFolder.map((name) => join(at, name)), ...git.readOnly, ...git.watched].some(covers)) return true
      if (pathsOf(at, git, roots, configOf).some(covers)) return true
      if (isGitFolder(at)) {
        if (repository(at).some(covers)) return true
        if (configured({ folder: at, worktree: at }, roots, configOf).some(covers)) return true
      }
      if (at === dirname(at)) return false
    }
    return false
  })
}

/**
 * Folders outside the roots that git has to write to when it commits in one of them: of the repository of a linked
 * worktree or a submodule, and of the repository that a root lies in. Each has to name the worktree itself, so that no
 * file in the workspace can open the repository of its choice.
 */
export const repositoriesAround = (
  roots: ReadonlyArray<string>,
  homes: ReadonlyArray<string>,
  configOf: GitConfigReader
): ReadonlyArray<GitFolders> =>
  roots.flatMap((root) => {
    for (let at = root; at !== "/" && !homes.some((home) => isInside(at, home)); at = dirname(at)) {
      const path = join(at, ".git")
      switch (Disk.kind(path)) {
        case "missing":
          continue
        case "folder":
          return at === root ? [] : [{ folder: path, worktree: at }]
        case "file": {
          const [folder, shared] = linkedRepository(path)
          if (folder === undefined) return []
          const back = shared === undefined
            ? configOf({ folder, worktree: at }).worktree
            : Disk.text(join(folder, "gitdir"))?.trim()
          const expected = shared === undefined ? at : path
          if (back === undefined || Disk.real(resolve(folder, back)) !== Disk.real(expected)) return []
          return [{ folder: shared ?? folder, worktree: at }]
        }
        default:
          return []
      }
    }
    return []
  })

interface Collected {
  readonly readOnly: Set<string>
  readonly pinned: Set<string>
  readonly watched: Set<string>
}

/** A link is watched, and protected where it leads now. `from`: a folder on the way that no link leads to. */
const protect = (path: string, writable: ReadonlyArray<string>, into: Collected, from?: string) => {
  const home = writable.find((candidate) => isInside(candidate, path))
  if (home === undefined) return
  const is = Disk.kind(path)
  const linked = is === "link"
    ? path
    : linkWithin(from !== undefined && isInside(from, path) ? from : home, dirname(path))
  if (linked !== undefined) {
    into.watched.add(linked)
    const real = Disk.real(path)
    // A link to a folder around itself would protect everything that the session is there to change.
    if (real !== undefined && !isInside(real, linked) && !writable.some((root) => isInside(real, root))) {
      protect(real, writable, into)
    }
  } else if (is === "missing") into.watched.add(path)
  else into.readOnly.add(is === "closed" ? Disk.orClosedFolder(path) : path)
}

const collect = (
  folder: string,
  names: ReadonlySet<string>,
  writable: ReadonlyArray<string>,
  configOf: GitConfigReader,
  into: Collected
) => {
  for (const name of inFolder) if (names.has(name)) protect(join(folder, name), writable, into, folder)
  if (isRepository(names)) {
    into.pinned.add(folder)
    for (const path of [...repository(folder), ...configured({ folder, worktree: folder }, writable, configOf)]) {
      protect(path, writable, into, folder)
    }
  }
  if (!names.has(".git")) return
  const git = ofGit(folder)
  for (const path of git.readOnly) protect(path, writable, into, folder)
  for (const path of git.watched) into.watched.add(path)
  for (const path of git.folders) if (writable.some((root) => isInside(root, path))) into.pinned.add(path)
  for (const path of pathsOf(folder, git, writable, configOf)) protect(path, writable, into, folder)
}

/** What is protected in `roots`. Paths outside the `writable` folders are read-only anyway. */
export const find = (
  roots: ReadonlyArray<string>,
  writable: ReadonlyArray<string>,
  { configOf, marked }: ProtectionSources = noSources,
  around: ReadonlyArray<GitFolders> = []
): ProtectedPaths | LinkedPath => {
  const found: Collected = { readOnly: new Set(), pinned: new Set(), watched: new Set() }
  for (const root of roots) {
    const git = ofGit(root)
    for (const path of git.readOnly) found.readOnly.add(Disk.orClosedFolder(path))
    for (const path of git.watched) found.watched.add(path)
    for (const path of [...inFolder.map((name) => join(root, name)), ...git.folders.flatMap(repository)]) {
      const home = writable.find((candidate) => isInside(candidate, path))
      if (home === undefined) continue
      const linked = linkWithin(home, path)
      if (linked !== undefined) return { linked }
      if (Disk.kind(path) === "missing") found.watched.add(path)
      else found.readOnly.add(Disk.orClosedFolder(path))
    }
    const [folder] = git.folders
    if (folder !== undefined) {
      for (const path of configured({ folder, worktree: root }, writable, configOf)) protect(path, writable, found)
    }
    if (isGitFolder(root)) {
      for (const path of [...repository(root), ...configured({ folder: root, worktree: root }, writable, configOf)]) {
        protect(path, writable, found)
      }
    }
  }
  for (const { folder, worktree } of around) {
    for (const path of [...repository(folder), ...configured({ folder, worktree }, writable, configOf)]) {
      protect(path, writable, found)
    }
  }
  const nested: Collected = { readOnly: new Set(), pinned: new Set(), watched: found.watched }
  for (const [folder, names] of marked) {
    if (roots.includes(folder)) continue
    if (nested.readOnly.size + nested.pinned.size < maxNested) collect(folder, names, writable, configOf, nested)
    else for (const name of names) if (closedFolders.has(name)) found.watched.add(join(folder, name))
  }
  return {
    readOnly: [...new Set([...found.readOnly, ...nested.readOnly])],
    pinned: [...new Set([...pins(writable, [...found.readOnly]), ...nested.pinned])].filter((path) =>
      !writable.includes(path)
    ),
    watched: [...found.watched]
  }
}

/** The folders between a root and what is protected in it: pinned, they can be neither moved away nor replaced. */
export const pins = (roots: ReadonlyArray<string>, kept: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const path of kept) {
    const root = roots.find((candidate) => isInside(candidate, path))
    for (let at = dirname(path); root !== undefined && at !== root && isInside(root, at); at = dirname(at)) {
      found.add(at)
    }
  }
  return [...found]
}

/** How protected paths were at a moment: of each what it is, which one, and where it leads. */
export type ProtectedState = ReadonlyMap<string, string>

const identity = (path: string): string => {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return "missing"
    return `${found.dev}:${found.ino}:${found.isSymbolicLink() ? Disk.target(path) : found.isDirectory()}`
  } catch {
    return Disk.kind(path)
  }
}

export const stateOf = ({ pinned, readOnly, watched }: ProtectedPaths): ProtectedState =>
  new Map([...readOnly, ...pinned, ...watched].map((path) => [path, identity(path)]))

/** What became of them since, in sentences for the result of a call. */
export const changes = (before: ProtectedState, after: ProtectedState): ReadonlyArray<string> => {
  const now = new Map([...Array.from(before.keys(), (path) => [path, identity(path)] as const), ...after])
  const changed = Array.from(now).filter(([path, is]) => (before.get(path) ?? "missing") !== is)
    .toSorted(([a], [b]) => a < b ? -1 : 1)
  const paths = changed.map(([path]) => path)
  return changed.filter(([path]) => !paths.some((other) => other !== path && isInside(other, path))).map(([path, is]) =>
    is === "missing"
      ? `${quoted(path)} was moved or removed; programs outside the sandbox use it`
      : `${quoted(path)} was ${(before.get(path) ?? "missing") === "missing" ? "created" : "replaced"}; ` +
        "look at it before programs outside the sandbox use it"
  )
}
