import { Effect, Fiber } from "effect"
import * as Wire from "../../rpc/Wire.ts"
import { type Principal, Principals } from "../../security/Principals.ts"
import { caller, mayTouch } from "../access/Access.ts"
import * as Faults from "../protocol/Errors.ts"
import type { Feed } from "./Feed.ts"
import { FeedMethods } from "../protocol/FeedContracts.ts"
import { Feeds, type SessionEntry } from "./Feeds.ts"
import * as LogQuery from "./LogQuery.ts"
import { NativeConnection } from "../protocol/NativeConnection.ts"
import * as Subscriptions from "./Subscriptions.ts"

export const layer = FeedMethods.toLayer(Effect.gen(function*() {
  const { events, logs } = yield* Feeds
  const open = Subscriptions.opening(yield* Principals)

  const subscribe = Effect.fnUntraced(
    function*<A>(
      feed: Feed<A>,
      kind: string,
      from: Subscriptions.From,
      shown: (me: Principal, entry: A) => object | undefined
    ) {
      const { peer } = yield* NativeConnection
      const deliver = (id: string) =>
        Effect.fnUntraced(function*(me: Principal, seq: number) {
          const entry = feed.at(seq)
          if (entry === undefined) return seq
          const event = shown(me, entry)
          if (event !== undefined) {
            yield* peer.post(Wire.notification(kind, { subscription_id: id, seq, epoch: feed.epoch, event }))
          }
          return seq + 1
        })
      return { subscribed: true, ...yield* open("logs:read", () => ({ feed }), from, deliver) }
    }
  )

  /** What is sent of an event: nothing of other people's sessions. */
  const ownEvent = (me: Principal, { owner, ...event }: SessionEntry) => mayTouch(me, owner) ? event : undefined

  return FeedMethods.of({
    "logs/subscribe": (from) => subscribe(logs, "logs/event", from, (_, entry) => entry),

    "events/subscribe": (from) => subscribe(events, "events/event", from, ownEvent),

    "events/history": Effect.fnUntraced(function*() {
      const me = yield* caller
      const own = events.all().filter(({ entry }) => mayTouch(me, entry.owner))
      return { events: own.map(({ entry: { owner: _, ...event }, seq }) => ({ seq, ...event })), epoch: events.epoch }
    }),

    "logs/query": (asked) => LogQuery.page(logs, asked),

    "logs/get": ({ id }) =>
      Effect.suspend(() => {
        const entry = logs.at(Number(id))
        return entry
          ? Effect.succeed({ event: LogQuery.shown(Number(id), entry) })
          : Effect.fail(Faults.invalid(`there is no entry ${id} any more`, "id", "not_found"))
      }),

    "subscription/cancel": Effect.fnUntraced(function*({ subscription_id }) {
      const { subscriptions } = yield* NativeConnection
      const fiber = subscriptions.get(subscription_id)
      if (fiber) yield* Fiber.interrupt(fiber)
      return { subscription_id, cancelled: subscriptions.delete(subscription_id) }
    })
  })
}))
