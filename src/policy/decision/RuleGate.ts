import type { DecisionInput } from "./DecisionInput.ts"
import type { GateStep, GateStop } from "./GateTrace.ts"
import { doubt } from "./Boundary.ts"
import type { RuleHit } from "./RuleFacts.ts"

/** Puts a reason on one line: the file it comes from may have another author. */
const said = (reason: string): string => reason.replace(/\s+/g, " ").trim().slice(0, 500)

/** What the rule that names the call says; `undefined` where no rule does. */
export const ruleStep = ({ opaque, rule, shapes, switches }: DecisionInput): GateStep | GateStop | undefined => {
  if (rule === undefined) return undefined
  const reason = `${rule.list} rule ${rule.rule}${rule.reason === undefined ? "" : ` (${said(rule.reason)})`}`
  if (rule.list === "deny") return { verdict: "deny", gate: "rule", code: "RULE_DENY", reason }
  const guarded = switches.guardAllow && (shapes.length > 0 || opaque)
  return rule.list === "ask" || guarded
    ? { verdict: "ask", gate: "rule", code: guarded && rule.list === "allow" ? "GUARD_ALLOW" : "RULE_ASK", reason }
    : { verdict: "run", gate: "rule", code: "RULE_ALLOW", reason }
}

/**
 * Asks where forbidden paths may lie below what the call reads or writes and no sandbox hides them. See
 * docs/policy.md#rule-precedence.
 */
export const unseen = (input: DecisionInput, hides: boolean): GateStep | undefined => {
  const { limits } = input
  const mayHit = input.mayHit?.(hides)
  if (mayHit !== undefined) {
    return {
      verdict: "ask",
      gate: "rule",
      code: "RULE_ASK",
      reason: `the call may come to what the ${mayHit.list} rule ${mayHit.rule} names`
    }
  }
  const reason = hides
    ? undefined
    : doubt(limits, { ...input, inner: input.facts.inner ?? [], decidedElsewhere: false })
  return reason === undefined ? undefined : { verdict: "ask", gate: "boundary", code: "MAY_TOUCH_PROTECTED", reason }
}

/** Whether a rule names a command: a rule about a whole tool, or about any command, does not cover a dangerous one. */
export const namesCommand = ({ rule }: RuleHit): boolean => /\(=?[\s*?]*[^\s*?)]/.test(rule)
