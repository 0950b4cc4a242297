import { Context, Effect, Layer, type Scope } from "effect"
import { homedir, userInfo } from "node:os"
import { isAbsolute } from "node:path"
import { type EffectiveSandbox, knobValues, type SandboxMode } from "../policy/Knobs.ts"
import { Environment } from "../tool/Environment.ts"
import { isInside } from "../workspace/Workspace.ts"
import { type BackendService, type Command, isLacking, type Lacking } from "./Backends.ts"
import * as BubblewrapBackend from "./BubblewrapBackend.ts"
import {
  type Backend,
  bare,
  type Confined,
  type Report,
  type Request,
  SandboxUnavailable,
  type Wish
} from "./Confinement.ts"
import * as Disk from "./Disk.ts"
import * as Docker from "./Docker.ts"
import * as Firejail from "./Firejail.ts"
import * as Landlock from "./Landlock.ts"
import * as Plan from "./Plan.ts"
import type { Reach } from "./Reach.ts"
import * as Seatbelt from "./Seatbelt.ts"
import * as Trial from "./Trial.ts"

export interface Options {
  /** Postern's own places: hidden from every confined command. */
  readonly own: Plan.Surroundings["own"]
  readonly home?: string
  /** Whether a backend may be used that enforces only a part of what was asked (policy §5.1). */
  readonly partial?: { readonly files: boolean }
}

export interface Enforcement {
  readonly usable: boolean
  /** What is enforced, or what is missing: for people and models. */
  readonly note: string
  readonly report?: Report
  /** How an operator gets what is missing. */
  readonly remedy?: string
}

export interface Checked extends Enforcement {
  readonly mode: EffectiveSandbox
  readonly network: boolean
}

/** Holds each call to its mode and network, or refuses it (spec §6). Nothing runs less confined than it was asked for. */
export class Sandbox extends Context.Service<Sandbox, {
  /** A command that `Processes.run` takes as it is. What it needs on disk goes when the scope closes. */
  readonly confine: (
    argv: Command["argv"],
    request: Request
  ) => Effect.Effect<Confined, SandboxUnavailable, Scope.Scope>
  /** Whether this machine can hold a call to that; tries it out the first time, in about 10 ms. */
  readonly enforce: (mode: EffectiveSandbox, network: boolean, backend?: Wish) => Enforcement
  /** The same view of the disk for Postern's own file tools. Looks at the disk. */
  readonly reach: (request: Pick<Request, "mode" | "network" | "roots" | "readable">) => Reach
  /** Modes of a session that cannot be enforced here even with a network. Starts nothing where bubblewrap is installed. */
  readonly lacking: (backend?: Wish) => ReadonlyArray<SandboxMode>
  /** Every combination, for `postern sandbox check`. */
  readonly check: (backend?: Wish) => ReadonlyArray<Checked>
}>()("postern/sandbox/Sandbox") {
  static readonly layer = (options: Options): Layer.Layer<Sandbox> => Layer.effect(Sandbox, make(options))
}

const modes: ReadonlyArray<EffectiveSandbox> = [
  "workspace-read",
  "workspace-scratch",
  "read-only",
  "scratch",
  "workspace-write",
  "danger-full-access"
]

const nothing: BackendService = {
  name: "none",
  offer: (mode, network) => ({
    backend: "none",
    mode,
    network,
    files: "none",
    net: "none",
    processes: "none",
    notes: ["nothing is confined"]
  }),
  confine: (plan, { argv, env }) =>
    Effect.succeed({
      argv,
      env,
      cwd: plan.cwd,
      runner: bare,
      report: nothing.offer(plan.mode, plan.network) as Report,
      afterwards: () => []
    })
}

/** The backend that confines nothing, whatever the mode: only for where the operator and the session both ask for it. */
export const unconfined = "unconfined"

const names: { readonly [name: string]: Backend | undefined } = {
  bubblewrap: "bubblewrap",
  bwrap: "bubblewrap",
  landlock: "landlock",
  seatbelt: "seatbelt",
  sandboxexec: "seatbelt",
  "sandbox-exec": "seatbelt",
  firejail: "firejail",
  docker: "docker"
}

export const words = ({ backend, files, net, network, notes, processes }: Report): string => {
  const parts = [`${backend}: files ${files}`, network ? "network open" : `network ${net}`, `processes ${processes}`]
  return [parts.join(", "), ...notes].join("; ")
}

interface Chosen {
  readonly backend: BackendService
  readonly report: Report
}

