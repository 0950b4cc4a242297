import { Effect, Result } from "effect"
import type { RuntimeProfile } from "../../config/Profiles.ts"
import type { Model } from "../../model/Models.ts"
import { compact, type CompactionFailed } from "./Compaction.ts"
import type { Contexts } from "./Contexts.ts"
import { type History, messagesOf, of } from "./History.ts"
import type { Answer } from "../turn/Answer.ts"
import { costOf, tokensOf } from "../turn/Reading.ts"
import { estimate } from "./Tokens.ts"
import * as Trim from "./Trim.ts"
import { TurnFailed, type TurnInput } from "../turn/TurnLoop.ts"

/** What one request may hold: the model's window, or less where the profile says so. */
export const limitOf = ({ contextWindow }: Model, { maxContextTokens }: RuntimeProfile): number =>
  Math.min(maxContextTokens ?? contextWindow, contextWindow)

/** From here on the context is made smaller: the answer needs room too. */
const full = 0.8

/** What stays of the running turn, and what trimming aims at. */
const kept = 0.25
const aim = 0.5

export interface Fitted {
  readonly input: TurnInput
  readonly model: Model
  readonly profile: RuntimeProfile
  /** Tokens of a request that are no messages, roughly. */
  readonly overhead: number
}

/** One result must leave room for others, whatever the profile lets it be: half of what the model takes, at four characters a token. */
export const maxResultChars = ({ model, profile }: Pick<Fitted, "model" | "profile">): number =>
  Math.min(profile.maxToolResultChars, limitOf(model, profile) * 2)

const tooSmall = (overhead: number, limit: number) =>
  new TurnFailed({
    message:
      `the instructions and tools of this agent alone take about ${overhead} tokens, but max_context_tokens is ${limit}; ` +
      "raise it, or shorten AGENTS.md and the like",
    reason: "context_too_small"
  })

/** Keeps the contexts of all sessions within what their models take (zeroclaw.md §4.4). */
export const make = (contexts: Contexts) => {
  const usedBy = (history: History, { input, overhead }: Fitted) =>
    Math.max(0, history.tokens + (contexts.offset(input) ?? overhead))

  const trimmed = Effect.fnUntraced(function*(history: History, cut: Trim.Trimmed, { input, model, profile }: Fitted) {
    const next = of(cut.messages)
    const { droppedMessages, keptTurns, reason } = cut
    const saved = yield* Effect.result(input.replaceContext(next.json))
    if (Result.isFailure(saved)) {
      if (saved.failure._tag === "TurnFailed") return yield* saved.failure
      yield* Effect.logWarning(`the shortened context could not be saved: ${saved.failure.message}`)
      return history
    }
    yield* input.notify({
      severity: "info",
      title: `${droppedMessages} older messages are no longer in the model's context`,
      description: `${reason} (${reason.startsWith("history") ? profile.maxHistoryMessages : limitOf(model, profile)})`
    })
    yield* input.publish({ _tag: "HistoryTrimmed", droppedMessages, keptTurns, reason })
    return next
  })

  /** By a summary where the model gives one, else by leaving out what is oldest. */
  const shrink = Effect.fnUntraced(function*(history: History, fitted: Fitted): Effect.fn.Return<History, TurnFailed> {
    const { input, model, overhead, profile } = fitted
    const limit = limitOf(model, profile)
    const used = usedBy(history, fitted)
    // What was counted of the old context says nothing about the new one.
    contexts.forget(input)
    const room = Math.max(0, limit - overhead)
    const made: Result.Result<History, CompactionFailed | TurnFailed> = yield* Effect.result(
      compact(history, model, {
        focus: "",
        keep: Math.floor(Math.min(limit, history.tokens) * kept),
        limit,
        used,
        overhead
      }, input)
    )
    if (Result.isSuccess(made)) return made.success
    if (made.failure._tag === "TurnFailed") return yield* made.failure
    yield* Effect.logInfo(`the context was not summarised: ${made.failure.message}`)
    if (made.failure.why === "not_saved") return history
    const cut = Trim.toTokens(
      messagesOf(history),
      Math.floor(Math.min(room, history.tokens) * aim),
      profile.keepToolContextTurns
    )
    return cut === undefined ? history : yield* trimmed(history, cut, fitted)
  })

  return {
    shrink,
    /** At the beginning of a turn: the number of messages. */
    begin: Effect.fnUntraced(function*(history: History, fitted: Fitted) {
      const { maxHistoryMessages } = fitted.profile
      if (history.prompt.content.length <= maxHistoryMessages) return history
      const cut = Trim.toMessages(messagesOf(history), maxHistoryMessages)
      return cut === undefined ? history : yield* trimmed(history, cut, fitted)
    }),
    /** Before each request: the tokens. */
    fit: (history: History, fitted: Fitted): Effect.Effect<History, TurnFailed> => {
      const { model, overhead, profile } = fitted
      const limit = limitOf(model, profile)
      if (overhead >= limit) {
        return profile.maxContextTokens === undefined
          ? Effect.succeed(history)
          : tooSmall(overhead, limit)
      }
      return usedBy(history, fitted) <= limit * full ? Effect.succeed(history) : shrink(history, fitted)
    },
    /** After each answer: what it showed about the size of the context, for everybody. */
    account: (
      before: History,
      { text, usage }: Answer,
      { input, model, overhead, profile }: Fitted
    ): Effect.Effect<void> => {
      const counted = usage?.inputTokens.total
      if (counted !== undefined) contexts.measured(input, counted - before.tokens)
      const asked = counted ?? before.tokens + (contexts.offset(input) ?? overhead)
      const answered = usage?.outputTokens.total ?? estimate([{ role: "assistant", content: text }])
      const cost = usage && costOf(usage, model.prices)
      const now = { used: asked + answered, size: limitOf(model, profile) }
      return cost === undefined
        ? input.usage(now)
        : Effect.andThen(
          input.policy.budget.spend({ model: model.id, tokens: tokensOf(usage!), cost }),
          input.usage({ ...now, cost })
        )
    }
  }
}
