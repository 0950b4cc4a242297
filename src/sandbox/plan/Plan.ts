import { Effect } from "effect"
import { isInside } from "../../platform/FilePath.ts"
import { quoted } from "../../platform/QuotedName.ts"
import { type SandboxRequest, SandboxUnavailable, type TemporaryFolders } from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import { mountPoints } from "../PrivateTmp.ts"
import { isNarrow, writes } from "../SandboxModes.ts"
import * as ProtectedPaths from "./ProtectedPaths.ts"
import * as HiddenPaths from "./HiddenPaths.ts"
import * as PathScope from "./PathScope.ts"
import type { GitFolders } from "./GitConfig.ts"
import type { Protection } from "./Protection.ts"
import {
  type DiskView,
  foldersOf,
  type HiddenView,
  hiddenView,
  type HostEnvironment,
  isHidden,
  viewOf,
  type ViewRequest
} from "./DiskView.ts"

/** One call's view of the disk, found out right before it runs. Backends turn it into their own words. */
export interface Plan extends DiskView {
  readonly network: boolean
  readonly cwd: string
  /** Those of `roots` that are repositories of the session's folders, and open for git only. */
  readonly repositories?: ReadonlyArray<string>
  readonly pinned: ReadonlyArray<string>
  readonly readOnly: ReadonlyArray<string>
  /** Those of `readOnly` without which the call must not run. */
  readonly required: ReadonlyArray<string>
  readonly watched: ReadonlyArray<string>
  /** Links on the way to what is shown as it is named; `isHidden`: a mask covers it. */
  readonly links?: ReadonlyArray<{ readonly path: string; readonly link: string; readonly isHidden: boolean }>
  /** May be written to in every mode, and is never undone. */
  readonly cache?: string
  /** Those of the session; without them the command has its own. */
  readonly temporary?: TemporaryFolders
}

/** As a list, which is empty for most calls. */
export const cacheOf = ({ cache }: Pick<Plan, "cache">): ReadonlyArray<string> => cache === undefined ? [] : [cache]

/** The same view for Postern's own tools. `look` finds out what is protected. */
export const reach = (
  wanted: ViewRequest,
  surroundings: HostEnvironment,
  look: (roots: ReadonlyArray<string>) => Effect.Effect<Protection>
): PathScope.PathScope => {
  if (wanted.mode === "danger-full-access") return PathScope.everything
  const view = viewOf(wanted, hiddenView(wanted, surroundings), surroundings)
  return PathScope.of(view, (path) =>
    writes(wanted.mode)
      ? Effect.map(look(wanted.roots), ({ found }) => ProtectedPaths.isGuarded(path, wanted.roots, found))
      : Effect.succeed(false))
}

/** Folders that no call may be confined to, whatever a backend can do. */

export const refuse = (missing: string, remedy: string) => new SandboxUnavailable({ missing, remedy })

/** A folder that a session named may have become a link since. */
const moved = (paths: ReadonlyArray<string>): string | undefined =>
  paths.find((path) => Disk.real(path) !== path || Disk.kind(path) !== "folder")

const refusedRoot = (request: SandboxRequest, roots: ReadonlyArray<string>, { homes, own }: HostEnvironment) => {
  const [dataDir, configDir, ...homePaths] = [own.dataDir, own.configDir, ...homes].map((path) =>
    Disk.real(path) ?? path
  ) as [string, string]
  const isReading = !writes(request.mode)
  const tooMuch = roots.find((root) =>
    (root === "/" && request.mode !== "read-only") || (!isReading && homePaths.some((home) => isInside(root, home)))
  )
  if (tooMuch !== undefined) {
    return refuse(
      `${
        quoted(tooMuch)
      } is too much to open to a confined command in mode ${request.mode}: it holds the whole home folder.`,
      "Open the session in a project folder."
    )
  }
  const inside = roots.find((root) => isInside(dataDir, root) || root === configDir)
  return inside === undefined
    ? undefined
    : refuse(`${quoted(inside)} holds Postern's own state.`, "Open the session in a project folder.")
}

