import { Clock, Duration, Effect, Redacted, Stream } from "effect"
import type { Provider } from "../../config/Providers.ts"
import type { ModelRequest } from "./HttpFault.ts"
import * as HttpFault from "./HttpFault.ts"
import type { ModelFault } from "../ModelFault.ts"
import type { ResponsePart, ResponseReader } from "../ResponseParts.ts"
import { type HttpAnswer, type HttpExchange, type HttpRequest, textOf } from "./HttpExchange.ts"
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
  readonly http: HttpExchange
}

/** The longest silence: a model may think for minutes without sending anything. */
const longestSilence = 300

/** Bytes of a refusal that are read; more says nothing more. */
const maxRefusal = 1024 * 1024

/** Bytes of a list of models that are read. */
const maxList = 16 * 1024 * 1024

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
  const silence = Duration.seconds(provider.timeoutSecs ?? longestSilence)
  const own = Object.fromEntries(
    Array.from(provider.headers, ([name, value]) => [name.toLowerCase(), Redacted.value(value)])
  )

  const refused = Effect.fnUntraced(function*(answer: HttpAnswer) {
    const body = yield* textOf(answer, maxRefusal).pipe(Effect.timeout("10 seconds"), Effect.orElseSucceed(() => ""))
    return yield* HttpFault.ofStatus(asked, {
      status: answer.status,
      headers: answer.headers,
      body,
      now: yield* Clock.currentTimeMillis
    })
  })

  const send = (request: HttpRequest) =>
    http({ ...request, headers: { ...request.headers, ...headers, ...own } }).pipe(
      Effect.mapError(({ cause }) => HttpFault.ofTransport(asked, cause)),
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
        const { pieces } = yield* send({
          method: "POST",
          url: `${baseUrl}${path}`,
          headers: { "content-type": "application/json", accept: "text/event-stream" },
          body: wellFormed(JSON.stringify(body))
        })
        const bytes = Stream.mapError(
          Stream.fromPull(Effect.succeed(pieces)),
          () => HttpFault.brokenOff(asked, "the connection was lost")
        )
        return ResponseStream.readParts(asked, bytes, reader(), silence)
      })),
    get: (path) =>
      send({ method: "GET", url: `${baseUrl}${path}`, headers: { accept: "application/json" } }).pipe(
        Effect.flatMap((answer) =>
          Effect.mapError(textOf(answer, maxList), () => HttpFault.brokenOff(asked, "the connection was lost"))
        ),
        Effect.flatMap((text) =>
          Effect.try({ try: () => JSON.parse(text) as unknown, catch: () => HttpFault.noApi(asked) })
        ),
        Effect.scoped
      )
  }
}
