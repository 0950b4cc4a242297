import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { Provider } from "../config/Providers.ts"
import * as Anthropic from "./Anthropic.ts"
import type { ModelFault } from "./ModelFault.ts"
import * as OpenAiCompatible from "./OpenAiCompatible.ts"

const most = 300

/** OpenAI lists everything it has; these do not chat. */
const chatless = /embed|whisper|tts|dall-e|moderation|transcribe|realtime|audio|image|sora|davinci|babbage|instruct/

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const idsIn = (answer: unknown): ReadonlyArray<string> => {
  const list = [answer, field(answer, "data"), field(answer, "models")].find(Array.isArray) ?? []
  return list.map((model) => field(model, "id") ?? field(model, "name")).filter((id): id is string =>
    typeof id === "string" && id !== ""
  )
}

/** Ids of the models a provider says it has, in its own order. */
export const of = Effect.fnUntraced(
  function*(provider: Provider, http: HttpClient.HttpClient): Effect.fn.Return<ReadonlyArray<string>, ModelFault> {
    const { endpoint, path } = provider.kind === "anthropic"
      ? { endpoint: Anthropic.endpoint, path: `/v1/models?limit=${most}` }
      : { endpoint: OpenAiCompatible.endpoint, path: "/models" }
    const ids = idsIn(yield* endpoint(provider, "", http).get(path))
    const vendor = provider.kind === "openai-compatible" && provider.baseUrl === undefined
    return (vendor ? ids.filter((id) => !chatless.test(id)).sort() : ids).slice(0, most)
  }
)
