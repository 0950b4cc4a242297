import { Effect, Layer, Stream } from "effect"
import { type AiError, type Response, Tool, Toolkit } from "effect/ai"
import { Settings } from "../app/Settings.ts"
import { type Model, Models } from "../model/Models.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import type { StopReason } from "./Event.ts"
import { type CallResult, decode, encode, type ModelCall, step, user } from "./History.ts"
import * as ToolCalls from "./ToolCalls.ts"
import { TurnFailed, type TurnInput, TurnLoop } from "./TurnLoop.ts"

/** Importing this module loads `effect/ai`. */

const stopReasons: Partial<Record<Response.FinishReason, StopReason>> = { "length": "max_tokens", "content-filter": "refusal" }

/** One request to the model while it is being answered. */
interface Answer {
  text: string
  readonly calls: Array<ModelCall>
  finish: Response.FinishReason
}

const failedModel = (error: AiError.AiError) => new TurnFailed({ message: error.message, reason: "model_failed" })

export const layer = Layer.effect(TurnLoop, Effect.gen(function*() {
  const models = yield* Models
  const { agents, runtimeProfiles } = yield* Settings
  const { tools } = yield* Toolbox
  const runCall = yield* ToolCalls.make
  const toolkit = Toolkit.make(...Array.from(tools.values(), ({ description, name, parameters }) => Tool.dynamic(name, { description, parameters })))
  const declared = yield* Effect.provide(toolkit, toolkit.toLayer({}))

  const modelOf = Effect.fnUntraced(function*(alias: string): Effect.fn.Return<Model, TurnFailed> {
    return yield* Effect.mapError(models.get(agents.get(alias)?.model), ({ message }) => new TurnFailed({ message, reason: "model_unavailable" }))
  })

  const ask = ({ languageModel }: Model, prompt: ReturnType<typeof decode>) =>
    languageModel.streamText({ prompt, toolkit: declared, disableToolCallResolution: true, toolCallValidation: "deferred" })

  const take = (part: Stream.Success<ReturnType<typeof ask>>, answer: Answer, { contextWindow }: Model, input: TurnInput): Effect.Effect<void, TurnFailed> => {
    switch (part.type) {
      case "text-delta":
        answer.text += part.delta
        return input.ledger.delta("Agent", part.delta)
      case "reasoning-delta": return input.ledger.delta("Thought", part.delta)
      case "text-end":
      case "reasoning-end": return Effect.sync(input.ledger.endMessage)
      case "tool-call":
        answer.calls.push({ id: part.id, name: part.name, params: part.params })
        return Effect.void
      case "error": return Effect.fail(new TurnFailed({ message: String(part.error), reason: "model_failed" }))
      case "finish":
        answer.finish = part.reason
        input.usage({ used: (part.usage.inputTokens.total ?? 0) + (part.usage.outputTokens.total ?? 0), size: contextWindow })
        return Effect.void
      default: return Effect.void
    }
  }

  const run = Effect.fn("ModelTurn.run")(function*(input: TurnInput): Effect.fn.Return<StopReason, TurnFailed> {
    const model = yield* modelOf(input.agent)
    const limit = runtimeProfiles.get(agents.get(input.agent)?.runtimeProfile ?? "default")?.maxToolIterations ?? 1
    let messages = [...decode(input.context), user(input.prompt)]

    for (let requests = 0; requests < limit; requests++) {
      const answer: Answer = { text: "", calls: [], finish: "stop" }
      const results = new Map<string, CallResult>()
      const before = messages
      // Whenever the turn is cut off, the model will later know what was said and done up to then.
      input.keepContext(() => encode([...before, ...step(answer.text, answer.calls, results)]))
      yield* ask(model, before).pipe(
        Stream.mapError(failedModel),
        Stream.runForEachArray((parts) => {
          let next = 0
          return Effect.whileLoop({ while: () => next < parts.length, body: () => take(parts[next++]!, answer, model, input), step: () => {} })
        })
      )
      input.ledger.endMessage()
      for (const call of answer.calls) {
        results.set(call.id, yield* runCall(call, input))
        yield* input.checkpoint
      }
      messages = [...before, ...step(answer.text, answer.calls, results)]
      if (answer.calls.length === 0) return stopReasons[answer.finish] ?? "end_turn"
    }
    return "max_turn_requests"
  })

  return TurnLoop.of({ run, warm: Effect.void })
}))
