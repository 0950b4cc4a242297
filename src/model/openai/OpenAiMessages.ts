import type { Prompt } from "effect/ai"
import type { Images } from "../Images.ts"
import { answerText } from "../LastTurn.ts"
import { sendable, type SendableOptions } from "../SendableHistory.ts"

/** Encodes a prompt for chat completions. */

/** The key of this provider's metadata on parts. */
export const notes = "openai"

/** The field of the wire that carried a reasoning part, the details that came with it, and the provider that sent it. */
export interface ReasoningNotes {
  /** The alias. Other providers refuse fields that they do not know. */
  readonly by?: string
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
    const image = images.get(part) ?? images.get(String(part.data))
    return image === undefined
      ? []
      : [{ type: "image_url", image_url: { url: `data:${image.mediaType};base64,${image.data}` } }]
  })
  return parts.some((part) => !("text" in part)) ? parts : text(content)
}

/** What a provider sent as reasoning in one answer, under the names of its fields. */
const reasoning = (content: ReadonlyArray<Prompt.AssistantMessagePart>, provider: string) => {
  const fields: Record<string, unknown> = {}
  for (const part of content) {
    const { by = provider, details, field } = part.type === "reasoning" ? notesOf<ReasoningNotes>(part) ?? {} : {}
    if (by !== provider) continue
    if (part.type === "reasoning" && field !== undefined) fields[field] = `${fields[field] ?? ""}${part.text}`
    if (details !== undefined) fields["reasoning_details"] = details
  }
  return fields
}

const assistant = (
  content: ReadonlyArray<Prompt.AssistantMessagePart>,
  thoughts: (withCalls: boolean) => object
): object => {
  const said = text(content)
  const calls = content.flatMap((part) => {
    if (part.type !== "tool-call") return []
    const { extra } = notesOf<CallNotes>(part) ?? {}
    return [{
      id: part.id,
      type: "function",
      function: { name: part.name, arguments: JSON.stringify(part.params) },
      ...(extra === undefined ? {} : { extra_content: extra })
    }]
  })
  return {
    role: "assistant",
    content: said === "" ? null : said,
    ...thoughts(calls.length > 0),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

interface MessageOptions extends SendableOptions {
  /** The alias of the provider. */
  readonly provider: string
}

const goOn = { role: "user", content: "Go on." }

/**
 * The messages of a request. A provider that once sent thoughts in a field of their own gets them back with each answer
 * that has calls, empty where there were none: DeepSeek and Moonshot refuse a history without them. Other answers have
 * theirs until the next prompt of the user.
 */
export const messages = (
  prompt: Prompt.Prompt,
  { images, provider, shortIds = false }: MessageOptions
): ReadonlyArray<object> => {
  const content = sendable(prompt, { alternates: true, images, shortIds })
  const newest = content.findLastIndex(({ role }) => role === "user")
  const wanted =
    content.some((message) =>
        message.role === "assistant" && "reasoning_content" in reasoning(message.content, provider)
      )
      ? { reasoning_content: "" }
      : {}
  const encoded = content.flatMap((message, index): ReadonlyArray<object> => {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }]
      case "user":
        return [{ role: "user", content: userContent(message.content, images) }]
      case "assistant":
        return [assistant(message.content, (withCalls) =>
          withCalls
            ? { ...wanted, ...reasoning(message.content, provider) }
            : index > newest
            ? reasoning(message.content, provider)
            : {})]
      case "tool":
        return message.content.flatMap((part) =>
          part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.id, content: answerText(part) }] : []
        )
    }
  })
  return content.at(-1)?.role === "assistant" ? [...encoded, goOn] : encoded
}
