import { Context, Effect, Layer, Result } from "effect"
import type { RuntimeProfile } from "../../config/Profiles.ts"
import type { Model } from "../../model/Models.ts"
import { costOf, countsOf, tokensOf } from "../policy/Budget.ts"
import type { SessionContext, SessionState } from "../SessionContext.ts"
import type { TurnRequest } from "../turn/TurnRequest.ts"
import type { ModelAnswer } from "../turn/ModelAnswer.ts"
import { type TurnContext } from "../turn/TurnLoop.ts"
import { TurnFailed } from "../turn/TurnEnd.ts"
import { compact, CompactionFailed } from "./Compaction.ts"
import { type History, messagesOf, of, read } from "./History.ts"
import * as RunningTurn from "./RunningTurn.ts"
import { estimate } from "./Tokens.ts"
import * as Trim from "./Trim.ts"

type Limited = Pick<TurnRequest, "model" | "profile">

/** What one request may hold, in tokens: the model's window, or less where the profile says so. */
export const limitOf = (
  { model: { contextWindow }, profile: { maxContextTokens } }: {
    readonly model: Pick<Model, "contextWindow">
    readonly profile: Pick<RuntimeProfile, "maxContextTokens">
  }
): number => Math.min(maxContextTokens ?? contextWindow, contextWindow)

/** At this share of the limit the context is made smaller: the answer needs room too. */
const full = 0.8

/** The shares that the running turn may keep, and that trimming aims at. */
const kept = 0.25
const aim = 0.5

/** The longest result, whatever the profile allows: half of the model's window, at four characters a token. */
export const maxResultChars = (request: Limited): number =>
  Math.min(request.profile.maxToolResultChars, limitOf(request) * 2)

const tooSmall = (overhead: number, limit: number) =>
  new TurnFailed({
    message:
      `the instructions and tools of this agent alone take about ${overhead} tokens, but max_context_tokens is ${limit}; ` +
      "raise it, or shorten AGENTS.md and the like",
    reason: "context_too_small"
  })

/**
 * Whether a count can be true: a token has one to eight bytes, and the estimates take four. Some servers count only
 * what is new, or nothing, or all requests so far.
 */
const isPlausible = (counted: number, { tokens }: History, overhead: number): boolean =>
  counted >= Math.floor(tokens / 2) && counted <= (tokens + overhead) * 4

/**
 * Characters of JSON that the contexts of all sessions may take; those used longest ago are read from the store again.
 */
const maxCharacters = 8 * 1024 * 1024

/** Keeps the contexts of all sessions, and each within what its model takes. See docs/sessions.md#context-window */
export class ContextWindow extends Context.Service<ContextWindow, {
  /** The context of a session; one that was changed elsewhere is read again. */
  readonly load: (session: Pick<SessionContext, "state">, context: string | null) => History
  readonly store: (session: Pick<SessionContext, "state">, history: History) => void
  /** Tokens of a request with this context, an estimate. */
  readonly used: (history: History, request: TurnRequest, session: Pick<SessionContext, "state">) => number
  /** At the beginning of a turn: limits the number of messages. */
  readonly begin: (history: History, request: TurnRequest, turn: TurnContext) => Effect.Effect<History, TurnFailed>
  /** Before each request: limits the tokens. */
  readonly fit: (history: History, request: TurnRequest, turn: TurnContext) => Effect.Effect<History, TurnFailed>
  /**
   * By a summary where the model gives one, else by leaving out what is oldest. The same history where nothing can go.
   */
  readonly shrink: (history: History, request: TurnRequest, turn: TurnContext) => Effect.Effect<History, TurnFailed>
  /** After each answer: records the size of the context and the cost. */
  readonly account: (
    before: History,
    answer: ModelAnswer,
    request: TurnRequest,
    turn: TurnContext
  ) => Effect.Effect<void>
}>()("postern/session/ContextWindow") {
  static readonly layer = Layer.sync(ContextWindow, () => make())
}

