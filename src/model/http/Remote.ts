import { Effect } from "effect"
import type { Provider, ProxyVariables } from "../../config/Providers.ts"
import * as Anthropic from "../anthropic/Anthropic.ts"
import type { ModelFault } from "../ModelFault.ts"
import * as OpenAiCompatible from "../openai/OpenAiCompatible.ts"
import type { ModelStream } from "../ResponseParts.ts"
import * as HttpExchange from "./HttpExchange.ts"

const most = 300

/** OpenAI lists all its models; these do not chat. */
const chatless = /embed|whisper|tts|dall-e|moderation|transcribe|realtime|audio|image|sora|davinci|babbage|instruct/

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

export interface ListedModel {
  readonly id: string
  /** In tokens, where the provider says it. */
  readonly contextWindow: number | undefined
}

/** What servers call the size of a model's context; there is no standard for it. */
const windowNames = [
  "context_length",
  "context_window",
  "max_model_len",
  "max_context_length",
  "max_input_tokens"
]

const modelsIn = (answer: unknown): ReadonlyArray<ListedModel> => {
  const list: ReadonlyArray<unknown> = [answer, field(answer, "data"), field(answer, "models")].find(Array.isArray) ??
    []
  return list.flatMap((model) => {
    const id = field(model, "id") ?? field(model, "name")
    if (typeof id !== "string" || id === "") return []
    const size = windowNames.map((name) => field(model, name)).find((size) =>
      Number.isSafeInteger(size) && Number(size) > 0
    )
    return [{ id, contextWindow: size === undefined ? undefined : Number(size) }]
  })
}

/** The models that a provider lists, in its order. */
const listModels = Effect.fnUntraced(
  function*(
    provider: Provider,
    http: HttpExchange.HttpExchange
  ): Effect.fn.Return<ReadonlyArray<ListedModel>, ModelFault> {
    const { endpoint, path } = provider.kind === "anthropic"
      ? { endpoint: Anthropic.endpoint, path: `/v1/models?limit=${most}` }
      : { endpoint: OpenAiCompatible.endpoint, path: "/models" }
    const models = modelsIn(yield* endpoint(provider, "", http).get(path))
    const vendor = provider.kind === "openai-compatible" && provider.baseUrl === undefined
    const chatting = vendor
      ? models.filter(({ id }) => !chatless.test(id)).sort((one, other) => one.id < other.id ? -1 : 1)
      : models
    return chatting.slice(0, most)
  }
)

/** Models behind HTTP. This module loads an HTTP client: import it when a remote model is first asked. */

const makers = { "anthropic": Anthropic.make, "openai-compatible": OpenAiCompatible.make }

type RemoteProvider = Provider & { readonly kind: keyof typeof makers }

/** Gives models. The connections live as long as the scope. */
export const make = (proxy: ProxyVariables) =>
  Effect.map(
    HttpExchange.make(proxy),
    (http) => (provider: RemoteProvider, model: string): ModelStream => makers[provider.kind](provider, model, http)
  )

/** Gives lists of models. The connections live as long as the scope. */
export const listing = (proxy: ProxyVariables) =>
  Effect.map(
    HttpExchange.make(proxy),
    (http) => (provider: Provider) => Effect.map(listModels(provider, http), (models) => models.map(({ id }) => id))
  )

/**
 * Tries a provider with its key: gives what it lists. Some list their models to anybody; `keyPath` is then an address below theirs
 * that answers to a valid key only.
 */
export const trial = (proxy: ProxyVariables) =>
  Effect.map(HttpExchange.make(proxy), (http) => (provider: Provider, keyPath?: string) =>
    Effect.andThen(
      keyPath === undefined ? Effect.void : OpenAiCompatible.endpoint(provider, "", http).get(keyPath),
      listModels(provider, http)
    ))
