import { Effect, Option, Result, Stream } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { policySettings } from "../../domain/PolicySettings.ts"
import type { Decision } from "../../policy/decision/Decision.ts"
import { complete, type GateTrace } from "../../policy/decision/GateTrace.ts"
import { trace } from "../../policy/decision/Explanation.ts"
import { failure, wrongUsage } from "../Failure.ts"
import { orFail, table, type TextStyles, textStyles } from "../terminal/Output.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { DryRun, type DryRunCall, DryRunRefused, readCall, reportNotes } from "./DryRun.ts"

const colourOf = (verdict: GateTrace["verdict"], styles: TextStyles): (text: string) => string => {
  switch (verdict) {
    case "deny":
      return styles.red
    case "ask":
      return styles.yellow
    case "run":
      return styles.green
    case "pass":
      return (text) => text
    case "skip":
      return styles.dim
  }
}

const gateRows = ({ gate: decider, gates }: Decision, styles: TextStyles) =>
  complete(gates).map(({ gate, reason, verdict }) => {
    const colour = colourOf(verdict, styles)
    const [mark, name] = gate === decider ? [">", styles.bold(gate)] : [" ", gate]
    return [mark, name, colour(verdict), verdict === "skip" ? colour(oneLine(reason)) : oneLine(reason)]
  })

const argument = ([name, value]: readonly [string, unknown]) =>
  `${name}=${typeof value === "string" ? value : json(value)}`

const callLine = ({ arguments: given, tool }: DryRunCall) =>
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

/** Lines with the heading before the first. */
const section = (head: string, lines: ReadonlyArray<string>) =>
  lines.map((line, at) => [at === 0 ? head : "", oneLine(line)])

const runsIn = ({ mode, network, note }: NonNullable<Decision["sandbox"]>) =>
  `${mode}, network ${network ? "on" : "off"} (${note})`

const readable = (call: DryRunCall, decision: Decision, styles: TextStyles): string => {
  const { capabilities, code, gate, outcome, reason, rule, sandbox, settings, shapes } = decision
  const facts = [
    ...section("capabilities", capabilities.length > 0 ? [capabilities.join(", ")] : []),
    ...section("parts", partLines(decision)),
    ...section("shapes", shapes.map(({ category, part }) => `${category}: ${part}`)),
    ...section("rule", rule ? [`${rule.list} ${rule.rule} (${rule.id})`] : []),
    ...section("sandbox", sandbox ? [runsIn(sandbox)] : []),
    ...section(
      "knobs",
      settings ? policySettings.map((name) => `${name} ${settings.values[name]} (${settings.sources[name]})`) : []
    )
  ]
  const columns = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
    Option.match(Option.fromUndefinedOr(rows[0]), {
      onNone: () => "",
      onSome: (first) => table(first, rows.slice(1))
    })
  return [
    `${styles.bold(callLine(call))}\n`,
    `${colourOf(outcome, styles)(outcome)} by ${gate} (${code}): ${oneLine(reason)}\n\n`,
    table([" ", "GATE", "VERDICT", "REASON"], gateRows(decision, styles)),
    facts.length > 0 ? `\n${columns(facts)}` : ""
  ].join("")
}

interface ExplainOptions {
  readonly call: ReadonlyArray<string>
  readonly json: boolean
  readonly batch: boolean
}

/** JSON, unless it is a string, which needs no quotes. */
const valueOf = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "string" ? text : value
  } catch {
    return text
  }
}

/**
 * The ways to read `key=value` words. `command=true` and `path=1` may be strings, so each value is also taken as written, first one by
 * one, then all together.
 */
const readings = Effect.fnUntraced(function*(words: ReadonlyArray<string>) {
  const texts: Record<string, string> = {}
  for (const word of words) {
    const border = word.indexOf("=")
    if (border < 1) {
      return yield* wrongUsage(`${JSON.stringify(word)} is no argument; write key=value, as in command='git push'`)
    }
    texts[word.slice(0, border)] = word.slice(border + 1)
  }
  const values = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, valueOf(text)]))
  const typed = Object.keys(texts).filter((key) => values[key] !== texts[key])
  return [values, ...typed.map((key) => ({ ...values, [key]: texts[key] })), texts]
})

export const explain = Effect.fnUntraced(function*(options: ExplainOptions) {
  const [tool, ...words] = options.call
  if (options.batch) {
    return tool === undefined
      ? yield* batch
      : yield* wrongUsage("--batch reads the calls from standard input; name no tool")
  }
  if (tool === undefined) {
    return yield* wrongUsage("name a tool and its arguments, as in shell command='git push', or use --batch")
  }
  const dryRun = yield* DryRun
  const call: DryRunCall = { tool, arguments: yield* dryRun.fitting(tool, yield* readings(words)) }
  const decision = yield* orFail(dryRun.decide(call))
  yield* reportNotes
  if (options.json) return yield* print(`${json(trace(decision))}\n`)
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  yield* print(readable(call, decision, textStyles(canColor)))
})

const read = (line: string): Result.Result<DryRunCall, string> =>
  Result.try({
    try: () => JSON.parse(line) as unknown,
    catch: (error) => `not JSON: ${error instanceof Error ? error.message : String(error)}`
  }).pipe(Result.flatMap(readCall))

/** One line in, one line out, whatever is in it. */
const answer = Effect.fnUntraced(function*(line: string) {
  const dryRun = yield* DryRun
  const call = read(line)
  const said = Result.isFailure(call)
    ? new DryRunRefused({ message: call.failure })
    : yield* dryRun.decide(call.success).pipe(
      Effect.catch(Effect.succeed),
      Effect.catchDefect((defect) =>
        Effect.succeed(new DryRunRefused({ message: `internal error: ${String(defect)}` }))
      )
    )
  return `${json(said instanceof DryRunRefused ? { error: oneLine(said.message) } : trace(said))}\n`
})

const print = (text: string) =>
  Effect.callback<void>((resume) => {
    if (process.stdout.write(text)) resume(Effect.void)
    else process.stdout.once("drain", () => resume(Effect.void))
  })

/** Lines that arrive together are answered together, without waiting for more. */
const batch = Effect.suspend(() =>
  Stream.fromAsyncIterable(process.stdin, () => failure("standard input cannot be read")).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.runForEachArray((lines) =>
      Effect.flatMap(Effect.forEach(lines, answer), (answers) => Effect.andThen(reportNotes, print(answers.join(""))))
    )
  )
)
