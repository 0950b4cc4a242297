import { Context, Effect, Layer, Stream } from "effect"
import { Prompt } from "effect/ai"
import { LiveSettings } from "../../config/LiveSettings.ts"
import type { RuntimeProfile } from "../../config/Profiles.ts"
import { type Model, Models } from "../../model/Models.ts"
import { RequestOptions } from "../../model/RequestOptions.ts"
import { isRetracted, type ResponsePart } from "../../model/ResponseParts.ts"
import { estimateText } from "../context/Tokens.ts"
import { SystemPromptBuilder } from "../context/SystemPromptBuilder.ts"
import { AdvertisedTools, type Advertisement } from "../policy/AdvertisedTools.ts"
import type { SessionOverrides } from "../SessionContext.ts"
import type { ModelAnswer } from "./ModelAnswer.ts"
import { type TurnContext } from "./TurnLoop.ts"
import { TurnFailed } from "./TurnEnd.ts"

/** What a request to the model consists of besides the messages. */
export interface TurnRequest {
  readonly model: Model
  readonly profile: RuntimeProfile
  readonly system: string
  readonly toolkit: Advertisement
  /** Tokens of the system prompt and the tools, an estimate. */
  readonly overhead: number
}

/**
 * A model named without a provider is one of the agent's own provider; a provider without a model keeps the model's
 * name.
 */
const overridden = (own: string, { model, modelProvider }: SessionOverrides): string => {
  if (model === undefined && modelProvider === undefined) return own
  const [provider = "", ...name] = own.split("/")
  if (model !== undefined && modelProvider === undefined && model.includes("/")) return model
  return `${modelProvider ?? provider}/${model ?? name.join("/")}`
}

const overhead = (system: string, { tools }: Advertisement): number =>
  estimateText(system) +
  Object.values(tools).reduce((sum, { description }) => sum + estimateText(description ?? "") + 100, 0)

/** Prepares each request from the current state: model, policy, tools and limits may change during a turn. */
export class TurnRequests extends Context.Service<TurnRequests, {
  readonly prepare: (turn: TurnContext) => Effect.Effect<TurnRequest, TurnFailed>
}>()("postern/session/TurnRequests") {
  static readonly layer = Layer.effect(
    TurnRequests,
    Effect.gen(function*() {
      const models = yield* Models
      const advertised = yield* AdvertisedTools
      const systemPrompts = yield* SystemPromptBuilder
      const { last } = yield* LiveSettings
      // Otherwise the first turn waits for the HTTP client of its model. What fails is told to the turn that needs it.
      yield* Effect.suspend(() =>
        Effect.forEach(
          last().agents.values(),
          ({ enabled, model }) => enabled ? Effect.ignore(models.get(model)) : Effect.void,
          {
            discard: true
          }
        )
      ).pipe(Effect.delay("10 millis"), Effect.forkScoped)
      return {
        prepare: Effect.fnUntraced(function*(turn) {
          const model = yield* Effect.mapError(
            models.get(overridden(turn.model.model(), turn.overrides)),
            ({ message, reason }) =>
              new TurnFailed({
                message,
                reason: "model_unavailable",
                ...(reason === "no_key" ? { needsKey: true as const } : {})
              })
          )
          const { runtime: profile } = turn.configured()
          const toolkit = profile.agentic ? yield* advertised.of(turn) : advertised.none
          const system = yield* systemPrompts.build(turn, model, Object.keys(toolkit.tools))
          return { model, profile, system, toolkit, overhead: overhead(system, toolkit) }
        })
      }
    })
  )
}

const stream = (
  { model, system, toolkit }: TurnRequest,
  messages: Prompt.Prompt,
  toolChoice: "auto" | "none"
) =>
  model.ask({
    prompt: Prompt.fromMessages([Prompt.systemMessage({ content: system }), ...messages.content]),
    tools: Object.values(toolkit.tools),
    toolChoice
  })

const take = (
  part: ResponsePart,
  answer: ModelAnswer,
  { writer }: TurnContext
): Effect.Effect<void, TurnFailed> => {
  switch (part.type) {
    case "text-delta":
      answer.add("text", part.delta)
      return writer.delta("Agent", part.delta)
    case "reasoning-start":
      return Effect.sync(() => answer.begin("reasoning"))
    case "reasoning-delta":
      answer.add("reasoning", part.delta)
      return writer.delta("Thought", part.delta)
    case "text-end":
    case "reasoning-end":
      if (part.type === "reasoning-end") answer.endThought(part.metadata ?? {})
      else if (isRetracted(part.metadata)) {
        answer.retract()
        return Effect.sync(writer.retract)
      }
      return Effect.sync(writer.endMessage)
    case "tool-call":
      answer.call(part)
      return Effect.void
    case "error":
      return Effect.fail(new TurnFailed({ message: String(part.error), reason: "model_failed" }))
    case "finish":
      answer.finish = part.reason
      answer.usage = part.usage
      return Effect.void
    default:
      return Effect.void
  }
}

const requestOptionsOf = ({ model, notify, overrides: { temperature } }: TurnContext): RequestOptions => ({
  thoughtLevel: model.thoughtLevel(),
  onNotice: (title) => notify({ severity: "warning", title }),
  ...(temperature === undefined ? {} : { temperature })
})

/** Asks the model and puts its answer into `answer` and into the transcript, as it comes. */
export const receive = Effect.fnUntraced(function*(
  request: TurnRequest,
  messages: Prompt.Prompt,
  toolChoice: "auto" | "none",
  answer: ModelAnswer,
  turn: TurnContext
) {
  yield* stream(request, messages, toolChoice).pipe(
    Stream.mapError(({ message, reason }) => new TurnFailed({ message, reason })),
    Stream.runForEachArray((parts) => {
      let next = 0
      return Effect.whileLoop({
        while: () => next < parts.length,
        body: () => take(parts[next++]!, answer, turn),
        step: () => {}
      })
    }),
    Effect.provideService(RequestOptions, requestOptionsOf(turn))
  )
  turn.writer.endMessage()
})
