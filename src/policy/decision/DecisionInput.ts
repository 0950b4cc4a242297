import type { Capability, NetworkNeed } from "../../domain/Capability.ts"
import type { StopRefusal } from "../../domain/EmergencyStop.ts"
import type * as Escalation from "./Escalation.ts"
import type { EffectiveSandbox, ResolvedSettings } from "../../domain/PolicySettings.ts"
import type { OperatorLimits } from "./Limits.ts"
import type { ActionContext, CallAction, RiskFinding } from "./CallAction.ts"
import type { RuleFacts, RuleHit } from "./RuleFacts.ts"
import type { PolicyFlags } from "./PolicyFlags.ts"

/** Everything the gates look at: one tool call, and the session's policy at that moment. */
export interface DecisionInput {
  readonly capabilities: ReadonlyArray<Capability>
  /** Why the owner of the session may not use the tool; absent where it may. */
  readonly withheld?: string | undefined
  /** Why an emergency stop forbids the call; absent where none does. */
  readonly halted?: StopRefusal | undefined
  /** Whether a person has to give a one-time code, and cannot where none is enrolled. */
  readonly code?: "ask" | "none-enrolled" | undefined
  readonly network: NetworkNeed
  readonly parts: ReadonlyArray<CallAction>
  readonly shapes: ReadonlyArray<RiskFinding>
  /** A program or code of a shell call is not literal, or the call could not be parsed. */
  readonly opaque: boolean
  /** Why not all of a shell call was looked at, as the end of a sentence about the command. */
  readonly unanalysed?: string | undefined
  readonly networkPrograms: ReadonlyArray<string>
  readonly place: ActionContext
  readonly facts: RuleFacts
  readonly aliases?: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly shell: boolean
  readonly canonical: (path: string) => string | undefined
  readonly settings: ResolvedSettings
  readonly limits: OperatorLimits
  /** The rule that decides about the call. */
  readonly rule: RuleHit | undefined
  /** A deny or ask rule about paths that the call may reach without naming them; with `hidden`, an ask rule only. */
  readonly mayHit?: (hidden: boolean) => RuleHit | undefined
  readonly flags: PolicyFlags
  readonly wish?: Escalation.EscalationRequest
  /** Whether it is a shell command of at most medium risk. */
  readonly mediumRisk: () => boolean
  /**
   * Whether a backend can enforce this mode. `note` is shown; `hides`: paths of deny rules are hidden from the call.
   */
  readonly enforce: (
    mode: EffectiveSandbox,
    network: boolean
  ) => { readonly usable: boolean; readonly note: string; readonly hides?: boolean }
}
