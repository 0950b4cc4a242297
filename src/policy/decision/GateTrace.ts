/** The gates by name, and what each says of a call. See docs/policy.md#gates. */

export type GateName = "validity" | "capability" | "network" | "boundary" | "rule" | "policy" | "response" | "sandbox"
export type GateVerdict = "pass" | "deny" | "ask" | "run" | "skip"

export interface GateTrace {
  readonly gate: GateName
  readonly verdict: GateVerdict
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

/** Every gate in order, also those that the call did not reach. */
export const complete = (reached: ReadonlyArray<GateTrace>): ReadonlyArray<GateTrace> =>
  order.map((gate) => reached.find((trace) => trace.gate === gate) ?? { gate, verdict: "skip", reason: "not reached" })

export type GateStep = {
  readonly verdict: "run" | "ask"
  readonly gate: GateName
  readonly code: string
  readonly reason: string
}
export type GateStop = {
  readonly verdict: "deny"
  readonly gate: GateName
  readonly code: string
  readonly reason: string
}

export const stop = (gate: GateName, code: string, reason: string): GateStop => ({
  verdict: "deny",
  gate,
  code,
  reason
})

/** Why a limit stops a call. */
export interface GateRefusal {
  readonly code: string
  readonly reason: string
}
