import { Deferred, Duration, Effect, FiberMap, Option, Stream } from "effect"
import { type AnyEvent, makeParser, Retry } from "effect/encoding/Sse"
import type { McpTransportConfig } from "../domain/McpServerConfig.ts"
import type { RequestId } from "../rpc/Wire.ts"
import { make, maxMessage, type McpConnection, type McpListener, stopped, Unreachable } from "./McpConnection.ts"
import { beginning } from "../domain/Cut.ts"

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return "unknown cause"
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

const unreachable = (error: unknown) => new Unreachable({ reason: `it cannot be reached (${causeOf(error)})` })

/**
 * An answer, which ends with the scope. Redirects are not followed: the headers may hold keys for this address only.
 */
const open = Effect.fnUntraced(function*(url: string, init: Omit<RequestInit, "signal" | "redirect">) {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  return yield* Effect.tryPromise({
    try: () => fetch(url, { ...init, signal: controller.signal, redirect: "manual" }),
    catch: unreachable
  })
})

const pieces = (response: Response): Stream.Stream<string, Unreachable> => {
  const { body } = response
  return body === null
    ? Stream.empty
    : Stream.decodeText(Stream.fromReadableStream({ evaluate: () => body, onError: unreachable }))
}

const tooLong = new Unreachable({ reason: `it answered with more than ${maxMessage} bytes` })

/** The whole body, up to a limit. */
const bodyOf = Effect.fnUntraced(function*(response: Response, onPiece = () => {}) {
  let all = ""
  yield* Stream.runForEach(pieces(response), (piece) => {
    all += piece
    onPiece()
    return all.length > maxMessage ? Effect.fail(tooLong) : Effect.void
  })
  return all
})

/** Each event as it comes, until the server ends the stream. */
const readEvents = Effect.fnUntraced(function*(
  response: Response,
  onEvent: (event: AnyEvent) => void,
  onPiece = () => {}
) {
  const parser = makeParser(onEvent, { maxEventSize: maxMessage })
  yield* Stream.runForEach(
    pieces(response),
    (piece) => {
      onPiece()
      return parser.feed(piece) === undefined ? Effect.void : Effect.fail(tooLong)
    }
  )
})

const isStream = (response: Response): boolean =>
  /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")

/** An HTTP error in words for the person who set the server up. */
const refusal = (response: Response, body: string): string => {
  const { status } = response
  if (status === 401 || status === 403) {
    return `it wants credentials (HTTP ${status}): give them as headers where the server is set up; ` +
      "signing in with OAuth is not supported"
  }
  if (status >= 300 && status < 400) {
    return `it redirects to ${response.headers.get("location") ?? "another address"}, and redirects are not followed`
  }
  const said = beginning(body.trim().replace(/\s+/g, " "), 200)
  return `it answered with HTTP ${status}${said === "" ? "" : `: ${said}`}`
}

/** Time limit of the DELETE that ends the session. */
const farewell = "500 millis"

const firstDelay = 1000
const longestDelay = 60_000

interface HttpConnection extends McpConnection {
  /** Opens the stream for the server's own messages; from here on requests name this revision of the protocol. */
  readonly initialized: (revision: string) => Effect.Effect<void>
}

type HttpConfig = Extract<McpTransportConfig, { _tag: "Http" }>

/**
 * Streamable HTTP: each message is a POST, answered as JSON or as a stream of events; a GET opens a stream for the
 * server's own messages. See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http.
 */
