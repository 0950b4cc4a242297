import { dirname, join } from "node:path"
import type { EffectiveSandbox } from "../policy/Knobs.ts"
import { isInside } from "../workspace/Workspace.ts"
import { type Request, SandboxUnavailable } from "./Confinement.ts"
import * as Disk from "./Disk.ts"
import * as Masks from "./Masks.ts"
import * as Protected from "./Protected.ts"
import * as Reach from "./Reach.ts"
import type { Variables } from "../tool/Environment.ts"

/** One call's view of the disk, found out right before it runs. Backends turn it into their own words. */
export interface Plan {
  readonly mode: EffectiveSandbox
  readonly network: boolean
  readonly cwd: string
  /** None of them lies inside another one. */
  readonly roots: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly masks: ReadonlyArray<{ readonly path: string; readonly folder: boolean }>
  /** What stays visible inside a mask; a link with where it leads. */
  readonly visible: ReadonlyArray<{ readonly path: string; readonly link?: string }>
  readonly pins: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string>
  /** Those of `kept` without which the call must not run. */
  readonly firm: ReadonlyArray<string>
  readonly watched: ReadonlyArray<string>
  /** Folders with programs outside the system's own places. */
  readonly programs: ReadonlyArray<string>
}

export interface Surroundings {
  /** As the environment names it, and as the account has it. Absolute. */
  readonly homes: ReadonlyArray<string>
  readonly variables: Variables
  /** Postern's own configuration, data and socket: nobody may open a session inside the data, and nothing sees them. */
  readonly own: { readonly configDir: string; readonly dataDir: string; readonly socket?: string | undefined }
}

/** Whether commands can change the workspace, if only for the length of the call. */
export const writes = (mode: EffectiveSandbox): boolean => mode === "workspace-write" || isScratch(mode)

/** Whether changes are forgotten at the end of the call. */
export const isScratch = (mode: EffectiveSandbox): boolean => mode === "scratch" || mode === "workspace-scratch"

/** Whether nothing outside the workspace can be seen, but the system's programs. */
export const isNarrow = (mode: EffectiveSandbox): boolean => mode === "workspace-read" || mode === "workspace-scratch"

const refuse = (missing: string, remedy: string) => new SandboxUnavailable({ missing, remedy })

/** Without those that lie inside another one. */
const outermost = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const unique = [...new Set(paths)]
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(other, path)))
}

/** Folders named by PATH and by version managers; one level up where that is not somebody's whole configuration. */
const programFolders = ({ homes, variables }: Surroundings): ReadonlyArray<string> => {
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
  return outermost(folders.filter((path) => path !== "/" && !homes.some((home) => isInside(path, home))))
}

const existing = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(paths.flatMap((path) => Disk.kind(path) === "missing" ? [] : Disk.real(Disk.door(path)) ?? []))
]

const visibleIn = (masks: ReadonlyArray<string>, network: boolean): Plan["visible"] =>
  Masks.visible(network).filter((path) => Disk.kind(path) !== "missing" && masks.some((mask) => isInside(mask, path)))
    .map((path) => {
      const link = Disk.target(path)
      return link === undefined ? { path } : { path, link }
    })

const between = (folders: ReadonlyArray<string>, outer: string, inner: string): boolean =>
  folders.some((folder) => isInside(outer, folder) && isInside(folder, inner))

/** A folder that a session named may have become a link since. */
const moved = (paths: ReadonlyArray<string>): string | undefined =>
  paths.find((path) => Disk.real(path) !== path || Disk.kind(path) !== "folder")

const refusedRoot = (request: Request, roots: ReadonlyArray<string>, { homes, own }: Surroundings) => {
  const [dataDir, configDir, ...homePaths] = [own.dataDir, own.configDir, ...homes].map((path) =>
    Disk.real(path) ?? path
  ) as [string, string]
  const tooMuch = request.mode === "read-only"
    ? undefined
    : roots.find((root) => root === "/" || homePaths.some((home) => isInside(root, home)))
  if (tooMuch !== undefined) {
    return refuse(
      `${tooMuch} is too much to open to a confined command in mode ${request.mode}: it holds the whole home folder.`,
      "Open the session in a project folder."
    )
  }
  const inside = roots.find((root) => isInside(dataDir, root) || root === configDir)
  return inside === undefined
    ? undefined
    : refuse(`${inside} holds Postern's own state.`, "Open the session in a project folder.")
}