/** The folders of the session are gone or hold too much, or the working folder is none of them. */
const refusedFolders = (
  request: SandboxRequest,
  { readable, roots }: Pick<DiskView, "roots" | "readable">,
  surroundings: HostEnvironment
): SandboxUnavailable | undefined => {
  const { cwd, mode } = request
  const gone = mode === "danger-full-access" ? undefined : moved([...roots, ...readable])
  if (gone !== undefined) {
    return refuse(
      `${quoted(gone)} is no longer the folder that the session was opened with.`,
      "Open the session again."
    )
  }
  if (Disk.kind(cwd) !== "folder") {
    return refuse(`the working folder ${quoted(cwd)} does not exist.`, "Open the session in an existing folder.")
  }
  if (mode === "danger-full-access") return undefined
  if (isNarrow(mode) && ![...roots, ...readable].some((folder) => isInside(folder, cwd))) {
    return refuse(
      `the working folder ${quoted(cwd)} is outside the folders of the session.`,
      "Run commands inside the session's folders."
    )
  }
  return refusedRoot(request, roots, surroundings)
}

/** Those that no session may have as its folder are left closed. */
const openRepositories = (around: ReadonlyArray<GitFolders>, hidden: HiddenView): ReadonlyArray<GitFolders> =>
  around.filter(({ folder }) =>
    !isHidden(hidden, new Set(hidden.shown.keys()), folder) &&
    !Array.from(hidden.masks.keys()).some((path) => isInside(folder, path))
  )

const nothingProtected: ProtectedPaths.ProtectedPaths = { readOnly: [], pinned: [], watched: [] }

/** What a command must find as it is in folders that it can write to. */
const keptIn = (
  { mode, readOnly = [] }: SandboxRequest,
  roots: ReadonlyArray<string>,
  { found }: Pick<Protection, "found">
): Pick<Plan, "readOnly" | "required" | "watched" | "pinned"> | SandboxUnavailable => {
  if (mode !== "workspace-write") return { ...nothingProtected, required: [] }
  if ("linked" in found) {
    return refuse(
      `${quoted(found.linked)} is a symbolic link on the way to a protected path, and a command could replace it.`,
      "Replace the link by a real file or folder, or use the session in mode read-only."
    )
  }
  const required = Disk.existing(readOnly).filter((path) => roots.some((root) => isInside(root, path)))
  // What lies in no folder that can be written to is read-only anyway.
  const within = (paths: ReadonlyArray<string>) => paths.filter((path) => roots.some((root) => isInside(root, path)))
  return {
    readOnly: [...new Set([...within(found.readOnly), ...required])],
    required,
    watched: within(found.watched),
    pinned: [...new Set([...within(found.pinned), ...ProtectedPaths.pins(roots, required)])]
  }
}

/** Where named paths lead, without what is to be hidden in any case, and the links on the way. */
const namedIn = (
  { masks = [], named = [] }: SandboxRequest,
  { own }: HostEnvironment
): { readonly targets: ReadonlyArray<string>; readonly links: ReadonlyMap<string, string> } => {
  const closed = Disk.existing([
    own.configDir,
    own.dataDir,
    ...own.socket === undefined ? [] : [own.socket],
    ...masks
  ])
  const [targets, links] = [new Set<string>(), new Map<string, string>()]
  for (const path of named) {
    const found = Disk.followed(path)
    if (found === undefined || closed.some((folder) => isInside(folder, found.target))) continue
    targets.add(found.target)
    for (const [at, link] of found.links) links.set(at, link)
  }
  return { targets: [...targets], links }
}

/**
 * Fails where the call cannot be confined as asked; nothing is left out silently (docs/sandbox.md#failing-closed).
 * `protection`: of the folders that the call may write to.
 */
