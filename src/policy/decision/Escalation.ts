import type { Capability } from "../../domain/Capability.ts"
import { ceiling, type EffectiveSandbox, isWider, type SandboxMode } from "../../domain/PolicySettings.ts"
import { beginning } from "../../domain/Cut.ts"

/**
 * A call's request for a wider sandbox mode than its session's; a person decides each time. See
 * docs/policy.md#wider-sandbox.
 */
export interface EscalationRequest {
  readonly mode: SandboxMode
  /** The model's own words. */
  readonly why: string | undefined
}

/** The code of the question. No answer to it is kept as a rule. */
export const escalationCode = "SANDBOX_WIDER"

export interface Escalation {
  /** The mode in which the call runs. */
  readonly mode: EffectiveSandbox
  /** The question, or why nobody is asked. */
  readonly question?: string
  readonly refusal?: string
}

const quoted = (why: string | undefined): string => {
  const words = why?.replace(/\s+/g, " ").trim() ?? ""
  return words === "" ? "it gives no reason" : `its reason: ${JSON.stringify(beginning(words, 1000))}`
}

/** A call cannot ask for more than the Work mode grants to its capabilities. */
export const escalationOf = (
  capabilities: ReadonlyArray<Capability>,
  session: SandboxMode,
  wish: EscalationRequest | undefined
): Escalation => {
  const usual = ceiling(capabilities, session)
  if (wish === undefined) return { mode: usual }
  const mode = ceiling(capabilities, wish.mode)
  return isWider(mode, usual)
    ? { mode, question: `the call asks for the sandbox ${mode} instead of ${usual}, this once; ${quoted(wish.why)}` }
    : {
      mode: usual,
      refusal: `the call asks for the Sandbox mode ${wish.mode}, and a call that needs ${
        capabilities.join(", ")
      } gets no more than ${usual}`
    }
}
