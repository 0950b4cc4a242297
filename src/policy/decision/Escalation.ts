import type { Capability } from "../../domain/Capability.ts"
import { ceiling, type EffectiveSandbox, isWider, type SandboxMode } from "../../domain/PolicySettings.ts"

/** A call may ask for a wider Sandbox mode than its session's, for itself alone; a person decides each time (policy §1.9 E16). */
export interface EscalationRequest {
  readonly mode: SandboxMode
  /** The model's own words. */
  readonly why: string | undefined
}

/** The code of a question about it. No answer to it is kept as a rule. */
export const asked = "SANDBOX_WIDER"

export interface Escalation {
  /** What the call would run in. */
  readonly mode: EffectiveSandbox
  /** What a person is asked, or why nobody is. */
  readonly question?: string
  readonly refusal?: string
}

const quoted = (why: string | undefined): string => {
  const words = why?.replace(/\s+/g, " ").trim() ?? ""
  return words === "" ? "it gives no reason" : `its reason: ${JSON.stringify(words.slice(0, 1000))}`
}

/** What the Work mode leaves to the call's capabilities is the most there is to ask for. */
export const of = (
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
