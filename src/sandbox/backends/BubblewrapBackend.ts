import { Effect } from "effect"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import { type BackendCommand, isMissing, memoized, type MissingSupport, type SandboxBackend } from "./Backend.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import { type ConfinedCommand, type EnforcementReport, SandboxUnavailable } from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import { isScratch } from "../Modes.ts"
import type { Plan } from "../plan/Plan.ts"
import * as ProtectedPaths from "../plan/ProtectedPaths.ts"
import * as Scratch from "./Scratch.ts"
import * as BackendProbe from "./BackendProbe.ts"

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
  readonly abilities: Bubblewrap.BubblewrapFeatures
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
      const { argv, descriptors } = Bubblewrap.command(emptyPlan(mode, network, []), abilities, [trueProgram()], {
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
          const inner = Bubblewrap.command(plan, abilities, [trueProgram()], Scratch.mountsOf(way))
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
    const report = Bubblewrap.report({ mode, network }, found.abilities)
    return found.scratch === undefined ? report : Scratch.report(report, found.scratch)
  }

  const confine = Effect.fnUntraced(function*(plan: Plan, command: BackendCommand) {
    const found = tryOut(plan.mode, plan.network)
    if ("missing" in found) return yield* new SandboxUnavailable(found)
    const prepared = found.scratch === undefined ? undefined : yield* Scratch.prepare(found.scratch, plan)
    const inner = Bubblewrap.command(
      plan,
      { ...found.abilities, sh: find("sh") ?? "/bin/sh" },
      command.argv,
      prepared?.mounts
    )
    const wrapped = prepared === undefined ? inner : Scratch.wrap(prepared.way, inner, plan.roots, prepared.stage)
    const report = offer(plan.mode, plan.network)
    if (isMissing(report)) return yield* new SandboxUnavailable(report)
    const privateTmp = plan.mode !== "read-only" && plan.mode !== "danger-full-access"
    return {
      argv: wrapped.argv,
      env: { ...command.env, ...(privateTmp ? { TMPDIR: "/tmp" } : {}), ...prepared?.env },
      // The command's own folder is entered inside; a missing one is then no riddle about a missing program.
      cwd: "/",
      runner: Bubblewrap.runner(plan, wrapped.descriptors),
      report: prepared === undefined ? report : Scratch.report(report, prepared.way),
      afterwards: ProtectedPaths.watch(plan.watched)
    } satisfies ConfinedCommand
  })

  return { name: "bubblewrap", offer, confine }
}
