import { Effect } from "effect"
import type { Entry } from "../domain/SessionEvent.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { SessionStore } from "../store/SessionStore.ts"
import type { AcpConnectionState } from "./AcpConnection.ts"
import * as Updates from "./Updates.ts"

/** The whole visible transcript, a running turn's included; the last plan stands for all earlier ones (acp.md §4 rule 7). */
export const snapshot = Effect.fnUntraced(function*(session: Session, store: SessionStore["Service"]) {
  yield* session.flush
  const entries = yield* store.transcript(session.sessionId)
  const lastPlan = entries.findLastIndex((entry) => entry._tag === "Plan")
  return entries.filter((entry, index) => entry._tag !== "Plan" || index === lastPlan)
})

export const send = (
  connection: AcpConnectionState,
  session: Session,
  entries: ReadonlyArray<Entry>
): Effect.Effect<void> => {
  const { replay } = Updates.make(connection, session)
  return Effect.forEach(entries, replay, { discard: true })
}
