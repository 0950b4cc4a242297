import { Effect } from "effect"
import * as Wire from "../../rpc/Wire.ts"
import { Principals } from "../../security/Principals.ts"
import { caller, mayTouch, mayUse } from "../access/Access.ts"
import { ClientApprovals } from "./Approvals.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import type { Feed } from "../feeds/Feed.ts"
import { Feeds } from "../feeds/Feeds.ts"
import type { FollowedUpdate } from "../feeds/SessionFeeds.ts"
import { NativeConnection } from "../protocol/NativeConnection.ts"
import { ClientSessions, ownerOf } from "./ClientSessions.ts"
import { AttachMethods } from "../protocol/SessionContracts.ts"
import { twins } from "../protocol/Contract.ts"
import * as Subscriptions from "../feeds/Subscriptions.ts"
import * as SessionUpdates from "./SessionUpdates.ts"

/** Neighbouring pieces of one message become one update, which bears the number of the last of them. */
const joined = (feed: Feed<FollowedUpdate>, seq: number, { by, owner, update }: FollowedUpdate) => {
  if (update._tag !== "Text") return { last: seq, params: update.params }
  let text = update.text
  let last = seq
  for (;;) {
    const next = feed.at(last + 1)
    const more = next?.by === by && next.owner === owner && next.update._tag === "Text" ? next.update : undefined
    if (more?.messageId !== update.messageId || text.length + more.text.length > SessionUpdates.longestText) break
    text += more.text
    last++
  }
  return { last, params: { type: update.type, text } }
}

export const layer = AttachMethods.toLayer(Effect.gen(function*() {
  const { sessions } = yield* Feeds
  const clientSessions = yield* ClientSessions
  const approvals = yield* ClientApprovals
  const open = Subscriptions.opening(yield* Principals)

  return AttachMethods.of({
    "session/attach": Effect.fnUntraced(function*({ session_id, ...from }) {
      const connection = yield* NativeConnection
      const me = yield* caller
      const { record, active } = yield* clientSessions.locate(session_id, me)
      if (!mayTouch(me, ownerOf(record)) || record.killedAt !== null) return yield* Errors.notFound(session_id)
      yield* mayUse(me, record.agent)
      const subscription = yield* open(
        "sessions:read",
        () => sessions.join(session_id),
        from,
        (id, { feed, reads }) =>
          Effect.fnUntraced(function*(me, seq) {
            const told = feed.at(seq)
            if (told === undefined) return seq
            const { last, params } = joined(feed, seq, told)
            // Another principal may meanwhile own a new session with this id.
            if (told.by !== connection && mayTouch(me, told.owner) && me.mayUseAgent(record.agent)) {
              const update = twins({ session_id, ...params, subscription_id: id, seq: last, epoch: feed.epoch })
              yield* connection.peer.post(Wire.notification("session/update", update))
            }
            reads(last + 1)
            return last + 1
          })
      )
      // Open questions are sent after the answer to this call.
      const asked = Effect.forEach(
        approvals.pending(session_id, connection),
        SessionUpdates.make(connection.peer, session_id).send
      )
      yield* Effect.forkIn(Effect.andThen(Effect.yieldNow, asked), connection.scope)
      return { ...subscription, running: active?.turn !== undefined }
    }, mapRpcErrors)
  })
}))
