import { Effect, Latch } from "effect"
import { SessionMissing, type StoreFailed } from "../store/SessionStore.ts"
import type { PermissionRequest } from "../session/lifecycle/Attachment.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import { AcpConnection, type AcpConnectionState, type Seat } from "./AcpConnection.ts"
import type { SessionManager } from "../session/lifecycle/SessionManager.ts"
import * as ClientFiles from "./client/ClientFiles.ts"
import * as PermissionRequests from "./client/PermissionRequests.ts"
import * as Questions from "./client/Questions.ts"
import * as ClientTerminals from "./client/ClientTerminals.ts"
import * as SessionUpdates from "./updates/SessionUpdates.ts"
import type { KnownCalls } from "./updates/KnownCalls.ts"

/**
 * Attaches the connection to the session: it gets the session's events and answers its questions until it is detached.
 * Events wait until `first` is done, so that a replay is never mixed with live updates. See
 * docs/agent-client-protocol.md#order-of-messages. Where the place of the connection is kept, `first` lets them through.
 */
export const attach = (
  connection: AcpConnectionState,
  session: Session,
  timeoutSecs: number,
  first: (seat: Seat | undefined) => Effect.Effect<void, StoreFailed> = (seat) => seat?.flow ?? Effect.void
) =>
  Effect.suspend(() => {
    const { sessionId } = session
    const askPermission = PermissionRequests.ask(connection, sessionId, timeoutSecs)
    const askQuestion = Questions.choose(connection, sessionId, timeoutSecs)
    const editor = ClientFiles.make(connection, sessionId)
    const openTerminal = ClientTerminals.make(connection, sessionId)
    const client = { ...(editor && { editor }), ...(openTerminal && { openTerminal }) }
    const before = connection.attached.get(sessionId)
    const linked = (known?: KnownCalls) => {
      const { asked, publish } = SessionUpdates.make(connection, session, known)
      return {
        publish,
        ask: (request: PermissionRequest) => Effect.andThen(asked(request.call), askPermission(request)),
        choose: askQuestion,
        takesForms: connection.capabilities.elicitation?.form !== undefined,
        client
      }
    }
    if (connection.retain !== undefined) {
      before?.detach()
      const seat = connection.retain(session, linked, timeoutSecs, connection.peer.post)
      connection.attached.set(sessionId, { session, detach: seat.detach, seat })
      return first(seat)
    }
    const link = linked()
    const gate = Latch.makeUnsafe(false)
    let open = false
    before?.detach()
    connection.attached.set(sessionId, {
      session,
      detach: session.attach({
        ...link,
        publish: (event) => open ? link.publish(event) : gate.whenOpen(link.publish(event))
      }),
      seat: undefined
    })
    return Effect.ensuring(
      first(undefined),
      Effect.suspend(() => {
        open = true
        return gate.open
      })
    )
  })

export const detach = (connection: AcpConnectionState, sessionId: string) => {
  connection.attached.get(sessionId)?.detach()
  connection.attached.delete(sessionId)
}

/**
 * Runs `use` with a session that is attached to this connection, after all operations on the session that came before.
 */
export const onSession = Effect.fnUntraced(function*<A, E, R>(
  sessions: SessionManager["Service"],
  sessionId: string,
  use: (session: Session, connection: AcpConnectionState) => Effect.Effect<A, E, R>
) {
  const connection = yield* AcpConnection
  return yield* sessions.within(
    sessionId,
    (session): Effect.Effect<A, E | SessionMissing, R> =>
      connection.attached.get(sessionId)?.session === session
        ? use(session, connection)
        : Effect.fail(new SessionMissing({ sessionId }))
  )
})
