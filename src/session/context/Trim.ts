import type { Prompt } from "effect/ai"
import type { Messages } from "./History.ts"
import { estimate } from "./Tokens.ts"
import { beginning, ending } from "../../domain/Cut.ts"

/**
 * Removes the oldest turns of a context, never the newest one; a note marks the cut. See
 * docs/sessions.md#context-window
 */

export interface Trimmed {
  readonly messages: Messages
  /** At the end, of the turn that runs: all that were there. */
  readonly running: number
  readonly droppedMessages: number
  readonly keptTurns: number
  readonly reason: "history message limit exceeded" | "context token budget exceeded"
}

const opening = "[Earlier in this session"
const acknowledgement = "I go on from there."
const maxNote = 6_000

/**
 * The pair of messages that replaces removed messages at the start of a context; user and assistant keep alternating.
 */
export const note = (text: string): Messages => [
  { role: "user", content: [{ type: "text", text: `${opening}]\n${text}` }] },
  { role: "assistant", content: [{ type: "text", text: acknowledgement }] }
]

const textOf = ({ content }: Prompt.MessageEncoded): string =>
  typeof content === "string" ? content : content.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n")

/** The text of the note a context begins with. */
export const noteOf = ([first]: Messages): string | undefined => {
  const text = first?.role === "user" ? textOf(first) : ""
  return text.startsWith(`${opening}]\n`) ? text.slice(opening.length + 2) : undefined
}

/**
 * A turn begins with the user's messages; the note is no turn. The `running` messages at the end are one, whatever its user said in
 * between.
 */
export const turnsOf = (messages: Messages, running = 0): ReadonlyArray<Messages> => {
  const end = messages.length - running
  const body = messages.slice(noteOf(messages) === undefined ? 0 : 2, end)
  const starts = body.flatMap(({ role }, at) => role === "user" && body[at - 1]?.role !== "user" ? [at] : [])
  const turns = starts.map((start, at) => body.slice(start, starts[at + 1]))
  return running === 0 ? turns : [...turns, messages.slice(end)]
}

const askedIn = (turns: ReadonlyArray<Messages>): ReadonlyArray<string> =>
  turns.flatMap(([first]) => first === undefined ? [] : [`- ${textOf(first).trim().split("\n", 1)[0]!.slice(0, 200)}`])

const head = (before: string | undefined, dropped: ReadonlyArray<Messages>): Messages => {
  if (dropped.length === 0) return before === undefined ? [] : note(before)
  const text = [
    ...(before === undefined ? [] : [before]),
    `${dropped.flat().length} messages are left out here. The user asked:`,
    ...askedIn(dropped)
  ].join("\n")
  return note(text.length <= maxNote ? text : `${beginning(text, maxNote / 2)}\n…\n${ending(text, maxNote / 2)}`)
}

/** The user's and the model's text of a turn, without the calls in between. */
const withoutTools = (turn: Messages): Messages =>
  turn.flatMap((message): Messages => {
    if (message.role === "tool") return []
    if (message.role !== "assistant" || typeof message.content === "string") return [message]
    const content = message.content.filter(({ type }) => type === "text")
    return content.length === 0 ? [] : [{ ...message, content }]
  })

const drop = (
  messages: Messages,
  running: number,
  reason: Trimmed["reason"],
  fits: (kept: Messages) => boolean
): Trimmed | undefined => {
  const before = noteOf(messages)
  const turns = turnsOf(messages, running)
  for (let dropped = 1; dropped < turns.length; dropped++) {
    const kept = [...head(before, turns.slice(0, dropped)), ...turns.slice(dropped).flat()]
    if (!fits(kept) && dropped < turns.length - 1) continue
    return {
      messages: kept,
      running,
      droppedMessages: turns.slice(0, dropped).flat().length,
      keptTurns: turns.length - dropped,
      reason
    }
  }
  return undefined
}

/** `undefined`: it fits, or nothing can go. */
export const toMessages = (messages: Messages, running: number, limit: number): Trimmed | undefined =>
  messages.length <= limit
    ? undefined
    : drop(messages, running, "history message limit exceeded", (kept) => kept.length <= limit)

/** Removes the calls of all but the `keepTools` newest turns first, then whole turns. */
export const toTokens = (
  messages: Messages,
  running: number,
  limit: number,
  keepTools: number
): Trimmed | undefined => {
  if (estimate(messages) <= limit) return undefined
  const before = noteOf(messages)
  const turns = turnsOf(messages, running)
  const light = turns.map((turn, at) => at < turns.length - Math.max(1, keepTools) ? withoutTools(turn) : turn)
  const lighter = [...head(before, []), ...light.flat()]
  const reason = "context token budget exceeded"
  if (lighter.length < messages.length && estimate(lighter) <= limit) {
    const droppedMessages = messages.length - lighter.length
    return { messages: lighter, running, droppedMessages, keptTurns: turns.length, reason }
  }
  const trimmed = drop(lighter, running, reason, (kept) => estimate(kept) <= limit)
  return trimmed && { ...trimmed, droppedMessages: trimmed.droppedMessages + messages.length - lighter.length }
}
