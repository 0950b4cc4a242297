/** The gates of spec §5 by their names, and what each of them says of a call. */

export type GateName = "validity" | "capability" | "network" | "boundary" | "rule" | "policy" | "response" | "sandbox"
export type Verdict = "pass" | "deny" | "ask" | "run" | "skip"

export interface GateTrace {
  readonly gate: GateName
  readonly verdict: Verdict
  readonly reason: string
}

const order: ReadonlyArray<GateName> = [
  "validity",
  "capability",
  "network",
  "boundary",
  "rule",
  "policy",
  "response",
  "sandbox"
]

/** Every gate in order, also those that a call did not come to. */
export const complete = (reached: ReadonlyArray<GateTrace>): ReadonlyArray<GateTrace> =>
  order.map((gate) => reached.find((trace) => trace.gate === gate) ?? { gate, verdict: "skip", reason: "not reached" })

export type Step = {
  readonly verdict: "run" | "ask"
  readonly gate: GateName
  readonly code: string
  readonly reason: string
}
export type Stop = { readonly verdict: "deny"; readonly gate: GateName; readonly code: string; readonly reason: string }

export const stop = (gate: GateName, code: string, reason: string): Stop => ({ verdict: "deny", gate, code, reason })

/** Why a limit stops a call. */
export interface Refusal {
  readonly code: string
  readonly reason: string
}
