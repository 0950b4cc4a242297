import { Result } from "effect"
import type { CallAction } from "./CallAction.ts"
import type { MatchFacts } from "../rules/match/RuleCall.ts"
import { type KnownTools, parse } from "../rules/Rule.ts"
import { make, ruleEntry, type RuleSet } from "../rules/RuleSet.ts"
import { programsWith } from "../shell/programs/Table.ts"
import type { Capability } from "../../domain/Capability.ts"
import type { DecisionInput } from "./DecisionInput.ts"
import type { GateStep, GateStop } from "./GateTrace.ts"

const tools: KnownTools = new Map([["shell", "shell"]])

const makeRules = (): RuleSet =>
  make(
    programsWith("medium")
      .flatMap((row) => row.texts("medium").map((pattern) => `shell(${row.name} ${pattern})`))
      .map((text) => ruleEntry("managed", "allow", Result.getOrThrow(parse(text, { list: "allow", tools })))),
    tools
  )

let rules: RuleSet | undefined

const isLiteral = (part: CallAction): boolean => part.kind !== "command" || part.argv.every((word) => word !== null)

/** Whether a command line has only literal commands of medium risk. The caller checks the risk findings. */
export const isMediumRisk = (parts: ReadonlyArray<CallAction>, facts: MatchFacts): boolean =>
  parts.every(isLiteral) && (rules ??= makeRules()).decide("shell", parts, facts)?.list === "allow"

const whiteList: ReadonlySet<Capability> = new Set(["none", "ro", "shell_ro", "rw_plan"])
const blackList: ReadonlySet<Capability> = new Set(["rw", "shell_test", "shell_rw", "rw_plan"])

/**
 * The operator asks only about dangerous commands (`require_approval_for_medium_risk = false`), and Tool approval is
 * the default.
 */
const isLifted = ({ knobs, limits, mediumRisk, opaque, shapes }: DecisionInput): boolean =>
  !limits.askMediumRisk && limits.level === "supervised" && knobs.sources.tool_approval === "default"
  && shapes.length === 0 && !opaque && mediumRisk()

/** Gate 7: what Tool approval says of a call that no rule names. See docs/policy.md#tool-approval. */
export const toolApproval = (input: DecisionInput): GateStep | GateStop => {
  const { capabilities, knobs, limits, network, opaque, shapes, switches } = input
  const policy = knobs.values.tool_approval
  // At level full the default policy asks about no risk finding.
  const unguarded = limits.level === "full" && knobs.sources.tool_approval === "default"
  const dangerous = !unguarded && (shapes.length > 0 || opaque)
  const why = shapes[0] ? `dangerous shape ${shapes[0].category}` : "part of the command is not literal"
  const run = (reason: string): GateStep => ({ verdict: "run", gate: "policy", code: "POLICY_RUN", reason })
  const ask = (reason: string): GateStep => ({ verdict: "ask", gate: "policy", code: "POLICY_ASK", reason })
  const deny = (reason: string): GateStop => ({ verdict: "deny", gate: "policy", code: "POLICY_DENY", reason })
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