const make = (): ContextWindow["Service"] => {
  /** The sessions whose history is kept, the one used last at the end. */
  const keeping = new Set<SessionState>()
  let characters = 0

  const drop = (state: SessionState) => {
    characters -= state.history?.json.length ?? 0
    state.history = undefined
    keeping.delete(state)
  }

  const used: ContextWindow["Service"]["used"] = (history, { overhead }, { state }) =>
    Math.max(0, history.tokens + (state.tokenOffset ?? overhead))

  const trimmed = Effect.fnUntraced(
    function*(history: History, cut: Trim.Trimmed, request: TurnRequest, turn: TurnContext) {
      const next = of(cut.messages, cut.running)
      const { droppedMessages, keptTurns, reason } = cut
      const saved = yield* Effect.result(turn.replaceContext(next.json))
      if (Result.isFailure(saved)) {
        if (saved.failure._tag === "TurnFailed") return yield* saved.failure
        yield* Effect.logWarning(`the shortened context could not be saved: ${saved.failure.message}`)
        return history
      }
      const limit = reason.startsWith("history") ? request.profile.maxHistoryMessages : limitOf(request)
      yield* turn.notify({
        severity: "info",
        title: droppedMessages === 0
          ? "Long arguments and results of this turn are cut in the model's context"
          : `${droppedMessages} older messages are no longer in the model's context`,
        description: `${reason} (${limit})`
      })
      yield* turn.publish({ _tag: "HistoryTrimmed", droppedMessages, keptTurns, reason })
      return next
    }
  )

  const shrink = Effect.fnUntraced(
    function*(history: History, request: TurnRequest, turn: TurnContext): Effect.fn.Return<History, TurnFailed> {
      const { model, overhead, profile } = request
      const limit = limitOf(request)
      const usedBefore = used(history, request, turn)
      // The count of the old context says nothing about the new one.
      turn.state.tokenOffset = undefined
      const room = Math.max(0, limit - overhead)
      const messages = messagesOf(history)
      const before = messages.slice(0, messages.length - history.running)
      const running = messages.slice(before.length)
      const most = Math.floor(room * full)
      const shorter = RunningTurn.shorten(running, Math.floor(Math.min(limit, history.tokens) * kept), most)
      const lighter = shorter === running ? history : of([...before, ...shorter], shorter.length)
      // The offline model knows what it has done by the calls alone.
      const { past, rest } = RunningTurn.split(shorter, model.isOffline === true ? Infinity : most)
      const summarised: Effect.Effect<History, CompactionFailed | TurnFailed> = profile.compactContext
        ? compact(
          past.length === 0 ? lighter : of([...before, ...past, ...rest], rest.length),
          model,
          { focus: "", limit, used: usedBefore, overhead },
          turn
        )
        : new CompactionFailed({ message: "compact_context is off", why: "nothing" })
      const made = yield* Effect.result(summarised)
      if (Result.isSuccess(made)) return made.success
      if (made.failure._tag === "TurnFailed") return yield* made.failure
      yield* Effect.logInfo(`the context was not summarised: ${made.failure.message}`)
      if (made.failure.why === "not_saved") return history
      const cut = Trim.toTokens(
        messagesOf(lighter),
        history.running,
        Math.floor(Math.min(room, history.tokens) * aim),
        profile.keepToolContextTurns
      )
      if (cut !== undefined) return yield* trimmed(history, cut, request, turn)
      return lighter === history ? history : yield* trimmed(
        history,
        {
          messages: messagesOf(lighter),
          running: history.running,
          droppedMessages: 0,
          keptTurns: Trim.turnsOf(messages, history.running).length,
          reason: "context token budget exceeded"
        },
        request,
        turn
      )
    }
  )

  return {
    load: ({ state }, context) => {
      const { history } = state
      return history?.json === (context ?? "[]") ? { ...history, running: 0 } : read(context)
    },
    store: ({ state }, history) => {
      drop(state)
      state.history = history
      keeping.add(state)
      characters += history.json.length
      for (const oldest of keeping) {
        if (characters <= maxCharacters || oldest === state) return
        drop(oldest)
      }
    },
    used,
    begin: Effect.fnUntraced(function*(history, request, turn) {
      const { maxHistoryMessages } = request.profile
      if (history.prompt.content.length <= maxHistoryMessages) return history
      const cut = Trim.toMessages(messagesOf(history), history.running, maxHistoryMessages)
      return cut === undefined ? history : yield* trimmed(history, cut, request, turn)
    }),
    fit: (history, request, turn) => {
      const { overhead, profile } = request
      const limit = limitOf(request)
      if (overhead >= limit) {
        return profile.maxContextTokens === undefined ? Effect.succeed(history) : tooSmall(overhead, limit)
      }
      return used(history, request, turn) <= limit * full ? Effect.succeed(history) : shrink(history, request, turn)
    },
    shrink,
    account: (before, { text, usage }, request, turn) => {
      const { model, overhead } = request
      const counted = usage?.inputTokens.total
      if (counted !== undefined && isPlausible(counted, before, overhead)) {
        turn.state.tokenOffset = counted - before.tokens
      }
      const asked = used(before, request, turn)
      const answered = usage?.outputTokens.total ?? estimate([{ role: "assistant", content: text }])
      const cost = usage && costOf(usage, model.prices)
      const now = { used: asked + answered, size: limitOf(request) }
      const counts = usage === undefined || model.isOffline === true ? undefined : countsOf(usage)
      if (counts !== undefined) turn.counted(counts)
      return cost === undefined
        ? turn.usage(now)
        : Effect.andThen(
          turn.policy.budget.spend({ model: model.id, tokens: tokensOf(usage!), cost }),
          turn.usage({ ...now, cost })
        )
    }
  }
}
