import type { Decision } from "../../policy/decision/Decision.ts"
import { invalid } from "./Gate.ts"
import { complete } from "../../policy/decision/GateTrace.ts"
import type { RulesInvalid } from "../../policy/rules/RulesFile.ts"
import type { Decided } from "../turn/CallContext.ts"

/** What becomes of a call after the gates and the people have spoken. */
export type Verdict =
  | { readonly _tag: "Run"; readonly decided: Decided }
  | { readonly _tag: "Refused" } & Pick<Decision, "gate" | "code" | "reason">
  | { readonly _tag: "Replaced"; readonly text: string }

export const refused = ({ code, gate, reason }: Pick<Decision, "gate" | "code" | "reason">): Verdict => ({
  _tag: "Refused",
  gate,
  code,
  reason
})
export const notAllowed = (code: string, reason: string): Verdict => ({
  _tag: "Refused",
  gate: "response",
  code,
  reason
})

export const deepArguments = {
  code: "BAD_ARGUMENTS",
  message: "The arguments are nested more than 1000 levels deep."
} as const

const denied = (gate: Decision["gate"], code: string, reason: string): Decision => ({
  ...invalid("BAD_ARGUMENTS", reason),
  gate,
  code,
  gates: complete([{ gate, verdict: "deny", reason }])
})

/** Calls that were decided at the same time as this one have used up what the operator allows. */
export const notCounted = denied("boundary", "ACTION_LIMIT", "the limit of actions an hour is reached")

/** Rules that cannot be read close every gate: a broken file might have held a deny rule. */
export const brokenRules = ({ message }: RulesInvalid): Decision => denied("rule", "RULES_INVALID", message)
