import type { DecisionInput } from "./DecisionInput.ts"
import type { Step, Stop } from "./GateTrace.ts"
import { doubt } from "./PatternLimits.ts"
import type { RuleHit } from "./Rules.ts"

/** What the user's rules say of a call (spec §5). */

/** On one line: it may come from a file that somebody else wrote. */
const said = (reason: string): string => reason.replace(/\s+/g, " ").trim().slice(0, 500)

/** Nothing where no rule names the call. */
export const step = ({ opaque, rule, shapes, switches }: DecisionInput): Step | Stop | undefined => {
  if (rule === undefined) return undefined
  const reason = `${rule.list} rule ${rule.rule}${rule.reason === undefined ? "" : ` (${said(rule.reason)})`}`
  if (rule.list === "deny") return { verdict: "deny", gate: "rule", code: "RULE_DENY", reason }
  const guarded = switches.guardAllow && (shapes.length > 0 || opaque)
  return rule.list === "ask" || guarded
    ? { verdict: "ask", gate: "rule", code: guarded && rule.list === "allow" ? "GUARD_ALLOW" : "RULE_ASK", reason }
    : { verdict: "run", gate: "rule", code: "RULE_ALLOW", reason }
}

/** What is forbidden may lie below what the call reads or writes: where nothing hides it, a person decides (policy §2.5). */
export const unseen = (input: DecisionInput, hides: boolean): Step | undefined => {
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

/** A rule about a whole tool, or about any command at all, is no word for a dangerous one (zeroclaw §3.3). */
export const namesCommand = ({ rule }: RuleHit): boolean => /\(=?[\s*?]*[^\s*?)]/.test(rule)
