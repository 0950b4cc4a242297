import { Context, Effect, Layer, type Scope } from "effect"
import { realpathSync } from "node:fs"
import { join } from "node:path"
import { type EffectiveSandbox, type SandboxMode, settingValues } from "../domain/PolicySettings.ts"
import { Environment } from "../platform/Environment.ts"
import { makeFolder } from "../platform/MakeFolder.ts"
import { isInside } from "../platform/FilePath.ts"
import type { BackendCommand } from "./backends/Backend.ts"
import { makeChooser, mayBeBubblewrap } from "./backends/BackendChooser.ts"
import {
  type ConfinedCommand,
  type EnforcementReport,
  type PrivateTmp as Temporary,
  type SandboxRequest,
  SandboxUnavailable
} from "./Confinement.ts"
import * as PrivateTmp from "./PrivateTmp.ts"
import { type BackendChoice } from "../domain/SandboxBackend.ts"
import * as Disk from "./Disk.ts"
import * as SandboxModes from "./SandboxModes.ts"
import * as Plan from "./plan/Plan.ts"
import * as ProtectionIndex from "./plan/ProtectionIndex.ts"
import type { Protection } from "./plan/Protection.ts"
import type { PathScope } from "./plan/PathScope.ts"
import { type HostEnvironment, ownHomes, type ViewRequest } from "./plan/DiskView.ts"
import * as BackendProbe from "./backends/BackendProbe.ts"

export interface SandboxOptions {
  /** Postern's own places: hidden from every confined command. */
  readonly own: HostEnvironment["own"]
  readonly home?: string
  /** Whether a backend may be used that enforces only a part of what was asked (docs/sandbox.md#failing-closed). */
  readonly partial?: { readonly files: () => boolean }
  /** Of what a session's commands may have in their temporary folders. */
  readonly temporaryLimit?: PrivateTmp.TmpLimit
}

export interface Enforcement {
  readonly usable: boolean
  /** What is enforced, or what is missing: for people and models. */
  readonly note: string
  readonly report?: EnforcementReport
  /** How an operator gets what is missing. */
  readonly remedy?: string
}

interface EnforcementCheck extends Enforcement {
  readonly mode: EffectiveSandbox
  readonly network: boolean
}

/**
 * Holds each call to its mode and network, or refuses it (docs/sandbox.md#failing-closed). Nothing runs less confined
 * than it was asked for.
 */
export class Sandbox extends Context.Service<Sandbox, {
  /** A command that `Processes.run` takes as it is. What it needs on disk goes when the scope closes. */
  readonly confine: (
    argv: BackendCommand["argv"],
    request: SandboxRequest
  ) => Effect.Effect<ConfinedCommand, SandboxUnavailable, Scope.Scope>
  /** Whether this machine can hold a call to that; tries it out the first time, in about 10 ms. */
  readonly enforce: (mode: EffectiveSandbox, network: boolean, backend?: BackendChoice) => Enforcement
  /**
   * Temporary folders for all commands of a session (docs/sandbox.md#temporary-files), removed when the scope closes.
   * Nothing is made before a command needs them.
   */
  readonly temporary: (scope: Scope.Scope) => Temporary
  /**
   * A folder of this name for the `cache` of requests, made if it is missing and kept for good. Throws where it cannot
   * be made.
   */
  readonly cache: (name: string) => string
  /** What a call in `workspace-write` with these folders would find protected now. */
  readonly protection: (roots: ReadonlyArray<string>) => Effect.Effect<Protection>
  /** What such a call finds hidden and protected, for `postern sandbox check --paths`. */
  readonly paths: (
    request: SandboxRequest
  ) => Effect.Effect<ReadonlyArray<Plan.PathStatus>, SandboxUnavailable>
  /** The same view of the disk for Postern's own file tools. Looks at the disk. */
  readonly reach: (request: ViewRequest) => PathScope
  /**
   * Modes of a session that cannot be enforced here even with a network. Starts nothing where bubblewrap is installed.
   */
  readonly lacking: (backend?: BackendChoice) => ReadonlyArray<SandboxMode>
  /** Every combination, for `postern sandbox check`. */
  readonly check: (backend?: BackendChoice) => ReadonlyArray<EnforcementCheck>
}>()("postern/sandbox/Sandbox") {
  static readonly layer = (options: SandboxOptions): Layer.Layer<Sandbox> => Layer.effect(Sandbox, make(options))
}

