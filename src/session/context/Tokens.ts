import type { Prompt } from "effect/ai"

/** An image costs about this much, whatever its bytes are. */
const imageTokens = 1_600

const perMessage = 4

const ofText = (text: string): number => Buffer.byteLength(text) / 4

const ofPart = (part: Prompt.PartEncoded): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return ofText(part.text)
    case "file":
      return imageTokens
    case "tool-call":
      return ofText(part.name) + ofText(JSON.stringify(part.params) ?? "")
    case "tool-result":
      return ofText(typeof part.result === "string" ? part.result : JSON.stringify(part.result) ?? "")
    default:
      return 0
  }
}

/** Estimates the tokens of messages that no provider counted: one for four bytes, and four for each message. */
export const estimate = (messages: ReadonlyArray<Prompt.MessageEncoded>): number =>
  messages.reduce((sum, { content }) => {
    const parts = typeof content === "string"
      ? ofText(content)
      : content.reduce((tokens, part) => tokens + ofPart(part), 0)
    return sum + Math.ceil(parts) + perMessage
  }, 0)

export const estimateText = (text: string): number => Math.ceil(ofText(text)) + perMessage
