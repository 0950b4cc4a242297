import type { Capability, NetworkNeed } from "../../domain/Capability.ts"
import type * as Escalation from "./Escalation.ts"
import type { EffectiveSandbox, ResolvedSettings } from "../../domain/PolicySettings.ts"
import type { Limits } from "./Limits.ts"
import type { ActionContext, CallAction, RiskFinding } from "./CallAction.ts"
import type { RuleFacts, RuleHit } from "./Rules.ts"
import type { PolicyFlags } from "./PolicyFlags.ts"

/** All that the gates look at: one tool call, and what the session's policy says at its moment. */
export interface DecisionInput {
  readonly capabilities: ReadonlyArray<Capability>
  /** Why the owner of the session may not use the tool at all, if it may not. */
  readonly withheld?: string | undefined
  readonly network: NetworkNeed
  readonly parts: ReadonlyArray<CallAction>
  readonly shapes: ReadonlyArray<RiskFinding>
  /** Some program or code of a shell call is not literal, or it could not be read. */
  readonly opaque: boolean
  readonly networkPrograms: ReadonlyArray<string>
  readonly place: ActionContext
  readonly facts: RuleFacts
  readonly aliases?: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly shell: boolean
  readonly canonical: (path: string) => string | undefined
  readonly knobs: ResolvedSettings
  readonly limits: Limits
  /** What the user's rules say of the call. */
  readonly rule: RuleHit | undefined
  /** A deny or ask rule that names what the call may come to without naming it; where that is hidden, an ask rule. */
  readonly mayHit?: (hidden: boolean) => RuleHit | undefined
  readonly switches: PolicyFlags
  readonly wish?: Escalation.EscalationRequest
  /** Whether it is a shell command of no more than medium risk (zeroclaw §3.2). */
  readonly mediumRisk: () => boolean
  /** Whether a backend can hold a call to this mode; the answer's `note` is shown, and with `hides` nothing forbidden is within reach. */
  readonly enforce: (
    mode: EffectiveSandbox,
    network: boolean
  ) => { readonly usable: boolean; readonly note: string; readonly hides?: boolean }
}
