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
  readonly visible: ReadonlyArray<{ readonly path: string; readonly link?: string }>
}

export type ViewRequest = Pick<SandboxRequest, "mode" | "network" | "roots" | "readable" | "masks">

const visibleIn = (masks: ReadonlyArray<string>, network: boolean): DiskView["visible"] =>
  HiddenPaths.visible(network).filter((path) =>
    Disk.kind(path) !== "missing" && masks.some((mask) => isInside(mask, path))
  )
    .map((path) => {
      const link = Disk.target(path)
      return link === undefined ? { path } : { path, link }
    })

const between = (folders: ReadonlyArray<string>, outer: string, inner: string): boolean =>
  folders.some((folder) => isInside(outer, folder) && isInside(folder, inner))

/** The session's folders, and those that may only be read. */
export const foldersOf = (request: Pick<SandboxRequest, "roots" | "readable">) => {
  const roots = withoutNested(request.roots)
  return {
    roots,
    readable: withoutNested(request.readable ?? []).filter((path) => !roots.some((root) => isInside(root, path)))
  }
}

/** Credentials, Postern's own state, and what the call wants hidden. */
export const hiddenPaths = (
  { masks = [] }: ViewRequest,
  { homes, own, variables }: HostEnvironment
): ReadonlyArray<string> =>
  Disk.existing([
    ...homes.flatMap((home) => HiddenPaths.atHome(home)),
    ...HiddenPaths.ofMachine(variables),
    own.configDir,
    own.dataDir,
    ...(own.socket === undefined ? [] : [own.socket]),
    ...masks
  ]).filter((path) => path !== "/")

/** `hidden` are its {@link hiddenPaths}. */
export const viewOf = (wanted: ViewRequest, hidden: ReadonlyArray<string>, surroundings: HostEnvironment): DiskView => {
  const { mode, network } = wanted
  const { readable, roots } = foldersOf(wanted)
  const shown = [...roots, ...readable]
  const programs = isNarrow(mode)
    ? programFolders(surroundings).filter((path) => !hidden.some((mask) => isInside(mask, path)))
    : []
  const masks = hidden
    // A mask inside a mask adds nothing, unless a folder of the session lies in between.
    .filter((path) => !hidden.some((other) => other !== path && isInside(other, path) && !between(shown, other, path)))
    .filter((path) => !isNarrow(mode) || [...shown, ...programs, "/usr"].some((top) => isInside(top, path)))
    .map((path) => ({ path, folder: Disk.kind(path) === "folder" }))
  return {
    mode,
    roots,
    readable,
    programs,
    masks,
    visible: isNarrow(mode) ? [] : visibleIn(masks.map((mask) => mask.path), network)
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
