import { Context, Effect } from "effect"
import type { TranscriptEntry } from "../../domain/SessionEvent.ts"
import type { SessionMode } from "../../session/SessionContext.ts"
import type { ApprovalRecord, DecisionRecord } from "../../store/PolicyRecords.ts"
import type { SessionRecord, StoreFailed } from "../../store/SessionRecords.ts"
import { type Failure, failure } from "../Failure.ts"
import { findById, minPrefixLength, severalMatches } from "../IdPrefix.ts"

export interface ListedSession
  extends Pick<SessionRecord, "sessionId" | "agent" | "cwd" | "title" | "createdAt" | "updatedAt" | "killedAt">
{
  readonly mode: SessionMode
}

interface SessionDocument {
  readonly session: SessionRecord & { readonly mode: SessionMode }
  readonly transcript: ReadonlyArray<TranscriptEntry>
}

/** Every decision of a session's policy and every answer to its questions (docs/policy.md#records). */
export interface DecisionTrail {
  readonly decisions: ReadonlyArray<DecisionRecord>
  readonly approvals: ReadonlyArray<ApprovalRecord>
}

type Answer<A> = Effect.Effect<A, Failure | StoreFailed>

/** The sessions of this installation: those of a running daemon, or else those in the files. */
export class SessionRepository extends Context.Service<SessionRepository, {
  /** Sessions of both modes, newest first, killed ones included. */
  readonly all: Answer<ReadonlyArray<ListedSession>>
  /** The same without those that never had a prompt: they are found by their id alone. */
  readonly prompted: Answer<ReadonlyArray<ListedSession>>
  readonly document: (session: ListedSession) => Answer<SessionDocument>
  readonly trail: (session: ListedSession) => Answer<DecisionTrail>
  /** Closes an active session; it stays stored. */
  readonly close: (session: ListedSession) => Answer<void>
  /** The session stays readable and never becomes active again. */
  readonly kill: (session: ListedSession) => Answer<void>
  readonly remove: (session: ListedSession) => Answer<void>
}>()("postern/cli/SessionRepository") {}

/**
 * The session with an id, or with the only id that begins like this. Where both modes have one of that id, the chat
 * session.
 */
export const findSession = (
  sessions: ReadonlyArray<ListedSession>,
  id: string
): Effect.Effect<ListedSession, Failure> => {
  const found = findById(sessions, ({ sessionId }) => sessionId, id)
  switch (found._tag) {
    case "One": {
      const isChat = ({ mode, sessionId }: ListedSession) => sessionId === found.value.sessionId && mode === "chat"
      return Effect.succeed(sessions.find(isChat) ?? found.value)
    }
    case "Several":
      return Effect.fail(failure(severalMatches("sessions", id, found.ids)))
    case "None": {
      const short = id.length < minPrefixLength
        ? ` (an id may be shortened to ${minPrefixLength} characters, no less)`
        : ""
      return Effect.fail(failure(`there is no session ${JSON.stringify(id)}${short}`))
    }
  }
}
