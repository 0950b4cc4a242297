import { Effect } from "effect"
import { newId } from "../../domain/Id.ts"
import * as Wire from "../../rpc/Wire.ts"
import type { Principal, Principals } from "../../security/Principals.ts"
import * as Errors from "../protocol/Errors.ts"
import { NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"
import type { FeedPosition } from "./Feed.ts"

const maxSubscriptions = 16

/** Where a client resumes: after an entry that it has seen, of the feed with that epoch. */
export interface ResumePoint {
  readonly since_seq?: number | null
  readonly epoch?: string | null
}

interface SubscriptionSource {
  readonly feed: FeedPosition
  /** Called when the subscription ends: it was cancelled, or the connection ended. */
  readonly leave?: () => void
}

/** Sends the entry of that number, where there is something to send, and says which one is next. */
export type Deliver = (me: Principal, seq: number) => Effect.Effect<number>

/**
 * Sends the entries that are there and those that come. A client that is too slow is told which entries it missed. Without the grant the
 * subscription ends silently; a new one is refused with the reason.
 */
const follow = (
  feed: FeedPosition,
  id: string,
  { peer, subscriptions }: NativeState,
  follower: Effect.Effect<Principal | undefined>,
  start: { readonly next: number; readonly otherEpoch: boolean },
  deliver: Deliver
): Effect.Effect<void> => {
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
      const me = yield* follower
      if (me === undefined) return undefined
      if (next < feed.first()) {
        yield* lagged(next, feed.first(), false)
        return feed.first()
      }
      return yield* deliver(me, next)
    })
  const loop = (next: number): Effect.Effect<void> =>
    Effect.flatMap(
      step(next),
      (then) => then === undefined ? Effect.sync(() => void subscriptions.delete(id)) : loop(then)
    )
  return start.otherEpoch
    ? Effect.andThen(lagged(start.next, feed.first(), true), loop(feed.first()))
    : loop(start.next)
}

/** Subscribes until `subscription/cancel`, the end of the connection, or the loss of the grant `need`, which is checked with every entry. */
export const opening = ({ find }: Principals["Service"]) =>
  Effect.fnUntraced(
    function*<S extends SubscriptionSource>(
      need: string,
      join: () => S,
      from: ResumePoint,
      deliver: (id: string, source: S) => Deliver
    ) {
      const connection = yield* NativeConnection
      if (connection.subscriptions.size >= maxSubscriptions) return yield* Errors.tooManySubscriptions(maxSubscriptions)
      const source = join()
      const { feed, leave } = source
      const id = newId()
      const otherEpoch = typeof from.epoch === "string" && from.epoch !== feed.epoch
      const next = typeof from.since_seq === "number" ? Math.max(0, from.since_seq) + 1 : feed.last() + 1
      const seq = feed.last()
      const follower = Effect.suspend(() =>
        Effect.map(find(connection.principal), (me) => me?.allows(need) === true ? me : undefined)
      )
      // It waits a little: the answer goes first.
      const following = Effect.andThen(Effect.yieldNow, Effect.yieldNow).pipe(
        Effect.andThen(follow(feed, id, connection, follower, { next, otherEpoch }, deliver(id, source))),
        Effect.ensuring(Effect.sync(() => leave?.()))
      )
      connection.subscriptions.set(id, yield* Effect.forkIn(following, connection.scope, { startImmediately: true }))
      return { subscription_id: id, seq, epoch: feed.epoch }
    }
  )