export const make = (
  request: SandboxRequest,
  surroundings: HostEnvironment,
  protection: Pick<Protection, "around" | "found"> = { around: [], found: nothingProtected }
): Plan | SandboxUnavailable => {
  const { cwd, mode, network } = request
  const { readable, roots } = foldersOf(request)
  const base = {
    mode,
    network,
    cwd,
    roots,
    readable,
    masks: [],
    visible: [],
    pinned: [],
    readOnly: [],
    watched: [],
    programs: [],
    required: [],
    ...(request.cache === undefined ? {} : { cache: request.cache })
  }
  const refused = refusedFolders(request, { readable, roots }, surroundings)
  if (refused !== undefined) return refused
  if (mode === "danger-full-access") return base

  const { links, targets } = namedIn(request, surroundings)
  const asked = targets.length === 0 ? request : {
    ...request,
    readable: [...request.readable ?? [], ...targets],
    visible: [...request.visible ?? [], ...targets.filter((path) => Disk.kind(path) === "file")]
  }
  const hidden = hiddenView(asked, surroundings)
  const homes = Disk.existing(surroundings.homes)
  const covered = roots.find((root) => hidden.masks.has(root) && !homes.includes(root))
  if (covered !== undefined) {
    return refuse(
      `${quoted(covered)} is a folder that the sandbox hides (${hidden.masks.get(covered)}).`,
      "Open the session in a project folder, or list the folder in visible_paths of the risk profile."
    )
  }
  const around = mode === "workspace-write" ? openRepositories(protection.around, hidden) : []
  const repositories = around.map(({ folder }) => folder)
  // In the empty temporary folder of a command git would not find its way from a folder inside a work tree to its top.
  const worktrees = around.map(({ worktree }) => worktree).filter((path) =>
    mountPoints.some((top) => path !== top && isInside(top, path)) &&
    !isHidden(hidden, new Set(hidden.shown.keys()), path)
  )
  const wider = {
    ...asked,
    roots: [...asked.roots, ...repositories],
    readable: [...asked.readable ?? [], ...worktrees]
  }
  const { roots: writable } = foldersOf(wider)
  const held = keptIn(request, writable, protection)
  if (held instanceof SandboxUnavailable) return held
  const view = viewOf(wider, hidden, surroundings)
  const shown = new Set([...view.roots, ...view.readable, ...hidden.shown.keys()])
  return {
    ...base,
    ...view,
    ...held,
    links: Array.from(links, ([path, link]) => ({ path, link, isHidden: isHidden(hidden, shown, path) })),
    repositories,
    // What is hidden by its path must stay there, too: the next call looks for it there.
    pinned: mode === "workspace-write"
      ? [...new Set([...held.pinned, ...ProtectedPaths.pins(writable, view.masks.map(({ path }) => path))])]
      : []
  }
}

/** What a call finds of one path. */
export interface PathStatus {
  /** `watched`: it is not there yet or a link, and the result of a call says what became of it. */
  readonly status: "hidden" | "protected" | "watched"
  readonly path: string
  /** For people. */
  readonly reason: string
}

/** What is hidden from a call, and what of its folders is protected, for people: by reason and path. */
export const paths = (
  request: SandboxRequest,
  surroundings: HostEnvironment,
  protection?: Protection
): ReadonlyArray<PathStatus> | SandboxUnavailable => {
  const plan = make(request, surroundings, protection)
  if (plan instanceof SandboxUnavailable) return plan
  const view = hiddenView(request, surroundings)
  const shown = new Set([...plan.roots, ...plan.readable, ...view.shown.keys()])
  const hidden = new Map(plan.masks.map(({ path }) => [path, view.masks.get(path) ?? ""]))
  for (const { path, reason } of HiddenPaths.find(surroundings).entries) {
    if (!hidden.has(path) && isHidden(view, shown, path)) hidden.set(path, reason)
  }
  const by = (status: PathStatus["status"], found: Iterable<readonly [path: string, reason: string]>) =>
    Array.from(found, ([path, reason]) => ({ status, path, reason })).sort((a, b) =>
      a.reason < b.reason ? -1 : a.reason > b.reason ? 1 : a.path < b.path ? -1 : 1
    )
  const obeyed = "programs outside the sandbox run or obey it"
  return [
    ...by("hidden", hidden),
    ...by("protected", plan.readOnly.map((path) => [path, plan.required.includes(path) ? "a deny rule" : obeyed])),
    ...by("watched", plan.watched.map((path) => [path, obeyed]))
  ]
}
