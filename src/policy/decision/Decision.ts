import * as Gates from "./Gates.ts"
import type { Capability } from "../../domain/Capability.ts"
import type { DecisionInput } from "./DecisionInput.ts"
import * as Escalation from "./Escalation.ts"
import {
  complete,
  type GateName,
  type GateStep,
  type GateStop,
  type GateTrace,
  type GateVerdict,
  stop
} from "./GateTrace.ts"
import type { EffectiveSandbox, PolicySettings, ResolvedSettings } from "../../domain/PolicySettings.ts"
import type { CallAction, RiskFinding } from "./CallAction.ts"
import type { RuleFacts, RuleHit } from "./RuleFacts.ts"

/**
 * Takes one tool call through the ten gates, in order. Pure: everything it looks at is in its input. See
 * docs/policy.md#gates.
 */

export interface Decision {
  readonly outcome: "run" | "ask" | "deny"
  /** The gate that decided. */
  readonly gate: GateName
  readonly code: string
  readonly reason: string
  readonly capabilities: ReadonlyArray<Capability>
  readonly shapes: ReadonlyArray<RiskFinding>
  readonly parts: ReadonlyArray<CallAction>
  /** The actions are those of a command line. */
  readonly shell: boolean
  /** What rules looked at besides the actions. */
  readonly facts: RuleFacts
  /** The settings in force; absent where no gate could read the call. */
  readonly settings?: ResolvedSettings
  readonly rule?: RuleHit
  /** A person has to give a one-time code before the call runs, whatever else they are asked. */
  readonly takesCode?: true
  /** The sandbox of the call; absent where the call is denied. */
  readonly sandbox?: { readonly mode: EffectiveSandbox; readonly network: boolean; readonly note: string }
  readonly gates: ReadonlyArray<GateTrace>
}

const networkOf = ({ capabilities, network, flags }: DecisionInput, settings: PolicySettings): boolean =>
  settings.network === "on" && network !== "none" &&
  (network === "required" || capabilities.includes("shell_rw") ||
    (flags.testNetwork && capabilities.includes("shell_test")))

/** Adds the question about a wider sandbox to what else is asked. */
const widened = (found: GateStep, question: string): GateStep => ({
  verdict: "ask",
  gate: "sandbox",
  code: Escalation.escalationCode,
  reason: found.verdict === "ask" ? `${question}; ${found.reason}` : question
})

const ofCall = ({ capabilities, code, facts, settings, parts, rule, shapes, shell }: DecisionInput) => ({
  capabilities,
  shapes,
  parts,
  facts,
  settings,
  shell,
  ...(code === undefined ? {} : { takesCode: true as const }),
  ...(rule === undefined ? {} : { rule })
})

export const decide = (input: DecisionInput): Decision => {
  const { capabilities, settings: { values } } = input
  const gates: Array<GateTrace> = [{ gate: "validity", verdict: "pass", reason: "known tool, readable arguments" }]
  const note = (gate: GateName, verdict: GateVerdict, reason: string) => void gates.push({ gate, verdict, reason })
  const finish = (
    outcome: Decision["outcome"],
    { code, gate, reason }: GateStep | GateStop,
    sandbox?: Decision["sandbox"]
  ): Decision => ({
    outcome,
    gate,
    code,
    reason,
    ...ofCall(input),
    ...(sandbox === undefined ? {} : { sandbox }),
    gates: complete(gates)
  })
  const deny = (by: GateStop): Decision => {
    note(by.gate, "deny", by.reason)
    return finish("deny", by)
  }

  // The first of the operator's limits: it holds whatever else would be said of the call.
  if (input.halted) return deny(stop("boundary", input.halted.code, input.halted.reason))
  for (const [gate, judge] of Gates.hardGates) {
    const said = judge(input)
    if (typeof said !== "string") return deny(said)
    note(gate, "pass", said)
  }

  const { mode, question, refusal: tooWide } = Escalation.escalationOf(capabilities, values.sandbox, input.wish)
  const network = networkOf(input, values)
  const { hides = false, note: enforcement, usable } = input.enforce(mode, network)
  const byRule = Gates.ruleStep(input)
  note("rule", byRule?.verdict ?? "pass", byRule?.reason ?? "no rule matches")
  if (byRule?.verdict === "deny") return finish("deny", byRule)
  const decided = byRule ?? Gates.toolApproval(input)
  const untold = decided.verdict !== "deny" && byRule?.verdict !== "ask" ? Gates.unanalysed(input) : undefined
  const unsure = untold ?? (decided.verdict === "run" ? Gates.unseen(input, hides) : undefined)
  const found = unsure ?? decided
  if (unsure) note("policy", "ask", unsure.reason)
  else if (byRule) note("policy", "skip", "a rule decided")
  else note("policy", found.verdict, found.reason)
  if (found.verdict === "deny") return finish("deny", found)
  if (tooWide !== undefined) return deny(stop("sandbox", "SANDBOX_NOT_WIDER", tooWide))
  const asked = question === undefined ? found : widened(found, question)
  if (input.code === "none-enrolled") return deny(Gates.codeMissing)
  const step = input.code === undefined || asked.verdict === "ask" ? asked : Gates.codeStep

  if (step.verdict === "ask") {
    if (values.approval_response === "never") {
      return deny(stop("response", "APPROVAL_NEVER", `${step.reason}; the Approval response policy is never`))
    }
    note("response", "ask", input.code === undefined ? "a person is asked" : "a person is asked for a one-time code")
  } else note("response", "skip", "nobody needs to be asked")

  if (!usable) return deny(stop("sandbox", "SANDBOX_UNAVAILABLE", enforcement))
  note("sandbox", question === undefined ? "pass" : "ask", `${mode}, network ${network ? "on" : "off"}: ${enforcement}`)
  return finish(step.verdict, step, { mode, network, note: enforcement })
}
