import type { Entry } from "../session/Event.ts"
import type { ContentBlock } from "../tool/Content.ts"
import { outputOf } from "./Updates.ts"

/** The transcript as `session/messages` shows it. A message keeps its index: later ones only follow. */

export interface Message {
  readonly role: "user" | "assistant" | "tool" | "system"
  readonly content: string
  readonly kind: "message" | "tool_call" | "tool_result"
  readonly tool_call_id?: string
  readonly tool_name?: string
  readonly tool_input?: unknown
  readonly tool_output?: string
}

const textOf = (block: ContentBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})`
    case "resource":
      return "text" in block.resource ? block.resource.text : `[${block.resource.uri}]`
    default:
      return `[${block.type}]`
  }
}

const ofEntry = (entry: Entry): ReadonlyArray<Message> => {
  switch (entry._tag) {
    case "User":
      return [{ role: "user", kind: "message", content: entry.content.map(textOf).join("\n\n") }]
    case "Agent":
      return [{ role: "assistant", kind: "message", content: entry.text }]
    case "Interrupted":
      return [{ role: "system", kind: "message", content: entry.text }]
    case "ToolCall": {
      const { name, rawInput, status, title, toolCallId } = entry.call
      const of = { tool_call_id: toolCallId, tool_name: name }
      const call: Message = { role: "assistant", kind: "tool_call", content: title, ...of, tool_input: rawInput ?? {} }
      const output = outputOf(entry.call)
      const isOver = status === "completed" || status === "failed"
      return isOver
        ? [call, { role: "tool", kind: "tool_result", content: output, ...of, tool_output: output }]
        : [call]
    }
    default:
      return []
  }
}

export const of = (entries: ReadonlyArray<Entry>): ReadonlyArray<Message> => entries.flatMap(ofEntry)

/** The last `limit` messages before `before`; all of them without either. */
export const page = (messages: ReadonlyArray<Message>, limit: number | undefined, before: number | undefined) => {
  const end = Math.min(Math.max(before ?? messages.length, 0), messages.length)
  const start = limit === undefined ? 0 : Math.max(0, end - limit)
  return { messages: messages.slice(start, end), total: messages.length, start, has_older: start > 0 }
}
