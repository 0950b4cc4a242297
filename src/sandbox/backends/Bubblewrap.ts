import { Effect } from "effect"
import {
  type Attribution,
  type ConfinedCommand,
  type EnforcementReport,
  type Runner,
  type RunnerExit,
  SandboxUnavailable
} from "../Confinement.ts"
import * as ResourceLimits from "./ResourceLimits.ts"
import { isNarrow, isScratch, writes } from "../SandboxModes.ts"
import type { Plan } from "../plan/Plan.ts"
import { firstBelow, mountPoints, sourceOf } from "../PrivateTmp.ts"
import { isInside } from "../../platform/FilePath.ts"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import {
  type BackendCommand,
  bubblewrapRefusal,
  isMissing,
  memoized,
  type MissingSupport,
  readRefusal,
  type SandboxBackend
} from "./Backend.ts"
import * as Disk from "../Disk.ts"
import * as ProtectedPaths from "../plan/ProtectedPaths.ts"
import * as Scratch from "./Scratch.ts"
import * as SystemCallFilter from "./SystemCallFilter.ts"
import * as BackendProbe from "./BackendProbe.ts"

interface Mount {
  readonly path: string
  readonly args: ReadonlyArray<string>
}

/** Read from the system where nothing else is shown; a machine may lack any of them. */
const systemFiles = [
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "passwd",
  "group",
  "nsswitch.conf",
  "ssl",
  "ca-certificates",
  "pki",
  "crypto-policies",
  "alternatives",
  "localtime",
  "timezone",
  "resolv.conf",
  "hosts",
  "host.conf",
  "terminfo",
  "mime.types",
  "gitconfig",
  "os-release",
  "static"
].map((name) => `/etc/${name}`)

/** The system's own folders: where `/bin` is a link into `/usr` it stays one. */
interface SystemFolder {
  readonly path: string
  readonly link?: string
}

const systemMounts = (folders: ReadonlyArray<SystemFolder>): ReadonlyArray<string> => [
  "--ro-bind",
  "/usr",
  "/usr",
  ...folders.flatMap(({ link, path }) =>
    link === undefined ? ["--ro-bind-try", path, path] : ["--symlink", link, path]
  ),
  ...systemFiles.flatMap((path) => ["--ro-bind-try", path, path])
]

const baseMounts = (plan: Plan, folders: ReadonlyArray<SystemFolder>): ReadonlyArray<string> => {
  const shown = isNarrow(plan.mode) ? systemMounts(folders) : ["--ro-bind", "/", "/"]
  // A writable /proc would let a host that runs as root change the kernel's own settings.
  const special = ["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"]
  const folder = (path: string) => ["--perms", "1777", "--tmpfs", path]
  return [
    ...shown,
    ...special,
    ...(plan.temporary === undefined
      ? plan.mode === "read-only" ? [] : isNarrow(plan.mode) ? folder("/tmp") : mountPoints.flatMap(folder)
      : mountPoints.flatMap((path) => [
        plan.mode === "read-only" ? "--ro-bind" : "--bind",
        sourceOf(plan.temporary!, path),
        path
      ]))
  ]
}

/** Mounts a folder where it is, open to writing. */
type BindMount = (path: string) => ReadonlyArray<string>

const byPath: BindMount = (path) => ["--bind", path, path]

const rootArgs = (
  plan: Plan,
  path: string,
  scratch: Scratch.ScratchMounts | undefined,
  bind: BindMount
): ReadonlyArray<string> => {
  if (plan.mode === "workspace-write") return bind(path)
  if (!isScratch(plan.mode) || scratch === undefined) return ["--ro-bind", path, path]
  switch (scratch.kind) {
    case "overlay":
      return ["--overlay-src", path, "--tmp-overlay", path]
    case "mounted":
      return ["--bind", path, path]
    case "copies":
      return ["--bind", scratch.of.get(path) ?? path, path]
    case "read-only":
      return ["--ro-bind", path, path]
  }
}

const depth = (path: string): number => path === "/" ? 0 : path.split("/").length

/**
 * The mounts of a confining mode (docs/sandbox.md#bubblewrap). Later ones lie over earlier ones, so they go from the
 * outside in: what is deeper decides, and of two for one path the stricter one.
 */
