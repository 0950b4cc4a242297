import { Effect, Predicate } from "effect"
import type { Session } from "../../session/lifecycle/Session.ts"
import type { SessionLimit } from "../../session/lifecycle/Setup.ts"
import { ownerFor } from "../access/Access.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"
import type { Wanted } from "./OpenSession.ts"
import type { Resident, Residents } from "./Residents.ts"

/** Sessions that make room for others. Their history stays, and they come back with their next prompt. */

type Seats = Pick<Residents["Service"], "all" | "forget" | "get" | "queued">

/** Not where a turn has begun meanwhile. */
const putAway = (residents: Seats, { host, session: { sessionId } }: Resident): Effect.Effect<boolean> =>
  residents.queued(sessionId)(Effect.suspend(() => {
    const now = residents.get(sessionId)
    if (now?.host !== host || now.turn !== undefined) return Effect.succeed(false)
    return Effect.ignore(host.sessions.close(sessionId)).pipe(
      Effect.andThen(residents.forget(host, sessionId, "session_closed")),
      Effect.as(true)
    )
  })).pipe(Effect.orElseSucceed(() => false))

/** Idle sessions of the same client, owner and mode make room; what runs goes on (zeroclaw §1.7). */
export const siblings = (residents: Seats, { host, me, opener }: Wanted, except: Session | undefined) =>
  Effect.forEach(
    residents.all().filter((resident) =>
      resident.host === host && resident.opener.clientId === opener.clientId && resident.owner === ownerFor(me) &&
      resident.turn === undefined && resident.session !== except
    ),
    (resident) => putAway(residents, resident),
    { discard: true }
  )

/** Where all places are taken, the session that was idle longest gives its own, if the client that had it open is gone. */
export const withRoom =
  (residents: Seats, connections: ReadonlySet<NativeState>) =>
  <A, E, R>(opens: Effect.Effect<A, E | SessionLimit, R>): Effect.Effect<A, E | SessionLimit, R> => {
    const left = () =>
      residents.all()
        .filter(({ opener, turn }) => turn === undefined && !connections.has(opener.connection))
        .sort((a, b) => (a.session.idleSince() ?? Infinity) - (b.session.idleSince() ?? Infinity))
    const giveWay = Effect.gen(function*() {
      for (const resident of left()) if (yield* putAway(residents, resident)) return true
      return false
    })
    const attempt: Effect.Effect<A, E | SessionLimit, R> = Effect.catchIf(
      opens,
      (error): error is Extract<E | SessionLimit, SessionLimit> => Predicate.isTagged(error, "SessionLimit"),
      (full) => Effect.flatMap(giveWay, (gave) => gave ? attempt : Effect.fail(full))
    )
    return attempt
  }
