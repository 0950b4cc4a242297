import { Effect } from "effect"
import { createRequire } from "node:module"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import { isInside } from "../../platform/FilePath.ts"
import { quoted } from "../../platform/QuotedName.ts"
import {
  type BackendCommand,
  landlockRefusal,
  memoized,
  type MissingSupport,
  readRefusal,
  type SandboxBackend
} from "./Backend.ts"
import {
  type Attribution,
  type ConfinedCommand,
  type EnforcementReport,
  plainRunner,
  type Runner,
  type RunnerExit,
  SandboxUnavailable
} from "../Confinement.ts"
import * as Disk from "../Disk.ts"
import * as ResourceLimits from "./ResourceLimits.ts"
import { isNarrow, isScratch } from "../SandboxModes.ts"
import { cacheOf, type Plan } from "../plan/Plan.ts"
import { caches } from "./Scratch.ts"
import * as BackendProbe from "./BackendProbe.ts"

const entry = "@deepseek-ai/node-addon-landlock-run"

/** The launcher for this machine, found from the package that brings it: never from PATH. */
export const launcher = (): string | undefined => {
  try {
    const package_ = createRequire(import.meta.url).resolve(`${entry}/package.json`)
    const platform = createRequire(package_).resolve(`${entry}-${process.platform}-${process.arch}/package.json`)
    const path = join(dirname(platform), "bin", "landlock-run")
    return Disk.kind(path) === "file" ? path : undefined
  } catch {
    return undefined
  }
}

/**
 * Grants that open `folder` except the hidden paths in it. Landlock can only add, so the folders on the way to a hidden
 * path are opened entry by entry: they cannot be listed, and what is created in them later stays closed. Links are left out:
 * granting one would grant what it leads to.
 */
export const around = (folder: string, hidden: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (hidden.includes(folder)) return []
  if (!hidden.some((path) => isInside(folder, path))) return [folder]
  return (Disk.names(folder) ?? []).map((name) => join(folder, name))
    .filter((path) => ["folder", "file"].includes(Disk.kind(path)))
    .flatMap((path) => around(path, hidden))
}

const system = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/dev",
  "/proc",
  "/nix/store",
  ...[
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "passwd",
    "group",
    "nsswitch.conf",
    "ssl/certs",
    "ssl/openssl.cnf",
    "ca-certificates",
    "pki",
    "alternatives",
    "localtime",
    "resolv.conf",
    "hosts",
    "host.conf",
    "terminfo",
    "mime.types",
    "gitconfig",
    "os-release"
  ].map((name) => `/etc/${name}`)
]

/**
 * The launcher's arguments before the command (docs/sandbox.md#landlock); a hidden path inside a writable folder cannot
 * be had.
 */
export const grants = (plan: Plan, tmp: string): ReadonlyArray<string> => {
  const hidden = plan.masks.map(({ path }) => path)
  const read = isNarrow(plan.mode)
    ? [...system.filter((path) => Disk.real(path) !== undefined), ...plan.programs, ...plan.roots]
    : around("/", hidden)
  // Hooks and configuration in it could not be held.
  const write = plan.mode === "workspace-write"
    ? plan.roots.filter((path) => plan.repositories?.includes(path) !== true)
    : []
  const shown = new Set([
    ...read.flatMap((path) => around(path, hidden)),
    ...plan.visible.flatMap(({ link, path }) => link === undefined ? around(path, hidden) : []),
    ...plan.readable,
    ...(write.length > 0 ? [] : plan.roots)
  ])
  return [
    ...[...shown].flatMap((path) => ["--ro", path]),
    ...["/dev/null", ...(plan.mode === "read-only" ? [] : [tmp]), ...write, ...cacheOf(plan)].flatMap((
      path
    ) => ["--rw", path]),
    ...(plan.mode === "read-only" && plan.temporary !== undefined ? ["--ro", plan.temporary.tmp] : [])
  ]
}

const attribute = (plan: Plan) => (ending: RunnerExit): Attribution => {
  const said = ending.stderr.split("\n").find((line) =>
    line.startsWith("landlock-run: ") && !/partially enforced/.test(line)
  )
  if (ending.code !== 125 || said === undefined) {
    return ResourceLimits.notFound(ending) ?? readRefusal(ending, plan, landlockRefusal)
  }
  return /exec.*No such file/.test(said)
    ? { kind: "not-found", note: said }
    : { kind: "runner-failed", note: said }
}

const runner = (plan: Plan): Runner => ({ ...plainRunner, attribute: attribute(plan) })

const remedy = "Install bubblewrap 0.8 or newer: it enforces what Landlock cannot."

export const make = (find: BackendProbe.FindProgram, launch: string | undefined = launcher()): SandboxBackend => {
  const offer = memoized((mode: EffectiveSandbox, network: boolean): EnforcementReport | MissingSupport => {
    if (launch === undefined) {
      return { missing: `the optional package ${entry} has no launcher for this machine.`, remedy }
    }
    if (process.geteuid?.() === 0) {
      return {
        missing: "Landlock does not hold a host that runs as root.",
        remedy: `Run Postern as an ordinary user. ${remedy}`
      }
    }
    if (!network) return { missing: "Landlock cannot take the network away.", remedy }
    if (mode === "danger-full-access") return { missing: "Landlock is of no use without confinement.", remedy }
    const outcome = BackendProbe.run([launch, "--probe"], [])
    if (!outcome.works) return { missing: `the kernel does not enforce Landlock (${outcome.said}).`, remedy }
    return {
      backend: "landlock",
      mode,
      network,
      files: "partial",
      net: "none",
      processes: "none",
      notes: [
        "modes, owners and times of files can be changed everywhere, and their existence shows",
        "folders are opened by path: a command that runs at the same time can mislead a start with links",
        "other processes can be signalled, and Unix sockets of this machine reached",
        "processes that leave their group survive the call, and their number is not limited",
        "only TMPDIR is a temporary folder, /tmp cannot be written to",
        ...(mode === "workspace-write"
          ? ["git hooks and project configuration in the workspace are not protected"]
          : []),
        ...(isScratch(mode)
          ? ["scratch: the workspace is read-only, and only caches go to a private temporary folder"]
          : [])
      ]
    }
  })

  const confine = Effect.fnUntraced(function*(plan: Plan, command: BackendCommand) {
    const report = offer(plan.mode, plan.network)
    if (launch === undefined || "missing" in report) {
      return yield* new SandboxUnavailable("missing" in report ? report : { missing: entry, remedy })
    }
    const inside = plan.mode !== "workspace-write" ?
      undefined :
      [...plan.masks.map(({ path }) => path), ...plan.required].find((path) =>
        plan.roots.some((root) => isInside(root, path))
      )
    if (inside !== undefined) {
      return yield* new SandboxUnavailable({
        missing: `Landlock cannot protect ${quoted(inside)} inside a folder that can be written to.`,
        remedy
      })
    }
    const tmp = plan.mode === "workspace-write" && plan.temporary !== undefined
      ? plan.temporary.tmp
      : yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), ".postern-tmp-"))),
        (path) => Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))
      )
    return {
      argv: [
        launch,
        ...grants(plan, tmp),
        "--",
        ...ResourceLimits.prefix(find("sh") ?? "/bin/sh", plan.temporary?.full),
        ...command.argv
      ],
      env: {
        ...command.env,
        ...(plan.mode === "read-only" ? {} : { TMPDIR: tmp }),
        ...(isScratch(plan.mode) ? caches(tmp) : {})
      },
      cwd: plan.cwd,
      runner: runner(plan),
      report
    } satisfies ConfinedCommand
  })

  return { name: "landlock", offer, confine }
}
