import { Effect, Redacted, Stream } from "effect"
import { newId } from "../../domain/Id.ts"
import type { Provider } from "../../config/Providers.ts"
import * as Endpoint from "../http/Endpoint.ts"
import type { HttpExchange } from "../http/HttpExchange.ts"
import * as Images from "../Images.ts"
import * as Learned from "../Learned.ts"
import { messages } from "./OpenAiMessages.ts"
import * as OpenAiReader from "./OpenAiReader.ts"
import type { ModelPrompt, ModelStream } from "../ResponseParts.ts"
import { RequestOptions, type ThoughtLevel } from "../RequestOptions.ts"
import { declarationOf } from "../ToolSchemas.ts"

/** Chat completions of OpenAI and compatible servers: https://platform.openai.com/docs/api-reference/chat. */

const vendor = "https://api.openai.com/v1"

/** The address below which `/chat/completions` lies; `base_url` may lack the version or contain the whole path. */
export const rootOf = (baseUrl: string | undefined): string => {
  if (baseUrl === undefined) return vendor
  const url = baseUrl.replace(/\/+$/, "").replace(/\/chat\/completions$/, "")
  return /^https?:\/\/[^/]+$/.test(url) ? `${url}/v1` : url
}

export const endpoint = (provider: Provider, model: string, http: HttpExchange): Endpoint.Endpoint =>
  Endpoint.make({
    provider,
    model,
    http,
    baseUrl: rootOf(provider.baseUrl),
    headers: provider.apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(provider.apiKey)}` }
  })

const efforts: Record<ThoughtLevel, string | undefined> = {
  default: undefined,
  off: "none",
  low: "low",
  medium: "medium",
  high: "high"
}

export const make = (provider: Provider, model: string, http: HttpExchange): ModelStream => {
  const { post } = endpoint(provider, model, http)
  const learned = { ...Learned.make(), newLimit: provider.baseUrl === undefined }

  const body = (
    offered: ModelPrompt["tools"],
    { temperature, thoughtLevel }: RequestOptions
  ) => {
    const effort = efforts[thoughtLevel]
    const fields = {
      ...(provider.maxTokens === undefined
        ? {}
        : { [learned.newLimit ? "max_completion_tokens" : "max_tokens"]: provider.maxTokens }),
      stream_options: { include_usage: true },
      ...(temperature === undefined ? {} : { temperature }),
      ...(effort === undefined ? {} : { reasoning_effort: effort })
    }
    return {
      model,
      stream: true,
      ...Object.fromEntries(Object.entries(fields).filter(([key]) => !learned.without.has(key))),
      ...(offered.length === 0
        ? {}
        : { tools: offered.map((tool) => ({ type: "function", function: declarationOf(tool) })) })
    }
  }

  return (request) =>
    Stream.unwrap(Effect.gen(function*() {
      const wishes = yield* RequestOptions
      const id = `call_${newId()}`
      return Learned.repaired(learned, wishes, () =>
        Effect.gen(function*() {
          const images = provider.vision ? yield* Images.inPrompt(request.prompt, learned) : Images.none
          const offered = request.toolChoice === "none"
            ? []
            : request.tools.filter(({ name }) => !learned.refusedTools.has(name))
          const fields = body(offered, wishes)
          const prompt = messages(request.prompt, { images, provider: provider.alias, shortIds: learned.shortIds })
          const tools = offered.map(({ name }) => name)
          return {
            sent: {
              fields: Object.keys(fields),
              tools,
              images: Images.pathsOf(images)
            },
            answer: post(
              "/chat/completions",
              { ...fields, messages: prompt },
              () => OpenAiReader.make({ id, provider: provider.alias, tools, learned })
            )
          }
        }))
    }))
}
