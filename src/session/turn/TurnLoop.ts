import { Context, type Effect, Schema } from "effect"
import type { SessionTools } from "../../tool/SessionTools.ts"
import type { ClientSide } from "../../tool/ClientSide.ts"
import type { Jobs } from "../../tool/shell/Jobs.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import type { Configured } from "../lifecycle/Configured.ts"
import type { NoAnswer, PermissionAnswer, PermissionRequest, Question } from "../lifecycle/Attachment.ts"
import type { SessionRecord, StoreFailed } from "../../store/SessionStore.ts"
import type { Notice, SessionEvent, StopReason, TranscriptEntry, Usage } from "../../domain/SessionEvent.ts"
import type { TranscriptWriter } from "./TranscriptWriter.ts"
import type { Image } from "./PromptContent.ts"
import type { SessionModel } from "../policy/SessionModel.ts"
import type { SessionPolicy } from "../policy/SessionPolicy.ts"

/** A turn that ended without a stop reason; `message` is for people, `reason` a stable word. What was streamed is kept. */
export class TurnFailed extends Schema.TaggedError<TurnFailed>()("TurnFailed", {
  message: Schema.String,
  reason: Schema.String
}) {}

export type Mode = "acp" | "chat"

/** Choices of a client for one session that stand before the configuration of its agent. */
export interface Overrides {
  readonly model?: string
  /** The alias of a provider. */
  readonly modelProvider?: string
  readonly temperature?: number
  /** A chat session is to do without the agent's memory; ACP sessions do in any case. */
  readonly excludeMemory?: boolean
}

/** A message of a user as the model reads it. */
export interface Said {
  readonly text: string
  readonly images: ReadonlyArray<Image>
}

/** What a turn is given by its session. */
export interface TurnInput {
  readonly sessionId: string
  readonly agent: string
  /** What the configuration says of the agent now. */
  readonly configured: () => Configured
  /** As the turn found it. */
  readonly record: SessionRecord
  readonly mode: Mode
  readonly overrides: Overrides
  readonly workspace: Workspace
  /** The model context as the turn before left it; see {@link TurnInput.keepContext}. */
  readonly context: string | null
  /** All that was said and done in the session, as far as it is saved. */
  readonly transcript: Effect.Effect<ReadonlyArray<TranscriptEntry>, StoreFailed>
  /** The prompt as the model reads it. */
  readonly prompt: string
  readonly images: ReadonlyArray<Image>
  readonly ledger: TranscriptWriter
  /** The context as it would be saved now. */
  readonly saved: () => string
  /**
   * Takes in what users have said to the turn since the last time: `keep` puts it into the context, in one step with its place in the
   * transcript. Whether there was anything; a turn that `ends` hears nothing more when there was not.
   */
  readonly takeIn: (ends: boolean, keep: (said: ReadonlyArray<Said>) => void) => Effect.Effect<boolean>
  readonly ask: (request: PermissionRequest) => Effect.Effect<PermissionAnswer, NoAnswer>
  readonly choose: (question: Question) => Effect.Effect<string, NoAnswer>
  /** The session's commands in the background. */
  readonly jobs: Jobs
  /** What the clients that watch the session now do for it. */
  readonly client: () => ClientSide
  readonly policy: SessionPolicy
  readonly model: SessionModel
  /** The session's own tools, besides the built-in ones. */
  readonly tools: SessionTools
  readonly notify: (notice: Omit<Notice, "messageId">) => Effect.Effect<void>
  readonly publish: (event: SessionEvent) => Effect.Effect<void>
  /** Says how to write the context down, now or at any later moment of the turn, interruption included. */
  readonly keepContext: (encode: () => string) => void
  /** Saves what there is so far, before each tool call runs and after it; fails once the session is not this process's any more. */
  readonly checkpoint: Effect.Effect<void, TurnFailed>
  /** Saves another context in the place of the one there was, or fails and changes nothing. */
  readonly replaceContext: (json: string) => Effect.Effect<void, TurnFailed | StoreFailed>
  /** `cost` is what came on top of what the session had cost. */
  readonly usage: (usage: Usage) => Effect.Effect<void>
}

/** Model → tool calls → model, until the model ends, a limit is met or the turn is interrupted (spec §7). */
export class TurnLoop extends Context.Service<TurnLoop, {
  readonly run: (input: TurnInput) => Effect.Effect<StopReason, TurnFailed>
}>()("postern/session/TurnLoop") {}
