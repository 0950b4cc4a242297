import { Schema } from "effect"
import type { StopReason, TokenCounts } from "../../domain/SessionEvent.ts"
import type { SessionMissing, StoreFailed, TurnRunning } from "../../store/SessionStore.ts"

/** A turn that ended without a stop reason: `message` is for people, `reason` a stable word. The text that was streamed stays in the transcript. */
export class TurnFailed extends Schema.TaggedError<TurnFailed>()("TurnFailed", {
  message: Schema.String,
  reason: Schema.String,
  /** The model has no key: a user has to give it one. */
  needsKey: Schema.optionalKey(Schema.Literal(true))
}) {}

export interface TurnEnd {
  readonly stopReason: StopReason
  /** The last message of the turn. */
  readonly text: string
  /** Absent where no provider gave figures. */
  readonly tokens?: TokenCounts
}

export type TurnFault = TurnFailed | TurnRunning | SessionMissing | StoreFailed
