import { Effect, Layer, Option, Result } from "effect"
import type { Response } from "effect/ai"
import type { StopReason } from "../../domain/SessionEvent.ts"
import * as Commands from "../commands/Commands.ts"
import { appendJson, userMessage } from "../context/ContextJson.ts"
import { ContextWindow, maxResultChars } from "../context/ContextWindow.ts"
import { append, type CallResult, type History, type Messages, step } from "../context/History.ts"
import * as MemoryRecall from "../context/MemoryRecall.ts"
import { SystemPromptBuilder } from "../context/SystemPromptBuilder.ts"
import { AdvertisedTools } from "../policy/AdvertisedTools.ts"
import { GateInput } from "../policy/Gate.ts"
import { RuleBooks } from "../../policy/rules/source/RuleBooks.ts"
import * as PolicyServiceLayer from "../policy/PolicyServiceLayer.ts"
import * as LoopGuard from "./LoopGuard.ts"
import { receive, TurnRequests } from "./TurnRequest.ts"
import { ModelAnswer } from "./ModelAnswer.ts"
import * as ToolCalls from "./ToolCalls.ts"
import { type TurnContext, TurnLoop, type UserMessage } from "./TurnLoop.ts"
import { TurnFailed } from "./TurnEnd.ts"

/** Importing this module loads `effect/ai`. */

const stopReasons: Partial<Record<Response.FinishReason, StopReason>> = {
  "length": "max_tokens",
  "content-filter": "refusal"
}