const mountsOf = (
  plan: Plan,
  folders: ReadonlyArray<SystemFolder>,
  scratch?: Scratch.ScratchMounts,
  bind: BindMount = byPath
): ReadonlyArray<string> => {
  const shown = [...plan.roots, ...plan.readable]
  const empty: ReadonlyArray<string> = plan.mode === "read-only" && plan.temporary === undefined
    ? []
    : isNarrow(plan.mode)
    ? ["/tmp"]
    : mountPoints
  const inEmpty = (path: string) =>
    empty.some((folder) =>
      isInside(folder, path) && !shown.some((root) => isInside(folder, root) && isInside(root, path))
    )
  const masks = plan.masks.filter(({ path }) => !inEmpty(path))
  // Between the session's /tmp and a folder that keeps its place in it: a command could put a link there.
  const between = plan.temporary === undefined
    ? []
    : mountPoints.flatMap((top) =>
      shown.filter((path) => isInside(top, path)).map((path) => firstBelow(top, path)).filter((path) =>
        !shown.includes(path) && path !== top
      )
    )
  const mounts: ReadonlyArray<Mount> = [
    ...[...new Set(between)].map((path) => ({ path, args: ["--tmpfs", path] })),
    ...plan.programs.map((path) => ({ path, args: ["--ro-bind", path, path] })),
    ...plan.readable.map((path) => ({ path, args: ["--ro-bind", path, path] })),
    ...plan.roots.map((path) => ({ path, args: rootArgs(plan, path, scratch, bind) })),
    ...plan.visible.map(({ link, path }) => ({
      path,
      args: link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path]
    })),
    ...plan.pinned.map((path) => ({ path, args: bind(path) })),
    ...plan.readOnly.map((path) => ({ path, args: ["--ro-bind", path, path] })),
    ...masks.map(({ folder, path }) => ({ path, args: folder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path] }))
  ]
  return [
    ...baseMounts(plan, folders),
    ...mounts.toSorted((a, b) => depth(a.path) - depth(b.path)).flatMap(({ args }) => args),
    ...masks.filter(({ folder }) => folder).flatMap(({ path }) => ["--remount-ro", path]),
    ...(isNarrow(plan.mode) ? ["--remount-ro", "/"] : [])
  ]
}

/** What this machine's bubblewrap and kernel can do; found out by trying. */
interface BubblewrapFeatures {
  readonly program: string
  /** For the last step before a command; without it no host has to answer. */
  readonly sh?: string
  /** Nested user namespaces can be forbidden (bubblewrap 0.8). */
  readonly noNesting: boolean
  readonly filter: boolean
  /** Folders can be handed over as descriptors (bubblewrap 0.10, or an older one with that correction). */
  readonly byDescriptor: boolean
  readonly folders: ReadonlyArray<SystemFolder>
}

/** The runner's descriptors; folders follow them. */
const descriptor = { status: 3, options: 4, alive: 5, filter: 6 }

/**
 * A process learns of its parent's end only if that comes after it asked to: a host or a runner that is killed while
 * the sandbox is being set up would leave a command to run for ever. The last step before the command therefore waits
 * until the first process inside sleeps, which it does after it asked, and then for a word of the host: a dead one
 * gives none.
 */
const onlyWithHost = (sh: string, limits: string): ReadonlyArray<string> => [
  sh,
  "-c",
  `until read -r state </proc/1/stat && [ "\${state#*) S}" != "$state" ]; do :; done; ` +
  `echo >&${descriptor.alive} && read -r answer <&${descriptor.alive} && exec ${descriptor.alive}>&- && { ${limits}; exec "$@"; }`,
  "sandbox"
]

/**
 * Everything but mounts and command (docs/sandbox.md#bubblewrap). Root is held by what an ordinary user is held by: no
 * capability is left.
 */
const isolation = (plan: Plan, { noNesting }: BubblewrapFeatures): ReadonlyArray<string> => [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...(noNesting ? ["--disable-userns"] : []),
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  ...(plan.network ? [] : ["--unshare-net"])
]

/** Only the network is taken away; processes still end with the call (docs/sandbox.md#network). */
const noNetwork = [
  "--unshare-user",
  "--unshare-net",
  "--unshare-pid",
  "--die-with-parent",
  "--new-session",
  "--dev-bind",
  "/",
  "/",
  "--proc",
  "/proc"
]

/** Options in the order bubblewrap applies them, without descriptors and command. */
export const options = (
  plan: Plan,
  abilities: BubblewrapFeatures,
  scratch?: Scratch.ScratchMounts,
  bind?: BindMount
): ReadonlyArray<string> =>
  plan.mode === "danger-full-access"
    ? [...noNetwork, "--chdir", plan.cwd]
    : [...isolation(plan, abilities), ...mountsOf(plan, abilities.folders, scratch, bind), "--chdir", plan.cwd]

const filterKind = (mode: EffectiveSandbox): SystemCallFilter.FilterKind =>
  mode === "danger-full-access" ? "network" : writes(mode) ? "writes" : "reads"

/**
 * Options go through a descriptor: what is hidden is not named in a command line that can be read inside. So do folders
 * that can be written to: another command that puts a link in their place at this very moment must not open what it
 * leads to.
 */
