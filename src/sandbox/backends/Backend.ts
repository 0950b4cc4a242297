import type { Effect, Scope } from "effect"
import type { EffectiveSandbox } from "../../domain/PolicySettings.ts"
import type {
  Attribution,
  BackendName,
  ConfinedCommand,
  EnforcementReport,
  RunnerExit,
  SandboxUnavailable
} from "../Confinement.ts"
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

/**
 * What programs print when a backend refused them something (docs/sandbox.md#what-a-refusal-looks-like). Evidence, not
 * proof: the command can print it too.
 */

export const bubblewrapRefusal =
  /Read-only file system|Invalid cross-device link|Device or resource busy|Permission denied|Operation not permitted/
export const landlockRefusal = /Permission denied/
export const seatbeltRefusal = /Operation not permitted/

const network =
  /Network is unreachable|Temporary failure in name resolution|Could not resolve host|Connection refused|ENETUNREACH|EAI_AGAIN|ECONNREFUSED/

export const readRefusal = (
  { code, stderr, stopped }: RunnerExit,
  plan: Pick<Plan, "mode" | "network">,
  files: RegExp
): Attribution => {
  // Above 128 is a signal, and how a program died says nothing about a refusal; 126 is a file that is no program.
  if (code === null || code === 0 || code === 126 || code > 128 || stopped) return { kind: "ordinary" }
  const phrase = files.exec(stderr)?.[0]
  if (plan.mode !== "danger-full-access" && phrase !== undefined) {
    return { kind: "denied", note: `something was probably refused under ${plan.mode} ("${phrase}")` }
  }
  const unreachable = plan.network ? undefined : network.exec(stderr)?.[0]
  return unreachable === undefined
    ? { kind: "ordinary" }
    : { kind: "denied", note: `the call has no network ("${unreachable}")` }
}