const modes: ReadonlyArray<EffectiveSandbox> = [
  "workspace-read",
  "workspace-scratch",
  "read-only",
  "scratch",
  "workspace-write",
  "danger-full-access"
]

const words = ({ backend, files, net, network, notes, processes }: EnforcementReport): string => {
  const parts = [`${backend}: files ${files}`, network ? "network open" : `network ${net}`, `processes ${processes}`]
  return [parts.join(", "), ...notes].join("; ")
}

const make = Effect.fnUntraced(function*(options: SandboxOptions) {
  const variables = yield* Environment
  const find = BackendProbe.programFinder(variables)
  const surroundings: HostEnvironment = {
    homes: options.home === undefined ? ownHomes() : [options.home],
    variables,
    own: options.own
  }
  const temporaryParent = join(options.own.dataDir, "tmp")
  yield* Effect.forkScoped(Effect.promise(() => PrivateTmp.removeStale(temporaryParent)))
  const protection = yield* ProtectionIndex.make(find, surroundings)
  const choose = makeChooser(find, options.partial?.files ?? (() => true), join(options.own.dataDir, "scratch"))

  const enforce = (mode: EffectiveSandbox, network: boolean, backend?: BackendChoice): Enforcement => {
    const chosen = choose(mode, network, backend)
    return "missing" in chosen
      ? { usable: false, note: chosen.missing, remedy: chosen.remedy }
      : { usable: true, note: words(chosen.report), report: chosen.report }
  }

  const confine = Effect.fnUntraced(function*(argv: BackendCommand["argv"], request: SandboxRequest) {
    const chosen = choose(request.mode, request.network, request.backend)
    if ("missing" in chosen) return yield* new SandboxUnavailable(chosen)
    const planned = Plan.make(request, surroundings, yield* protectionFor(request))
    if (planned instanceof SandboxUnavailable) return yield* planned
    const temporary = yield* temporaryOf(request, planned)
    const plan = temporary === undefined ? planned : { ...planned, temporary }
    const held = yield* chosen.backend.confine(plan, {
      argv,
      env: { ...SandboxModes.variables(request.mode), ...request.env }
    })
    const confined = temporary === undefined || request.mode !== "workspace-write"
      ? held
      : PrivateTmp.bounded(held, request.temporary!, temporary)
    const [program] = confined.argv
    if (
      !SandboxModes.writes(request.mode) || !request.roots.some((root) => isInside(root, Disk.real(program) ?? program))
    ) {
      return confined
    }
    return yield* new SandboxUnavailable({
      missing:
        `${program}, which would confine the command, lies in a folder of the session, where commands can replace it.`,
      remedy: "Install it outside of projects."
    })
  })

  const protectionFor = ({ mode, protection: given, roots }: SandboxRequest) => {
    if (mode !== "workspace-write") return Effect.undefined
    const isGiven = given?.roots.length === roots.length && given.roots.every((root, at) => root === roots[at])
    return isGiven ? Effect.succeed(given) : protection.look(roots)
  }

  const temporaryOf = ({ mode, temporary }: SandboxRequest, { readable, roots }: Plan.Plan) => {
    const shown = [...roots, ...readable]
    if (temporary !== undefined && mode === "workspace-write") return temporary.forWriting(shown)
    return temporary !== undefined && mode === "read-only" ? temporary.forReading(shown) : Effect.undefined
  }

  const check = (backend?: BackendChoice): ReadonlyArray<EnforcementCheck> =>
    modes.flatMap((mode) => [true, false].map((network) => ({ mode, network, ...enforce(mode, network, backend) })))

  const lacking = (wish: BackendChoice = { name: "auto" }): ReadonlyArray<SandboxMode> => {
    if (mayBeBubblewrap(wish) && process.platform === "linux" && find("bwrap") !== undefined) return []
    return settingValues.sandbox.filter((mode) => !enforce(mode, true, wish).usable)
  }

  return Sandbox.of({
    lacking,
    confine,
    enforce,
    check,
    cache: (name) => {
      const folder = join(options.own.dataDir, "mcp-cache", name)
      makeFolder(folder, 0o700)
      return realpathSync.native(folder)
    },
    temporary: (scope) => PrivateTmp.make(temporaryParent, scope, options.temporaryLimit),
    protection: protection.look,
    paths: Effect.fnUntraced(function*(request) {
      const found = Plan.paths(request, surroundings, yield* protectionFor(request))
      return found instanceof SandboxUnavailable ? yield* found : found
    }),
    reach: (request) => Plan.reach(request, surroundings, protection.look)
  })
})
