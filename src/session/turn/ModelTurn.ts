import { Effect, Layer, Result } from "effect"
import type { Prompt, Response } from "effect/ai"
import { type Model, Models } from "../../model/Models.ts"
import { Answer } from "./Answer.ts"
import * as Briefing from "../context/SystemPromptBuilder.ts"
import * as Calls from "./Calls.ts"
import * as Commands from "../commands/Commands.ts"
import { appendJson, user } from "../context/ContextJson.ts"
import * as Contexts from "../context/Contexts.ts"
import type { StopReason } from "../../domain/SessionEvent.ts"
import * as Fitting from "../context/ContextWindow.ts"
import { append, type CallResult, type History, step } from "../context/History.ts"
import * as LoopGuard from "./LoopGuard.ts"
import * as Offer from "../policy/AdvertisedTools.ts"
import * as Remembering from "../context/Remembering.ts"
import { overhead, receive } from "./Reading.ts"
import { type Overrides, type Said, TurnFailed, type TurnInput, TurnLoop } from "./TurnLoop.ts"

/** Importing this module loads `effect/ai`. */

const stopReasons: Partial<Record<Response.FinishReason, StopReason>> = {
  "length": "max_tokens",
  "content-filter": "refusal"
}

/** A model named without a provider is one of the agent's own provider; a provider without a model keeps the model's name. */
const overridden = (own: string, { model, modelProvider }: Overrides): string => {
  if (model === undefined && modelProvider === undefined) return own
  const [provider = "", ...name] = own.split("/")
  if (model !== undefined && modelProvider === undefined && model.includes("/")) return model
  return `${modelProvider ?? provider}/${model ?? name.join("/")}`
}