export const command = (
  plan: Plan,
  abilities: BubblewrapFeatures,
  argv: ReadonlyArray<string>,
  scratch?: Scratch.ScratchMounts
): { readonly argv: readonly [string, ...Array<string>]; readonly descriptors: Runner["descriptors"] } => {
  const filter = abilities.filter ? SystemCallFilter.make(filterKind(plan.mode)) : undefined
  const held: Array<string> = []
  const first = filter === undefined ? descriptor.filter : descriptor.filter + 1
  const hold: BindMount = (path) => ["--bind-fd", `${first + held.push(path) - 1}`, path]
  const text = options(plan, abilities, scratch, abilities.byDescriptor ? hold : undefined).map((option) =>
    `${option}\0`
  ).join("")
  return {
    argv: [
      abilities.program,
      "--json-status-fd",
      `${descriptor.status}`,
      "--args",
      `${descriptor.options}`,
      ...(filter === undefined ? [] : ["--seccomp", `${descriptor.filter}`]),
      "--",
      ...(abilities.sh === undefined
        ? []
        : onlyWithHost(
          abilities.sh,
          plan.mode === "danger-full-access" ? ":" : ResourceLimits.script(true, plan.temporary?.full)
        )),
      ...argv
    ],
    descriptors: [
      "status",
      Buffer.from(text),
      "alive",
      ...(filter === undefined ? [] : [filter]),
      ...held.map((folder) => ({ folder }))
    ]
  }
}

const documents = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>]
    } catch {
      return []
    }
  })

const numberIn = (text: string, key: string): number | undefined => {
  const value = documents(text).find((document) => key in document)?.[key]
  return typeof value === "number" ? value : undefined
}

const attribute = (plan: Plan) => (ending: RunnerExit): Attribution => {
  // Only bubblewrap itself can write to the descriptor, and it reports an exit code only of a command that ran.
  if (numberIn(ending.status, "exit-code") === undefined && !ending.stopped) {
    const said = ending.stderr.trim().split("\n").at(-1) ?? ""
    const missing = /^bwrap: execvp (.*): (No such file or directory|Not a directory)$/.exec(said)
    return missing === null
      ? { kind: "runner-failed", note: said === "" ? "bubblewrap ended before the command ran" : said }
      : { kind: "not-found", note: `command not found: ${missing[1]}` }
  }
  return ResourceLimits.notFound(ending) ?? readRefusal(ending, plan, bubblewrapRefusal)
}

export const runnerOf = (plan: Plan, descriptors: Runner["descriptors"]): Runner => ({
  descriptors,
  innerPid: (text) => numberIn(text, "child-pid"),
  finished: (text) => numberIn(text, "exit-code") !== undefined,
  attribute: attribute(plan)
})

export const reportOf = (
  plan: Pick<Plan, "mode" | "network">,
  abilities: Omit<BubblewrapFeatures, "program" | "sh" | "folders">
): EnforcementReport => {
  const { mode, network } = plan
  const confining = mode !== "danger-full-access"
  const notes = [
    ...(confining ? [] : ["files are not confined; services behind Unix sockets stay reachable"]),
    ...(mode === "workspace-write"
      ? ["files that have another hard link outside the workspace can be written through the link in it"]
      : []),
    ...(network || !confining
      ? []
      : ["loopback is a new one for each call: a server started in one call is not there in the next"]),
    ...(confining && network && !(abilities.filter && !writes(mode))
      ? ["abstract Unix sockets of this machine can be reached"]
      : []),
    ...(confining && !network && writes(mode) ? ["Unix sockets inside the workspace can be reached"] : []),
    ...(confining && !abilities.noNesting
      ? ["this bubblewrap (older than 0.8) cannot forbid nested user namespaces"]
      : []),
    ...(mode === "workspace-write" && !abilities.byDescriptor
      ? [
        "this bubblewrap (older than 0.10) can be misled by another command that swaps folders of the workspace for links at the moment of a start"
      ]
      : []),
    ...(abilities.filter && SystemCallFilter.make(filterKind(mode)) !== undefined ? [] : [
      network
        ? "no system call filter"
        : "no system call filter: sockets that belong to no network namespace (vsock, Bluetooth) can leave the machine"
    ])
  ]
  return {
    backend: "bubblewrap",
    mode,
    network,
    files: confining ? "full" : "none",
    net: network ? "none" : "full",
    processes: "full",
    notes
  }
}

const install = "Install bubblewrap 0.8 or newer (package \"bubblewrap\" on Debian, Ubuntu, Fedora, Arch and Alpine)."

