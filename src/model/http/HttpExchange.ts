import { type Array as Arr, Cause, Data, Effect, type Pull, type Scope } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import type { Readable } from "node:stream"
import type { ProxyVariables } from "../../config/Providers.ts"

/**
 * Requests to models over `node:http`. A turn pays for each layer between a socket and the reader of events, once for
 * every answer and once for every piece of one, so there is none.
 */

/** There is no connection, or no more; `cause` is the error of the socket. */
export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{ readonly cause: unknown }> {}

export interface HttpRequest {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body, piece by piece. */
  readonly pieces: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, ConnectionFailed>
}

/**
 * Sends a request and gives its answer as soon as the headers are there. Closing the scope closes the connection of an
 * answer that was not read to its end; one that was is kept for the next request. Redirects are not followed.
 */
export type HttpExchange = (request: HttpRequest) => Effect.Effect<HttpAnswer, ConnectionFailed, Scope.Scope>

/**
 * The bytes of a body. Nothing is asked to be compressed, but some servers and proxies do it all the same, and some
 * only say so.
 */
const bodyOf = (message: http.IncomingMessage): Readable => {
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase()
  if (encoding === undefined || encoding === "" || encoding === "identity") return message
  const zlib = process.getBuiltinModule("node:zlib")
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants
  const settings = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  const decoder = encoding === "br"
    ? zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
    : encoding === "zstd"
    ? zlib.createZstdDecompress()
    : zlib.createUnzip(settings)
  message.on("error", (cause) => decoder.destroy(cause)).on("close", () => {
    if (!message.complete) decoder.destroy()
  })
  return message.pipe(decoder)
}

const piecesOf = (message: Readable): HttpAnswer["pieces"] => {
  let lost: ConnectionFailed | undefined
  let wake = () => {}
  message.on("readable", () => wake()).on("end", () => wake()).on("close", () => wake()).on("error", (cause) => {
    lost = new ConnectionFailed({ cause })
    wake()
  })
  const next: HttpAnswer["pieces"] = Effect.suspend(() => {
    const piece: Buffer | null = message.read()
    if (piece !== null) return Effect.succeed([piece])
    if (message.readableEnded) return Cause.done()
    if (lost !== undefined || message.destroyed) return Effect.fail(lost ?? new ConnectionFailed({ cause: undefined }))
    return Effect.callback((resume) => {
      wake = () => resume(next)
    })
  })
  return next
}

const headersOf = ({ headers }: http.IncomingMessage): HttpAnswer["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))

/** Connections are kept between requests, as long as the scope lives. */
export const make = (proxy: ProxyVariables): Effect.Effect<HttpExchange, never, Scope.Scope> =>
  Effect.gen(function*() {
    const options = { keepAlive: true, ...(Object.keys(proxy).length === 0 ? {} : { proxyEnv: { ...proxy } }) }
    const agents = { http: new http.Agent(options), https: new https.Agent(options) }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        agents.http.destroy()
        agents.https.destroy()
      })
    )
    return Effect.fnUntraced(function*({ body, headers, method, url }) {
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
      const settings = { method, headers: { ...headers, ...length } }
      const request = yield* Effect.acquireRelease(
        Effect.try({
          try: () =>
            url.startsWith("https:")
              ? https.request(url, { ...settings, agent: agents.https })
              : http.request(url, { ...settings, agent: agents.http }),
          catch: (cause) => new ConnectionFailed({ cause })
        }),
        // Does nothing to a connection that was given back.
        (request) => Effect.sync(() => request.destroy())
      )
      const message = yield* Effect.callback<http.IncomingMessage, ConnectionFailed>((resume) => {
        request.on("error", (cause) => resume(Effect.fail(new ConnectionFailed({ cause })))).on(
          "response",
          (message) => resume(Effect.succeed(message))
        )
        request.end(body)
      })
      return { status: message.statusCode ?? 0, headers: headersOf(message), pieces: piecesOf(bodyOf(message)) }
    })
  })

/** The whole body as text, at most `limit` bytes of it. */
export const textOf = ({ pieces }: HttpAnswer, limit: number): Effect.Effect<string, ConnectionFailed> =>
  Effect.suspend(() => {
    const read: Array<Uint8Array> = []
    let size = 0
    const more: Effect.Effect<void, ConnectionFailed> = Effect.suspend(() =>
      size >= limit ? Effect.void : pieces.pipe(
        Effect.matchEffect({
          onSuccess: (found) => {
            read.push(...found)
            size += found.reduce((sum, { length }) => sum + length, 0)
            return more
          },
          onFailure: (end) => Cause.isDone(end) ? Effect.void : Effect.fail(end)
        })
      )
    )
    return Effect.map(more, () => Buffer.concat(read).toString("utf8", 0, limit))
  })
