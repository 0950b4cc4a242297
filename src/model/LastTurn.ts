import { Prompt } from "effect/ai"
import { unmark } from "../security/Untrusted.ts"

/** A tool result without the mark that makes it data for models. */
export interface ToolAnswer {
  readonly name: string
  readonly text: string
  readonly isFailure: boolean
}

/** The newest user message and the tool results since. */
export interface LastTurn {
  readonly text: string
  readonly answers: ReadonlyArray<ToolAnswer>
}

/** The text of a tool result part, whatever shape the tool gave it. */
export const answerText = (part: Prompt.ToolResultPart): string => {
  if (part.modelOutput !== undefined) return Prompt.toolModelOutputToText(part.modelOutput)
  return typeof part.result === "string" ? part.result : JSON.stringify(part.result, null, 2) ?? ""
}

const userText = (message: Prompt.UserMessage): string =>
  message.content.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n")

/** The texts of all user messages. */
export const userTexts = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) => message.role === "user" ? [userText(message)] : [])

/** Empty text when the prompt has no user message. */
export const lastTurn = (prompt: Prompt.Prompt): LastTurn => {
  const start = prompt.content.findLastIndex((message) => message.role === "user")
  const message = prompt.content[start]
  return {
    text: message?.role === "user" ? userText(message) : "",
    answers: prompt.content.slice(start + 1).flatMap((message) =>
      message.role !== "tool" ?
        [] :
        message.content.flatMap((part) =>
          part.type === "tool-result"
            ? [{ name: part.name, text: unmark(answerText(part)), isFailure: part.isFailure }]
            : []
        )
    )
  }
}

const messageBytes = (message: Prompt.Message): number => {
  if (message.role === "system") return Buffer.byteLength(message.content)
  let bytes = 0
  for (const part of message.content) {
    if (part.type === "text" || part.type === "reasoning") bytes += Buffer.byteLength(part.text)
    else if (part.type === "tool-call") bytes += Buffer.byteLength(JSON.stringify(part.params) ?? "")
    else if (part.type === "tool-result") bytes += Buffer.byteLength(answerText(part))
  }
  return bytes
}

/** One token per four bytes and four per message: the estimate where a provider reports no count. */
export const estimateTokens = (prompt: Prompt.Prompt): number =>
  prompt.content.reduce((tokens, message) => tokens + Math.ceil(messageBytes(message) / 4) + 4, 0)
