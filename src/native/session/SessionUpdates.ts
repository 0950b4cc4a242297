import { Effect } from "effect"
import type { Connection } from "../../rpc/Peer.ts"
import * as Wire from "../../rpc/Wire.ts"
import type { SessionEvent, ToolCallState } from "../../domain/SessionEvent.ts"
import { type Params, twins } from "../protocol/Contract.ts"
import { type ContentBlock, textsOf } from "../../domain/Content.ts"
import { beginning } from "../../domain/Cut.ts"

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

/** What a user said, as text. */
export const saidOf = (content: ReadonlyArray<ContentBlock>): string => content.map(textOf).join("\n\n")

/** What people and programs read of a result: its texts, and which files it changed where it has none. */
export const outputOf = ({ content, rawOutput }: ToolCallState): string => {
  const texts = textsOf(content)
  if (texts.length > 0) return texts.join("\n")
  const changed = content.flatMap((item) => item.type === "diff" ? [`Changed ${item.path}`] : [])
  if (changed.length > 0 || rawOutput === undefined) return changed.join("\n")
  return typeof rawOutput === "string" ? rawOutput : JSON.stringify(rawOutput)
}

/** An update for followers; adjacent text of one message may be merged. */
export type Update =
  | { readonly _tag: "Text"; readonly type: string; readonly messageId: string; readonly text: string }
  | { readonly _tag: "Whole"; readonly params: Params }

/** Characters of joined text in one update. */
export const longestText = 16 * 1024

/** The beginning of a prompt from another connection; `session/messages` returns all of it. */
export const short = (text: string): string => text.length > longestText ? `${beginning(text, longestText)}…` : text

/** Session events as `session/update` notifications; see docs/native-rpc.md#turns. */

const types = { Agent: "agent_message_chunk", Thought: "agent_thought_chunk" } as const

const frameOf = (sessionId: string, update: Params) =>
  Wire.notification("session/update", twins({ session_id: sessionId, ...update }))

const planOf = (entries: Extract<SessionEvent, { readonly _tag: "PlanChanged" }>["entries"]) => ({
  type: "plan",
  entries
})

const updateOf = (event: Exclude<SessionEvent, { readonly _tag: "Delta" }>): Params | undefined => {
  switch (event._tag) {
    case "UserSaid":
      return { type: "user_message", text: short(saidOf(event.content)) }
    case "ToolCallStarted": {
      const { name, rawInput, toolCallId } = event.call
      return { type: "tool_call", tool_call_id: toolCallId, name, raw_input: rawInput ?? {} }
    }
    case "ToolCallChanged": {
      const { name, status, toolCallId } = event.call
      return event.final
        ? {
          type: "tool_result",
          tool_call_id: toolCallId,
          name,
          raw_output: outputOf(event.call),
          failed: status === "failed"
        }
        : undefined
    }
    case "PlanChanged":
      return planOf(event.entries)
    case "Usage":
      return {
        type: "context_usage",
        input_tokens: event.used,
        max_context_tokens: event.size,
        model_context_window: event.size
      }
    case "Notice":
      return {
        type: "notice",
        severity: event.severity,
        title: event.title,
        ...(event.description === undefined ? {} : { description: event.description })
      }
    case "HistoryTrimmed":
      return {
        type: "history_trimmed",
        dropped_messages: event.droppedMessages,
        kept_turns: event.keptTurns,
        reason: event.reason
      }
    default:
      return undefined
  }
}

/** One frame with room for text: everything but the text is the same for all deltas of a message. */
const deltaFrame = (sessionId: string, kind: "Agent" | "Thought") => {
  const frame = frameOf(sessionId, { type: types[kind], text: "" })
  const at = frame.lastIndexOf("\"text\":\"\"") + 7
  const [before, after] = [frame.slice(0, at), frame.slice(at + 2)]
  return (text: string) => before + JSON.stringify(text) + after
}

export interface Updates {
  readonly publish: (event: SessionEvent) => Effect.Effect<void>
  readonly send: (update: Params) => Effect.Effect<void>
}

/** The updates of one session on one connection; `tell` hears of each before it waits for the connection. */
export const make = (
  peer: Connection["Service"],
  sessionId: string,
  tell: (update: Update) => void = () => {}
): Updates => {
  const frames = { Agent: deltaFrame(sessionId, "Agent"), Thought: deltaFrame(sessionId, "Thought") }
  const send = (params: Params) =>
    Effect.suspend(() => {
      tell({ _tag: "Whole", params })
      return peer.post(frameOf(sessionId, params))
    })
  return {
    send,
    publish: (event) => {
      if (event._tag === "Delta") {
        const { kind, messageId, text } = event
        tell({ _tag: "Text", type: types[kind], messageId, text })
        return peer.post({ key: messageId, text, frame: frames[kind] })
      }
      const update = updateOf(event)
      return update === undefined ? Effect.void : send(update)
    }
  }
}
