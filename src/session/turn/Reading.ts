import { Effect, Stream } from "effect"
import { type AiError, Prompt, type Response } from "effect/ai"
import type { Provider } from "../../config/Providers.ts"
import * as ModelFault from "../../model/ModelFault.ts"
import type { Model } from "../../model/Models.ts"
import { RequestOptions } from "../../model/RequestOptions.ts"
import type { Answer } from "./Answer.ts"
import type { History } from "../context/History.ts"
import type { AdvertisedTools } from "../policy/AdvertisedTools.ts"
import { estimateText } from "../context/Tokens.ts"
import { TurnFailed, type TurnInput } from "./TurnLoop.ts"

export interface Request {
  readonly model: Model
  readonly history: History
  readonly system: string
  readonly toolkit: AdvertisedTools
  readonly toolChoice: "auto" | "none"
}

export const failedModel = (error: AiError.AiError) => new TurnFailed(ModelFault.ofAiError(error))

const perMillion = 1_000_000

/** In US dollars; `undefined` where no prices are known. */
export const costOf = (
  { inputTokens, outputTokens }: Response.Usage,
  prices: Provider["prices"]
): number | undefined => {
  if (prices === undefined) return undefined
  const [read, written] = [inputTokens.cacheRead ?? 0, inputTokens.cacheWrite ?? 0]
  const plain = inputTokens.uncached ?? Math.max(0, (inputTokens.total ?? 0) - read - written)
  const { input = 0, output = 0, cache_read = input, cache_write = input } = prices
  return (plain * input + read * cache_read + written * cache_write + (outputTokens.total ?? 0) * output) / perMillion
}

export const tokensOf = ({ inputTokens, outputTokens }: Response.Usage): number =>
  (inputTokens.total ?? 0) + (outputTokens.total ?? 0)

/** A guess, before any provider has counted: what every request carries besides the messages. */
export const overhead = ({ system, toolkit }: Pick<Request, "system" | "toolkit">): number =>
  estimateText(system) +
  Object.values(toolkit.tools).reduce((sum, { description }) => sum + estimateText(description ?? "") + 100, 0)

const ask = ({ history, model: { languageModel }, system, toolChoice, toolkit }: Request) =>
  languageModel.streamText({
    prompt: Prompt.fromMessages([Prompt.systemMessage({ content: system }), ...history.prompt.content]),
    toolkit,
    toolChoice,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  })

const take = (
  part: Stream.Success<ReturnType<typeof ask>>,
  answer: Answer,
  input: TurnInput
): Effect.Effect<void, TurnFailed> => {
  switch (part.type) {
    case "text-delta":
      answer.add("text", part.delta)
      return input.ledger.delta("Agent", part.delta)
    case "reasoning-start":
      return Effect.sync(() => answer.begin("reasoning"))
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

const wishesOf = ({ model, notify, overrides: { temperature } }: TurnInput): RequestOptions => ({
  thoughtLevel: model.thoughtLevel(),
  onDelay: (title) => notify({ severity: "warning", title }),
  ...(temperature === undefined ? {} : { temperature })
})

/** Puts what the model says into `answer` and before the people, as it comes. */
export const receive = Effect.fnUntraced(function*(request: Request, answer: Answer, input: TurnInput) {
  yield* ask(request).pipe(
    Stream.mapError(failedModel),
    Stream.runForEachArray((parts) => {
      let next = 0
      return Effect.whileLoop({
        while: () => next < parts.length,
        body: () => take(parts[next++]!, answer, input),
        step: () => {}
      })
    }),
    Effect.provideService(RequestOptions, wishesOf(input))
  )
  input.ledger.endMessage()
})
