import * as ApprovalPolicy from "./ApprovalPolicy.ts"
import { doubt, type Limits, refuse } from "./Boundary.ts"
import type { Capability, NetworkNeed } from "./Capability.ts"
import * as Escalation from "./Escalation.ts"
import { type EffectiveSandbox, grants, type Knobs, type Resolved } from "./Knobs.ts"
import type { Part, Place, Shape } from "./Part.ts"
import type { RuleFacts } from "./Rules.ts"
import type { Switches } from "./Switches.ts"

/** One tool call through the ten gates of spec §5, in order. Pure: everything it looks at is in its input. */

export type GateName = "validity" | "capability" | "network" | "boundary" | "rule" | "policy" | "response" | "sandbox"
export type Verdict = "pass" | "deny" | "ask" | "run" | "skip"

export interface RuleHit {
  readonly list: "deny" | "ask" | "allow"
  readonly id: string
  readonly rule: string
  /** Why, in the words of whoever wrote the rule. */
  readonly reason?: string | undefined
}

export interface DecisionInput {
  readonly capabilities: ReadonlyArray<Capability>
  /** Why the owner of the session may not use the tool at all, if it may not. */
  readonly withheld?: string | undefined
  readonly network: NetworkNeed
  readonly parts: ReadonlyArray<Part>
  readonly shapes: ReadonlyArray<Shape>
  /** Some program or code of a shell call is not literal, or it could not be read. */
  readonly opaque: boolean
  readonly networkPrograms: ReadonlyArray<string>
  readonly place: Place
  readonly facts: RuleFacts
  readonly aliases?: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly shell: boolean
  readonly canonical: (path: string) => string | undefined
  readonly knobs: Resolved
  readonly limits: Limits
  /** What the user's rules say of the call. */
  readonly rule: RuleHit | undefined
  /** A deny or ask rule that names what the call may come to without naming it; where that is hidden, an ask rule. */
  readonly mayHit?: (hidden: boolean) => RuleHit | undefined
  readonly switches: Switches
  readonly wish?: Escalation.Wish
  /** Whether it is a shell command of no more than medium risk (zeroclaw §3.2). */
  readonly mediumRisk: () => boolean
  /** Whether a backend can hold a call to this mode; the answer's `note` is shown, and with `hides` nothing forbidden is within reach. */
  readonly enforce: (
    mode: EffectiveSandbox,
    network: boolean
  ) => { readonly usable: boolean; readonly note: string; readonly hides?: boolean }
}

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

export interface Decision {
  readonly outcome: "run" | "ask" | "deny"
  /** The gate that decided. */
  readonly gate: GateName
  readonly code: string
  readonly reason: string
  readonly capabilities: ReadonlyArray<Capability>
  readonly shapes: ReadonlyArray<Shape>
  readonly parts: ReadonlyArray<Part>
  /** Its parts are those of a command line. */
  readonly shell: boolean
  /** What rules were given to look at, besides the parts. */
  readonly facts: RuleFacts
  /** In force when it was made; absent where no gate could read the call. */
  readonly knobs?: Resolved
  readonly rule?: RuleHit
  /** What the call would run in; absent where it is denied. */
  readonly sandbox?: { readonly mode: EffectiveSandbox; readonly network: boolean; readonly note: string }
  readonly gates: ReadonlyArray<GateTrace>
}

export type Step = {
  readonly verdict: "run" | "ask"
  readonly gate: GateName
  readonly code: string
  readonly reason: string
}
export type Stop = { readonly verdict: "deny"; readonly gate: GateName; readonly code: string; readonly reason: string }

/** On one line: it may come from a file that somebody else wrote. */
const said = (reason: string): string => reason.replace(/\s+/g, " ").trim().slice(0, 500)

const ruleStep = ({ opaque, rule, shapes, switches }: DecisionInput): Step | Stop | undefined => {
  if (rule === undefined) return undefined
  const reason = `${rule.list} rule ${rule.rule}${rule.reason === undefined ? "" : ` (${said(rule.reason)})`}`
  if (rule.list === "deny") return { verdict: "deny", gate: "rule", code: "RULE_DENY", reason }
  const guarded = switches.guardAllow && (shapes.length > 0 || opaque)
  return rule.list === "ask" || guarded
    ? { verdict: "ask", gate: "rule", code: guarded && rule.list === "allow" ? "GUARD_ALLOW" : "RULE_ASK", reason }
    : { verdict: "run", gate: "rule", code: "RULE_ALLOW", reason }
}

