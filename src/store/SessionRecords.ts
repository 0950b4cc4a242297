import { Schema } from "effect"
import type { StopReason, TranscriptEntry, Usage } from "../domain/SessionEvent.ts"
import { beginning } from "../domain/Cut.ts"

/** A storage fault with a sentence a person can act on ("The disk is full: …"). */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", {
  message: Schema.String,
  /**
   * The same without where the file is, for those who only talk to the daemon; absent where `message` is that already.
   */
  shown: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {}

/** No row of that id, or a killed one where an active session was wanted. */
export class SessionMissing extends Schema.TaggedError<SessionMissing>()("SessionMissing", {
  sessionId: Schema.String
}) {}

/** A turn of this session is running, here or in another process on the same file. */
export class TurnRunning extends Schema.TaggedError<TurnRunning>()("TurnRunning", { sessionId: Schema.String }) {}

const losses = {
  session_deleted: "this session was deleted by another process",
  session_killed: "this session was killed by another process",
  session_taken_over: "another process has taken this session over",
  store_replaced: "the database was removed, moved or replaced while this turn was running"
}

/** A running turn is not this process's any more: it must not act, and cannot be written to. */
export class TurnLost extends Schema.TaggedError<TurnLost>()("TurnLost", {
  reason: Schema.Literals(["session_deleted", "session_killed", "session_taken_over", "store_replaced"])
}) {
  override get message() {
    return losses[this.reason]
  }
}

export class BadCursor extends Schema.TaggedError<BadCursor>()("BadCursor", { cursor: Schema.String }) {}

export interface SessionRecord {
  readonly sessionId: string
  readonly agent: string
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  readonly title: string | null
  /** As the last turn left it; `null` before the first. */
  readonly usage: Usage | null
  /** Which clients may bring the session back; `null`: any. */
  readonly surface: string | null
  /** The principal it belongs to; `null`: the operator. */
  readonly owner: string | null
  /** A chat session that does without the agent's memory; ACP sessions do in any case. */
  readonly excludesMemory: boolean
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly updatedAt: string
  readonly killedAt: string | null
}

export interface SessionPage {
  readonly sessions: ReadonlyArray<SessionRecord>
  readonly nextCursor: string | null
}

export type TurnOutcome = StopReason | "failed" | "interrupted"

/** Rows keep the position they were first written at; writing a position again replaces that row. */
export interface TranscriptRow {
  readonly position: number
  readonly entry: TranscriptEntry
}

/** A row as messages of the visible transcript. */
export interface MessageRow {
  /** Of its first message, counted from the beginning of the session; it never changes. */
  readonly index: number
  /** Messages it stands for: two for a tool call, the call and its result. */
  readonly count: number
  /** Of its turn; ISO 8601, UTC. */
  readonly startedAt: string
  /** `undefined` where the row cannot be read. */
  readonly entry: TranscriptEntry | undefined
}

/** The beginning of a turn as the database saw it. */
export interface TurnStart {
  readonly turn: number
  readonly updatedAt: string
  /** First free transcript position. */
  readonly position: number
  /** The model context as the session last saved it; `null` when none was ever written. "[]" is authoritative. */
  readonly context: string | null
}

/** At most 200 UTF-16 units, no half of a surrogate pair at the end. */
export const titled = (text: string | null) => text === null ? null : beginning(text, 200)
