import type { Effect, Scope } from "effect"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import type { BackendName, ConfinedCommand, EnforcementReport, SandboxUnavailable } from "../Confinement.ts"
import type { Plan } from "../plan/Plan.ts"

export interface BackendCommand {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly env: Readonly<Record<string, string>>
}

/** What a backend lacks for one combination, and what an operator can do about it. */
export interface MissingSupport {
  readonly missing: string
  readonly remedy: string
}

/** One way to confine a process. */
export interface SandboxBackend {
  readonly name: BackendName
  /** What it enforces for a combination. Tries it on this machine the first time, and remembers. */
  readonly offer: (mode: EffectiveSandbox, network: boolean) => EnforcementReport | MissingSupport
  /** Only for combinations it offers. What it needs on disk goes when the scope closes. */
  readonly confine: (
    plan: Plan,
    command: BackendCommand
  ) => Effect.Effect<ConfinedCommand, SandboxUnavailable, Scope.Scope>
}

export const isMissing = (offer: EnforcementReport | MissingSupport): offer is MissingSupport => "missing" in offer

/** Remembers what was found out about each combination. */
export const memoized = <A>(find: (mode: EffectiveSandbox, network: boolean) => A) => {
  const known = new Map<string, A>()
  return (mode: EffectiveSandbox, network: boolean): A => {
    const key = `${mode} ${network}`
    const found = known.get(key) ?? find(mode, network)
    known.set(key, found)
    return found
  }
}
