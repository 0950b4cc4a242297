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
import { cacheOf, type Plan } from "../plan/Plan.ts"
import { maxFolders, skippedFolders } from "../plan/FolderIndex.ts"
import { firstBelow, mountPoints, sourceOf } from "../PrivateTmp.ts"
import { isInside } from "../../platform/FilePath.ts"
import { bytesOf } from "../../platform/PathBytes.ts"
import { quoted } from "../../platform/QuotedName.ts"
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
import { hostMark } from "../process/Descriptors.ts"
import * as ControlGroup from "./ControlGroup.ts"
import * as MountTable from "./MountTable.ts"
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
  const special = ["--dev", "/dev", "--proc", "/proc"]
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

const rootArgs = (
  plan: Plan,
  path: string,
  scratch: Scratch.ScratchMounts | undefined
): ReadonlyArray<string> => {
  if (plan.mode === "workspace-write") return ["--bind", path, path]
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
  scratch?: Scratch.ScratchMounts
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
  const isOutOfSight = (path: string) =>
    isNarrow(plan.mode) &&
    ![...shown, ...plan.programs, "/usr", ...folders.map(({ path }) => path)].some((folder) => isInside(folder, path))
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
    ...plan.roots.map((path) => ({ path, args: rootArgs(plan, path, scratch) })),
    ...cacheOf(plan).map((path) => ({ path, args: ["--bind", path, path] })),
    // An entry of a home folder that vanishes meanwhile stops no call.
    ...plan.visible.filter(({ path }) => !inEmpty(path)).map(({ link, path }) => ({
      path,
      args: link === undefined ? ["--ro-bind-try", path, path] : ["--symlink", link, path]
    })),
    ...(plan.links ?? []).filter(({ isHidden, path }) => isHidden || inEmpty(path) || isOutOfSight(path)).map((
      { link, path }
    ) => ({ path, args: ["--symlink", link, path] })),
    ...plan.pinned.map((path) => ({ path, args: ["--bind", path, path] })),
    ...plan.readOnly.map((path) => ({ path, args: ["--ro-bind", path, path] })),
    ...masks.map(({ folder, path }) => ({ path, args: folder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path] }))
  ]
  const strictest = Array.from(new Map(mounts.map((mount) => [mount.path, mount])).values())
  return [
    ...baseMounts(plan, folders),
    ...strictest.toSorted((a, b) => depth(a.path) - depth(b.path)).flatMap(({ args }) => args),
    ...masks.filter(({ folder }) => folder).flatMap(({ path }) => ["--remount-ro", path]),
    ...(isNarrow(plan.mode) ? ["--remount-ro", "/"] : []),
    // A writable /proc would let a host that runs as root change the kernel's own settings. As the last one this tells
    // that all the others took effect.
    "--remount-ro",
    "/proc"
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
  /** Files and folders can be handed over as descriptors (bubblewrap 0.10, or an older one with that correction). */
  readonly byDescriptor: boolean
  /** The number of processes can be limited. */
  readonly counted: boolean
  readonly folders: ReadonlyArray<SystemFolder>
}

/** The runner's descriptors; the others follow them. */
const descriptor = { status: 3, options: 4, alive: 5 }
const furtherDescriptors = 6

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
  `echo >&${descriptor.alive} && read -r answer <&${descriptor.alive} && exec ${descriptor.alive}>&- && ` +
  `{ ${limits}; exec "$@"; } # ${hostMark}`,
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
  scratch?: Scratch.ScratchMounts
): ReadonlyArray<string> =>
  plan.mode === "danger-full-access"
    ? [...noNetwork, "--chdir", plan.cwd]
    : [...isolation(plan, abilities), ...mountsOf(plan, abilities.folders, scratch), "--chdir", plan.cwd]

/** Of one call: a shell of many submodules has more protected paths than a process should have descriptors. */
const mostHeld = 64

/**
 * What lies where a call can write goes to bubblewrap as an open descriptor: another command that puts a link in its
 * place at this very moment must not open what it leads to. Where that cannot be done it goes by path; what came of it
 * is compared afterwards in any case.
 */
const byDescriptor = (
  plan: Plan,
  given: ReadonlyArray<string>,
  first: number,
  scratch: Scratch.ScratchMounts | undefined
): { readonly options: ReadonlyArray<string>; readonly held: ReadonlyMap<string, string> } => {
  const places = [...plan.roots, ...plan.readable, ...plan.programs, ...cacheOf(plan)]
  const held = new Map<string, string>()
  const options = given.map((option, at) => {
    const source = given[at + 1] ?? ""
    if (!(option === "--bind" || option === "--ro-bind") || held.size >= mostHeld) return option
    if (!places.some((place) => isInside(place, source))) return option
    // An overlay that lies over it in another namespace can be named only by its path.
    return scratch?.kind === "mounted" && plan.roots.includes(source) ? option : `${option}-fd`
  })
  return {
    held,
    options: options.map((option, at) => {
      if (!options[at - 1]?.endsWith("bind-fd")) return option
      const number = `${first + held.size}`
      held.set(number, option)
      return number
    })
  }
}

