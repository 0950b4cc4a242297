import { Schema } from "effect"
import {
  ContentBlock,
  PlanEntry,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind
} from "../tool/Content.ts"

export const StopReason = Schema.Literals(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"])
export type StopReason = typeof StopReason.Type

export const ToolCallState = Schema.Struct({
  toolCallId: Schema.String,
  name: Schema.String,
  title: Schema.String,
  kind: ToolKind,
  status: ToolCallStatus,
  content: Schema.Array(ToolCallContent),
  locations: Schema.Array(ToolCallLocation),
  rawInput: Schema.optionalKey(Schema.Unknown),
  rawOutput: Schema.optionalKey(Schema.Unknown)
})
export type ToolCallState = typeof ToolCallState.Type

/**
 * One row of the visible transcript (spec §4), in its materialised form. Rows are never renumbered or removed while the
 * session exists. `Interrupted` marks a turn that was cut off: visible to people, hidden from the model.
 */
export const Entry = Schema.Union([
  Schema.TaggedStruct("User", { messageId: Schema.String, content: Schema.Array(ContentBlock) }),
  Schema.TaggedStruct("Agent", { messageId: Schema.String, text: Schema.String }),
  Schema.TaggedStruct("Thought", { messageId: Schema.String, text: Schema.String }),
  Schema.TaggedStruct("ToolCall", { call: ToolCallState }),
  Schema.TaggedStruct("Plan", { entries: Schema.Array(PlanEntry) }),
  Schema.TaggedStruct("Interrupted", { messageId: Schema.String, text: Schema.String })
])
export type Entry = typeof Entry.Type

/** What happens while a session lives, in order; each connection turns it into its own protocol's updates. */
export type SessionEvent =
  | { readonly _tag: "Delta"; readonly kind: "Agent" | "Thought"; readonly messageId: string; readonly text: string }
  | { readonly _tag: "ToolCallStarted"; readonly call: ToolCallState }
  | { readonly _tag: "ToolCallChanged"; readonly call: ToolCallState; readonly final: boolean }
  | { readonly _tag: "PlanChanged"; readonly entries: ReadonlyArray<PlanEntry> }
  | { readonly _tag: "InfoChanged"; readonly title: string | null; readonly updatedAt: string }
  /** A policy of the session has another value; whoever shows them asks for the current ones. */
  | { readonly _tag: "PolicyChanged" }
  | { readonly _tag: "Notice"; readonly severity: "info" | "warning" | "error"; readonly title: string; readonly description?: string }
  | { readonly _tag: "Usage"; readonly used: number; readonly size: number }
