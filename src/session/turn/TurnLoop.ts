import { Context, type Effect } from "effect"
import type { Notice, StopReason, TokenCounts, TranscriptEntry, Usage } from "../../domain/SessionEvent.ts"
import type { AuditEvent, SessionRecord, StoreFailed } from "../../store/SessionStore.ts"
import type { SessionContext, SessionOverrides } from "../SessionContext.ts"
import type { Image } from "./PromptContent.ts"
import type { TranscriptWriter } from "./TranscriptWriter.ts"
import type { TurnFailed } from "./TurnEnd.ts"

/** A message of a user as the model reads it. */
export interface UserMessage {
  readonly text: string
  readonly images: ReadonlyArray<Image>
}

/** A turn, as what runs it sees it: its session, what it was asked, and how it records what it does. */
export interface TurnContext extends SessionContext {
  /** Its number in the session. */
  readonly turn: number
  /** As the turn found it. */
  readonly record: SessionRecord
  /** As the turn found them. */
  readonly overrides: SessionOverrides
  /** The model's context as the turn before left it, a JSON array of messages; see {@link TurnContext.keepContext}. */
  readonly context: string | null
  /** The whole session, as far as it is saved. */
  readonly transcript: Effect.Effect<ReadonlyArray<TranscriptEntry>, StoreFailed>
  /** The prompt as the model reads it. */
  readonly prompt: string
  readonly images: ReadonlyArray<Image>
  readonly writer: TranscriptWriter
  readonly notify: (notice: Omit<Notice, "messageId">) => Effect.Effect<void>
  /**
   * Takes the messages that users have sent to the running turn since the last call: `keep` puts them into the context, in one step
   * with their place in the transcript. Answers whether there were any; once a turn that `ends` had none, it accepts no more.
   */
  readonly takeSteering: (
    ends: boolean,
    keep: (messages: ReadonlyArray<UserMessage>) => void
  ) => Effect.Effect<boolean>
  /** Sets how the context is encoded, now or at any later moment of the turn, interruption included. */
  readonly keepContext: (encode: () => string) => void
  /** The context as it would be saved now. */
  readonly savedContext: () => string
  /** Adds to the audit trail, which is saved together with the transcript. */
  readonly audit: (event: AuditEvent) => Effect.Effect<void>
  /**
   * Saves transcript, audit trail and context before something begins that outlasts the turn: a tool call, a question.
   * Where that cannot be saved, the turn ends with the storage error, and this is interrupted.
   */
  readonly persist: Effect.Effect<void, TurnFailed>
  /** Saves the same after a tool call; a store that fails is logged. Fails once the session is not this process's any more. */
  readonly checkpoint: Effect.Effect<void, TurnFailed>
  /** Saves another context in the place of the one there was, or fails and changes nothing. */
  readonly replaceContext: (json: string) => Effect.Effect<void, TurnFailed | StoreFailed>
  /** Records the size of the context; `cost` is added to what the session has cost. */
  readonly usage: (usage: Usage) => Effect.Effect<void>
  /** Adds what a provider counted for one request to what the turn has used. */
  readonly counted: (tokens: TokenCounts) => void
  /** A person stopped the turn by closing a question: it ends as `cancelled`, without another request to the model. */
  readonly stop: Effect.Effect<never>
}

/** Model → tool calls → model, until the model ends, a limit is met or the turn is interrupted: docs/sessions.md#turns */
export class TurnLoop extends Context.Service<TurnLoop, {
  readonly run: (turn: TurnContext) => Effect.Effect<StopReason, TurnFailed>
}>()("postern/session/TurnLoop") {}