const filterKind = (mode: EffectiveSandbox): SystemCallFilter.FilterKind =>
  mode === "danger-full-access" ? "network" : writes(mode) ? "writes" : "reads"

interface BuiltCommand {
  readonly argv: readonly [string, ...Array<string>]
  readonly descriptors: Runner["descriptors"]
  /** What was asked for, to be compared with what came of it. */
  readonly asked: Pick<MountTable.AskedMounts, "options" | "held">
}

/** Options go through a descriptor: what is hidden is not named in a command line that can be read inside. */
export const command = (
  plan: Plan,
  abilities: BubblewrapFeatures,
  argv: ReadonlyArray<string>,
  scratch?: Scratch.ScratchMounts
): BuiltCommand => {
  const filter = abilities.filter ? SystemCallFilter.make(filterKind(plan.mode)) : undefined
  const gated = abilities.sh !== undefined && plan.mode !== "danger-full-access"
  const further: ReadonlyArray<readonly [option: string, content: "gate" | Uint8Array]> = [
    ...(gated ? [["--block-fd", "gate"] as const] : []),
    ...(filter === undefined ? [] : [["--seccomp", filter] as const])
  ]
  const plain = options(plan, abilities, scratch)
  const asked = abilities.byDescriptor && plan.mode !== "danger-full-access"
    ? byDescriptor(plan, plain, furtherDescriptors + further.length, scratch)
    : { options: plain, held: new Map<string, string>() }
  return {
    argv: [
      abilities.program,
      "--json-status-fd",
      `${descriptor.status}`,
      "--args",
      `${descriptor.options}`,
      ...further.flatMap(([option], index) => [option, `${furtherDescriptors + index}`]),
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
      bytesOf(asked.options.map((option) => `${option}\0`).join("")),
      "alive",
      ...further.map(([, content]) => content),
      ...[...asked.held.values()].map((path) => ({ path }))
    ],
    asked
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
  if (ending.refused !== undefined) return { kind: "runner-failed", note: ending.refused }
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

/**
 * Bubblewrap mounts by path. A command that runs at the same time may have put a link in the place of a folder for a
 * moment: nothing runs before the mounts were seen to be those that were asked for (docs/sandbox.md#bubblewrap).
 */
const admission = (
  plan: Plan,
  asked: BuiltCommand["asked"],
  prepared?: Pick<Scratch.Prepared, "mounts" | "stage">,
  group?: ControlGroup.ControlGroup
): Pick<Runner, "admit"> =>
  plan.mode === "danger-full-access" ? {} : {
    admit: (pid) => {
      const [inner, outer] = [MountTable.of(pid), MountTable.of("self")]
      if (inner === undefined || outer === undefined || !MountTable.isComplete(inner)) return "pending"
      const place = MountTable.difference(inner, outer, {
        ...asked,
        ...(prepared?.mounts.kind === "mounted" ? { overlaid: plan.roots, stage: prepared.stage } : {})
      })
      if (place !== undefined) {
        return {
          refused:
            `something else would lie at ${
              quoted(place)
            } inside the sandbox than was checked. Another command may have moved ` +
            "it, or put a link in its place, while this one was being started"
        }
      }
      try {
        group?.add(pid)
        return "admitted"
      } catch (error) {
        return { refused: `the number of its processes could not be limited (${error})` }
      }
    }
  }

export const runnerOf = (
  plan: Plan,
  { asked, descriptors }: Pick<BuiltCommand, "asked" | "descriptors">,
  prepared?: Pick<Scratch.Prepared, "mounts" | "stage">,
  group?: ControlGroup.ControlGroup
): Runner => ({
  descriptors,
  ...admission(plan, asked, prepared, group),
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
      ? [
        "files that have another hard link outside the workspace can be written through the link in it",
        `protected paths are not looked for in ${[...skippedFolders].join(", ")}, nor beyond ${maxFolders} folders`
      ]
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
    ...(confining && !abilities.counted
      ? ["the number of processes is not limited: Postern runs as root, and no control group can be made here"]
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

/** `scratchFolder`: for what scratch calls need on disk; no command may reach it. */
export const make = (find: BackendProbe.FindProgram, scratchFolder: string): SandboxBackend => {
  /** What a harmless command finds, and whether that is what was asked for; nothing where all is well. */
  const trial = (
    plan: Plan,
    abilities: BubblewrapFeatures,
    mounts: Scratch.ScratchMounts,
    wrap: (inner: BuiltCommand) => Pick<BuiltCommand, "argv" | "descriptors"> = (inner) => inner,
    around: Pick<MountTable.AskedMounts, "overlaid" | "stage"> = {}
  ): string | undefined => {
    const inner = command(plan, abilities, [find("cat") ?? "/bin/cat", "/proc/self/mountinfo"], mounts)
    const { argv, descriptors } = wrap(inner)
    const { printed, said, works } = BackendProbe.run(argv, descriptors)
    if (!works) return said
    const outer = MountTable.of("self")
    if (plan.mode === "danger-full-access") return undefined
    const place = outer && MountTable.difference(MountTable.parse(printed), outer, { ...inner.asked, ...around })
    return outer === undefined
      ? "/proc/self/mountinfo cannot be read"
      : place && `another mount than asked for at ${place}`
  }

  const tryOut = memoized((mode: EffectiveSandbox, network: boolean): Found | MissingSupport => {
    const program = find("bwrap")
    if (program === undefined) return { missing: "bubblewrap (bwrap) is not installed.", remedy: install }
    const folders = BackendProbe.systemFolders()
    const byDescriptor = BackendProbe.helpText(program).includes("--ro-bind-fd")
    const counted = !ControlGroup.isNeeded() || ControlGroup.place() !== undefined
    let said = ""
    for (const variant of variants) {
      const abilities = { program, folders, byDescriptor, counted, ...variant }
      const wrong = trial(emptyPlan(mode, network, []), abilities, { kind: "read-only" })
      if (wrong !== undefined) {
        said = said === "" ? wrong : said
        continue
      }
      if (!isScratch(mode)) return { abilities }
      const scratch = BackendProbe.withTemporaryFolder((folder) => {
        const [root, stage] = [Disk.make(folder, "root"), Disk.make(folder, "stage")]
        return Scratch.choose(find, (way) => {
          const plan = emptyPlan(mode, network, [root])
          const around = way.kind === "mounted" ? { overlaid: plan.roots, stage } : {}
          const wrap = (inner: BuiltCommand) => Scratch.wrap(way, inner, plan.roots, stage)
          return trial(plan, abilities, Scratch.scratchMounts(way), wrap, around) === undefined
        })
      })
      return { abilities, scratch }
    }
    return {
      missing: `bubblewrap cannot confine ${mode} with network ${network ? "on" : "off"} here (${said}).`,
      remedy: remedyFor(said)
    }
  })

  const offer = memoized((mode, network): EnforcementReport | MissingSupport => {
    const found = tryOut(mode, network)
    if ("missing" in found) return found
    const report = reportOf({ mode, network }, found.abilities)
    return found.scratch === undefined ? report : Scratch.report(report, found.scratch)
  })

  const confine = Effect.fnUntraced(function*(plan: Plan, { argv, env }: BackendCommand) {
    const found = tryOut(plan.mode, plan.network)
    if ("missing" in found) return yield* new SandboxUnavailable(found)
    const prepared = found.scratch === undefined
      ? undefined
      : yield* Scratch.prepare(found.scratch, plan, scratchFolder)
    const inner = command(
      plan,
      { ...found.abilities, sh: find("sh") ?? "/bin/sh" },
      argv,
      prepared?.mounts
    )
    const wrapped = prepared === undefined ? inner : Scratch.wrap(prepared.way, inner, plan.roots, prepared.stage)
    const report = offer(plan.mode, plan.network)
    if (isMissing(report)) return yield* new SandboxUnavailable(report)
    const group = plan.mode === "danger-full-access" || !ControlGroup.isNeeded() || !found.abilities.counted
      ? undefined
      : yield* Effect.acquireRelease(
        Effect.try({
          try: () => ControlGroup.create(ResourceLimits.mostProcesses),
          catch: (error) =>
            new SandboxUnavailable({
              missing: `no control group could be made for the command (${error}).`,
              remedy: "Look at the control groups whose names begin with \"postern-\"."
            })
        }),
        (made) => Effect.sync(made.remove)
      )
    const privateTmp = plan.mode !== "read-only" && plan.mode !== "danger-full-access"
    return {
      argv: wrapped.argv,
      env: { ...env, ...(privateTmp ? { TMPDIR: "/tmp" } : {}), ...prepared?.env },
      // The command's own folder is entered inside; a missing one is then no riddle about a missing program.
      cwd: "/",
      runner: runnerOf(plan, inner, prepared, group),
      report: prepared === undefined ? report : Scratch.report(report, prepared.way)
    } satisfies ConfinedCommand
  })

  return { name: "bubblewrap", offer, confine }
}
