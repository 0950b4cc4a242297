import { Effect, Layer, Stream } from "effect"
import { type AiError, Prompt, type Response } from "effect/ai"
import { Settings } from "../app/Settings.ts"
import * as ModelFault from "../model/ModelFault.ts"
import { type Model, Models } from "../model/Models.ts"
import { Answer } from "./Answer.ts"
import * as Briefing from "./Briefing.ts"
import * as Calls from "./Calls.ts"
import type { StopReason } from "./Event.ts"
import { append, appendJson, type CallResult, type History, read, step, user } from "./History.ts"
import * as LoopGuard from "./LoopGuard.ts"
import * as Offer from "./Offer.ts"
import { type Overrides, TurnFailed, type TurnInput, TurnLoop } from "./TurnLoop.ts"

/** Importing this module loads `effect/ai`. */

const stopReasons: Partial<Record<Response.FinishReason, StopReason>> = { "length": "max_tokens", "content-filter": "refusal" }

const maxHistories = 32

/** The contexts that lately running sessions ended with; one that was changed elsewhere is read again. */
const makeHistories = () => {
  const last = new Map<string, History>()
  return {
    get: (sessionId: string, context: string | null): History => {
      const known = last.get(sessionId)
      return known?.json === (context ?? "[]") ? known : read(context)
    },
    set: (sessionId: string, history: History) => {
      last.delete(sessionId)
      last.set(sessionId, history)
      if (last.size > maxHistories) last.delete(last.keys().next().value!)
    }
  }
}

/** A model named without a provider is one of the agent's own provider; a provider without a model keeps the model's name. */
const overridden = (own: string | undefined, { model, modelProvider }: Overrides): string | undefined => {
  if (model === undefined && modelProvider === undefined) return own
  const [provider = "", ...name] = (own ?? "offline/builtin").split("/")
  if (model !== undefined && modelProvider === undefined && model.includes("/")) return model
  return `${modelProvider ?? provider}/${model ?? name.join("/")}`
}

const failedModel = (error: AiError.AiError) => new TurnFailed(ModelFault.ofAiError(error))

