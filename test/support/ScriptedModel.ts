import { Effect, Layer, Stream } from "effect"
import type { Prompt } from "effect/ai"
import * as EngineLayer from "../../src/app/EngineLayer.ts"
import { type Model, Models } from "../../src/model/Models.ts"
import { ModelFault, type ModelFaultReason } from "../../src/model/ModelFault.ts"
import type { ModelStream, ResponsePart } from "../../src/model/ResponseParts.ts"
import { OfflineParts, wordsOf } from "../../src/model/offline/OfflineModel.ts"
import { unmark } from "../../src/security/Untrusted.ts"
import * as ModelTurn from "../../src/session/turn/ModelTurn.ts"

export interface Call {
  readonly name: string
  readonly params: unknown
}

/** One answer of the model, in the order in which it is said. */
export interface Answer {
  readonly think?: string
  readonly text?: string
  readonly calls?: ReadonlyArray<Call>
  readonly finish?: "stop" | "length" | "content-filter"
  readonly usage?: { readonly input: number; readonly output: number }
  /** The request fails after what was said. */
  readonly fails?: string
  /** The stable word for why, as a provider gives it. */
  readonly reason?: ModelFaultReason
}

export interface Request {
  readonly messages: ReadonlyArray<Prompt.Message>
  readonly tools: ReadonlyArray<string>
  readonly toolChoice: unknown
}

const partsOf = (
  { calls = [], finish = "stop", text, think, usage }: Answer,
  id: string
): ReadonlyArray<ResponsePart> => {
  const speech = new OfflineParts()
  const said = [
    ...(think === undefined ? [] : speech.say("reasoning", wordsOf(think))),
    ...(text === undefined ? [] : speech.say("text", wordsOf(text))),
    ...calls.flatMap(({ name, params }, index) => speech.call(`${id}-${index}`, name, params))
  ]
  return [
    ...said,
    ...speech.finish("stop", 1).map((part): ResponsePart =>
      part.type === "finish"
        ? {
          ...part,
          reason: calls.length > 0 ? "tool-calls" : finish,
          usage: { inputTokens: { total: usage?.input }, outputTokens: { total: usage?.output } }
        }
        : part
    )
  ]
}

const failure = (message: string, reason: ModelFaultReason = "model_failed") =>
  new ModelFault({ message, reason, transient: false })

/** A model that gives the answers of a test one after the other, then only says "done", and writes down what it was asked. */
export const make = (
  answers: ReadonlyArray<Answer>,
  { contextWindow = 200_000, prices }: Partial<Pick<Model, "contextWindow" | "prices">> = {}
) => {
  const requests: Array<Request> = []
  const ask: ModelStream = ({ prompt, toolChoice, tools }) =>
    Stream.suspend(() => {
      const answer = answers[requests.length] ?? { text: "done" }
      requests.push({ messages: prompt.content, tools: tools.map(({ name }) => name), toolChoice })
      const parts = partsOf(answer, `call-${requests.length}`)
      if (answer.fails === undefined) return Stream.fromIterable(parts)
      return Stream.concat(
        Stream.fromIterable(parts.filter(({ type }) => type !== "finish")),
        Stream.fail(failure(answer.fails, answer.reason))
      )
    })
  const models = Layer.succeed(
    Models,
    Models.of({ get: () => Effect.succeed({ id: "test/scripted", provider: "test", contextWindow, prices, ask }) })
  )
  const engine = ModelTurn.layer.pipe(
    Layer.provide(models),
    Layer.provide(EngineLayer.layerPolicy)
  )
  return { requests, engine }
}

/** The messages of a request without the system prompt, one line each. */
export const told = ({ messages }: Request): ReadonlyArray<string> =>
  messages.flatMap((message): ReadonlyArray<string> => {
    switch (message.role) {
      case "system":
        return []
      case "user":
        return [`user: ${message.content.map((part) => part.type === "text" ? part.text : part.type).join("\n")}`]
      case "assistant":
        return [
          `assistant: ${
            message.content.map((part) =>
              part.type === "text" || part.type === "reasoning"
                ? part.text
                : part.type === "tool-call"
                ? `<${part.name}>`
                : part.type
            ).join("")
          }`
        ]
      case "tool":
        return [
          `tool: ${
            message.content.map((part) => part.type === "tool-result" ? unmark(String(part.result)) : part.type).join(
              " | "
            )
          }`
        ]
    }
  })
