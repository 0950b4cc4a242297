import { lstatSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path"
import { isInside } from "../../platform/FilePath.ts"
import { forSystem } from "../../platform/PathBytes.ts"
import { quoted } from "../../platform/QuotedName.ts"
import * as Disk from "../Disk.ts"
import * as DiskLook from "./DiskLook.ts"
import { type CommonConfig, type GitConfigReader, type GitFolders, noGit } from "./GitConfig.ts"

/** Paths that run programs outside the sandbox later, or that the host itself obeys: readable and not writable. */
export interface ProtectedPaths {
  readonly readOnly: ReadonlyArray<string>
  /** Folders that must stay where they are: those on the way to what is protected in a root, and repositories below. */
  readonly pinned: ReadonlyArray<string>
  /** Links, and what did not exist: nothing can be mounted there, so a change is reported afterwards. */
  readonly watched: ReadonlyArray<string>
  /** What is known already of how some of them are. */
  readonly known?: ProtectedState
}

/** `path` could only be protected where a link leads now, and the link itself can be replaced. */
interface LinkedPath {
  readonly linked: string
}

/** What is known of the disk before a search: places further down, and how git's configuration is read. */
export interface ProtectionSources {
  /** Folders below the roots that hold some of {@link marks}, and which; the ones known longest first. */
  readonly marked: ReadonlyMap<string, ReadonlySet<string>>
  readonly git: GitConfigReader
  /** What was found in folders further down, kept as long as nothing changes there. */
  readonly kept?: Map<string, KeptFolder>
}

/** @internal */
interface KeptFolder {
  readonly names: ReadonlySet<string>
  readonly common: string
  readonly writable: ReadonlyArray<string>
  readonly look: DiskLook.DiskLook
  readonly collected: Collected
  /** Of each of these paths. */
  readonly state: ProtectedState
}

export const noSources: ProtectionSources = { marked: new Map(), git: noGit }

const inFolder = [".postern", ".mcp.json", ".vscode", ".idea", ".envrc", ".husky", ".claude"]
const inRepository = ["hooks", "config", "config.worktree", "commondir", "info/attributes"]
/** What leads git from another folder of the same repository to its settings. */
const inWorktree = ["commondir", "gitdir", "config.worktree"]
/** Folders looked at for repositories of submodules and worktrees. */
const maxFolders = 500

/** Mounts for places further down. */
export const maxNested = 150

/** The entries that show what is to be protected in a folder; `config` counts where it is a file. */
export const isMark = (name: string, isFile: boolean): boolean => marks.has(name) || (name === "config" && isFile)

const marks: ReadonlySet<string> = new Set([...inFolder, ".git", "HEAD", "objects", "refs", "commondir"])
/** What is in these is protected as a whole, or known from git. */
export const closedFolders: ReadonlySet<string> = new Set([...inFolder, ".git"])
/** Of a bare repository, where nothing but git's own files are. */
const dataFolders: ReadonlySet<string> = new Set(["objects", "refs", "logs", "hooks", "info", "modules", "worktrees"])

/**
 * A folder that git takes for a repository, or would as soon as its `HEAD` is back: a bare one, or one with another name
 * than `.git`. A command can move `HEAD`, and nothing else of this: `config` is protected, the folders are pinned.
 */
export const isRepository = (names: ReadonlySet<string>): boolean =>
  names.has("commondir") || (names.has("objects") && names.has("refs") && (names.has("HEAD") || names.has("config")))

/** Folders not to look into, in one that holds these names. */
export const closedIn = (names: ReadonlySet<string>): ReadonlySet<string> =>
  isRepository(names) ? dataFolders : new Set()

/** Whether something is protected in a folder that holds these names. */
export const isProtecting = (names: ReadonlySet<string>): boolean =>
  isRepository(names) || Array.from(closedFolders).some((name) => names.has(name))

/** Where `core.hooksPath` names a folder that has to stay writable. */
const hookNames =
  `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
  pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
  reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman
  post-index-change`.split(/\s+/)

/** One search: where it looks, and what it found out about git. */
interface Search {
  readonly look: DiskLook.DiskLook
  readonly git: GitConfigReader
  readonly common: CommonConfig
  readonly writable: ReadonlyArray<string>
}

/** Everything git runs or obeys in one repository folder, its submodules' included. */
const repository = (folder: string, { look }: Pick<Search, "look">): ReadonlyArray<string> => {
  const inner = (
    name: string,
    find: (top: string) => ReadonlyArray<string> | undefined,
    parts: ReadonlyArray<string>
  ) => {
    const top = join(folder, name)
    if (look.kind(top) === "missing") return []
    // Where they cannot all be found the folder as a whole is protected.
    return find(top)?.flatMap((path) => parts.map((part) => join(path, part))) ?? [top]
  }
  return [
    ...inRepository.map((name) => join(folder, name)),
    ...inner("modules", (top) => repositoriesIn(top, look), inRepository),
    ...inner("worktrees", (top) => look.names(top)?.map((tree) => join(top, tree)), inWorktree)
  ]
}

/** What a repository has, whichever of it a command has moved away. */
const ofRepository: ReadonlySet<string> = new Set(["HEAD", "config", "hooks", "objects", "refs"])

const repositoriesIn = (top: string, look: DiskLook.DiskLook): ReadonlyArray<string> | undefined => {
  const found: Array<string> = []
  const folders = [top]
  for (const folder of folders) {
    const names = look.names(folder)
    if (names === undefined || folders.length > maxFolders) return undefined
    const isOne = folder !== top && names.some((name) => ofRepository.has(name))
    if (isOne) found.push(folder)
    for (const name of names) {
      // Names of submodules have slashes, and may be the same as git's own.
      if (isOne && dataFolders.has(name) && name !== "modules") continue
      const path = join(folder, name)
      if (look.kind(path) === "folder") folders.push(path)
    }
  }
  return found
}

/** The folder that a `.git` file points to, and the repository it shares. */
const linkedRepository = (file: string, { look }: Pick<Search, "look">): ReadonlyArray<string> => {
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(look.text(file) ?? "")?.[1]
  const folder = named === undefined ? undefined : look.real(resolve(dirname(file), named))
  if (folder === undefined) return []
  const common = look.text(join(folder, "commondir"))?.trim()
  const shared = common === undefined ? undefined : look.real(isAbsolute(common) ? common : join(folder, common))
  return [folder, ...(shared === undefined ? [] : [shared])]
}

interface Git {
  /** What the `.git` entry itself is: a file that points elsewhere, or a link. */
  readonly readOnly: ReadonlyArray<string>
  readonly watched: ReadonlyArray<string>
  /** Folders of the repository; the first is the one of this worktree. */
  readonly folders: ReadonlyArray<string>
}

const ofGit = (root: string, search: Pick<Search, "look">): Git => {
  const path = join(root, ".git")
  switch (search.look.kind(path)) {
    case "folder":
      return { folders: [path], readOnly: [], watched: [] }
    case "file":
      return { folders: linkedRepository(path, search), readOnly: [path], watched: [] }
    case "link": {
      const real = search.look.real(path)
      return { folders: real === undefined ? [] : [real], readOnly: [], watched: [path] }
    }
    case "missing":
      return { folders: [], readOnly: [], watched: [path] }
    case "closed":
      return { folders: [], readOnly: [path], watched: [] }
  }
}

/** The folders of hooks that git's configuration names, and its files. */
const configured = (folders: GitFolders, { common, git, look, writable }: Search): ReadonlyArray<string> => {
  const { files, hooks } = git.of(folders, common, look)
  const isWide = (hooks: string) => writable.some((root) => isInside(hooks, root)) || isInside(hooks, folders.worktree)
  return [
    ...hooks.flatMap((folder) => isWide(folder) ? hookNames.map((name) => join(folder, name)) : [folder]),
    ...files
  ]
}

const pathsOf = (root: string, { folders }: Git, search: Search) => [
  ...folders.flatMap((folder) => repository(folder, search)),
  ...folders.slice(0, 1).flatMap((folder) => configured({ folder, worktree: root }, search))
]

/** A link on the way from `root` to `path`, `path` included. */
const linkWithin = (root: string, path: string, { look }: Pick<Search, "look">): string | undefined => {
  for (let at = path; at !== root && isInside(root, at); at = dirname(at)) if (look.kind(at) === "link") return at
  return undefined
}

/** As {@link isRepository}, for one folder. */
const isGitFolder = (path: string): boolean => {
  const is = (name: string) => Disk.kind(join(path, name)) !== "missing"
  return is("commondir") ||
    (is("objects") && is("refs") && (is("HEAD") || Disk.kind(join(path, "config")) === "file"))
}

/** Whether `path` is what git runs or obeys in the repository folder `git`, whether it exists or not. */
const isObeyed = (git: string, path: string): boolean => {
  const parts = relative(git, path).split("/")
  const [first, ...rest] = parts
  const within = (names: ReadonlyArray<string>, parts: ReadonlyArray<string>) =>
    names.some((name) => name === parts.slice(0, name.split("/").length).join("/"))
  if (within(inRepository, parts)) return true
  if (first === "worktrees") return within(inWorktree, rest.slice(1))
  return first === "modules" && rest.some((_, at) => at > 0 && within(inRepository, rest.slice(at)))
}

/**
 * Whether Postern's own tools do not write to a path of these roots, whether it exists or not; links were followed
 * already. What a command finds read-only they do not write, and some names nowhere.
 */
export const isGuarded = (
  path: string,
  roots: ReadonlyArray<string>,
  found: ProtectedPaths | LinkedPath
): boolean => {
  const root = roots.find((candidate) => isInside(candidate, path))
  if (root === undefined) return false
  for (let at = path; at !== root; at = dirname(at)) {
    const name = basename(at)
    if (inFolder.includes(name) || (name === ".git" && at === path)) return true
    if ((name === ".git" || isGitFolder(at)) && isObeyed(at, path)) return true
  }
  if (isGitFolder(root) && isObeyed(root, path)) return true
  // Commands do not run then; what names tell is known all the same, and the rest of the workspace stays open.
  if ("linked" in found) {
    return [found.linked, ...inFolder.map((name) => join(root, name))].some((one) =>
      Disk.kind(one) === "link" && isInside(Disk.real(one) ?? one, path)
    )
  }
  return [...found.readOnly, ...found.watched].some((one) =>
    isInside(one, path) || (Disk.kind(one) === "link" && isInside(Disk.real(one) ?? one, path))
  )
}

/**
 * Folders outside the roots that git has to write to when it commits in one of them: of the repository of a linked
 * worktree or a submodule, and of the repository that a root lies in. Each has to name the worktree itself, so that no
 * file in the workspace can open the repository of its choice.
 */
export const repositoriesAround = (
  roots: ReadonlyArray<string>,
  homes: ReadonlyArray<string>,
  git: GitConfigReader
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
          const [folder, shared] = linkedRepository(path, { look: DiskLook.passing })
          if (folder === undefined) return []
          const back = shared === undefined
            ? git.of({ folder, worktree: at }, git.common()).worktree
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

const nothing = (): Collected => ({ readOnly: new Set(), pinned: new Set(), watched: new Set() })

/** A link is watched, and protected where it leads now. `from`: a folder on the way that no link leads to. */
const protect = (path: string, search: Search, into: Collected, from?: string) => {
  const { look, writable } = search
  const home = writable.find((candidate) => isInside(candidate, path))
  if (home === undefined) return
  const is = look.kind(path)
  const isBelow = from !== undefined && isInside(from, path)
  const linked = is === "link" ? path : linkWithin(isBelow ? from : home, dirname(path), search)
  if (linked !== undefined) {
    into.watched.add(linked)
    const real = look.real(path)
    // A link to a folder around itself would protect everything that the session is there to change.
    if (real !== undefined && !isInside(real, linked) && !writable.some((root) => isInside(real, root))) {
      protect(real, search, into)
    }
  } else if (is === "missing") into.watched.add(path)
  else {
    into.readOnly.add(is === "closed" ? Disk.orClosedFolder(path) : path)
    // What lies elsewhere is named by its path; a folder further down can be moved with all that is in it.
    for (const folder of pins([isBelow ? from : home], [path])) into.pinned.add(folder)
  }
}

const collect = (folder: string, names: ReadonlySet<string>, search: Search, into: Collected) => {
  for (const name of inFolder) if (names.has(name)) protect(join(folder, name), search, into, folder)
  if (isRepository(names)) {
    for (const name of ["", "objects", "refs"]) {
      if (search.look.kind(join(folder, name)) === "folder") into.pinned.add(join(folder, name))
    }
    for (const path of [...repository(folder, search), ...configured({ folder, worktree: folder }, search)]) {
      protect(path, search, into, folder)
    }
  }
  if (!names.has(".git")) return
  const git = ofGit(folder, search)
  for (const path of git.readOnly) protect(path, search, into, folder)
  for (const path of git.watched) into.watched.add(path)
  for (const path of git.folders) if (search.writable.some((root) => isInside(root, path))) into.pinned.add(path)
  for (const path of pathsOf(folder, git, search)) protect(path, search, into, folder)
}

const isSame = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at])

const hasSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a === b || (a.size === b.size && Array.from(a).every((one) => b.has(one)))

/** What a folder further down protects, from before where nothing has changed since. */
const collected = (
  folder: string,
  names: ReadonlySet<string>,
  search: Search,
  kept: Map<string, KeptFolder> | undefined
): Pick<KeptFolder, "collected" | "state"> => {
  const before = kept?.get(folder)
  if (
    before !== undefined && before.common === search.common.stamp && hasSame(before.names, names) &&
    isSame(before.writable, search.writable) && before.look.isCurrent()
  ) {
    return before
  }
  const look = kept === undefined ? search.look : DiskLook.make()
  const found = nothing()
  collect(folder, names, { ...search, look }, found)
  const state = new Map(
    [...found.readOnly, ...found.pinned, ...found.watched].map((path) => [path, identity(path)] as const)
  )
  const now = { names, common: search.common.stamp, writable: search.writable, look, collected: found, state }
  kept?.set(folder, now)
  return now
}

const addAll = (from: ReadonlySet<string>, to: Set<string>) => {
  for (const one of from) to.add(one)
}

/** What is protected in `roots`. Paths outside the `writable` folders are read-only anyway. */
export const find = (
  roots: ReadonlyArray<string>,
  writable: ReadonlyArray<string>,
  { git: reader, kept, marked }: ProtectionSources = noSources,
  around: ReadonlyArray<GitFolders> = []
): ProtectedPaths | LinkedPath => {
  const search: Search = { look: DiskLook.passing, git: reader, common: reader.common(), writable }
  const found = nothing()
  for (const root of roots) {
    const git = ofGit(root, search)
    for (const path of git.readOnly) found.readOnly.add(Disk.orClosedFolder(path))
    for (const path of git.watched) found.watched.add(path)
    const own = git.folders.flatMap((folder) => repository(folder, search))
    for (const path of [...inFolder.map((name) => join(root, name)), ...own]) {
      const home = writable.find((candidate) => isInside(candidate, path))
      if (home === undefined) continue
      const linked = linkWithin(home, path, search)
      if (linked !== undefined) return { linked }
      if (Disk.kind(path) === "missing") found.watched.add(path)
      else found.readOnly.add(Disk.orClosedFolder(path))
    }
    const [folder] = git.folders
    if (folder !== undefined) {
      for (const path of configured({ folder, worktree: root }, search)) protect(path, search, found)
    }
    if (isGitFolder(root)) {
      for (const name of ["objects", "refs"]) {
        if (Disk.kind(join(root, name)) === "folder") found.pinned.add(join(root, name))
      }
      for (const path of [...repository(root, search), ...configured({ folder: root, worktree: root }, search)]) {
        protect(path, search, found)
      }
    }
  }
  for (const { folder, worktree } of around) {
    for (const path of [...repository(folder, search), ...configured({ folder, worktree }, search)]) {
      protect(path, search, found)
    }
  }
  const nested: Collected = { readOnly: new Set(), pinned: new Set(), watched: found.watched }
  const known = new Map<string, string>()
  for (const [folder, names] of marked) {
    if (roots.includes(folder)) continue
    if (nested.readOnly.size + nested.pinned.size < maxNested) {
      const { collected: here, state } = collected(folder, names, search, kept)
      addAll(here.readOnly, nested.readOnly)
      addAll(here.pinned, nested.pinned)
      addAll(here.watched, nested.watched)
      for (const [path, is] of state) known.set(path, is)
    } else for (const name of names) if (closedFolders.has(name)) found.watched.add(join(folder, name))
  }
  return {
    readOnly: [...new Set([...found.readOnly, ...nested.readOnly])],
    pinned: [...new Set([...pins(writable, [...found.readOnly]), ...found.pinned, ...nested.pinned])].filter((path) =>
      !writable.includes(path)
    ),
    watched: [...found.watched],
    known
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
    const found = lstatSync(forSystem(path), { throwIfNoEntry: false })
    if (found === undefined) return "missing"
    return `${found.dev}:${found.ino}:${found.isSymbolicLink() ? Disk.target(path) : found.isDirectory()}`
  } catch {
    return Disk.kind(path)
  }
}

export const stateOf = (found: ProtectedPaths | LinkedPath): ProtectedState =>
  "linked" in found ? new Map() : stateOfPaths(found)

const stateOfPaths = ({ known, pinned, readOnly, watched }: ProtectedPaths): ProtectedState =>
  new Map([...readOnly, ...pinned, ...watched].map((path) => [path, known?.get(path) ?? identity(path)]))

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
