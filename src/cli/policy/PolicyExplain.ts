import { Effect, Result, Stream } from "effect"
import { TerminalCapabilities } from "effect/cli"
import * as DryCall from "./DryCall.ts"
import { DryRunRefused, PolicyDryRun } from "./PolicyDryRun.ts"
import { trace } from "../../policy/decision/Explanation.ts"
import { failure, wrongUsage } from "../Failure.ts"
import { paint } from "../terminal/Style.ts"
import { json, oneLine } from "../terminal/Text.ts"
import { sayNotes } from "./PolicyNotes.ts"
import { readable } from "./PolicyView.ts"

export interface ExplainOptions {
  readonly call: ReadonlyArray<string>
  readonly json: boolean
  readonly batch: boolean
}

/** Anything that JSON reads as more than a text is that; a text needs no quotes. */
const valueOf = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "string" ? text : value
  } catch {
    return text
  }
}

/**
 * The readings of `key=value` words: `command=true` and `path=1` are texts all the same, so each value also stands as
 * written, first one by one, then all together.
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
  const dryRun = yield* PolicyDryRun
  const call: DryCall.DryCall = { tool, arguments: yield* dryRun.fitting(tool, yield* readings(words)) }
  const decision = yield* Effect.mapError(dryRun.decide(call), ({ message }) => failure(message))
  yield* sayNotes
  if (options.json) return yield* print(`${json(trace(decision))}\n`)
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  yield* print(readable(call, decision, paint(canColor)))
})

const read = (line: string): Result.Result<DryCall.DryCall, string> =>
  Result.try({
    try: () => JSON.parse(line) as unknown,
    catch: (error) => `not JSON: ${error instanceof Error ? error.message : String(error)}`
  }).pipe(Result.flatMap(DryCall.read))

/** One line in, one line out, whatever is in it. */
const answer = Effect.fnUntraced(function*(line: string) {
  const dryRun = yield* PolicyDryRun
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

/** What came together is answered together; nothing waits for more. */
const batch = Effect.suspend(() =>
  Stream.fromAsyncIterable(process.stdin, () => failure("standard input cannot be read")).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.runForEachArray((lines) =>
      Effect.flatMap(Effect.forEach(lines, answer), (answers) => Effect.andThen(sayNotes, print(answers.join(""))))
    )
  )
)
