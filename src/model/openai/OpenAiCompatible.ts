import { Effect, Redacted, Stream } from "effect"
import { IdGenerator, type LanguageModel } from "effect/ai"
import type { HttpClient } from "effect/http"
import type { Provider } from "../../config/Providers.ts"
import * as Endpoint from "../http/Endpoint.ts"
import * as Images from "../Images.ts"
import type { ModelFault } from "../ModelFault.ts"
import { messages } from "./OpenAiMessages.ts"
import * as OpenAiReader from "./OpenAiReader.ts"
import type { ModelStream } from "../ResponseParts.ts"
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

export const endpoint = (provider: Provider, model: string, http: HttpClient.HttpClient): Endpoint.Endpoint =>
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

export const make = (provider: Provider, model: string, http: HttpClient.HttpClient): ModelStream => {
  const { post } = endpoint(provider, model, http)
  const limit = provider.baseUrl === undefined ? "max_completion_tokens" : "max_tokens"
  let countsUsage = true

  const body = (
    { toolChoice, tools }: LanguageModel.ProviderOptions,
    prompt: ReadonlyArray<object>,
    { temperature, thoughtLevel }: RequestOptions
  ) => ({
    model,
    stream: true,
    ...(countsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(provider.maxTokens === undefined ? {} : { [limit]: provider.maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(efforts[thoughtLevel] === undefined ? {} : { reasoning_effort: efforts[thoughtLevel] }),
    ...(tools.length === 0 || toolChoice === "none"
      ? {}
      : { tools: tools.map((tool) => ({ type: "function", function: declarationOf(tool) })) }),
    messages: prompt
  })

  return (request) =>
    Stream.unwrap(Effect.gen(function*() {
      const ids = yield* IdGenerator.IdGenerator
      const wishes = yield* RequestOptions
      const prompt = messages(request.prompt, provider.vision ? yield* Images.inPrompt(request.prompt) : Images.none)
      const id = yield* ids.generateId()
      const ask = () => post("/chat/completions", body(request, prompt, wishes), () => OpenAiReader.make(id))
      // Servers that do not know `stream_options` refuse the whole request.
      return Stream.catch(ask(), (fault: ModelFault) => {
        if (
          !countsUsage || fault.reason !== "model_rejected_request" || !fault.message.includes("stream_options")
        ) return Stream.fail(fault)
        countsUsage = false
        return ask()
      })
    }))
}