type Wanted = Pick<Request, "mode" | "network" | "roots" | "readable" | "masks">

const foldersOf = (request: Pick<Request, "roots" | "readable">) => {
  const roots = outermost(request.roots)
  return {
    roots,
    readable: outermost(request.readable ?? []).filter((path) => !roots.some((root) => isInside(root, path)))
  }
}

const hiddenPaths = ({ masks = [] }: Wanted, { homes, own, variables }: Surroundings): ReadonlyArray<string> =>
  existing([
    ...homes.flatMap((home) => Masks.atHome(home)),
    ...Masks.ofMachine(variables),
    own.configDir,
    own.dataDir,
    ...(own.socket === undefined ? [] : [own.socket]),
    ...masks
  ]).filter((path) => path !== "/")

/** What a call sees of the disk. */
const viewOf = (wanted: Wanted, hidden: ReadonlyArray<string>, surroundings: Surroundings) => {
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

/** The same view for Postern's own tools. */
export const reach = (wanted: Wanted, surroundings: Surroundings): Reach.Reach => {
  if (wanted.mode === "danger-full-access") return Reach.everything
  const view = viewOf(wanted, hiddenPaths(wanted, surroundings), surroundings)
  return Reach.of(view, writes(wanted.mode) ? Protected.guarded(wanted.roots) : [])
}

/** Fails where the call cannot be confined as asked; nothing is left out silently (policy §5.1). */
export const make = (request: Request, surroundings: Surroundings): Plan | SandboxUnavailable => {
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
    pins: [],
    kept: [],
    watched: [],
    programs: [],
    firm: []
  }
  const gone = mode === "danger-full-access" ? undefined : moved([...roots, ...readable])
  if (gone !== undefined) {
    return refuse(`${gone} is no longer the folder that the session was opened with.`, "Open the session again.")
  }
  if (Disk.kind(cwd) !== "folder") {
    return refuse(`the working folder ${cwd} does not exist.`, "Open the session in an existing folder.")
  }
  if (mode === "danger-full-access") return base
  if (!isInside(roots.find((root) => isInside(root, cwd)) ?? "\0", cwd) && isNarrow(mode)) {
    return refuse(
      `the working folder ${cwd} is outside the folders of the session.`,
      "Run commands inside the session's folders."
    )
  }
  const refused = refusedRoot(request, roots, surroundings)
  if (refused !== undefined) return refused

  const hidden = hiddenPaths(request, surroundings)
  const covered = roots.find((root) => hidden.includes(root))
  if (covered !== undefined) {
    return refuse(`${covered} is a folder that the sandbox hides.`, "Open the session in a project folder.")
  }
  const found = mode === "workspace-write" ? Protected.find(request.roots, roots) : { kept: [], watched: [] }
  if ("linked" in found) {
    return refuse(
      `${found.linked} is a symbolic link on the way to a protected path, and a command could replace it.`,
      "Replace the link by a real file or folder, or use the session in mode read-only."
    )
  }
  const firm = mode === "workspace-write"
    ? existing(request.kept ?? []).filter((path) => roots.some((root) => isInside(root, path)))
    : []
  const kept = [...new Set([...found.kept, ...firm])]
  const view = viewOf(request, hidden, surroundings)
  return {
    ...base,
    ...view,
    // What is hidden by its path must stay there, too: the next call looks for it there.
    pins: mode === "workspace-write" ? Protected.pins(roots, [...kept, ...view.masks.map(({ path }) => path)]) : [],
    kept,
    firm,
    watched: found.watched
  }
}

/** Git reads run what a repository's own configuration names; where nothing may be written that is switched off. */
const quietGit = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_COUNT: "3",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "core.hooksPath",
  GIT_CONFIG_VALUE_1: "/dev/null",
  GIT_CONFIG_KEY_2: "core.pager",
  GIT_CONFIG_VALUE_2: "cat"
}

/** Variables that go with a mode, on top of the command's own. */
export const variables = ({ mode }: Plan): Readonly<Record<string, string>> =>
  mode === "read-only" || mode === "workspace-read" ? quietGit : {}
