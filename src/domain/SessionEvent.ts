import { Schema } from "effect"
import { ContentBlock, PlanEntry, ToolCallItem, ToolCallLocation, ToolCallStatus, ToolKind } from "./Content.ts"

export const StopReason = Schema.Literals(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"])
export type StopReason = typeof StopReason.Type

export const ToolCallState = Schema.Struct({
  toolCallId: Schema.String,
  name: Schema.String,
  title: Schema.String,
  kind: ToolKind,
  status: ToolCallStatus,
  content: Schema.Array(ToolCallItem),
  locations: Schema.Array(ToolCallLocation),
  rawInput: Schema.optionalKey(Schema.Unknown),
  rawOutput: Schema.optionalKey(Schema.Unknown)
})
export type ToolCallState = typeof ToolCallState.Type

/** Nothing more comes of the call. */
export const isFinal = ({ status }: Pick<ToolCallState, "status">): boolean =>
  status === "completed" || status === "failed"

export const Notice = Schema.Struct({
  messageId: Schema.String,
  severity: Schema.Literals(["info", "warning", "error"]),
  title: Schema.String,
  description: Schema.optionalKey(Schema.String)
})
export type Notice = typeof Notice.Type

/** A notice that has no id yet: what tools and background work tell the user. */
export type UserNotice = Omit<Notice, "messageId">

/** The model's context being replaced with a summary of it; the transcript stays as it is. */
export const Compaction = Schema.Struct({
  compactionId: Schema.String,
  status: Schema.Literals(["in_progress", "completed", "failed", "cancelled"]),
  /** What the model reads from now on; once completed. */
  summary: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String),
  /** In the context before and after, roughly. */
  tokens: Schema.optionalKey(Schema.Tuple([Schema.Int, Schema.Int]))
})
export type Compaction = typeof Compaction.Type

/**
 * One row of the visible transcript (docs/sessions.md#transcript-and-context), in its materialised form. Rows are never
 * renumbered or removed while the session exists. `Interrupted` marks a turn that was cut off: visible to people,
 * hidden from the model.
 */
export const TranscriptEntry = Schema.Union([
  Schema.TaggedStruct("User", { messageId: Schema.String, content: Schema.Array(ContentBlock) }),
  Schema.TaggedStruct("Agent", { messageId: Schema.String, text: Schema.String }),
  Schema.TaggedStruct("Thought", { messageId: Schema.String, text: Schema.String }),
  Schema.TaggedStruct("ToolCall", { call: ToolCallState }),
  Schema.TaggedStruct("Plan", { entries: Schema.Array(PlanEntry) }),
  Schema.TaggedStruct("Interrupted", { messageId: Schema.String, text: Schema.String }),
  Schema.TaggedStruct("Notice", { notice: Notice }),
  Schema.TaggedStruct("Compaction", { compaction: Compaction })
])
export type TranscriptEntry = typeof TranscriptEntry.Type

/**
 * What the context holds and may hold, in tokens, and what the session has cost so far, in US dollars, where prices are
 * configured.
 */
export const Usage = Schema.Struct({
  used: Schema.Int,
  size: Schema.Int,
  cost: Schema.optionalKey(Schema.Finite)
})
export type Usage = typeof Usage.Type

/** Tokens as providers counted them, summed over requests. `input` includes what was read from and written to a cache. */
export interface TokenCounts {
  readonly input: number
  readonly output: number
  readonly cachedRead?: number
  readonly cachedWrite?: number
  readonly thought?: number
}

/** What happens while a session lives, in order; each connection turns it into its own protocol's updates. */
export type SessionEvent =
  /** Said to a running turn; its prompt is not told this way. */
  | { readonly _tag: "UserSaid"; readonly messageId: string; readonly content: ReadonlyArray<ContentBlock> }
  | { readonly _tag: "Delta"; readonly kind: "Agent" | "Thought"; readonly messageId: string; readonly text: string }
  | { readonly _tag: "ToolCallStarted"; readonly call: ToolCallState }
  | {
    readonly _tag: "ToolCallChanged"
    readonly call: ToolCallState
    readonly final: boolean
    /** What its command printed since the event before; only clients that show terminals need it. */
    readonly printed?: string
  }
  | { readonly _tag: "PlanChanged"; readonly entries: ReadonlyArray<PlanEntry> }
  | { readonly _tag: "InfoChanged"; readonly title: string | null; readonly updatedAt: string }
  /** A policy setting of the session changed; clients read the current values. */
  | { readonly _tag: "PolicyChanged" }
  /** The model, what it is asked for, or what there is to choose from. */
  | { readonly _tag: "OptionsChanged" }
  | { readonly _tag: "Notice" } & Notice
  | { readonly _tag: "CompactionChanged"; readonly compaction: Compaction }
  | { readonly _tag: "CompactionSummary"; readonly compactionId: string; readonly text: string }
  /** Messages left the model's context without a summary; a notice says so as well. */
  | {
    readonly _tag: "HistoryTrimmed"
    readonly droppedMessages: number
    readonly keptTurns: number
    readonly reason: string
  }
  | { readonly _tag: "Usage" } & Usage
