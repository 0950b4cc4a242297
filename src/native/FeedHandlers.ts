import { Effect, Fiber } from "effect"
import { newId } from "../session/Id.ts"
import * as Wire from "../rpc/Wire.ts"
import { type Principal, Principals } from "../security/Principals.ts"
import { caller, mayTouch } from "./Access.ts"
import * as Faults from "./Faults.ts"
import type { Feed } from "./Feed.ts"
import { Following } from "./FeedContracts.ts"
import { Feeds, type SessionEntry } from "./Feeds.ts"
import * as LogQuery from "./LogQuery.ts"
import { NativeConnection, type NativeState } from "./NativeConnection.ts"

const maxSubscriptions = 16

interface From {
  readonly since_seq?: number | null
  readonly epoch?: string | null
}

export const layer = Following.toLayer(Effect.gen(function*() {
  const { events, logs } = yield* Feeds
  const principals = yield* Principals

  /** Whoever follows, as long as that is allowed: it is asked for with every entry (zeroclaw §1.10). */
  const followerOf = ({ principal }: NativeState) =>
    Effect.map(principals.find(principal), (me) => me?.allows("logs:read") === true ? me : undefined)

  /**
   * Sends what is there and what comes; whoever cannot keep up is told what was left out. The subscription of somebody who may not follow
   * any more ends without a word: a new one is refused with the reason.
   */
  const follow = <A>(
    feed: Feed<A>,
    kind: string,
    id: string,
    connection: NativeState,
    start: { readonly next: number; readonly otherEpoch: boolean },
    shown: (me: Principal, entry: A) => object | undefined
  ): Effect.Effect<void> => {
    const { peer } = connection
    const lagged = (from: number, resume: number, otherEpoch: boolean) =>
      peer.post(
        Wire.notification("subscription/lagged", {
          subscription_id: id,
          from_seq: from,
          resume_seq: resume,
          epoch_changed: otherEpoch
        })
      )
    const step = (next: number): Effect.Effect<number | undefined> =>
      Effect.gen(function*() {
        yield* feed.after(next - 1)
        const me = yield* followerOf(connection)
        if (me === undefined) return undefined
        if (next < feed.first()) {
          yield* lagged(next, feed.first(), false)
          return feed.first()
        }
        const entry = feed.at(next)
        if (entry === undefined) return next
        const event = shown(me, entry)
        if (event !== undefined) {
          yield* peer.post(Wire.notification(kind, { subscription_id: id, seq: next, epoch: feed.epoch, event }))
        }
        return next + 1
      })
    const loop = (next: number): Effect.Effect<void> =>
      Effect.flatMap(
        step(next),
        (then) => then === undefined ? Effect.sync(() => void connection.subscriptions.delete(id)) : loop(then)
      )
    return start.otherEpoch
      ? Effect.andThen(lagged(start.next, feed.first(), true), loop(feed.first()))
      : loop(start.next)
  }

  const subscribe = Effect.fnUntraced(
    function*<A>(
      feed: Feed<A>,
      kind: string,
      from: From,
      shown: (me: Principal, entry: A) => object | undefined
    ) {
      const connection = yield* NativeConnection
      if (connection.subscriptions.size >= maxSubscriptions) return yield* Faults.tooManySubscriptions(maxSubscriptions)
      const id = newId()
      const otherEpoch = typeof from.epoch === "string" && from.epoch !== feed.epoch
      const next = typeof from.since_seq === "number" ? Math.max(0, from.since_seq) + 1 : feed.last() + 1
      const seq = feed.last()
      // Started late: the answer goes first.
      const fiber = yield* Effect.forkIn(
        Effect.andThen(Effect.yieldNow, follow(feed, kind, id, connection, { next, otherEpoch }, shown)),
        connection.scope
      )
      connection.subscriptions.set(id, fiber)
      return { subscribed: true, subscription_id: id, seq, epoch: feed.epoch }
    }
  )

  /** What is sent of an event: nothing of other people's sessions. */
  const ownEvent = (me: Principal, { owner, ...event }: SessionEntry) => mayTouch(me, owner) ? event : undefined

  return Following.of({
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
