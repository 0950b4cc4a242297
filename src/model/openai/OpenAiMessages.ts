import type { Prompt } from "effect/ai"
import type { Images } from "../Images.ts"
import { answerText } from "../LastTurn.ts"

/** Encodes a prompt for chat completions. */

/** The key of this provider's metadata on parts. */
export const notes = "openai"

/** The field of the wire that carried a reasoning part, and the details that came with it. */
export interface ReasoningNotes {
  readonly field?: string
  readonly details?: ReadonlyArray<unknown>
}

/** Extra fields of a tool call that are sent back with it. */
export interface CallNotes {
  readonly extra?: unknown
}

const notesOf = <N>(part: { readonly options: Readonly<Record<string, unknown>> }): N | undefined =>
  part.options[notes] as N | undefined

const text = (content: ReadonlyArray<Prompt.Part>) =>
  content.flatMap((part) => part.type === "text" ? [part.text] : []).join("")

const userContent = (content: ReadonlyArray<Prompt.UserMessagePart>, images: Images) => {
  const parts = content.flatMap((part): ReadonlyArray<object> => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }]
    const data = images.get(part)
    return data === undefined
      ? []
      : [{ type: "image_url", image_url: { url: `data:${part.mediaType};base64,${data}` } }]
  })
  return parts.some((part) => !("text" in part)) ? parts : text(content)
}

/** Thoughts between tool calls are sent back until the next prompt of the user. */
const reasoning = (content: ReadonlyArray<Prompt.AssistantMessagePart>) => {
  const fields: Record<string, unknown> = {}
  for (const part of content) {
    const { details, field } = part.type === "reasoning" ? notesOf<ReasoningNotes>(part) ?? {} : {}
    if (part.type === "reasoning" && field !== undefined) fields[field] = `${fields[field] ?? ""}${part.text}`
    if (details !== undefined) fields["reasoning_details"] = details
  }
  return fields
}

const assistant = (content: ReadonlyArray<Prompt.AssistantMessagePart>, current: boolean): ReadonlyArray<object> => {
  const said = text(content)
  const calls = content.flatMap((part) => {
    if (part.type !== "tool-call") return []
    const { extra } = notesOf<CallNotes>(part) ?? {}
    const args = typeof part.params === "string" ? part.params : JSON.stringify(part.params ?? {})
    return [{
      id: part.id,
      type: "function",
      function: { name: part.name, arguments: args },
      ...(extra === undefined ? {} : { extra_content: extra })
    }]
  })
  if (said === "" && calls.length === 0) return []
  return [{
    role: "assistant",
    content: said === "" ? null : said,
    ...(current ? reasoning(content) : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }]
}

export const messages = ({ content }: Prompt.Prompt, images: Images): ReadonlyArray<object> => {
  const newest = content.findLastIndex(({ role }) => role === "user")
  return content.flatMap((message, index): ReadonlyArray<object> => {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }]
      case "user":
        return [{ role: "user", content: userContent(message.content, images) }]
      case "assistant":
        return assistant(message.content, index > newest)
      case "tool":
        return message.content.flatMap((part) =>
          part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.id, content: answerText(part) }] : []
        )
    }
  })
}
