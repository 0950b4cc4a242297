import { boundaryRefusal } from "./Boundary.ts"
import type { DecisionInput } from "./DecisionInput.ts"
import { type GateName, type GateStop, stop } from "./GateTrace.ts"
import { grants } from "../../domain/PolicySettings.ts"
import { namesCommand } from "./RuleGate.ts"

/** Gates that only deny: Work mode, Network access and the operator's limits. See docs/policy.md#gates. */

/** The reason why the call passes, or what stops it. */
type Judge = (input: DecisionInput) => string | GateStop

const capability: Judge = ({ capabilities, knobs: { values }, withheld }) => {
  if (withheld !== undefined) return stop("capability", "TOOL_NOT_ALLOWED", withheld)
  const missing = capabilities.find((capability) => !grants(values.work_mode, capability))
  return missing === undefined
    ? `the Work mode ${values.work_mode} grants ${capabilities.join(", ")}`
    : stop("capability", "CAPABILITY_NOT_GRANTED", `the Work mode ${values.work_mode} does not grant ${missing}`)
}

const network: Judge = ({ knobs: { values }, network, networkPrograms }) => {
  if (values.network === "off" && (network === "required" || networkPrograms.length > 0)) {
    const who = networkPrograms.length > 0 ? networkPrograms.join(", ") : "the call"
    return stop("network", "NETWORK_DENIED", `Network access is off, and ${who} needs a network`)
  }
  return network === "none" ? "no network needed" : `Network access is ${values.network}`
}

const boundary: Judge = (input) => {
  const { knobs: { sources }, limits, rule } = input
  const explicit = sources.tool_approval === "session" ||
    (rule !== undefined && rule.list !== "deny" && namesCommand(rule))
  const refusal = boundaryRefusal(limits, {
    ...input,
    inner: input.facts.inner ?? [],
    decidedElsewhere: explicit || (rule?.list === "deny")
  })
  return refusal === undefined
    ? `within the limits of level ${limits.level}`
    : stop("boundary", refusal.code, refusal.reason)
}

/** In the order of the decision. */
export const hardGates: ReadonlyArray<readonly [GateName, Judge]> = [
  ["capability", capability],
  ["network", network],
  ["boundary", boundary]
]