export const layer = Layer.effect(TurnLoop, Effect.gen(function*() {
  const models = yield* Models
  const { agents, runtimeProfiles } = yield* Settings
  const offered = yield* Offer.make
  const runCalls = yield* Calls.make
  const briefing = yield* Briefing.make
  const histories = makeHistories()

  const modelOf = Effect.fnUntraced(function*({ agent, overrides }: TurnInput): Effect.fn.Return<Model, TurnFailed> {
    return yield* Effect.mapError(models.get(overridden(agents.get(agent)?.model, overrides)), ({ message }) => new TurnFailed({ message, reason: "model_unavailable" }))
  })

  const ask = ({ languageModel }: Model, { prompt: { content } }: History, system: string, toolkit: Offer.Offer, toolChoice: "auto" | "none") =>
    languageModel.streamText({ prompt: Prompt.fromMessages([Prompt.systemMessage({ content: system }), ...content]), toolkit, toolChoice, disableToolCallResolution: true, toolCallValidation: "deferred" })

  const take = (part: Stream.Success<ReturnType<typeof ask>>, answer: Answer, { contextWindow }: Model, input: TurnInput): Effect.Effect<void, TurnFailed> => {
    switch (part.type) {
      case "text-delta":
        answer.add("text", part.delta)
        return input.ledger.delta("Agent", part.delta)
      case "reasoning-start": return Effect.sync(() => answer.begin("reasoning"))
      case "reasoning-delta":
        answer.add("reasoning", part.delta)
        return input.ledger.delta("Thought", part.delta)
      case "text-end":
      case "reasoning-end":
        if (part.type === "reasoning-end") answer.endThought(part.metadata)
        return Effect.sync(input.ledger.endMessage)
      case "tool-call":
        answer.call(part)
        return Effect.void
      case "error": return Effect.fail(new TurnFailed({ message: String(part.error), reason: "model_failed" }))
      case "finish":
        answer.finish = part.reason
        input.usage({ used: (part.usage.inputTokens.total ?? 0) + (part.usage.outputTokens.total ?? 0), size: contextWindow })
        return Effect.void
      default: return Effect.void
    }
  }

  const receive = Effect.fnUntraced(function*(model: Model, history: History, answer: Answer, input: TurnInput, toolChoice: "auto" | "none" = "auto") {
    const toolkit = yield* offered(input)
    const system = yield* briefing.prompt(input, model, Object.keys(toolkit.tools))
    yield* ask(model, history, system, toolkit, toolChoice).pipe(
      Stream.mapError(failedModel),
      Stream.runForEachArray((parts) => {
        let next = 0
        return Effect.whileLoop({ while: () => next < parts.length, body: () => take(parts[next++]!, answer, model, input), step: () => {} })
      })
    )
    input.ledger.endMessage()
  })

  /** The limit is met: one more request, in which the model may only tell how far it came (zeroclaw.md §4.4). */
  const close = Effect.fnUntraced(function*(model: Model, history: History, limit: number, input: TurnInput) {
    const answer = new Answer()
    input.keepContext(() => appendJson(history.json, said(answer)))
    yield* receive(model, append(history, [user(closing(limit))]), answer, input, "none")
    if (answer.text.trim() === "") {
      return yield* new TurnFailed({
        message: `the turn met its limit of ${limit} model requests (max_tool_iterations) and the model gave no summary; prompt again to go on`,
        reason: "max_turn_requests"
      })
    }
    yield* input.ledger.delta("Agent", `*Stopped after ${limit} model requests, the limit for one turn (max_tool_iterations).*`)
    histories.set(input.sessionId, append(history, said(answer)))
    return "max_turn_requests" as const
  })

  const run = Effect.fn("ModelTurn.run")(function*(input: TurnInput): Effect.fn.Return<StopReason, TurnFailed> {
    const model = yield* modelOf(input)
    const profile = runtimeProfiles.get(agents.get(input.agent)?.runtimeProfile ?? "default") ?? runtimeProfiles.get("default")!
    const limit = profile.maxToolIterations
    const watch: Calls.Watch = {
      guard: LoopGuard.make(),
      denials: new Map(),
      parallel: profile.parallelTools,
      maxResultChars: profile.maxToolResultChars
    }
    yield* Effect.forEach(yield* input.tools.begin, input.notify, { discard: true })
    const start = histories.get(input.sessionId, input.context)
    let history = append(start, [user(input.prompt)])

    for (let requests = 0; requests < limit; requests++) {
      const answer = new Answer()
      const results = new Map<string, CallResult>()
      const before = history
      // Whenever the turn is cut off, the model will later know what was said and done up to then.
      input.keepContext(() => appendJson(before.json, step(answer.parts, results)))
      yield* receive(model, before, answer, input)
      if (stopReasons[answer.finish] === "refusal") {
        // What was refused must not come up in the next request (acp.md §2.4).
        input.keepContext(() => start.json)
        return "refusal"
      }
      const { calls } = answer
      const end = yield* runCalls(calls, results, watch, input)
      if (end !== undefined) {
        yield* input.notify({ severity: "warning", title: `The turn was ended: ${end}` })
        return "end_turn"
      }
      history = append(before, step(answer.parts, results))
      histories.set(input.sessionId, history)
      if (calls.length === 0 && answer.finish !== "pause") return stopReasons[answer.finish] ?? "end_turn"
    }
    return yield* close(model, history, limit, input)
  })

  return TurnLoop.of({ run, warm: Effect.void })
}))

/** What a request without tools left to remember. */
const said = ({ parts }: Answer) => step(parts.filter(({ type }) => type === "text"), new Map())

const closing = (limit: number) =>
  `You have used all ${limit} model requests of this turn and cannot call tools any more. Tell the user what is done, what is left, and how to go on.`
