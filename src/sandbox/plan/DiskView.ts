import { homedir, userInfo } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import { isInside } from "../../platform/FilePath.ts"
import type { SandboxRequest } from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import * as HiddenPaths from "./HiddenPaths.ts"
import { isNarrow } from "../SandboxModes.ts"
import type { EnvironmentVariables } from "../../platform/Environment.ts"

/** Without those that lie inside another one. */
const withoutNested = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const unique = [...new Set(paths)]
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(other, path)))
}

/** What of this machine a plan has to know besides the call. */
export interface HostEnvironment {
  /** As the environment names it, and as the account has it. Absolute. */
  readonly homes: ReadonlyArray<string>
  readonly variables: EnvironmentVariables
  /** Postern's own configuration, data and socket: no session may be opened inside the data, and no call sees them. */
  readonly own: { readonly configDir: string; readonly dataDir: string; readonly socket?: string | undefined }
}

/** A host with another HOME than its account's reads the account's keys all the same. */
export const ownHomes = (): ReadonlyArray<string> => {
  const named = homedir()
  try {
    return [...new Set([named, userInfo().homedir])].filter((path) => isAbsolute(path) && path !== "/")
  } catch {
    return [named]
  }
}

/** What a call sees of the disk. */
export interface DiskView {
  readonly mode: EffectiveSandbox
  /** None of them lies inside another one. */
  readonly roots: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  /** Folders with programs outside the system's own places. */
  readonly programs: ReadonlyArray<string>
  readonly masks: ReadonlyArray<{ readonly path: string; readonly folder: boolean }>
  /** What stays visible inside a mask; a link with where it leads. */
  readonly visible: ReadonlyArray<HiddenPaths.ShownPath>
}

export type ViewRequest = Pick<SandboxRequest, "mode" | "network" | "roots" | "readable" | "masks" | "visible">

/** The session's folders, and those that may only be read. */
export const foldersOf = (request: Pick<SandboxRequest, "roots" | "readable">) => {
  const roots = withoutNested(request.roots)
  return {
    roots,
    readable: withoutNested(request.readable ?? []).filter((path) => !roots.some((root) => isInside(root, path)))
  }
}

/** What is hidden from a call and what is shown in it all the same, whatever the mode makes of it. */
export interface HiddenView {
  readonly masks: ReadonlyMap<string, string>
  readonly shown: ReadonlyMap<string, HiddenPaths.ShownPath>
}

const ownReason = "Postern's own state"
const wantedReason = "a deny rule or the operator's limits"

/**
 * Credentials, Postern's own state, and what the call wants hidden, with the reasons. What the operator shows again is
 * left out of the first, and shown in none of the other two.
 */
export const hiddenView = (request: ViewRequest, host: HostEnvironment): HiddenView => {
  const { masks = [], network, visible = [] } = request
  const { readable, roots } = foldersOf(request)
  const { own } = host
  const found = HiddenPaths.find(host)
  const always = new Map([
    ...Disk.existing([own.configDir, own.dataDir, ...own.socket === undefined ? [] : [own.socket]]).map((
      path
    ) => [path, ownReason] as const),
    ...Disk.existing(masks).map((path) => [path, wantedReason] as const)
  ])
  const again = new Set(Disk.existing(visible))
  const hidden = new Map<string, string>()
  const given = new Set([...roots, ...readable])
  const homes = new Set(Disk.existing(host.homes))
  for (const { path, reason } of found.hidden) {
    // A folder that is hidden for where it lies is shown where it is a folder of the session.
    if (!again.has(path) && (!given.has(path) || homes.has(path) || found.named.has(path))) hidden.set(path, reason)
  }
  for (const [path, reason] of found.elsewhere) {
    // It may be gone since it was looked for.
    const isOwn = nearest(given, path) !== undefined || again.has(path)
    if (!isOwn && !hidden.has(path) && Disk.kind(path) !== "missing") hidden.set(path, reason)
  }
  for (const path of Disk.existing(HiddenPaths.sockets(host.variables))) {
    if (!again.has(path)) hidden.set(path, "a socket that an environment variable names")
  }
  for (const folder of given) {
    if (nearest(hidden, folder) === undefined) continue
    const reason = found.named.get(folder)
    if (reason !== undefined && !again.has(folder)) hidden.set(folder, reason)
    for (const { path, reason } of HiddenPaths.namedIn(folder, host)) if (!again.has(path)) hidden.set(path, reason)
  }
  for (const [path, reason] of always) hidden.set(path, reason)
  hidden.delete("/")
  const shown = new Map<string, HiddenPaths.ShownPath>()
  const show = (one: HiddenPaths.ShownPath) => {
    const mask = nearest(hidden, one.path)
    // What the call or Postern hides stays hidden, and folders of the session show what is in them.
    if (mask === undefined || (mask !== one.path && nearest(always, one.path) !== undefined)) return
    const folder = nearest(given, one.path)
    if (folder === undefined || folder.length <= mask.length) shown.set(one.path, one)
  }
  for (const one of found.shown) show(one)
  for (const path of [...HiddenPaths.visible(network), ...again]) {
    if (Disk.kind(path) === "missing") continue
    const link = Disk.target(path)
    show(link === undefined ? { path } : { path, link })
  }
  return { masks: hidden, shown }
}

