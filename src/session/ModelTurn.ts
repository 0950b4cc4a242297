import { Effect, Layer, Stream } from "effect"
import { type AiError, type Response, Tool, Toolkit } from "effect/ai"
import { Settings } from "../app/Settings.ts"
import { type Model, Models } from "../model/Models.ts"
import { RuleBooks } from "../policy/RuleBooks.ts"
import { grants } from "../policy/Knobs.ts"
import type { AnyTool } from "../tool/Tool.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import type { StopReason } from "./Event.ts"
import { append, appendJson, type CallResult, type History, type ModelCall, read, step, user } from "./History.ts"
import type { SessionPolicy } from "./SessionPolicy.ts"
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

const maxDenials = 5

/** Counts a refusal; the same one again and again is a loop (policy §1.9 E23). */
const tooMany = (denials: Map<string, number>, code: string): boolean => {
  const count = (denials.get(code) ?? 0) + 1
  denials.set(code, count)
  return count >= maxDenials
}

const declare = (tools: ReadonlyArray<AnyTool>) => {
  const toolkit = Toolkit.make(...tools.map(({ description, name, parameters }) => Tool.dynamic(name, { description, parameters })))
  return Effect.provide(toolkit, toolkit.toLayer({}))
}

const failedModel = (error: AiError.AiError) => new TurnFailed({ message: error.message, reason: "model_failed" })

export const layer = Layer.effect(TurnLoop, Effect.gen(function*() {
  const models = yield* Models
  const { agents, runtimeProfiles } = yield* Settings
  const { tools } = yield* Toolbox
  const books = yield* RuleBooks
  const runCall = yield* ToolCalls.make
  const histories = makeHistories()
  const everything = yield* declare(Array.from(tools.values()))
  const declared = new Map<string, typeof everything>([[Array.from(tools.keys()).join(), everything]])

  /** Only tools that the Work mode grants something to, and that no rule hides (policy §1.2). The same choice is the same object. */
  const offered = Effect.fnUntraced(function*({ knobs, source }: SessionPolicy) {
    const { rules } = yield* Effect.mapError(books.load(source()), ({ message }) => new TurnFailed({ message, reason: "rules_invalid" }))
    const hidden = rules.hidden(tools.keys())
    const mode = knobs().values.work_mode
    const shown = Array.from(tools.values()).filter(({ capabilities, name }) =>
      !hidden.has(name) && capabilities.some((capability) => grants(mode, capability)))
    const key = shown.map(({ name }) => name).join()
    const made = declared.get(key) ?? (yield* declare(shown))
    declared.set(key, made)
    return made
  })

  const modelOf = Effect.fnUntraced(function*(alias: string): Effect.fn.Return<Model, TurnFailed> {
    return yield* Effect.mapError(models.get(agents.get(alias)?.model), ({ message }) => new TurnFailed({ message, reason: "model_unavailable" }))
  })

  const ask = ({ languageModel }: Model, { prompt }: History, toolkit: typeof everything) =>
    languageModel.streamText({ prompt, toolkit, disableToolCallResolution: true, toolCallValidation: "deferred" })

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
    const denials = new Map<string, number>()
    let history = append(histories.get(input.sessionId, input.context), [user(input.prompt)])

    for (let requests = 0; requests < limit; requests++) {
      const answer: Answer = { text: "", calls: [], finish: "stop" }
      const results = new Map<string, CallResult>()
      const before = history
      // Whenever the turn is cut off, the model will later know what was said and done up to then.
      input.keepContext(() => appendJson(before.json, step(answer.text, answer.calls, results)))
      yield* ask(model, before, yield* offered(input.policy)).pipe(
        Stream.mapError(failedModel),
        Stream.runForEachArray((parts) => {
          let next = 0
          return Effect.whileLoop({ while: () => next < parts.length, body: () => take(parts[next++]!, answer, model, input), step: () => {} })
        })
      )
      input.ledger.endMessage()
      for (const call of answer.calls) {
        const result = yield* runCall(call, input)
        results.set(call.id, result)
        yield* input.checkpoint
        if (result.denied !== undefined && tooMany(denials, result.denied)) {
          yield* input.notify({
            severity: "warning",
            title: `The turn was ended: ${maxDenials} calls were refused with ${result.denied}`
          })
          return "end_turn"
        }
      }
      history = append(before, step(answer.text, answer.calls, results))
      histories.set(input.sessionId, history)
      if (answer.calls.length === 0) return stopReasons[answer.finish] ?? "end_turn"
    }
    return "max_turn_requests"
  })

  return TurnLoop.of({ run, warm: Effect.void })
}))
