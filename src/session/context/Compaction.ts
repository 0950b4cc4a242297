import { Effect, Result, Schema, Stream } from "effect"
import { Prompt } from "effect/ai"
import * as CompactionPrompt from "../../model/CompactionPrompt.ts"
import type { Model } from "../../model/Models.ts"
import { costOf, tokensOf } from "../policy/Budget.ts"
import type { StoreFailed } from "../../store/SessionStore.ts"
import { type History, type Messages, messagesOf, of } from "./History.ts"
import { newId } from "../../domain/Id.ts"
import { note, noteOf, turnsOf } from "./Trim.ts"
import type { TurnContext } from "../turn/TurnLoop.ts"
import type { TurnFailed } from "../turn/TurnEnd.ts"
import { beginning, ending } from "../../domain/Cut.ts"

/** There is nothing to summarise, no summary, or it could not be saved; the context is unchanged. */
export class CompactionFailed extends Schema.TaggedError<CompactionFailed>()("CompactionFailed", {
  message: Schema.String,
  why: Schema.Literals(["nothing", "no_summary", "not_saved"])
}) {}

interface CompactionOptions {
  /** What the summary is to keep above all; empty for nothing in particular. */
  readonly focus: string
  /** In tokens: what the model takes. */
  readonly limit: number
  /** In the context now, and what a request holds besides messages; in tokens. */
  readonly used: number
  readonly overhead: number
}

/** What is summarised, and the turn that runs, which stays. */
const split = (messages: Messages, running: number): { readonly old: Messages; readonly kept: Messages } => ({
  old: messages.slice(0, messages.length - running),
  kept: messages.slice(messages.length - running)
})

const shortened = (text: string, limit: number): string =>
  text.length <= limit ? text : `${beginning(text, (limit * 2) / 3)} […] ${ending(text, limit / 3)}`

const asText = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? ""

const lineOf = (part: Prompt.PartEncoded, who: string, limit: number): ReadonlyArray<string> => {
  switch (part.type) {
    case "text":
      return [`${who}: ${shortened(part.text, limit * 4)}`]
    case "file":
      return [`${who}: [a file of type ${part.mediaType}]`]
    case "tool-call":
      return [`Call of ${part.name}: ${shortened(asText(part.params), limit)}`]
    case "tool-result":
      return [`Result of ${part.name}: ${shortened(asText(part.result), limit)}`]
    default:
      return []
  }
}

const render = (messages: Messages, limit: number): string =>
  messages.flatMap(({ content, role }) => {
    const who = role === "user" ? "User" : "Assistant"
    return typeof content === "string" ? [`${who}: ${content}`] : content.flatMap((part) => lineOf(part, who, limit))
  }).join("\n")

/**
 * The conversation as text, at most `limit` characters: details of calls go first, then what is oldest. There are no roles or calls in it
 * that a provider could refuse.
 */
const digest = (messages: Messages, limit: number): string => {
  const before = noteOf(messages)
  const earlier = before === undefined ? "" : `Before that: ${shortened(before, limit / 3)}\n`
  const body = turnsOf(messages).flat()
  for (const detail of [2_000, 500, 120]) {
    const text = earlier + render(body, detail)
    if (text.length <= limit) return text
  }
  const text = render(body, 120)
  return `${earlier}[…]\n${text.slice(-Math.max(0, limit - earlier.length))}`
}

const summarise = Effect.fnUntraced(
  function*(compactionId: string, old: Messages, model: Model, { focus, limit }: CompactionOptions, turn: TurnContext) {
    const text = CompactionPrompt.instruction(digest(old, limit * 2), focus)
    const prompt = Prompt.make([{ role: "system", content: CompactionPrompt.system }, {
      role: "user",
      content: [{ type: "text", text }]
    }])
    let summary = ""
    let cost: number | undefined
    yield* Stream.runForEach(model.ask({ prompt, tools: [], toolChoice: "none" }), (part) => {
      if (part.type === "finish") {
        cost = costOf(part.usage, model.prices)
        return cost === undefined
          ? Effect.void
          : turn.policy.budget.spend({ model: model.id, tokens: tokensOf(part.usage), cost })
      }
      if (part.type !== "text-delta" || part.delta === "") return Effect.void
      summary += part.delta
      return turn.publish({ _tag: "CompactionSummary", compactionId, text: part.delta })
    }).pipe(
      Effect.mapError(({ message }) => new CompactionFailed({ message, why: "no_summary" }))
    )
    if (summary.trim() === "") {
      return yield* new CompactionFailed({ message: "the model gave no summary", why: "no_summary" })
    }
    return { summary: summary.trim(), cost }
  }
)

/**
 * Replaces the context with a summary of it: the transcript stays, the new context is saved before clients are told, and every failure
 * leaves the old one. See docs/sessions.md#compaction
 */
export const compact = Effect.fn("Compaction.compact")(function*(
  history: History,
  model: Model,
  options: CompactionOptions,
  turn: TurnContext
): Effect.fn.Return<History, CompactionFailed | TurnFailed> {
  const messages = messagesOf(history)
  const { kept, old } = split(messages, history.running)
  if (old.length === 0 || (noteOf(old) !== undefined && old.length <= 2)) {
    return yield* new CompactionFailed({ message: "there is nothing to summarise", why: "nothing" })
  }
  yield* turn.policy.budget.check
  const compactionId = newId()
  const end = (status: "failed" | "cancelled", error?: string) =>
    turn.writer.compaction({ compactionId, status, ...(error === undefined ? {} : { error }) })
  const work = Effect.gen(function*() {
    yield* turn.writer.compaction({ compactionId, status: "in_progress" })
    const { cost, summary } = yield* summarise(compactionId, old, model, options, turn)
    const next = of([...note(summary), ...kept], kept.length)
    const tokens: [number, number] = [options.used, next.tokens + options.overhead]
    yield* turn.writer.compacted(
      { compactionId, status: "completed", summary, tokens },
      turn.replaceContext(next.json)
    )
    yield* turn.publish({
      _tag: "HistoryTrimmed",
      droppedMessages: old.length,
      keptTurns: kept.length === 0 ? 0 : 1,
      reason: kept.length === 0 ? "compacted on request" : "context token budget exceeded"
    })
    yield* turn.usage({ used: tokens[1], size: options.limit, ...(cost === undefined ? {} : { cost }) })
    return next
  }).pipe(Effect.onInterrupt(() => end("cancelled")))
  const done: Result.Result<History, CompactionFailed | TurnFailed | StoreFailed> = yield* Effect.result(work)
  if (Result.isSuccess(done)) return done.success
  if (done.failure._tag === "TurnFailed") return yield* done.failure
  yield* end("failed", done.failure.message)
  return yield* done.failure._tag === "StoreFailed"
    ? new CompactionFailed({ message: done.failure.message, why: "not_saved" })
    : done.failure
})
