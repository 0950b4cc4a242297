import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import type { Provider, Proxy } from "../config/Providers.ts"
import * as Anthropic from "./Anthropic.ts"
import * as ModelList from "./ModelList.ts"
import * as OpenAiCompatible from "./OpenAiCompatible.ts"
import type { StreamParts } from "./Parts.ts"

/** Models behind HTTP. Importing this module loads an HTTP client: do it when a first one is asked. */

/** Connections are used again by the next request. Traces of ours are no business of a provider. */
const layerHttp = (proxyEnv: Proxy) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.transformResponse(Effect.provideService(HttpClient.TracerPropagationEnabled, false))
    )
  ).pipe(
    Layer.provide(
      NodeHttpClient.layerNodeHttpOptions({
        keepAlive: true,
        ...(Object.keys(proxyEnv).length === 0 ? {} : { proxyEnv: { ...proxyEnv } })
      })
    )
  )

const makers = { "anthropic": Anthropic.make, "openai-compatible": OpenAiCompatible.make }

export type RemoteProvider = Provider & { readonly kind: keyof typeof makers }

const clientOf = (proxy: Proxy) =>
  Effect.map(Layer.build(layerHttp(proxy)), (built) => Context.get(built, HttpClient.HttpClient))

/** Gives models. The connections live as long as the scope. */
export const make = (proxy: Proxy) =>
  Effect.map(
    clientOf(proxy),
    (http) => (provider: RemoteProvider, model: string): StreamParts => makers[provider.kind](provider, model, http)
  )

/** Gives lists of models. The connections live as long as the scope. */
export const listing = (proxy: Proxy) =>
  Effect.map(clientOf(proxy), (http) => (provider: Provider) => ModelList.of(provider, http))
