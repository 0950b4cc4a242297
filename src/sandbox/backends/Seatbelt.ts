import { Effect } from "effect"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import {
  type BackendCommand,
  memoized,
  type MissingSupport,
  readRefusal,
  type SandboxBackend,
  seatbeltRefusal
} from "./Backend.ts"
import {
  type ConfinedCommand,
  type EnforcementReport,
  plainRunner,
  type Runner,
  SandboxUnavailable
} from "../Confinement.ts"
import { isNarrow, isScratch, writes } from "../SandboxModes.ts"
import { cacheOf, type Plan } from "../plan/Plan.ts"
import * as BackendProbe from "./BackendProbe.ts"

/** By its absolute path: another program of that name would confine nothing. */
const program = "/usr/bin/sandbox-exec"

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, "\\$&")}"`
const below = (paths: ReadonlyArray<string>): string => paths.map((path) => `(subpath ${quoted(path)})`).join(" ")
const exactly = (paths: ReadonlyArray<string>): string => paths.map((path) => `(literal ${quoted(path)})`).join(" ")
const rule = (verdict: "allow" | "deny", operations: string, filters: string): ReadonlyArray<string> =>
  filters === "" ? [] : [`(${verdict} ${operations} ${filters})`]

const systemReads = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library/Developer",
  "/Library/Frameworks",
  "/opt/homebrew",
  "/private/etc/ssl",
  "/private/var/db/timezone",
  "/private/var/db/dyld",
  "/dev"
]

const systemFiles = ["/", ...["passwd", "hosts", "resolv.conf", "localtime"].map((name) => `/private/etc/${name}`)]

const services = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.notification_center",
  "com.apple.SecurityServer",
  "com.apple.trustd.agent"
]

/** Temporary folders as they really are called: profiles match canonical paths. */
const temporary = ["/private/tmp", "/private/var/tmp", "/private/var/folders"]

/** The last matching rule wins, so a profile goes from the general to the particular. */
export const profile = (plan: Plan): string => {
  const masks = plan.masks.map(({ path }) => path)
  const cache = cacheOf(plan)
  const writable = [...(plan.mode === "workspace-write" ? [...plan.roots, ...temporary] : []), ...cache]
  const read = isNarrow(plan.mode)
    ? [
      ...rule(
        "allow",
        "file-read*",
        `${exactly(systemFiles)} ${
          below([...systemReads, ...plan.programs, ...plan.readable, ...plan.roots, ...cache])
        }`
      ),
      "(allow file-read-metadata)"
    ]
    : ["(allow file-read*)"]
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    `(allow mach-lookup ${services.map((name) => `(global-name ${quoted(name)})`).join(" ")})`,
    "(allow ipc-posix-sem ipc-posix-shm)",
    "(allow pseudo-tty)",
    ...(plan.network ? ["(allow network*)", "(allow system-socket)"] : []),
    ...read,
    `(allow file-write* ${exactly(["/dev/null", "/dev/zero", "/dev/tty"])})`,
    "(allow file-ioctl (literal \"/dev/tty\"))",
    ...rule("allow", "file-write*", below(writable)),
    // From the outside in: what is shown inside a hidden folder, and what is hidden in that again.
    ...[
      ...masks.map((path) => ({ path, rules: rule("deny", "file-read* file-write*", below([path])) })),
      ...plan.visible.concat([...plan.readable, ...plan.roots, ...cache].map((path) => ({ path }))).filter(({ path }) =>
        masks.some((mask) => path.startsWith(`${mask}/`))
      ).map(({ path }) => ({
        path,
        rules: [
          ...rule("allow", "file-read*", below([path])),
          ...rule("allow", "file-write*", below(writable.includes(path) ? [path] : []))
        ]
      }))
    ].toSorted((a, b) => a.path.length - b.path.length).flatMap(({ rules }) => rules),
    ...rule("deny", "file-write*", below(plan.readOnly)),
    // The folders around a protected path cannot be moved either; a missing one cannot be created.
    ...rule("deny", "file-write-unlink", exactly([...plan.pinned, ...plan.readOnly])),
    ...(writes(plan.mode) ? rule("deny", "file-write*", below(plan.watched)) : [])
  ].join("\n")
}

const runner = (plan: Plan): Runner => ({
  ...plainRunner,
  attribute: (ending) =>
    ending.code === 65 && /^sandbox-exec: /m.test(ending.stderr)
      ? { kind: "runner-failed", note: ending.stderr.trim().split("\n").at(-1) ?? "" }
      : readRefusal(ending, plan, seatbeltRefusal)
})

export const make = (): SandboxBackend => {
  const offer = memoized((mode: EffectiveSandbox, network: boolean): EnforcementReport | MissingSupport => {
    const missing = { missing: `${program} does not work here.`, remedy: "It is a part of macOS." }
    if (process.platform !== "darwin") return { ...missing, missing: "sandbox-exec exists on macOS only." }
    const trial = mode === "danger-full-access"
      ? "(version 1)(allow default)(deny network*)"
      : "(version 1)(allow default)"
    if (!BackendProbe.run([program, "-p", trial, "--", "/usr/bin/true"], []).works) return missing
    return {
      backend: "seatbelt",
      mode,
      network,
      files: isScratch(mode) ? "partial" : mode === "danger-full-access" ? "none" : "full",
      net: network ? "none" : "full",
      processes: "partial",
      notes: [
        "processes that leave their group survive the call",
        "commands use the /tmp of this machine",
        ...(isScratch(mode) ? ["scratch: the workspace is read-only"] : [])
      ]
    }
  })
  const confine = Effect.fnUntraced(function*(plan: Plan, command: BackendCommand) {
    const report = offer(plan.mode, plan.network)
    if ("missing" in report) return yield* new SandboxUnavailable(report)
    const text = plan.mode === "danger-full-access" ? "(version 1)\n(allow default)\n(deny network*)" : profile(plan)
    return {
      argv: [program, "-p", text, "--", ...command.argv],
      env: command.env,
      cwd: plan.cwd,
      runner: runner(plan),
      report
    } satisfies ConfinedCommand
  })
  return { name: "seatbelt", offer, confine }
}
