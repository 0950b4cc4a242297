import { Effect } from "effect"
import type { SessionStore } from "../../store/SessionStore.ts"
import type { Session } from "./Session.ts"

/** Whether active sessions still exist: processes may share one store (spec §4). */
export const make = (
  store: Pick<SessionStore["Service"], "get">,
  find: (sessionId: string) => Session | undefined,
  deactivate: (sessionId: string) => Effect.Effect<void>
) => {
  /** Another process may have killed or deleted it; a turn is told by the store, and a store that cannot be read says nothing. */
  const isGone = (session: Session): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      if (session.idleSince() === undefined) return Effect.succeed(false)
      return Effect.map(store.get(session.sessionId), ({ killedAt }) => killedAt !== null).pipe(
        Effect.catchTags({ SessionMissing: () => Effect.succeed(true), StoreFailed: () => Effect.succeed(false) })
      )
    })

  /** The active session; one that is gone is deactivated. Of one session, within its lock. */
  const present = (sessionId: string): Effect.Effect<Session | undefined> =>
    Effect.suspend(() => {
      const found = find(sessionId)
      if (found === undefined) return Effect.undefined
      return Effect.flatMap(
        isGone(found),
        (gone) => gone ? Effect.as(deactivate(sessionId), undefined) : Effect.succeed(found)
      )
    })

  return { isGone, present }
}
