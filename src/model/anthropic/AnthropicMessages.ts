import type { Prompt } from "effect/ai"
import { type Images, namedIn, type SentImage } from "../Images.ts"
import { answerText } from "../LastTurn.ts"
import { sendable, sendableName } from "../SendableHistory.ts"
import type { ToolDeclaration } from "../ToolSchemas.ts"

/** Encodes a prompt for the Messages API. */

/** The key of this provider's metadata on parts. */
export const notes = "anthropic"

/** The signature with which a thought is sent back: only the model that produced it accepts it. */
export interface ThoughtNotes {
  readonly model: string
  readonly signature?: string
  readonly redacted?: string
}

type Block = { readonly type: string } & Record<string, unknown>

interface Message {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Block>
}

/** The API refuses blocks of nothing but white space. */
const textBlock = (text: string): ReadonlyArray<Block> => text.trim() === "" ? [] : [{ type: "text", text }]

const thought = (part: Prompt.ReasoningPart, model: string): ReadonlyArray<Block> => {
  const known = part.options[notes] as unknown as ThoughtNotes | undefined
  if (known?.model !== model) return []
  if (known.redacted !== undefined) return [{ type: "redacted_thinking", data: known.redacted }]
  return known.signature === undefined ? [] : [{ type: "thinking", thinking: part.text, signature: known.signature }]
}

const imageBlock = ({ data, mediaType }: SentImage): Block => (
  { type: "image", source: { type: "base64", media_type: mediaType, data } }
)

const user = (content: ReadonlyArray<Prompt.UserMessagePart>, images: Images) =>
  content.flatMap((part): ReadonlyArray<Block> => {
    if (part.type === "text") return textBlock(part.text)
    const image = images.get(part)
    return image === undefined ? [] : [imageBlock(image)]
  })

const assistant = (content: ReadonlyArray<Prompt.AssistantMessagePart>, model: string | undefined) =>
  content.flatMap((part): ReadonlyArray<Block> => {
    switch (part.type) {
      case "text":
        return textBlock(part.text)
      case "reasoning":
        return model === undefined ? [] : thought(part, model)
      case "tool-call":
        return [{ type: "tool_use", id: part.id, name: part.name, input: part.params }]
      default:
        return []
    }
  })

/** The text of a result, with the images that it names. */
const resultContent = (text: string, images: Images): string | ReadonlyArray<Block> => {
  const shown = namedIn(text).flatMap((path) => {
    const image = images.get(path)
    return image === undefined ? [] : [imageBlock(image)]
  })
  return shown.length === 0 ? text : [{ type: "text", text }, ...shown]
}

const results = (content: ReadonlyArray<Prompt.ToolMessagePart>, images: Images) =>
  content.flatMap((part): ReadonlyArray<Block> =>
    part.type !== "tool-result" ? [] : [{
      type: "tool_result",
      tool_use_id: part.id,
      content: resultContent(answerText(part), images),
      ...(part.isFailure ? { is_error: true } : {})
    }]
  )

/** `thinking`: the model whose thoughts are sent back; absent when the request does not think. */
const message = (one: Prompt.Message, thinking: string | undefined, images: Images): Message | undefined => {
  switch (one.role) {
    case "system":
      return undefined
    case "user":
      return { role: "user", content: user(one.content, images) }
    case "assistant":
      return { role: "assistant", content: assistant(one.content, thinking) }
    case "tool":
      return { role: "user", content: results(one.content, images) }
  }
}

const cached = { cache_control: { type: "ephemeral" } }

const marked = <A extends object>(list: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.map((item, index) => index === list.length - 1 ? { ...item, ...cached } : item)

/** Cache breakpoints: after what never changes, and in the conversation up to the last two requests. */
const withMarks = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const recent = messages.flatMap(({ role }, index) => role === "user" ? [index] : []).slice(-2)
  return messages.map((one, index) => recent.includes(index) ? { ...one, content: marked(one.content) } : one)
}

/** Whether the request may think: with a token budget, a turn that began without a thought cannot continue with one. */
export const mayThink = ({ content }: Prompt.Prompt, model: string): boolean => {
  const turn = content.slice(content.findLastIndex(({ role }) => role === "user") + 1)
  return turn.every((one) =>
    one.role !== "assistant" || one.content.some((part) => part.type === "reasoning" && thought(part, model).length > 0)
  )
}

/** An answer that the model is to continue must not end in white space. */
const withTrimmedEnd = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const last = messages.at(-1)
  const block = last?.content.at(-1)
  if (last?.role !== "assistant" || block?.type !== "text") return messages
  const text = String(block["text"]).trimEnd()
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), { ...block, text }] }]
}

export const messages = (
  prompt: Prompt.Prompt,
  thinking: string | undefined,
  images: Images
): ReadonlyArray<Message> => {
  const merged: Array<Message> = []
  for (const one of sendable(prompt, { images })) {
    const next = message(one, thinking, images)
    if (next === undefined || next.content.length === 0) continue
    const last = merged.at(-1)
    if (last?.role === next.role) {
      merged[merged.length - 1] = { role: last.role, content: [...last.content, ...next.content] }
    } else merged.push(next)
  }
  return withMarks(withTrimmedEnd(merged))
}

export const system = ({ content }: Prompt.Prompt): ReadonlyArray<Block> =>
  marked(content.flatMap((one) => one.role === "system" ? textBlock(one.content) : []))

interface DeclaredTool {
  readonly name: string
  readonly description: string
  readonly input_schema: object
}

/** The provider accepts earlier calls only where their tools are declared. */
export const tools = (prompt: Prompt.Prompt, offered: ReadonlyArray<ToolDeclaration>): ReadonlyArray<DeclaredTool> => {
  const names = new Set(
    prompt.content.flatMap((one) =>
      one.role === "assistant"
        ? one.content.flatMap((part) => part.type === "tool-call" ? [sendableName(part.name)] : [])
        : []
    )
  )
  const declared = offered.length > 0
    ? offered
    : Array.from(names, (name) => ({ name, description: "Not available now.", parameters: { type: "object" } }))
  return marked(declared.map(({ description, name, parameters }) => ({ name, description, input_schema: parameters })))
}
