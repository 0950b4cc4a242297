import { dirname, isAbsolute, join, resolve } from "node:path"
import { isInside } from "../../platform/FilePath.ts"
import * as Disk from "../Disk.ts"

/** Paths that run programs outside the sandbox later, or that the host itself obeys: readable and not writable. */
export interface ProtectedPaths {
  readonly readOnly: ReadonlyArray<string>
  /** Links, and what did not exist: nothing can be mounted there, so a change is reported afterwards. */
  readonly watched: ReadonlyArray<string>
}

/** `path` could only be protected where a link leads now, and the link itself can be replaced. */
interface LinkedPath {
  readonly linked: string
}

const inRoot = [".postern", ".mcp.json", ".vscode", ".idea", ".envrc", ".husky", ".claude"]
const inRepository = ["hooks", "config", "config.worktree", "commondir", "info/attributes"]
/** What leads git from another folder of the same repository to its settings. */
const inWorktree = ["commondir", "gitdir", "config.worktree"]
/** Folders looked at for repositories of submodules and worktrees. */
const maxFolders = 500

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

const ofGit = (root: string): ProtectedPaths & { readonly paths: ReadonlyArray<string> } => {
  const path = join(root, ".git")
  switch (Disk.kind(path)) {
    case "folder":
      return { paths: repository(path), readOnly: [], watched: [] }
    case "file":
      return { paths: linkedRepository(path).flatMap(repository), readOnly: [path], watched: [] }
    case "link": {
      const real = Disk.real(path)
      return { paths: real === undefined ? [] : repository(real), readOnly: [], watched: [path] }
    }
    case "missing":
      return { paths: [], readOnly: [], watched: [path] }
    case "closed":
      return { paths: [], readOnly: [path], watched: [] }
  }
}

/** A link on the way from `root` to `path`, `path` included. */
const linkWithin = (root: string, path: string): string | undefined => {
  for (let at = path; at !== root && isInside(root, at); at = dirname(at)) if (Disk.kind(at) === "link") return at
  return undefined
}

const namedIn = (
  root: string,
  git: { readonly paths: ReadonlyArray<string> }
) => [...inRoot.map((name) => join(root, name)), ...git.paths]

/** Everything in `roots` that Postern's own tools do not write to, whether it exists or not; links are followed. */
export const guarded = (roots: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(roots.flatMap((root) => {
    const git = ofGit(root)
    return [...git.readOnly, ...git.watched, ...namedIn(root, git)].flatMap((path) =>
      Disk.kind(path) === "missing" ? [path] : [path, Disk.real(path) ?? path]
    )
  }))
]

/** What is protected in `roots`. Paths outside the `writable` folders are read-only anyway. */
export const find = (roots: ReadonlyArray<string>, writable: ReadonlyArray<string>): ProtectedPaths | LinkedPath => {
  const kept: Array<string> = []
  const watched: Array<string> = []
  for (const root of roots) {
    const git = ofGit(root)
    kept.push(...git.readOnly.map(Disk.orClosedFolder))
    watched.push(...git.watched)
    for (const path of namedIn(root, git)) {
      const home = writable.find((candidate) => isInside(candidate, path))
      if (home === undefined) continue
      const linked = linkWithin(home, path)
      if (linked !== undefined) return { linked }
      if (Disk.kind(path) === "missing") watched.push(path)
      else kept.push(Disk.orClosedFolder(path))
    }
  }
  return { readOnly: [...new Set(kept)], watched: [...new Set(watched)] }
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

/** Remembers how the watched paths are now; the result says what became of them. */
export const watch = (paths: ReadonlyArray<string>): () => ReadonlyArray<string> => {
  const look = (path: string) => `${Disk.kind(path)}:${Disk.target(path) ?? ""}`
  const before = paths.map(look)
  return () =>
    paths.flatMap((path, index) =>
      look(path) === before[index]
        ? []
        : [
          `${path} was ${before[index]?.startsWith("missing") ? "created" : "replaced"} by the command; ` +
          "look at it before programs outside the sandbox use it"
        ]
    )
}
