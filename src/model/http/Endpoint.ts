import { Clock, Duration, Effect, Redacted, Stream } from "effect"
import { type HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { Provider } from "../../config/Providers.ts"
import type { ModelRequest } from "./HttpFault.ts"
import * as HttpFault from "./HttpFault.ts"
import type { ModelFault } from "../ModelFault.ts"
import type { ResponsePart, ResponseReader } from "../ResponseParts.ts"
import * as ResponseStream from "./ResponseStream.ts"

/** The HTTP address of a model. */
export interface Endpoint {
  readonly asked: ModelRequest
  /** Interrupting the stream closes the connection. */
  readonly post: (path: string, body: object, reader: () => ResponseReader) => Stream.Stream<ResponsePart, ModelFault>
  readonly get: (path: string) => Effect.Effect<unknown, ModelFault>
}

interface Options {
  readonly provider: Provider
  readonly model: string
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly http: HttpClient.HttpClient
}

/** The longest silence: a model may think for minutes without sending anything. */
const longestSilence = 300

/** Replaces lone surrogates: JSON writes them as escapes that providers refuse. */
const wellFormed = (body: string): string =>
  body.includes("\\ud") ? body.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\\ufffd") : body

const hiding = ({ apiKey, headers }: Provider) => {
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...headers.values()].map(Redacted.value).filter((
    { length }
  ) => length > 3)
  return (text: string) => secrets.reduce((text, secret) => text.replaceAll(secret, "<redacted>"), text)
}

export const make = ({ baseUrl, headers, http, model, provider }: Options): Endpoint => {
  const asked: ModelRequest = {
    alias: provider.alias,
    model,
    baseUrl: baseUrl.replace(/\/\/[^/@]*@/, "//"),
    apiKeyEnv: provider.apiKeyEnv,
    hasKey: provider.apiKey !== undefined,
    hide: hiding(provider)
  }
  const timeout = provider.timeoutSecs ?? Infinity
  const silence = Duration.seconds(Math.min(longestSilence, timeout))
  const own = Array.from(provider.headers, ([name, value]) => [name, Redacted.value(value)] as const)

  const refused = Effect.fnUntraced(function*(response: HttpClientResponse.HttpClientResponse) {
    const body = yield* response.text.pipe(Effect.timeout("10 seconds"), Effect.orElseSucceed(() => ""))
    return yield* HttpFault.ofStatus(asked, {
      status: response.status,
      headers: response.headers,
      body,
      now: yield* Clock.currentTimeMillis
    })
  })

  const send = (request: HttpClientRequest.HttpClientRequest) =>
    http.execute(HttpClientRequest.setHeaders(HttpClientRequest.setHeaders(request, headers), own)).pipe(
      Effect.mapError(({ reason }) => HttpFault.ofTransport(asked, reason.cause)),
      Effect.timeoutOrElse({
        duration: silence,
        orElse: () =>
          Effect.fail(HttpFault.tooSlow(asked, `${asked.baseUrl} did not answer within ${Duration.format(silence)}`))
      }),
      Effect.filterOrElse(({ status }) => status >= 200 && status < 300, refused)
    )

  return {
    asked,
    post: (path, body, reader) =>
      Stream.unwrap(Effect.gen(function*() {
        const deadline = (yield* Clock.currentTimeMillis) + timeout * 1000
        const response = yield* send(
          HttpClientRequest.post(`${baseUrl}${path}`).pipe(
            HttpClientRequest.bodyText(wellFormed(JSON.stringify(body)), "application/json"),
            HttpClientRequest.setHeader("accept", "text/event-stream")
          )
        )
        const bytes = Stream.mapError(response.stream, () => HttpFault.brokenOff(asked, "the connection was lost"))
        return ResponseStream.readParts(asked, bytes, reader(), { silence, deadline })
      })),
    get: (path) =>
      Effect.flatMap(
        send(HttpClientRequest.get(`${baseUrl}${path}`)),
        (response) => Effect.mapError(response.json, () => HttpFault.noApi(asked))
      )
  }
}
