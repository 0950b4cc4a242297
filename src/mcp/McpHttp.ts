import { Duration, Effect, FiberMap, Option } from "effect"
import { type AnyEvent, Retry } from "effect/encoding/Sse"
import type { RequestId } from "../rpc/Wire.ts"
import * as Fetch from "./Fetch.ts"
import * as Link from "./Link.ts"
import type { McpTransportConfig } from "../domain/McpServerConfig.ts"
import { stopped } from "./Unreachable.ts"

/** How long a server may take to hear that a session ends. */
const farewell = "500 millis"

const firstDelay = 1000
const longestDelay = 60_000

export interface HttpLink extends Link.Link {
  /** Begins to listen for what the server says unasked; from here on requests name this revision of the protocol. */
  readonly initialized: (version: string) => Effect.Effect<void>
}

/** MCP's streamable HTTP: each message is a POST, answered as JSON or as a stream of events; a GET brings what nobody asked for. */
export const connect = Effect.fnUntraced(
  function*({ headers, url }: Extract<McpTransportConfig, { _tag: "Http" }>, listener: Link.Listener) {
    const scope = yield* Effect.scope
    const posts = yield* FiberMap.make<RequestId>()
    let version: string | undefined
    let sessionId: string | undefined

    const all = (accept: string) => ({
      ...headers,
      accept,
      ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version })
    })

    const heard = (event: AnyEvent) => {
      if (!Retry.is(event) && event.data !== "") link.receive(event.data)
    }

    const failed = (reason: string, request: RequestId | undefined) => {
      if (request !== undefined) link.fail(reason, request)
    }

    const refused = Effect.fnUntraced(function*(response: Response, request: RequestId | undefined) {
      const body = yield* Fetch.text(response)
      if (response.status === 404 && sessionId !== undefined) return link.close("it has ended its session with us")
      // Some say in JSON-RPC what is wrong; whoever asked gets that answer.
      if (body.trimStart().startsWith("{")) link.receive(body)
      failed(Fetch.refusal(response, body), request)
    })

    const exchange = Effect.fnUntraced(function*(message: string, request: RequestId | undefined) {
      const response = yield* Fetch.open(url, {
        method: "POST",
        body: message,
        headers: { ...all("application/json, text/event-stream"), "content-type": "application/json" }
      })
      sessionId ??= response.headers.get("mcp-session-id") ?? undefined
      if (!response.ok) return yield* refused(response, request)
      if (request === undefined) return
      if (Fetch.isStream(response)) yield* Fetch.events(response, heard)
      else link.receive(yield* Fetch.text(response))
      failed("it ended its answer before the result", request)
    }, Effect.scoped)

    const post = (message: string, request?: RequestId) =>
      Effect.catch(exchange(message, request), ({ reason }) => Effect.sync(() => failed(reason, request)))

    const link: Link.Link = yield* Link.make({
      send: (message, request) =>
        request === undefined ? post(message) : Effect.asVoid(FiberMap.run(posts, request, post(message, request))),
      done: (request) => {
        Option.map(FiberMap.getUnsafe(posts, request), (fiber) => fiber.interruptUnsafe())
      }
    }, listener)

    /** One stream after the other, for as long as the server offers any. */
    const listen = Effect.gen(function*() {
      let delay = firstDelay
      let asked: number | undefined
      let seen: string | undefined
      for (;;) {
        const offered = yield* Effect.scoped(Effect.gen(function*() {
          const response = yield* Fetch.open(url, {
            method: "GET",
            headers: { ...all("text/event-stream"), ...(seen === undefined ? {} : { "last-event-id": seen }) }
          })
          if (!response.ok || !Fetch.isStream(response)) return false
          yield* Fetch.events(response, (event) => {
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
        Effect.scoped(Fetch.open(url, { method: "DELETE", headers: all("application/json") })).pipe(
          Effect.timeoutOption(farewell),
          Effect.ignore
        )
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => link.close(stopped)))

    return {
      ...link,
      initialized: (agreed) =>
        Effect.suspend(() => {
          version = agreed
          return Effect.asVoid(Effect.forkIn(listen, scope))
        })
    } satisfies HttpLink
  }
)
