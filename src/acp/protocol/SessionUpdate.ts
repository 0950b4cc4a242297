import { Schema } from "effect"
import {
  ContentBlock,
  PlanEntry,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind
} from "../../domain/Content.ts"
import { lenient } from "../../domain/Lenient.ts"
import { Meta } from "./Capabilities.ts"
import { SessionConfigOption, SessionId } from "./SessionSetup.ts"

/**
 * Every `session/update` that is sent: those of stable ACP v1 (https://agentclientprotocol.com/protocol/v1/schema) and
 * the unstable notices and compactions. The union is closed.
 */

const chunk = { content: ContentBlock, messageId: lenient(Schema.String), _meta: Meta }

const variant = <const Tag extends string, F extends Schema.Struct.Fields>(tag: Tag, fields: F) =>
  Schema.Struct({ sessionUpdate: Schema.Literal(tag), ...fields, _meta: Meta })

const toolCallFields = {
  name: lenient(Schema.String),
  kind: lenient(ToolKind),
  status: lenient(ToolCallStatus),
  content: lenient(Schema.Array(ToolCallContent)),
  locations: lenient(Schema.Array(ToolCallLocation)),
  rawInput: Schema.optionalKey(Schema.Unknown),
  rawOutput: Schema.optionalKey(Schema.Unknown),
  /** ZeroClaw dialect only: the output once more, as text. */
  body: Schema.optionalKey(Schema.String)
}

/** Absent fields stay as they were; lists replace the whole list. */
export const ToolCallUpdate = Schema.Struct({
  toolCallId: Schema.String,
  title: lenient(Schema.String),
  ...toolCallFields,
  _meta: Meta
})

const AvailableCommand = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  input: lenient(Schema.Struct({ hint: Schema.String })),
  _meta: Meta
})

export const SessionUpdate = Schema.Union([
  variant("user_message_chunk", chunk),
  variant("agent_message_chunk", chunk),
  variant("agent_thought_chunk", chunk),
  variant("tool_call", { toolCallId: Schema.String, title: Schema.String, ...toolCallFields }),
  variant("tool_call_update", { toolCallId: Schema.String, title: lenient(Schema.String), ...toolCallFields }),
  variant("plan", { entries: Schema.Array(PlanEntry) }),
  variant("available_commands_update", { availableCommands: Schema.Array(AvailableCommand) }),
  variant("current_mode_update", { currentModeId: Schema.String }),
  variant("config_option_update", { configOptions: Schema.Array(SessionConfigOption) }),
  variant("session_info_update", {
    title: Schema.optionalKey(Schema.NullOr(Schema.String)),
    updatedAt: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  variant("usage_update", {
    used: Schema.Int,
    size: Schema.Int,
    cost: lenient(Schema.Struct({ amount: Schema.Finite, currency: Schema.String }))
  }),
  variant("notice", { severity: Schema.String, title: Schema.String, description: lenient(Schema.String) }),
  variant("compaction_update", {
    compactionId: Schema.String,
    status: Schema.String,
    summary: Schema.optionalKey(Schema.NullOr(Schema.Array(ContentBlock))),
    error: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  variant("compaction_summary_chunk", { compactionId: Schema.String, content: ContentBlock })
])
export type SessionUpdate = typeof SessionUpdate.Type

export const SessionNotification = Schema.Struct({ sessionId: SessionId, update: SessionUpdate, _meta: Meta })
