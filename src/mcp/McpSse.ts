import { Deferred, Effect } from "effect"
import { Retry } from "effect/encoding/Sse"
import * as Fetch from "./Fetch.ts"
import * as Link from "./Link.ts"
import type { McpTransportConfig } from "../domain/McpServerConfig.ts"
import { stopped, Unreachable } from "./Unreachable.ts"

/** The older transport: a stream of events names the address to post to, and brings every answer. */
export const connect = Effect.fnUntraced(
  function*({ headers, url }: Extract<McpTransportConfig, { _tag: "Http" }>, listener: Link.Listener) {
    const endpoint = yield* Deferred.make<string, Unreachable>()

    const post = Effect.fnUntraced(function*(message: string) {
      const to = yield* Deferred.await(endpoint)
      const response = yield* Fetch.open(to, {
        method: "POST",
        body: message,
        headers: { ...headers, "content-type": "application/json" }
      })
      if (!response.ok) return yield* new Unreachable({ reason: Fetch.refusal(response, yield* Fetch.text(response)) })
    }, Effect.scoped)

    const link: Link.Link = yield* Link.make({
      send: (message, request) =>
        Effect.catch(
          post(message),
          ({ reason }) => Effect.sync(() => request === undefined || link.fail(reason, request))
        )
    }, listener)

    /** The headers go to the address that was set up, and to no other host. */
    const located = (text: string) => {
      const to = URL.canParse(text, url) ? new URL(text, url) : undefined
      return to?.origin === new URL(url).origin
        ? Effect.succeed(to.href)
        : Effect.fail(new Unreachable({ reason: "it wants messages to be sent to another host" }))
    }

    const response = yield* Fetch.open(url, { headers: { ...headers, accept: "text/event-stream" } })
    if (!response.ok || !Fetch.isStream(response)) {
      return yield* new Unreachable({
        reason: response.ok
          ? "it does not answer with a stream of events"
          : Fetch.refusal(response, yield* Fetch.text(response))
      })
    }
    const stream = Fetch.events(response, (event) => {
      if (Retry.is(event)) return
      if (event.event === "endpoint") Deferred.doneUnsafe(endpoint, located(event.data))
      else link.receive(event.data)
    })
    yield* Effect.forkScoped(Effect.matchEffect(stream, {
      onFailure: ({ reason }) => Effect.sync(() => link.close(reason)),
      onSuccess: () => Effect.sync(() => link.close("it ended the connection"))
    }))
    yield* Effect.addFinalizer(() => Effect.sync(() => link.close(stopped)))
    return link
  }
)
