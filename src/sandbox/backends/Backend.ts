import type { Effect, Scope } from "effect"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import type { Backend, Confined, Report, SandboxUnavailable } from "../Confinement.ts"
import type { Plan } from "../plan/Plan.ts"

export interface Command {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly env: Readonly<Record<string, string>>
}

/** What a backend lacks for one combination, and what an operator can do about it. */
export interface Lacking {
  readonly missing: string
  readonly remedy: string
}

/** One way to confine a process. */
export interface BackendService {
  readonly name: Backend
  /** What it enforces for a combination. Tries it on this machine the first time, and remembers. */
  readonly offer: (mode: EffectiveSandbox, network: boolean) => Report | Lacking
  /** Only for combinations it offers. What it needs on disk goes when the scope closes. */
  readonly confine: (plan: Plan, command: Command) => Effect.Effect<Confined, SandboxUnavailable, Scope.Scope>
}

export const isLacking = (offer: Report | Lacking): offer is Lacking => "missing" in offer

/** Remembers what was found out about each combination. */
export const remember = <A>(find: (mode: EffectiveSandbox, network: boolean) => A) => {
  const known = new Map<string, A>()
  return (mode: EffectiveSandbox, network: boolean): A => {
    const key = `${mode} ${network}`
    const found = known.get(key) ?? find(mode, network)
    known.set(key, found)
    return found
  }
}