/** What fails most, and why, by what bubblewrap says. */
const remedyFor = (said: string): string => {
  if (/loopback|RTM_NEWADDR/i.test(said)) {
    return "The kernel or a security module refuses a network namespace: on Ubuntu 24.04 and newer allow bubblewrap in an " +
      "AppArmor profile; in a container start it with less strict seccomp and AppArmor options."
  }
  if (/mount proc|can't mount/i.test(said)) {
    return "The container does not let /proc be mounted: start it with --security-opt systempaths=unconfined, or choose " +
      "danger-full-access if the container itself is the boundary."
  }
  if (/namespace|uid map|clone|permitted|permission/i.test(said)) {
    return "Allow unprivileged user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, or an " +
      "AppArmor profile for bubblewrap)."
  }
  return "Run \"postern sandbox check\" for what this machine can enforce."
}

interface Found {
  readonly abilities: BubblewrapFeatures
  readonly scratch?: Scratch.ScratchMethod
}

/** The strictest set that works comes first. */
const variants = [
  { noNesting: true, filter: true },
  { noNesting: true, filter: false },
  { noNesting: false, filter: true },
  { noNesting: false, filter: false }
]

const emptyPlan = (mode: EffectiveSandbox, network: boolean, roots: ReadonlyArray<string>): Plan => ({
  mode,
  network,
  cwd: "/",
  roots,
  readable: [],
  masks: [],
  visible: [],
  pinned: [],
  readOnly: [],
  watched: [],
  programs: [],
  required: []
})

export const make = (find: BackendProbe.FindProgram): SandboxBackend => {
  const trueProgram = () => find("true") ?? "/bin/true"

  const tryOut = memoized((mode: EffectiveSandbox, network: boolean): Found | MissingSupport => {
    const program = find("bwrap")
    if (program === undefined) return { missing: "bubblewrap (bwrap) is not installed.", remedy: install }
    const folders = BackendProbe.systemFolders()
    const byDescriptor = BackendProbe.helpText(program).includes("--bind-fd")
    let said = ""
    for (const variant of variants) {
      const abilities = { program, folders, byDescriptor, ...variant }
      const { argv, descriptors } = command(emptyPlan(mode, network, []), abilities, [trueProgram()], {
        kind: "read-only"
      })
      const outcome = BackendProbe.run(argv, descriptors)
      if (!outcome.works) {
        said = said === "" ? outcome.said : said
        continue
      }
      if (!isScratch(mode)) return { abilities }
      const scratch = BackendProbe.withTemporaryFolder((folder) =>
        Scratch.choose(find, (way) => {
          const plan = emptyPlan(mode, network, [Disk.make(folder, "root")])
          const inner = command(plan, abilities, [trueProgram()], Scratch.scratchMounts(way))
          const wrapped = Scratch.wrap(way, inner, plan.roots, Disk.make(folder, "stage"))
          return BackendProbe.run(wrapped.argv, wrapped.descriptors).works
        })
      )
      return { abilities, scratch }
    }
    return {
      missing: `bubblewrap cannot confine ${mode} with network ${network ? "on" : "off"} here (${said}).`,
      remedy: remedyFor(said)
    }
  })

  const offer = (mode: EffectiveSandbox, network: boolean): EnforcementReport | MissingSupport => {
    const found = tryOut(mode, network)
    if ("missing" in found) return found
    const report = reportOf({ mode, network }, found.abilities)
    return found.scratch === undefined ? report : Scratch.report(report, found.scratch)
  }

  const confine = Effect.fnUntraced(function*(plan: Plan, { argv, env }: BackendCommand) {
    const found = tryOut(plan.mode, plan.network)
    if ("missing" in found) return yield* new SandboxUnavailable(found)
    const prepared = found.scratch === undefined ? undefined : yield* Scratch.prepare(found.scratch, plan)
    const inner = command(
      plan,
      { ...found.abilities, sh: find("sh") ?? "/bin/sh" },
      argv,
      prepared?.mounts
    )
    const wrapped = prepared === undefined ? inner : Scratch.wrap(prepared.way, inner, plan.roots, prepared.stage)
    const report = offer(plan.mode, plan.network)
    if (isMissing(report)) return yield* new SandboxUnavailable(report)
    const privateTmp = plan.mode !== "read-only" && plan.mode !== "danger-full-access"
    return {
      argv: wrapped.argv,
      env: { ...env, ...(privateTmp ? { TMPDIR: "/tmp" } : {}), ...prepared?.env },
      // The command's own folder is entered inside; a missing one is then no riddle about a missing program.
      cwd: "/",
      runner: runnerOf(plan, wrapped.descriptors),
      report: prepared === undefined ? report : Scratch.report(report, prepared.way),
      afterwards: ProtectedPaths.watch(plan.watched)
    } satisfies ConfinedCommand
  })

  return { name: "bubblewrap", offer, confine }
}
