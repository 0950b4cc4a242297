import type { Attribution, EnforcementReport, Runner, RunnerExit } from "../Confinement.ts"
import * as ResourceLimits from "./ResourceLimits.ts"
import * as Mounts from "./Mounts.ts"
import { writes } from "../Modes.ts"
import type { Plan } from "../plan/Plan.ts"
import * as Refusals from "./Refusals.ts"
import * as Seccomp from "./Seccomp.ts"

/** What this machine's bubblewrap and kernel can do; found out by trying. */
export interface BubblewrapFeatures {
  readonly program: string
  /** For the last step before a command; without it nobody needs to answer. */
  readonly sh?: string
  /** Nested user namespaces can be forbidden (bubblewrap 0.8). */
  readonly noNesting: boolean
  readonly filter: boolean
  /** Folders can be handed over as descriptors (bubblewrap 0.10, or an older one with that correction). */
  readonly byDescriptor: boolean
  readonly folders: ReadonlyArray<Mounts.SystemFolder>
}

/** The runner's descriptors; folders follow them. */
const descriptor = { status: 3, options: 4, alive: 5, filter: 6 }

/**
 * A process learns of its parent's end only if that comes after it asked to: a host or a runner that is killed while the sandbox
 * is being set up would leave a command to run for ever. The last step before the command therefore waits until the first
 * process inside sleeps, which it does after it asked, and then for a word of the host: a dead one gives none.
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
  scratch?: Mounts.ScratchMounts,
  bind?: Mounts.BindMount
): ReadonlyArray<string> =>
  plan.mode === "danger-full-access"
    ? [...noNetwork, "--chdir", plan.cwd]
    : [...isolation(plan, abilities), ...Mounts.of(plan, abilities.folders, scratch, bind), "--chdir", plan.cwd]

/**
 * Options go through a descriptor: what is hidden is not named in a command line that can be read inside. So do folders that
 * can be written to: another command that puts a link in their place at this very moment must not open what it leads to.
 */
export const command = (
  plan: Plan,
  abilities: BubblewrapFeatures,
  argv: ReadonlyArray<string>,
  scratch?: Mounts.ScratchMounts
): { readonly argv: readonly [string, ...Array<string>]; readonly descriptors: Runner["descriptors"] } => {
  const filter = abilities.filter && plan.mode !== "danger-full-access" ? Seccomp.filter(!writes(plan.mode)) : undefined
  const held: Array<string> = []
  const first = filter === undefined ? descriptor.filter : descriptor.filter + 1
  const hold: Mounts.BindMount = (path) => ["--bind-fd", `${first + held.push(path) - 1}`, path]
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
        : onlyWithHost(abilities.sh, plan.mode === "danger-full-access" ? ":" : ResourceLimits.script(true))),
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
  return ResourceLimits.notFound(ending) ?? Refusals.read(ending, plan, Refusals.bubblewrap)
}

export const runner = (plan: Plan, descriptors: Runner["descriptors"]): Runner => ({
  descriptors,
  innerPid: (text) => numberIn(text, "child-pid"),
  finished: (text) => numberIn(text, "exit-code") !== undefined,
  attribute: attribute(plan)
})

export const report = (
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
    ...(confining && !abilities.filter ? ["no system call filter"] : [])
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
