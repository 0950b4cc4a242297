import { Context, Effect } from "effect"
import type { TranscriptEntry } from "../../domain/SessionEvent.ts"
import type { ApprovalRecord, DecisionRecord } from "../../store/PolicyRecords.ts"
import type { SessionRecord, StoreFailed } from "../../store/Stored.ts"
import type { Mode } from "../../session/SessionContext.ts"
import { type Failure, failure } from "../Failure.ts"
import { shortestPrefix } from "../client/Resume.ts"

/** A session on a list. */
export interface Listed
  extends Pick<SessionRecord, "sessionId" | "agent" | "cwd" | "title" | "createdAt" | "updatedAt" | "killedAt">
{
  readonly mode: Mode
}

/** All of a session. */
export interface Document {
  readonly session: SessionRecord & { readonly mode: Mode }
  readonly transcript: ReadonlyArray<TranscriptEntry>
}

export interface Trail {
  readonly decisions: ReadonlyArray<DecisionRecord>
  readonly approvals: ReadonlyArray<ApprovalRecord>
}

type Asked<A> = Effect.Effect<A, Failure | StoreFailed>

/** Where sessions are: in a running daemon, which has to hear of what becomes of them, or in their files. */
export class Shelf extends Context.Service<Shelf, {
  /** Of both modes, newest first, killed ones as well. */
  readonly all: Asked<ReadonlyArray<Listed>>
  readonly document: (session: Listed) => Asked<Document>
  readonly trail: (session: Listed) => Asked<Trail>
  /** Puts an active session away. */
  readonly close: (session: Listed) => Asked<void>
  /** Never active again, and still there to be read. */
  readonly kill: (session: Listed) => Asked<void>
  readonly remove: (session: Listed) => Asked<void>
}>()("postern/cli/Shelf") {}

/** The session an id means: the whole id, or the beginning of exactly one. Where both modes have one of that id, the chat session. */
export const find = (sessions: ReadonlyArray<Listed>, id: string): Effect.Effect<Listed, Failure> => {
  const first = (one: ReadonlyArray<Listed>) => one.find(({ mode }) => mode === "chat") ?? one[0]
  const exact = first(sessions.filter(({ sessionId }) => sessionId === id))
  if (exact !== undefined) return Effect.succeed(exact)
  const matches = id.length < shortestPrefix ? [] : sessions.filter(({ sessionId }) => sessionId.startsWith(id))
  const ids = Array.from(new Set(matches.map(({ sessionId }) => sessionId)))
  if (ids.length > 1) {
    const some = ids.slice(0, 5).join(", ")
    return Effect.fail(failure(`${ids.length} sessions begin with ${id}: ${some}${ids.length > 5 ? ", …" : ""}`))
  }
  const short = id.length < shortestPrefix ? ` (an id may be shortened to ${shortestPrefix} characters, no less)` : ""
  const only = first(matches)
  return only === undefined
    ? Effect.fail(failure(`there is no session ${JSON.stringify(id)}${short}`))
    : Effect.succeed(only)
}
