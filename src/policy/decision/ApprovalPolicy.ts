import type { Capability } from "../../domain/Capability.ts"
import type { DecisionInput } from "./DecisionInput.ts"
import type { Step, Stop } from "./GateTrace.ts"

const whiteList: ReadonlySet<Capability> = new Set(["none", "ro", "shell_ro", "rw_plan"])
const blackList: ReadonlySet<Capability> = new Set(["rw", "shell_test", "shell_rw", "rw_plan"])

/** The operator asks about dangerous commands only, and nobody has chosen another policy (zeroclaw §3.1). */
const isLifted = ({ knobs, limits, mediumRisk, opaque, shapes }: DecisionInput): boolean =>
  !limits.askMediumRisk && limits.level === "supervised" && knobs.sources.tool_approval === "default"
  && shapes.length === 0 && !opaque && mediumRisk()

/** Gate 7: what the Tool approval policy says of a call that no rule names (spec §5). */
export const step = (input: DecisionInput): Step | Stop => {
  const { capabilities, knobs, limits, network, opaque, shapes, switches } = input
  const policy = knobs.values.tool_approval
  // At level full the default policy asks about no shape (spec §5).
  const unguarded = limits.level === "full" && knobs.sources.tool_approval === "default"
  const dangerous = !unguarded && (shapes.length > 0 || opaque)
  const why = shapes[0] ? `dangerous shape ${shapes[0].category}` : "part of the command is not literal"
  const run = (reason: string): Step => ({ verdict: "run", gate: "policy", code: "POLICY_RUN", reason })
  const ask = (reason: string): Step => ({ verdict: "ask", gate: "policy", code: "POLICY_ASK", reason })
  const deny = (reason: string): Stop => ({ verdict: "deny", gate: "policy", code: "POLICY_DENY", reason })
  switch (policy) {
    case "manual":
      return ask("manual: every call is asked about")
    case "universal_reject":
      return deny("universal_reject: only what a rule allows runs")
    case "whitelist_accept":
      if (capabilities.every((capability) => whiteList.has(capability))) {
        return switches.askNetworkReads && network === "required"
          ? ask("whitelist_accept: the call reads from the network")
          : run("whitelist_accept: the call only reads")
      }
      return isLifted(input)
        ? run("whitelist_accept: the operator asks nothing about commands of medium risk")
        : ask(`whitelist_accept: the call needs ${capabilities.join(", ")}`)
    case "universal_accept":
      return dangerous ? ask(`universal_accept: ${why}`) : run("universal_accept")
    case "blacklist_reject":
      if (capabilities.some((capability) => blackList.has(capability))) {
        return deny(`blacklist_reject: the call needs ${capabilities.join(", ")}`)
      }
      return dangerous ? ask(`blacklist_reject: ${why}`) : run("blacklist_reject: the call only reads")
  }
}
