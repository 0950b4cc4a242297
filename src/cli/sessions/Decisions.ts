import type { ApprovalRecord, DecisionRecord } from "../../store/SessionStore.ts"
import { oneLine } from "../terminal/Text.ts"
import { table } from "../terminal/Table.ts"

/** The trail of a session for people: every decision, and what came of each question (policy §1.8). */
export const decisions = (trail: {
  readonly decisions: ReadonlyArray<DecisionRecord>
  readonly approvals: ReadonlyArray<ApprovalRecord>
}): string => {
  if (trail.decisions.length === 0) return "no tool call has been decided in this session\n"
  const answers = new Map(trail.approvals.map(({ answer, callId }) => [callId, answer ?? "no answer yet"]))
  return table(
    ["AT", "TOOL", "OUTCOME", "GATE", "CODE", "RULE", "KNOBS", "ANSWER", "REASON"],
    trail.decisions.map(({ at, callId, code, gate, knobs, outcome, reason, rule, shapes, tool }) => [
      at,
      oneLine(tool),
      outcome,
      gate,
      code,
      oneLine(rule ?? ""),
      knobs,
      oneLine(answers.get(callId) ?? ""),
      oneLine([reason, ...shapes.map(({ category, part }) => `${category}: ${part}`)].join("; "))
    ])
  )
}