export const layer = Layer.effect(
  TurnLoop,
  Effect.gen(function*() {
    const models = yield* Models
    const offered = yield* Offer.make
    const runCalls = yield* Calls.make
    const remembering = yield* Remembering.make
    const briefing = yield* Briefing.make
    const contexts = Contexts.make()
    const fitting = Fitting.make(contexts)

    const modelOf = Effect.fnUntraced(function*({ model, overrides }: TurnInput): Effect.fn.Return<Model, TurnFailed> {
      return yield* Effect.mapError(
        models.get(overridden(model.model(), overrides)),
        ({ message }) => new TurnFailed({ message, reason: "model_unavailable" })
      )
    })

    /** What one request says besides the messages, and what that leaves for them. */
    const prepare = Effect.fnUntraced(function*(input: TurnInput) {
      const model = yield* modelOf(input)
      const toolkit = yield* offered(input)
      const system = yield* briefing.prompt(input, model, Object.keys(toolkit.tools))
      const fitted: Fitting.Fitted = {
        input,
        model,
        profile: input.configured().runtime,
        overhead: overhead({ system, toolkit })
      }
      return { toolkit, system, fitted }
    })

    const commands = yield* Commands.make({
      contexts,
      forget: briefing.forget,
      prepare: (input) => Effect.map(prepare(input), ({ fitted }) => fitted)
    })

    /** The limit is met: one more request, in which the model may only tell how far it came (zeroclaw.md §4.4). */
    const close = Effect.fnUntraced(function*(before: History, limit: number, input: TurnInput) {
      yield* input.policy.budget.check
      const answer = new Answer()
      const { fitted, system, toolkit } = yield* prepare(input)
      const history = yield* fitting.fit(before, fitted)
      input.keepContext(() => appendJson(history.json, said(answer)))
      const asked = append(history, [user(closing(limit))])
      yield* receive({ model: fitted.model, history: asked, system, toolkit, toolChoice: "none" }, answer, input)
      yield* fitting.account(asked, answer, fitted)
      if (answer.text.trim() === "") {
        return yield* new TurnFailed({
          message:
            `the turn met its limit of ${limit} model requests (max_tool_iterations) and the model gave no summary; prompt again to go on`,
          reason: "max_turn_requests"
        })
      }
      yield* input.ledger.delta(
        "Agent",
        `*Stopped after ${limit} model requests, the limit for one turn (max_tool_iterations).*`
      )
      contexts.set(input, append(history, said(answer)))
      return "max_turn_requests" as const
    })

    /** A command needs no model, but who said something while it was done expects an answer. */
    const afterCommand = Effect.fnUntraced(function*(text: string, { keepContext, ledger, saved, takeIn }: TurnInput) {
      yield* ledger.delta("Agent", text)
      const context = saved()
      let messages: ReadonlyArray<Prompt.MessageEncoded> = []
      const goesOn = yield* takeIn(true, (said) => {
        messages = said.map(heard)
        keepContext(() => appendJson(context, messages))
      })
      return goesOn ? { context, messages } : undefined
    })

    const run = Effect.fn("ModelTurn.run")(function*(asked: TurnInput): Effect.fn.Return<StopReason, TurnFailed> {
      const command = yield* commands(asked)
      const instead = command?._tag === "Said" ? yield* afterCommand(command.text, asked) : undefined
      if (command?._tag === "Said" && instead === undefined) return "end_turn"
      const input = yield* remembering(command?._tag === "Ask" ? { ...asked, prompt: command.prompt } : asked)
      const profile = input.configured().runtime
      const limit = profile.maxToolIterations
      const watch = { guard: LoopGuard.make(), denials: new Map<string, number>(), parallel: profile.parallelTools }
      yield* Effect.forEach(yield* input.tools.begin, input.notify, { discard: true })
      const start = contexts.get(input, instead === undefined ? input.context : instead.context)
      let history = append(start, instead?.messages ?? [user(input.prompt, input.images)])
      let overflown = false
      input.keepContext(() => history.json)
      const takeIn = (ends: boolean) =>
        input.takeIn(ends, (said) => {
          history = append(history, said.map(heard))
          input.keepContext(() => history.json)
        })

      for (let requests = 0; requests < limit; requests++) {
        yield* input.policy.budget.check
        const { fitted, system, toolkit } = yield* prepare(input)
        const before = yield* fitting.fit(requests === 0 ? yield* fitting.begin(history, fitted) : history, fitted)
        const answer = new Answer()
        const results = new Map<string, CallResult>()
        // Whenever the turn is cut off, the model will later know what was said and done up to then.
        input.keepContext(() => appendJson(before.json, step(answer.parts, results)))
        const received = yield* Effect.result(
          receive({ model: fitted.model, history: before, system, toolkit, toolChoice: "auto" }, answer, input)
        )
        if (Result.isFailure(received)) {
          if (overflown || !isOverflow(received.failure, answer)) return yield* received.failure
          overflown = true
          history = yield* fitting.shrink(before, fitted)
          if (history === before) return yield* received.failure
          requests--
          continue
        }
        yield* fitting.account(before, answer, fitted)
        if (stopReasons[answer.finish] === "refusal") {
          // What was refused must not come up in the next request (acp.md §2.4).
          input.keepContext(() => start.json)
          return "refusal"
        }
        const { calls } = answer
        const end = yield* runCalls(calls, results, { ...watch, maxResultChars: Fitting.maxResultChars(fitted) }, input)
        if (end !== undefined) {
          yield* input.notify({ severity: "warning", title: `The turn was ended: ${end}` })
          return "end_turn"
        }
        history = append(before, step(answer.parts, results))
        const ends = calls.length === 0 && answer.finish !== "pause"
        // An answer that pauses is gone on with as it is.
        const goesOn = !ends && calls.length === 0 ? true : (yield* takeIn(ends)) || !ends
        contexts.set(input, history)
        if (!goesOn) return stopReasons[answer.finish] ?? "end_turn"
      }
      return yield* close(history, limit, input)
    })

    return TurnLoop.of({ run })
  })
)

const heard = ({ images, text }: Said) => user(text, images)

/** Only before anything was said: an answer cannot be begun twice. */
const isOverflow = ({ reason }: TurnFailed, { parts }: Answer): boolean =>
  reason === "context_overflow" && parts.length === 0

/** What a request without tools left to remember. */
const said = ({ parts }: Answer) => step(parts.filter(({ type }) => type === "text"), new Map())

const closing = (limit: number) =>
  `You have used all ${limit} model requests of this turn and cannot call tools any more. Tell the user what is done, what is left, and how to go on.`
