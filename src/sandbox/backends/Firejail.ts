import { Effect } from "effect"
import { join } from "node:path"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import { isInside } from "../../platform/FilePath.ts"
import { quoted } from "../../platform/QuotedName.ts"
import {
  type BackendCommand,
  bubblewrapRefusal,
  memoized,
  type MissingSupport,
  readRefusal,
  type SandboxBackend
} from "./Backend.ts"
import { type ConfinedCommand, type EnforcementReport, plainRunner, SandboxUnavailable } from "../Confinement.ts"
import { isScratch } from "../SandboxModes.ts"
import * as Disk from "../Disk.ts"
import { cacheOf, type Plan } from "../plan/Plan.ts"
import * as BackendProbe from "./BackendProbe.ts"

const common = ["--quiet", "--noprofile", "--private-dev", "--nonewprivs", "--caps.drop=all", "--seccomp", "--noroot"]

/** `/` alone would leave the home folder and the temporary folders writable (docs/sandbox.md#firejail). */
const readOnlyPlaces = (home: string) => ["/", home, "/tmp", "/var/tmp"].map((path) => `--read-only=${path}`)

/** Firejail shows nothing again below what it hides, so the entries around what is shown are hidden one by one. */
const entriesAround = (folder: string, shown: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (shown.includes(folder)) return []
  if (!shown.some((path) => isInside(folder, path))) return [folder]
  return Disk.names(folder)?.flatMap((name) => entriesAround(join(folder, name), shown)) ?? [folder]
}

const hiddenBy = (plan: Plan): ReadonlyArray<string> => {
  const shown = [...plan.roots, ...plan.readable, ...cacheOf(plan), ...plan.visible.map(({ path }) => path)]
  return plan.masks.flatMap(({ path }) => entriesAround(path, shown))
}

export const options = (plan: Plan, home: string, extra: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...common,
  ...(plan.network ? [] : ["--net=none"]),
  ...(plan.mode === "danger-full-access" ? [] : plan.mode === "workspace-read"
    ? [...plan.roots, ...plan.readable].flatMap((path) => [`--whitelist=${path}`, `--read-only=${path}`]).concat(
      "--private-tmp",
      cacheOf(plan).map((path) => `--whitelist=${path}`)
    )
    : [
      ...readOnlyPlaces(home),
      ...(plan.mode === "workspace-write"
        ? ["--private-tmp", ...plan.roots.map((path) => `--read-write=${path}`)]
        : []),
      ...cacheOf(plan).map((path) => `--read-write=${path}`),
      ...plan.readOnly.map((path) => `--read-only=${path}`)
    ]),
  ...hiddenBy(plan).map((path) => `--blacklist=${path}`),
  ...extra
]

/** Firejail takes patterns and no escapes. */
const awkward = /[*?[\],\\\n]/

/** Only where the configuration names it. */
export const make = (find: BackendProbe.FindProgram, extra: ReadonlyArray<string>): SandboxBackend => {
  const offer = memoized((mode: EffectiveSandbox, network: boolean): EnforcementReport | MissingSupport => {
    const program = find("firejail")
    if (program === undefined) {
      return { missing: "firejail is not installed.", remedy: "Install firejail, or set sandbox_backend to auto." }
    }
    if (isScratch(mode)) return { missing: "firejail has no scratch mode.", remedy: "Set sandbox_backend to auto." }
    const outcome = BackendProbe.run([
      program,
      ...common,
      ...(network ? [] : ["--net=none"]),
      "--",
      find("true") ?? "/bin/true"
    ], [])
    if (!outcome.works) {
      return { missing: `firejail does not work here (${outcome.said}).`, remedy: "Set sandbox_backend to auto." }
    }
    return {
      backend: "firejail",
      mode,
      network,
      files: mode === "danger-full-access" ? "none" : "partial",
      net: network ? "none" : "full",
      processes: "full",
      notes: [
        "protected paths are held by name only",
        "what appears in a home folder while a command runs is not hidden",
        "firejail is a program that runs as root",
        "each command has a /tmp of its own, which ends with it"
      ]
    }
  })
  const confine = Effect.fnUntraced(function*(plan: Plan, command: BackendCommand) {
    const report = offer(plan.mode, plan.network)
    const program = find("firejail")
    if ("missing" in report || program === undefined) {
      return yield* new SandboxUnavailable("missing" in report ? report : { missing: "firejail", remedy: "" })
    }
    const bad = [...plan.roots, ...plan.readable, ...cacheOf(plan), ...hiddenBy(plan), ...plan.readOnly].find((path) =>
      awkward.test(path)
    )
    if (bad !== undefined) {
      return yield* new SandboxUnavailable({
        missing: `firejail cannot name the path ${quoted(bad)}.`,
        remedy: "Set sandbox_backend to auto."
      })
    }
    return {
      argv: [program, ...options(plan, command.env["HOME"] ?? "/root", extra), "--", ...command.argv],
      env: command.env,
      cwd: plan.cwd,
      runner: {
        ...plainRunner,
        attribute: (ending) =>
          ending.code === 1 && /^Error: /m.test(ending.stderr) && /firejail|cannot|invalid/i.test(ending.stderr)
            ? { kind: "runner-failed", note: ending.stderr.trim().split("\n").at(-1) ?? "" }
            : readRefusal(ending, plan, bubblewrapRefusal)
      },
      report
    } satisfies ConfinedCommand
  })
  return { name: "firejail", offer, confine }
}
