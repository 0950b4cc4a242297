import { Option } from "effect"
import type { DryCall } from "./DryCall.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import { complete, type GateTrace } from "../../policy/decision/GateTrace.ts"
import { policySettings as names } from "../../domain/PolicySettings.ts"
import type { Paint } from "../terminal/Style.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { table } from "../terminal/Table.ts"

/** A decision for people. */

const colourOf = (verdict: GateTrace["verdict"], paint: Paint): (text: string) => string => {
  switch (verdict) {
    case "deny":
      return paint.red
    case "ask":
      return paint.yellow
    case "run":
      return paint.green
    case "pass":
      return (text) => text
    case "skip":
      return paint.dim
  }
}

const gateRows = ({ gate: decider, gates }: Decision, paint: Paint) =>
  complete(gates).map(({ gate, reason, verdict }) => {
    const colour = colourOf(verdict, paint)
    const [mark, name] = gate === decider ? [">", paint.bold(gate)] : [" ", gate]
    return [mark, name, colour(verdict), verdict === "skip" ? colour(oneLine(reason)) : oneLine(reason)]
  })

const argument = ([name, value]: readonly [string, unknown]) =>
  `${name}=${typeof value === "string" ? value : json(value)}`

const callLine = ({ arguments: given, tool }: DryCall) =>
  oneLine([tool, ...Object.entries(Object(given)).map(argument)].join(" "))

const partLines = ({ facts, parts }: Decision): ReadonlyArray<string> =>
  facts.parseError
    ? ["cannot be read as a shell command"]
    : parts.map((part) => {
      switch (part.kind) {
        case "command":
          return part.opaque ? `${part.text} (not literal)` : part.text
        case "tool":
          return part.name
        default:
          return `${part.kind} ${part.text}`
      }
    })

/** Lines under one heading, the heading only once. */
const section = (head: string, lines: ReadonlyArray<string>) =>
  lines.map((line, at) => [at === 0 ? head : "", oneLine(line)])

const runsIn = ({ mode, network, note }: NonNullable<Decision["sandbox"]>) =>
  `${mode}, network ${network ? "on" : "off"} (${note})`

export const readable = (call: DryCall, decision: Decision, paint: Paint): string => {
  const { capabilities, code, gate, knobs, outcome, reason, rule, sandbox, shapes } = decision
  const facts = [
    ...section("capabilities", capabilities.length > 0 ? [capabilities.join(", ")] : []),
    ...section("parts", partLines(decision)),
    ...section("shapes", shapes.map(({ category, part }) => `${category}: ${part}`)),
    ...section("rule", rule ? [`${rule.list} ${rule.rule} (${rule.id})`] : []),
    ...section("sandbox", sandbox ? [runsIn(sandbox)] : []),
    ...section("knobs", knobs ? names.map((knob) => `${knob} ${knobs.values[knob]} (${knobs.sources[knob]})`) : [])
  ]
  const columns = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
    Option.match(Option.fromUndefinedOr(rows[0]), {
      onNone: () => "",
      onSome: (first) => table(first, rows.slice(1))
    })
  return [
    `${paint.bold(callLine(call))}\n`,
    `${colourOf(outcome, paint)(outcome)} by ${gate} (${code}): ${oneLine(reason)}\n\n`,
    table([" ", "GATE", "VERDICT", "REASON"], gateRows(decision, paint)),
    facts.length > 0 ? `\n${columns(facts)}` : ""
  ].join("")
}