const nearest = (paths: { readonly has: (path: string) => boolean }, path: string): string | undefined =>
  HiddenPaths.nearest((at) => paths.has(at), path)

/** Whether a mask covers the path, and none of the folders that are shown lies deeper. */
export const isHidden = ({ masks }: HiddenView, folders: ReadonlySet<string>, path: string): boolean => {
  const mask = nearest(masks, path)
  return mask !== undefined && (nearest(folders, path)?.length ?? 0) <= mask.length
}

/** `hidden` is its {@link hiddenView}. */
export const viewOf = (wanted: ViewRequest, hidden: HiddenView, host: HostEnvironment): DiskView => {
  const { masks, shown } = hidden
  const { mode } = wanted
  const { readable, roots } = foldersOf(wanted)
  const folders = new Set([...roots, ...readable, ...shown.keys()])
  const programs = isNarrow(mode) ? programFolders(host).filter((path) => !isHidden(hidden, folders, path)) : []
  const tops = [...roots, ...readable, ...programs, "/usr", "/etc/ssl", "/etc/pki", "/etc/static"]
  return {
    mode,
    roots,
    readable,
    programs,
    masks: Array.from(masks.keys())
      // A mask inside a mask adds nothing, unless something that is shown lies in between.
      .filter((path) => {
        const outer = path === "/" ? undefined : nearest(masks, dirname(path))
        return outer === undefined || (nearest(folders, path)?.length ?? 0) > outer.length
      })
      .filter((path) => !isNarrow(mode) || tops.some((top) => isInside(top, path)))
      .map((path) => ({ path, folder: Disk.kind(path) === "folder" })),
    // A home folder that the session was opened in is shown entry by entry, whatever else can be seen.
    visible: Array.from(shown.values()).filter(({ path }) =>
      !isNarrow(mode) || [...roots, ...readable].some((folder) => isInside(folder, path))
    )
  }
}

/** Folders named by PATH and by version managers; one level up where that is not a whole configuration folder. */
const programFolders = (
  { homes, variables }: Pick<HostEnvironment, "homes" | "variables">
): ReadonlyArray<string> => {
  const named = ["NVM_BIN", "VOLTA_HOME", "PYENV_ROOT", "JAVA_HOME", "GOROOT", "RUSTUP_HOME"].map((name) =>
    variables[name]
  )
  const entries = (variables["PATH"] ?? "").split(":").concat(
    named.map((path) => path ?? ""),
    ...homes.map((home) => join(home, ".rustup")),
    "/nix/store"
  )
  const folders = entries.filter((path) => path.startsWith("/")).flatMap((entry) => {
    const path = Disk.real(entry)
    if (path === undefined || isInside("/usr", path) || Disk.kind(path) !== "folder") return []
    const parent = dirname(path)
    const grand = dirname(parent)
    const whole = /\/s?bin$/.test(path) && parent !== "/" && grand !== "/" &&
      !homes.some((home) => parent === home || grand === home || isInside(parent, home))
    return [whole ? parent : path]
  })
  return withoutNested(folders.filter((path) => path !== "/" && !homes.some((home) => isInside(path, home))))
}