/** What is forbidden may lie below what the call reads or writes: where nothing hides it, a person decides (policy §2.5). */
const unseen = (input: DecisionInput, hides: boolean): Step | undefined => {
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
const namesCommand = ({ rule }: RuleHit): boolean => /\(=?[\s*?]*[^\s*?)]/.test(rule)

const networkOf = ({ capabilities, network, switches }: DecisionInput, knobs: Knobs): boolean =>
  knobs.network === "on" && network !== "none" &&
  (network === "required" || capabilities.includes("shell_rw") ||
    (switches.testNetwork && capabilities.includes("shell_test")))

export const decide = (input: DecisionInput): Decision => {
  const { capabilities, knobs: { sources, values }, limits, networkPrograms, parts, rule, shapes } = input
  const gates: Array<GateTrace> = [{ gate: "validity", verdict: "pass", reason: "known tool, readable arguments" }]
  const note = (gate: GateName, verdict: Verdict, reason: string) => void gates.push({ gate, verdict, reason })
  const base = {
    capabilities,
    shapes,
    parts,
    facts: input.facts,
    knobs: input.knobs,
    shell: input.shell,
    ...(rule === undefined ? {} : { rule })
  }
  const finish = (outcome: Decision["outcome"], by: Step | Stop, sandbox?: Decision["sandbox"]): Decision => {
    return {
      outcome,
      gate: by.gate,
      code: by.code,
      reason: by.reason,
      ...base,
      ...(sandbox === undefined ? {} : { sandbox }),
      gates: complete(gates)
    }
  }
  const deny = (gate: GateName, code: string, reason: string): Decision => {
    note(gate, "deny", reason)
    return finish("deny", { verdict: "deny", gate, code, reason })
  }

  if (input.withheld !== undefined) return deny("capability", "TOOL_NOT_ALLOWED", input.withheld)
  const missing = capabilities.find((capability) => !grants(values.work_mode, capability))
  if (missing !== undefined) {
    return deny("capability", "CAPABILITY_NOT_GRANTED", `the Work mode ${values.work_mode} does not grant ${missing}`)
  }
  note("capability", "pass", `the Work mode ${values.work_mode} grants ${capabilities.join(", ")}`)

  if (values.network === "off" && (input.network === "required" || networkPrograms.length > 0)) {
    const who = networkPrograms.length > 0 ? networkPrograms.join(", ") : "the call"
    return deny("network", "NETWORK_DENIED", `Network access is off, and ${who} needs a network`)
  }
  note("network", "pass", input.network === "none" ? "no network needed" : `Network access is ${values.network}`)

  const explicit = sources.tool_approval === "session" ||
    (rule !== undefined && rule.list !== "deny" && namesCommand(rule))
  const refusal = refuse(limits, {
    ...input,
    inner: input.facts.inner ?? [],
    decidedElsewhere: explicit || (rule?.list === "deny")
  })
  if (refusal) return deny("boundary", refusal.code, refusal.reason)
  note("boundary", "pass", `within the limits of level ${limits.level}`)

  const { mode, question, refusal: tooWide } = Escalation.of(capabilities, values.sandbox, input.wish)
  const network = networkOf(input, values)
  const { hides = false, note: enforcement, usable } = input.enforce(mode, network)
  const byRule = ruleStep(input)
  note("rule", byRule?.verdict ?? "pass", byRule?.reason ?? "no rule matches")
  if (byRule?.verdict === "deny") return finish("deny", byRule)
  const decided = byRule ?? ApprovalPolicy.step(input)
  const unsure = decided.verdict === "run" ? unseen(input, hides) : undefined
  const found = unsure ?? decided
  if (unsure) note("policy", "ask", unsure.reason)
  else if (byRule) note("policy", "skip", "a rule decided")
  else note("policy", found.verdict, found.reason)
  if (found.verdict === "deny") return finish("deny", found)
  if (tooWide !== undefined) return deny("sandbox", "SANDBOX_NOT_WIDER", tooWide)
  const step: Step = question === undefined ? found : {
    verdict: "ask",
    gate: "sandbox",
    code: Escalation.asked,
    reason: found.verdict === "ask" ? `${question}; ${found.reason}` : question
  }

  if (step.verdict === "ask") {
    if (values.approval_response === "never") {
      return deny("response", "APPROVAL_NEVER", `${step.reason}; the Approval response policy is never`)
    }
    note("response", "ask", "a person is asked")
  } else note("response", "skip", "nobody needs to be asked")

  if (!usable) return deny("sandbox", "SANDBOX_UNAVAILABLE", enforcement)
  note("sandbox", question === undefined ? "pass" : "ask", `${mode}, network ${network ? "on" : "off"}: ${enforcement}`)
  return finish(step.verdict, step, { mode, network, note: enforcement })
}
