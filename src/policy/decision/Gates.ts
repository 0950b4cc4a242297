import { Result } from "effect"
import { boundaryRefusal, doubt, readsOutside } from "./Boundary.ts"
import type { DecisionInput } from "./DecisionInput.ts"
import { type GateName, type GateStep, type GateStop, stop } from "./GateTrace.ts"
import { grants, type PolicySettings } from "../../domain/PolicySettings.ts"
import type { PolicyFlags } from "./PolicyFlags.ts"
import type { RuleHit } from "./RuleFacts.ts"
import type { CallAction } from "./CallAction.ts"
import type { MatchFacts } from "../rules/match/RuleCall.ts"
import { type KnownTools, parse } from "../rules/Rule.ts"
import { make, ruleEntry, type RuleSet } from "../rules/RuleSet.ts"
import { programsWith } from "../shell/programs/Table.ts"
import { beginning } from "../../domain/Cut.ts"

/** Gates that only deny: Work mode, Network access and the operator's limits. See docs/policy.md#gates. */

/** The reason why the call passes, or what stops it. */
type Judge = (input: DecisionInput) => string | GateStop

const capability: Judge = ({ capabilities, settings: { values }, withheld }) => {
  if (withheld !== undefined) return stop("capability", "TOOL_NOT_ALLOWED", withheld)
  const missing = capabilities.find((capability) => !grants(values.work_mode, capability))
  return missing === undefined
    ? `the Work mode ${values.work_mode} grants ${capabilities.join(", ")}`
    : stop("capability", "CAPABILITY_NOT_GRANTED", `the Work mode ${values.work_mode} does not grant ${missing}`)
}

const network: Judge = ({ settings: { values }, network, networkPrograms }) => {
  if (values.network === "off" && (network === "required" || networkPrograms.length > 0)) {
    const who = networkPrograms.length > 0 ? networkPrograms.join(", ") : "the call"
    return stop("network", "NETWORK_DENIED", `Network access is off, and ${who} needs a network`)
  }
  return network === "none" ? "no network needed" : `Network access is ${values.network}`
}

const boundary: Judge = (input) => {
  const { settings: { sources }, limits, rule } = input
  const explicit = sources.tool_approval === "session" ||
    (rule !== undefined && rule.list !== "deny" && rule.guard !== true && namesCommand(rule))
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

/** Puts a reason on one line: the file it comes from may have another author. */
const said = (reason: string): string => beginning(reason.replace(/\s+/g, " ").trim(), 500)

/** What the rule that names the call says; `undefined` where no rule does. */
export const ruleStep = ({ opaque, rule, shapes, flags }: DecisionInput): GateStep | GateStop | undefined => {
  if (rule === undefined) return undefined
  const reason = `${rule.list} rule ${rule.rule}${rule.reason === undefined ? "" : ` (${said(rule.reason)})`}`
  if (rule.list === "deny") return { verdict: "deny", gate: "rule", code: "RULE_DENY", reason }
  const guarded = flags.guardAllow && (shapes.length > 0 || opaque)
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

/** Asks about a command that was not looked at as a whole, whatever else lets it run. */
export const unanalysed = ({ unanalysed: why }: DecisionInput): GateStep | undefined =>
  why === undefined ? undefined : { verdict: "ask", gate: "policy", code: "UNANALYSED", reason: `the command ${why}` }

/** What would run unasked takes a one-time code. See docs/one-time-codes.md. */
export const codeStep: GateStep = {
  verdict: "ask",
  gate: "response",
  code: "OTP_REQUIRED",
  reason: "the call takes a one-time code (security.otp)"
}

export const codeMissing: GateStop = stop(
  "response",
  "OTP_NOT_ENROLLED",
  "the call takes a one-time code (security.otp), and none is enrolled: postern otp enroll does that"
)

/** Whether a rule names a command: a rule about a whole tool, or about any command, does not cover a dangerous one. */
const namesCommand = ({ rule }: RuleHit): boolean => /\(=?[\s*?]*[^\s*?)]/.test(rule)

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

/**
 * The operator asks only about dangerous commands (`require_approval_for_medium_risk = false`), and Tool approval is
 * the default.
 */
const isLifted = ({ settings, limits, mediumRisk, opaque, shapes }: DecisionInput): boolean =>
  !limits.askMediumRisk && limits.level === "supervised" && settings.sources.tool_approval === "default"
  && shapes.length === 0 && !opaque && mediumRisk()

/** Parts of a command that only read need no rule beside those that have one. */
export const acceptsReads = (
  { tool_approval: policy }: PolicySettings,
  { blacklist, whitelist }: PolicyFlags
): boolean =>
  (policy === "whitelist_accept" && whitelist.has("shell_ro")) ||
  (policy === "blacklist_reject" && !blacklist.has("shell_ro"))

/** Gate 7: what Tool approval says of a call that no rule names. See docs/policy.md#tool-approval. */
export const toolApproval = (input: DecisionInput): GateStep | GateStop => {
  const { capabilities, settings, limits, network, opaque, shapes, flags } = input
  const policy = settings.values.tool_approval
  // At level full the default policy asks about no risk finding.
  const unguarded = limits.level === "full" && settings.sources.tool_approval === "default"
  const dangerous = !unguarded && (shapes.length > 0 || opaque)
  const why = shapes[0] ? `dangerous shape ${shapes[0].category}` : "part of the command is not literal"
  const place = input.shell ? readsOutside(limits, input.parts, input) : undefined
  const outside = place && `the command reads ${place}, outside the session's folders`
  const run = (reason: string): GateStep => ({ verdict: "run", gate: "policy", code: "POLICY_RUN", reason })
  const ask = (reason: string): GateStep => ({ verdict: "ask", gate: "policy", code: "POLICY_ASK", reason })
  const deny = (reason: string): GateStop => ({ verdict: "deny", gate: "policy", code: "POLICY_DENY", reason })
  switch (policy) {
    case "manual":
      return ask("manual: every call is asked about")
    case "universal_reject":
      return deny("universal_reject: only what a rule allows runs")
    case "whitelist_accept":
      if (capabilities.every((capability) => flags.whitelist.has(capability))) {
        // What a server of MCP may do is the operator's word.
        if (flags.askNetworkReads && network === "required" && !input.parts.some(({ kind }) => kind === "mcp")) {
          return ask("whitelist_accept: the call reads from the network")
        }
        return outside === undefined
          ? run("whitelist_accept: the call only reads")
          : ask(`whitelist_accept: ${outside}`)
      }
      return isLifted(input)
        ? run("whitelist_accept: the operator asks nothing about commands of medium risk")
        : ask(`whitelist_accept: the call needs ${capabilities.join(", ")}`)
    case "universal_accept":
      return dangerous ? ask(`universal_accept: ${why}`) : run("universal_accept")
    case "blacklist_reject":
      if (capabilities.some((capability) => flags.blacklist.has(capability))) {
        return deny(`blacklist_reject: the call needs ${capabilities.join(", ")}`)
      }
      if (dangerous) return ask(`blacklist_reject: ${why}`)
      return outside === undefined ? run("blacklist_reject: the call only reads") : ask(`blacklist_reject: ${outside}`)
  }
}