export const connectStreamable = Effect.fnUntraced(
  function*({ headers, url }: HttpConfig, listener: McpListener) {
    const scope = yield* Effect.scope
    const posts = yield* FiberMap.make<RequestId>()
    let revision: string | undefined
    let sessionId: string | undefined

    const all = (accept: string) => ({
      ...headers,
      accept,
      ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
      ...(revision === undefined ? {} : { "mcp-protocol-version": revision })
    })

    const heard = (event: AnyEvent) => {
      if (!Retry.is(event) && event.data !== "") connection.receive(event.data)
    }

    const failed = (reason: string, request: RequestId | undefined) => {
      if (request !== undefined) connection.fail(reason, request)
    }

    const refused = Effect.fnUntraced(function*(response: Response, request: RequestId | undefined) {
      const body = yield* bodyOf(response)
      if (response.status === 404 && sessionId !== undefined) {
        return connection.close("it has ended its session with us")
      }
      // Some servers answer with a JSON-RPC error, which belongs to the request.
      if (body.trimStart().startsWith("{")) connection.receive(body)
      failed(refusal(response, body), request)
    })

    const exchange = Effect.fnUntraced(function*(message: string, request: RequestId | undefined) {
      const response = yield* open(url, {
        method: "POST",
        body: message,
        headers: { ...all("application/json, text/event-stream"), "content-type": "application/json" }
      })
      sessionId ??= response.headers.get("mcp-session-id") ?? undefined
      if (!response.ok) return yield* refused(response, request)
      if (request === undefined) return
      const onPiece = () => connection.arriving(request)
      if (isStream(response)) yield* readEvents(response, heard, onPiece)
      else connection.receive(yield* bodyOf(response, onPiece))
      failed("it ended its answer before the result", request)
    }, Effect.scoped)

    const post = (message: string, request?: RequestId) =>
      Effect.catch(exchange(message, request), ({ reason }) => Effect.sync(() => failed(reason, request)))

    const connection: McpConnection = yield* make({
      send: (message, request) =>
        request === undefined ? post(message) : Effect.asVoid(FiberMap.run(posts, request, post(message, request))),
      done: (request) => {
        Option.map(FiberMap.getUnsafe(posts, request), (fiber) => fiber.interruptUnsafe())
      }
    }, listener)

    /** Opens the stream again whenever it ends, until the server offers none. */
    const listen = Effect.gen(function*() {
      let delay = firstDelay
      let asked: number | undefined
      let seen: string | undefined
      for (;;) {
        const offered = yield* Effect.scoped(Effect.gen(function*() {
          const response = yield* open(url, {
            method: "GET",
            headers: { ...all("text/event-stream"), ...(seen === undefined ? {} : { "last-event-id": seen }) }
          })
          if (!response.ok || !isStream(response)) return false
          yield* readEvents(response, (event) => {
            delay = firstDelay
            if (Retry.is(event)) asked = Duration.toMillis(event.duration)
            else seen = event.id ?? seen
            heard(event)
          })
          return true
        })).pipe(Effect.orElseSucceed(() => true))
        if (!offered) return
        yield* Effect.sleep(Math.min(asked ?? delay, longestDelay))
        delay = Math.min(delay * 2, longestDelay)
      }
    })

    yield* Effect.addFinalizer(() =>
      sessionId === undefined ?
        Effect.void :
        Effect.scoped(open(url, { method: "DELETE", headers: all("application/json") })).pipe(
          Effect.timeoutOption(farewell),
          Effect.ignore
        )
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => connection.close(stopped)))

    return {
      ...connection,
      initialized: (agreed) =>
        Effect.suspend(() => {
          revision = agreed
          return Effect.asVoid(Effect.forkIn(listen, scope))
        })
    } satisfies HttpConnection
  }
)

/**
 * The older transport: a stream of events names the address to post to, and brings every answer. See
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse.
 */
export const connectSse = Effect.fnUntraced(
  function*({ headers, url }: HttpConfig, listener: McpListener) {
    const endpoint = yield* Deferred.make<string, Unreachable>()

    const post = Effect.fnUntraced(function*(message: string) {
      const to = yield* Deferred.await(endpoint)
      const response = yield* open(to, {
        method: "POST",
        body: message,
        headers: { ...headers, "content-type": "application/json" }
      })
      if (!response.ok) return yield* new Unreachable({ reason: refusal(response, yield* bodyOf(response)) })
    }, Effect.scoped)

    const connection: McpConnection = yield* make({
      send: (message, request) =>
        Effect.catch(
          post(message),
          ({ reason }) => Effect.sync(() => request === undefined || connection.fail(reason, request))
        )
    }, listener)

    /** The headers may hold keys, so messages go to the configured origin only. */
    const located = (text: string) => {
      const to = URL.canParse(text, url) ? new URL(text, url) : undefined
      return to?.origin === new URL(url).origin
        ? Effect.succeed(to.href)
        : Effect.fail(new Unreachable({ reason: "it wants messages to be sent to another host" }))
    }

    const response = yield* open(url, { headers: { ...headers, accept: "text/event-stream" } })
    if (!response.ok || !isStream(response)) {
      return yield* new Unreachable({
        reason: response.ok
          ? "it does not answer with a stream of events"
          : refusal(response, yield* bodyOf(response))
      })
    }
    const stream = readEvents(response, (event) => {
      if (Retry.is(event)) return
      if (event.event === "endpoint") Deferred.doneUnsafe(endpoint, located(event.data))
      else connection.receive(event.data)
    }, () => connection.arriving())
    yield* Effect.forkScoped(Effect.matchEffect(stream, {
      onFailure: ({ reason }) => Effect.sync(() => connection.close(reason)),
      onSuccess: () => Effect.sync(() => connection.close("it ended the connection"))
    }))
    yield* Effect.addFinalizer(() => Effect.sync(() => connection.close(stopped)))
    return connection
  }
)
