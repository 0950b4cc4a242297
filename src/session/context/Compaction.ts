import { Effect, Result, Schema, Stream } from "effect"
import { Prompt } from "effect/ai"
import * as Condense from "../../model/CompactionPrompt.ts"
import type { Model } from "../../model/Models.ts"
import type { StoreFailed } from "../../store/SessionStore.ts"
import { digest } from "./Digest.ts"
import { type History, messagesOf, of } from "./History.ts"
import { newId } from "../../domain/Id.ts"
import * as Reading from "../turn/Reading.ts"
import { estimate } from "./Tokens.ts"
import { note, noteOf, turnsOf } from "./Trim.ts"
import type { TurnFailed, TurnInput } from "../turn/TurnLoop.ts"

/** There is nothing to summarise, no summary, or no way to save it; the context is what it was. */
export class CompactionFailed extends Schema.TaggedError<CompactionFailed>()("CompactionFailed", {
  message: Schema.String,
  why: Schema.Literals(["nothing", "no_summary", "not_saved"])
}) {}

type Messages = ReadonlyArray<Prompt.MessageEncoded>

export interface Wish {
  /** What matters above all; empty for nothing in particular. */
  readonly focus: string
  /** Tokens of the running turn that stay as they are; `undefined`: there is no running turn, and nothing stays. */
  readonly keep: number | undefined
  /** In tokens: what the model takes. */
  readonly limit: number
  /** In the context now, and what a request holds besides messages; in tokens. */
  readonly used: number
  readonly overhead: number
}

/** An answer and the results of its calls stay together. */
const stepsOf = (messages: Messages): ReadonlyArray<Messages> => {
  const starts = messages.flatMap(({ role }, at) => role === "assistant" ? [at] : [])
  return starts.map((start, at) => messages.slice(start, starts[at + 1]))
}

/** What is summarised, and what of the running turn stays: its prompt and the newest steps that have room. */
const split = (messages: Messages, keep: number | undefined): { readonly old: Messages; readonly kept: Messages } => {
  const turn = turnsOf(messages).at(-1)
  if (keep === undefined || turn === undefined) return { old: messages, kept: [] }
  const firstStep = turn.findIndex(({ role }) => role !== "user")
  const asked = firstStep === -1 ? turn : turn.slice(0, firstStep)
  const steps = firstStep === -1 ? [] : stepsOf(turn.slice(firstStep))
  let room = keep - estimate(asked)
  let first = steps.length
  while (first > 0 && (room -= estimate(steps[first - 1]!)) >= 0) first--
  const before = messages.slice(0, messages.length - turn.length)
  return {
    old: first === 0 ? before : [...before, ...asked, ...steps.slice(0, first).flat()],
    kept: [...asked, ...steps.slice(first).flat()]
  }
}

const summarise = Effect.fnUntraced(
  function*(compactionId: string, old: Messages, model: Model, { focus, limit }: Wish, input: TurnInput) {
    const text = Condense.instruction(digest(old, limit * 2), focus)
    const prompt = Prompt.make([{ role: "system", content: Condense.system }, {
      role: "user",
      content: [{ type: "text", text }]
    }])
    let summary = ""
    let cost: number | undefined
    yield* Stream.runForEach(model.languageModel.streamText({ prompt }), (part) => {
      if (part.type === "finish") {
        cost = Reading.costOf(part.usage, model.prices)
        return cost === undefined
          ? Effect.void
          : input.policy.budget.spend({ model: model.id, tokens: Reading.tokensOf(part.usage), cost })
      }
      if (part.type !== "text-delta" || part.delta === "") return Effect.void
      summary += part.delta
      return input.publish({ _tag: "CompactionSummary", compactionId, text: part.delta })
    }).pipe(
      Effect.mapError((error) =>
        new CompactionFailed({ message: Reading.failedModel(error).message, why: "no_summary" })
      )
    )
    if (summary.trim() === "") {
      return yield* new CompactionFailed({ message: "the model gave no summary", why: "no_summary" })
    }
    return { summary: summary.trim(), cost }
  }
)

/**
 * Replaces the context with a summary of it (spec §4): the transcript stays, the new context is saved before anybody is told, and
 * whatever fails leaves the old one.
 */
export const compact = Effect.fn("Compaction.compact")(function*(
  history: History,
  model: Model,
  wish: Wish,
  input: TurnInput
): Effect.fn.Return<History, CompactionFailed | TurnFailed> {
  const messages = messagesOf(history)
  const { kept, old } = split(messages, wish.keep)
  if (old.length === 0 || (noteOf(old) !== undefined && old.length <= 2)) {
    return yield* new CompactionFailed({ message: "there is nothing to summarise", why: "nothing" })
  }
  yield* input.policy.budget.check
  const compactionId = newId()
  const end = (status: "failed" | "cancelled", error?: string) =>
    input.ledger.compaction({ compactionId, status, ...(error === undefined ? {} : { error }) })
  const work = Effect.gen(function*() {
    yield* input.ledger.compaction({ compactionId, status: "in_progress" })
    const { cost, summary } = yield* summarise(compactionId, old, model, wish, input)
    const next = of([...note(summary), ...kept])
    const tokens: [number, number] = [wish.used, next.tokens + wish.overhead]
    yield* input.ledger.compacted(
      { compactionId, status: "completed", summary, tokens },
      input.replaceContext(next.json)
    )
    yield* input.publish({
      _tag: "HistoryTrimmed",
      droppedMessages: old.length,
      keptTurns: kept.length === 0 ? 0 : 1,
      reason: wish.keep === undefined ? "compacted on request" : "context token budget exceeded"
    })
    yield* input.usage({ used: tokens[1], size: wish.limit, ...(cost === undefined ? {} : { cost }) })
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
