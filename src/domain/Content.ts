import { Schema } from "effect"
import { lenient } from "./Lenient.ts"

/**
 * Content as ACP and MCP spell it (https://agentclientprotocol.com/protocol/v1/content): what prompts, messages and
 * tool results are made of.
 */

const annotations = {
  annotations: lenient(Schema.Struct({
    audience: lenient(Schema.Array(Schema.Literals(["user", "assistant"]))),
    lastModified: lenient(Schema.String),
    priority: lenient(Schema.Finite)
  })),
  _meta: lenient(Schema.Record(Schema.String, Schema.Unknown))
}

const TextContent = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...annotations })
const ImageContent = Schema.Struct({
  type: Schema.Literal("image"),
  data: Schema.String,
  mimeType: Schema.String,
  uri: lenient(Schema.String),
  ...annotations
})
const AudioContent = Schema.Struct({
  type: Schema.Literal("audio"),
  data: Schema.String,
  mimeType: Schema.String,
  ...annotations
})
const ResourceLink = Schema.Struct({
  type: Schema.Literal("resource_link"),
  uri: Schema.String,
  name: Schema.String,
  title: lenient(Schema.String),
  description: lenient(Schema.String),
  mimeType: lenient(Schema.String),
  size: lenient(Schema.Int),
  ...annotations
})
const EmbeddedResource = Schema.Struct({
  type: Schema.Literal("resource"),
  resource: Schema.Union([
    Schema.Struct({ uri: Schema.String, text: Schema.String, mimeType: lenient(Schema.String) }),
    Schema.Struct({ uri: Schema.String, blob: Schema.String, mimeType: lenient(Schema.String) })
  ]),
  ...annotations
})

export const ContentBlock = Schema.Union([TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource])
export type ContentBlock = typeof ContentBlock.Type

export const text = (value: string): typeof TextContent.Type => ({ type: "text", text: value })

export const ToolKind = Schema.Literals([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other"
])
export type ToolKind = typeof ToolKind.Type

export const ToolCallStatus = Schema.Literals(["pending", "in_progress", "completed", "failed"])
export type ToolCallStatus = typeof ToolCallStatus.Type

/** `path` is absolute, `line` 1-based. */
export const ToolCallLocation = Schema.Struct({ path: Schema.String, line: lenient(Schema.Int) })
export type ToolCallLocation = typeof ToolCallLocation.Type

/** `oldText: null` marks a new file. */
const Diff = Schema.Struct({
  type: Schema.Literal("diff"),
  path: Schema.String,
  oldText: Schema.optionalKey(Schema.NullOr(Schema.String)),
  newText: Schema.String
})

export const ToolCallContent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("content"), content: ContentBlock }),
  Diff,
  Schema.Struct({ type: Schema.Literal("terminal"), terminalId: Schema.String })
])
export type ToolCallContent = typeof ToolCallContent.Type

export const textContent = (value: string): ToolCallContent => ({ type: "content", content: text(value) })

/** A piece of a tool call. `output` is text as a tool read or printed it, which clients get as a fenced block. */
export const ToolCallItem = Schema.Union([
  ...ToolCallContent.members,
  Schema.Struct({ type: Schema.Literal("output"), text: Schema.String })
])
export type ToolCallItem = typeof ToolCallItem.Type

export const outputItem = (text: string): ToolCallItem => ({ type: "output", text })

/** The texts of a tool call, without the fences that clients see. */
export const textsOf = (items: ReadonlyArray<ToolCallItem>): ReadonlyArray<string> =>
  items.flatMap((item) =>
    item.type === "output"
      ? [item.text]
      : item.type === "content" && item.content.type === "text"
      ? [item.content.text]
      : []
  )

export const PlanEntry = Schema.Struct({
  content: Schema.String,
  priority: Schema.Literals(["high", "medium", "low"]),
  status: Schema.Literals(["pending", "in_progress", "completed"]),
  /** What the step is called while it is done. */
  activeForm: Schema.optionalKey(Schema.String)
})
export type PlanEntry = typeof PlanEntry.Type