const make = Effect.gen(function*() {
  const { prepare } = yield* TurnRequests
  const window = yield* ContextWindow
  const runCalls = yield* ToolCalls.make
  const recallMemory = yield* MemoryRecall.make
  const runCommand = yield* Commands.make
  const books = yield* RuleBooks

  /** Says once, for each content of the project's file, why its allow rules do not count. */
  const tellDistrust = Effect.fnUntraced(function*({ notify, policy, state }: TurnContext) {
    // Rules that cannot be read end the turn where its request is prepared.
    const book = yield* Effect.option(Effect.flatMap(policy.source, books.load))
    const { distrust } = Option.getOrElse(book, () => ({ distrust: undefined }))
    if (distrust !== undefined && distrust.key !== state.toldDistrust) {
      yield* notify({ severity: "warning", title: distrust.title, description: distrust.description })
    }
    state.toldDistrust = distrust?.key
  })

  /** The limit is met: one more request, in which the model may only say how far it came. See docs/sessions.md#limits-of-a-turn */
  const close = Effect.fnUntraced(function*(before: History, limit: number, turn: TurnContext) {
    yield* turn.policy.budget.check
    const answer = new ModelAnswer()
    const request = yield* prepare(turn)
    const history = yield* window.fit(before, request, turn)
    turn.keepContext(() => appendJson(history.json, textOnly(answer)))
    const asked = append(history, [userMessage(closing(limit))])
    yield* receive(request, asked.prompt, "none", answer, turn)
    yield* window.account(asked, answer, request, turn)
    if (answer.text.trim() === "") {
      return yield* new TurnFailed({
        message:
          `the turn met its limit of ${limit} model requests (max_tool_iterations) and the model gave no summary; prompt again to go on`,
        reason: "max_turn_requests"
      })
    }
    yield* turn.notify({
      severity: "warning",
      title: `Stopped after ${limit} model requests, the limit for one turn (max_tool_iterations)`
    })
    window.store(turn, append(history, textOnly(answer)))
    return "max_turn_requests" as const
  })

  /** A command needs no model, unless users sent messages while it ran: those are answered. */
  const afterCommand = Effect.fnUntraced(function*(text: string, turn: TurnContext) {
    yield* turn.writer.delta("Agent", text)
    const context = turn.savedContext()
    let messages: Messages = []
    const goesOn = yield* turn.takeSteering(true, (steering) => {
      messages = steering.map(encoded)
      turn.keepContext(() => appendJson(context, messages))
    })
    return goesOn ? { context, messages } : undefined
  })

  const run = Effect.fn("ModelTurn.run")(function*(asked: TurnContext): Effect.fn.Return<StopReason, TurnFailed> {
    const command = yield* runCommand(asked)
    const instead = command?._tag === "Answered" ? yield* afterCommand(command.text, asked) : undefined
    if (command?._tag === "Answered" && instead === undefined) return "end_turn"
    const turn = yield* recallMemory(command?._tag === "AskModel" ? { ...asked, prompt: command.prompt } : asked)
    const profile = turn.configured().runtime
    const { maxTurns = Infinity } = turn.policy.restrictions()
    const limit = Math.min(profile.maxToolIterations, maxTurns)
    const watch = { guard: LoopGuard.make(), denials: new Map<string, number>(), parallel: profile.parallelTools }
    yield* Effect.forEach(yield* turn.tools.begin, turn.notify, { discard: true })
    yield* tellDistrust(turn)
    const start = window.load(turn, instead === undefined ? turn.context : instead.context)
    let history = append(start, instead?.messages ?? [userMessage(turn.prompt, turn.images)])
    let overflown = false
    turn.keepContext(() => history.json)
    const takeSteering = (ends: boolean) =>
      turn.takeSteering(ends, (messages) => {
        history = append(history, messages.map(encoded))
        turn.keepContext(() => history.json)
      })

    for (let requests = 0; requests < limit; requests++) {
      yield* turn.policy.budget.check
      const request = yield* prepare(turn)
      const before = yield* window.fit(
        requests === 0 ? yield* window.begin(history, request, turn) : history,
        request,
        turn
      )
      const answer = new ModelAnswer()
      const results = new Map<string, CallResult>()
      // Whenever the turn is cut off, the saved context holds what was said and done up to then.
      turn.keepContext(() => appendJson(before.json, step(answer.parts, results)))
      const received = yield* Effect.result(receive(request, before.prompt, "auto", answer, turn))
      if (Result.isFailure(received)) {
        if (overflown || !isOverflow(received.failure, answer)) return yield* received.failure
        overflown = true
        history = yield* window.shrink(before, request, turn)
        if (history === before) return yield* received.failure
        requests--
        continue
      }
      yield* window.account(before, answer, request, turn)
      if (stopReasons[answer.finish] === "refusal") {
        // What was refused is not sent again: https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons
        turn.keepContext(() => start.json)
        return "refusal"
      }
      const { calls } = answer
      const end = yield* runCalls(calls, results, { ...watch, maxResultChars: maxResultChars(request) }, turn)
      if (end !== undefined) {
        yield* turn.notify({ severity: "warning", title: `The turn was ended: ${end}` })
        return "end_turn"
      }
      history = append(before, step(answer.parts, results))
      const ends = calls.length === 0 && answer.finish !== "pause"
      // An answer that pauses is continued as it is, without messages in between.
      const goesOn = !ends && calls.length === 0 ? true : (yield* takeSteering(ends)) || !ends
      window.store(turn, history)
      if (!goesOn) return stopReasons[answer.finish] ?? "end_turn"
    }
    if (maxTurns <= profile.maxToolIterations) {
      yield* turn.notify({
        severity: "warning",
        title: `Stopped after ${maxTurns} model requests, the limit that the client set for one turn (maxTurns)`
      })
      return "max_turn_requests"
    }
    return yield* close(history, limit, turn)
  })

  return TurnLoop.of({ run })
})

/** The turn loop, and the policy service with which it shares the tools that a session advertises. */
export const layer = Layer.effect(TurnLoop, make).pipe(
  Layer.provideMerge(PolicyServiceLayer.layer),
  Layer.provide([TurnRequests.layer, ContextWindow.layer]),
  Layer.provide([SystemPromptBuilder.layer, AdvertisedTools.layer]),
  Layer.provide(GateInput.layer)
)

const encoded = ({ images, text }: UserMessage) => userMessage(text, images)

/** Only before the model has answered anything: an answer cannot be begun twice. */
const isOverflow = ({ reason }: TurnFailed, { parts }: ModelAnswer): boolean =>
  reason === "context_overflow" && parts.length === 0

/** What a request without tools adds to the context. */
const textOnly = ({ parts }: ModelAnswer) => step(parts.filter(({ type }) => type === "text"), new Map())

const closing = (limit: number) =>
  `You have used all ${limit} model requests of this turn and cannot call tools any more. Tell the user what is done, what is left, and how to go on.`
