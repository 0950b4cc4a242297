import { Effect, Redacted, Stream } from "effect"
import { newId } from "../../domain/Id.ts"
import type { Provider } from "../../config/Providers.ts"
import { mayThink, messages, system, tools } from "./AnthropicMessages.ts"
import * as AnthropicReader from "./AnthropicReader.ts"
import * as Endpoint from "../http/Endpoint.ts"
import type { HttpExchange } from "../http/HttpExchange.ts"
import * as Images from "../Images.ts"
import * as Learned from "../Learned.ts"
import type { ModelPrompt, ModelStream } from "../ResponseParts.ts"
import { RequestOptions, type ThoughtLevel } from "../RequestOptions.ts"
import { declarationOf } from "../ToolSchemas.ts"

/** Anthropic's Messages API: https://docs.anthropic.com/en/api/messages. */

/** The address below which `/v1/messages` lies. */
export const rootOf = (baseUrl = "https://api.anthropic.com"): string =>
  baseUrl.replace(/\/+$/, "").replace(/\/v1(\/messages)?$/, "")

export const endpoint = (provider: Provider, model: string, http: HttpExchange): Endpoint.Endpoint =>
  Endpoint.make({
    provider,
    model,
    http,
    baseUrl: rootOf(provider.baseUrl),
    headers: {
      "anthropic-version": "2023-06-01",
      ...(provider.apiKey === undefined ? {} : { "x-api-key": Redacted.value(provider.apiKey) })
    }
  })

/** People and other providers write `claude-sonnet-4.6`; the API takes hyphens only. */
export const apiName = (model: string): string => model.startsWith("claude-") ? model.replaceAll(".", "-") : model

/** The largest `max_tokens` of a model: the API requires the field and refuses a value that is too high. */
const outputOf = (model: string): number =>
  model.startsWith("claude-3-5") ? 8192 : /^claude-3-(opus|sonnet|haiku)/.test(model) ? 4096 : 32_000

/** Models up to 4.5 take a token budget for thinking; later models take an effort. */
const hasBudget = (model: string) => /^claude-(3|(opus|sonnet|haiku)-4(-[015])?(-\d{8})?$)/.test(model)

const budgets = { low: 2048, medium: 8192, high: 16_384 }

const thinking = (model: string, level: ThoughtLevel, limit: number): object => {
  if (level === "default") return {}
  if (level === "off") return { thinking: { type: "disabled" } }
  if (!hasBudget(model)) {
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: level } }
  }
  const budget = Math.min(budgets[level], limit - 1024)
  return budget < 1024 ? {} : { thinking: { type: "enabled", budget_tokens: budget } }
}

export const make = (provider: Provider, name: string, http: HttpExchange): ModelStream => {
  const model = apiName(name)
  const { post } = endpoint(provider, model, http)
  const limit = provider.maxTokens ?? outputOf(model)
  const learned = Learned.make()

  const body = (
    { prompt, toolChoice, tools: all }: ModelPrompt,
    { temperature, thoughtLevel: level }: RequestOptions,
    images: Images.Images
  ) => {
    const offered = all.filter(({ name }) => !learned.refusedTools.has(name))
    const asked = hasBudget(model) && !mayThink(prompt, model) ? {} : thinking(model, level, limit)
    const instructions = system(prompt)
    const declarations = tools(prompt, offered.map(declarationOf))
    const callable = offered.length > 0 && toolChoice !== "none"
    return {
      model,
      max_tokens: limit,
      stream: true,
      ...(temperature === undefined || "thinking" in asked || learned.without.has("temperature")
        ? {}
        : { temperature }),
      ...asked,
      ...(declarations.length === 0
        ? {}
        : { tools: declarations, ...(callable ? {} : { tool_choice: { type: "none" } }) }),
      ...(instructions.length === 0 ? {} : { system: instructions }),
      messages: messages(prompt, level === "off" ? undefined : model, images)
    }
  }

  return (request) =>
    Stream.unwrap(Effect.gen(function*() {
      const wishes = yield* RequestOptions
      const id = `toolu_${newId()}`
      return Learned.repaired(learned, wishes, () =>
        Effect.gen(function*() {
          const images = provider.vision ? yield* Images.inPrompt(request.prompt, learned) : Images.none
          const sent = body(request, wishes, images)
          const tools = sent.tools?.map(({ name }) => name) ?? []
          return {
            sent: {
              fields: Object.keys(sent),
              tools,
              images: Images.pathsOf(images)
            },
            answer: post("/v1/messages", sent, () => AnthropicReader.make({ id, model, tools, learned }))
          }
        }))
    }))
}
