import type { Prompt } from "effect/ai"
import { noteOf, turnsOf } from "./Trim.ts"

/** A conversation as text, for a model that is to summarise it: no roles or calls that a provider could refuse. */

type Messages = ReadonlyArray<Prompt.MessageEncoded>

const shortened = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, (limit * 2) / 3)} […] ${text.slice(-limit / 3)}`

const asText = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? ""

const lineOf = (part: Prompt.PartEncoded, who: string, limit: number): ReadonlyArray<string> => {
  switch (part.type) {
    case "text":
      return [`${who}: ${shortened(part.text, limit * 4)}`]
    case "file":
      return [`${who}: [a file of type ${part.mediaType}]`]
    case "tool-call":
      return [`Call of ${part.name}: ${shortened(asText(part.params), limit)}`]
    case "tool-result":
      return [`Result of ${part.name}: ${shortened(asText(part.result), limit)}`]
    default:
      return []
  }
}

const render = (messages: Messages, limit: number): string =>
  messages.flatMap(({ content, role }) => {
    const who = role === "user" ? "User" : "Assistant"
    return typeof content === "string" ? [`${who}: ${content}`] : content.flatMap((part) => lineOf(part, who, limit))
  }).join("\n")

/** At most `limit` characters: details of calls go first, then what is oldest. */
export const digest = (messages: Messages, limit: number): string => {
  const before = noteOf(messages)
  const earlier = before === undefined ? "" : `Before that: ${shortened(before, limit / 3)}\n`
  const body = turnsOf(messages).flat()
  for (const detail of [2_000, 500, 120]) {
    const text = earlier + render(body, detail)
    if (text.length <= limit) return text
  }
  const text = render(body, 120)
  return `${earlier}[…]\n${text.slice(-Math.max(0, limit - earlier.length))}`
}
