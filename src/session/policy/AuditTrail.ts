import type { Decision } from "../../policy/decision/Decision.ts"
import type { PolicySettings } from "../../domain/PolicySettings.ts"
import type { DecisionRecord } from "../../store/SessionStore.ts"

const hashOf = (knobs: PolicySettings) =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(JSON.stringify(knobs)).digest("hex").slice(0, 16)

/** A decision as the trail keeps it, with the knobs that were in force. */
export const of = (
  callId: string,
  tool: string,
  { code, gate, outcome, reason, rule, shapes }: Decision,
  knobs: PolicySettings
): Omit<DecisionRecord, "at"> => ({
  callId,
  tool,
  outcome,
  gate,
  code,
  reason,
  rule: rule?.rule ?? null,
  shapes,
  knobs: hashOf(knobs)
})