/** The first of these that offers the combination; with none, what each of them lacks. */
const firstOf = (
  backends: ReadonlyArray<BackendService>,
  mode: EffectiveSandbox,
  network: boolean,
  partial: boolean
): Chosen | Lacking => {
  const lacking: Array<Lacking> = []
  for (const backend of backends) {
    const offer = backend.offer(mode, network)
    if (!isLacking(offer) && (offer.files !== "partial" || partial || Plan.isScratch(mode))) {
      return { backend, report: offer }
    }
    lacking.push(
      isLacking(offer)
        ? offer
        : {
          missing: `${backend.name} confines files only in part.`,
          remedy: "Allow partial sandboxes, or install bubblewrap."
        }
    )
  }
  return {
    missing: lacking.map(({ missing }) => missing).join(" ") || `no sandbox exists for ${process.platform}.`,
    remedy: lacking[0]?.remedy ?? "Use Linux or macOS."
  }
}

/** A host with another HOME than its account's reads the account's keys all the same. */
const ownHomes = (): ReadonlyArray<string> => {
  const named = homedir()
  try {
    return [...new Set([named, userInfo().homedir])].filter((path) => isAbsolute(path) && path !== "/")
  } catch {
    return [named]
  }
}

const make = Effect.fnUntraced(function*(options: Options) {
  const variables = yield* Environment
  const find = Trial.finder(variables)
  const surroundings: Plan.Surroundings = {
    homes: options.home === undefined ? ownHomes() : [options.home],
    variables,
    own: options.own
  }
  const bubblewrap = BubblewrapBackend.make(find)
  const automatic = process.platform === "darwin"
    ? [Seatbelt.make()]
    : process.platform === "linux"
    ? [bubblewrap, Landlock.make(find)]
    : []
  const wished = new Map<string, BackendService | undefined>()

  const named = (wish: Wish): BackendService | undefined => {
    const key = JSON.stringify(wish)
    if (!wished.has(key)) {
      const all = [...automatic, Firejail.make(find, wish.firejailArgs ?? []), Docker.make(find, wish.dockerImage)]
      wished.set(key, all.find(({ name }) => name === names[wish.name]))
    }
    return wished.get(key)
  }

  const choose = (mode: EffectiveSandbox, network: boolean, wish: Wish = { name: "auto" }): Chosen | Lacking => {
    const { name: backend } = wish
    if (backend === unconfined || (mode === "danger-full-access" && network)) {
      return { backend: nothing, report: nothing.offer(mode, network) as Report }
    }
    if (backend === "auto") return firstOf(automatic, mode, network, options.partial?.files ?? true)
    const service = named(wish)
    if (service !== undefined) return firstOf([service], mode, network, true)
    return {
      missing: `the configured sandbox backend ${
        JSON.stringify(backend)
      } cannot confine anything on ${process.platform}.`,
      remedy:
        "Set sandbox_backend to auto, or choose the Sandbox mode danger-full-access where something around Postern is the sandbox."
    }
  }

  const enforce = (mode: EffectiveSandbox, network: boolean, backend?: Wish): Enforcement => {
    const chosen = choose(mode, network, backend)
    return "missing" in chosen
      ? { usable: false, note: chosen.missing, remedy: chosen.remedy }
      : { usable: true, note: words(chosen.report), report: chosen.report }
  }

  const confine = Effect.fnUntraced(function*(argv: Command["argv"], request: Request) {
    const chosen = choose(request.mode, request.network, request.backend)
    if ("missing" in chosen) return yield* new SandboxUnavailable(chosen)
    const plan = Plan.make(request, surroundings)
    if (plan instanceof SandboxUnavailable) return yield* plan
    const confined = yield* chosen.backend.confine(plan, { argv, env: { ...Plan.variables(plan), ...request.env } })
    const [program] = confined.argv
    if (!Plan.writes(request.mode) || !request.roots.some((root) => isInside(root, Disk.real(program) ?? program))) {
      return confined
    }
    return yield* new SandboxUnavailable({
      missing:
        `${program}, which would confine the command, lies in a folder of the session, where commands can replace it.`,
      remedy: "Install it outside of projects."
    })
  })

  const check = (backend?: Wish): ReadonlyArray<Checked> =>
    modes.flatMap((mode) => [true, false].map((network) => ({ mode, network, ...enforce(mode, network, backend) })))

  const lacking = (wish: Wish = { name: "auto" }): ReadonlyArray<SandboxMode> => {
    const likely = wish.name === "auto" || names[wish.name] === "bubblewrap"
    if (likely && process.platform === "linux" && find("bwrap") !== undefined) return []
    return knobValues.sandbox.filter((mode) => !enforce(mode, true, wish).usable)
  }

  return Sandbox.of({ lacking, confine, enforce, check, reach: (request) => Plan.reach(request, surroundings) })
})
