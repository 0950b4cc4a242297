import type { Prompt } from "effect/ai"
import { capped } from "./Capped.ts"
import type { Messages } from "./History.ts"
import { estimate } from "./Tokens.ts"

/**
 * Making room in the turn that runs. Its prompt and all of its calls stay, since a model that does not see what it has done
 * does it again: what goes is the middle of long arguments, texts and results, of the oldest ones first. See
 * docs/sessions.md#context-window
 */

/** Characters that stay of each, one after the other until the turn has room. */
const details = [2_000, 500, 120]

/** Texts in the arguments of a call, at any depth. */
const shortValues = (value: unknown, limit: number): unknown => {
  if (typeof value === "string") return capped(value, limit)
  if (Array.isArray(value)) return value.map((one) => shortValues(one, limit))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortValues(one, limit)]))
}

/** A thought stays as it is: its provider refuses one that was changed. */
const shortPart = <P extends Prompt.PartEncoded>(part: P, limit: number): P => {
  switch (part.type) {
    case "text":
      return { ...part, text: capped(part.text, limit * 4) }
    case "tool-call":
      return { ...part, params: shortValues(part.params, limit) }
    case "tool-result":
      return { ...part, result: shortValues(part.result, limit) }
    default:
      return part
  }
}

const short = (message: Prompt.MessageEncoded, limit: number): Prompt.MessageEncoded => {
  if (message.role === "tool") return { ...message, content: message.content.map((part) => shortPart(part, limit)) }
  if (message.role !== "assistant" || typeof message.content === "string") return message
  return { ...message, content: message.content.map((part) => shortPart(part, limit)) }
}

/** Where the newest answer with its results begins. */
const newestStep = (turn: Messages): number => turn.findLastIndex(({ role }) => role === "assistant")

/** From `first` on as it is, before that shortened. */
const shortBefore = (turn: Messages, first: number, limit: number): Messages =>
  turn.map((message, at) => at < first ? short(message, limit) : message)

/**
 * The turn in at most `room` tokens, or as near to it as it gets; the newest step stays whole while the turn has less than `most`. The
 * same turn where nothing can go.
 */
export const shorten = (turn: Messages, room: number, most: number): Messages => {
  if (estimate(turn) <= room) return turn
  let first = turn.length
  let left = room - estimate(turn.filter(({ role }) => role === "user"))
  while (first > 0 && (turn[first - 1]!.role === "user" || (left -= estimate([turn[first - 1]!])) >= 0)) first--
  const newest = newestStep(turn)
  const whole = Math.min(first, newest === -1 ? turn.length : newest)
  const fitting = (first: number, room: number) =>
    details.map((limit) => shortBefore(turn, first, limit)).find((made) => estimate(made) <= room) ??
      shortBefore(turn, first, details.at(-1)!)
  const made = fitting(whole, room)
  const least = estimate(made) <= most ? made : fitting(turn.length, most)
  return estimate(least) < estimate(turn) ? least : turn
}

/**
 * Steps that a summary may stand for where the turn is longer than `most` however short they are: the oldest ones, as few as can be, and
 * never the newest.
 */
export const split = (turn: Messages, most: number): { readonly past: Messages; readonly rest: Messages } => {
  const starts = turn.flatMap(({ role }, at) => role === "assistant" ? [at] : [])
  const isPast = (end: number) => (message: Prompt.MessageEncoded, at: number) => at < end && message.role !== "user"
  const restFrom = (end: number) => turn.filter((message, at) => !isPast(end)(message, at))
  const end = starts.find((start) => estimate(restFrom(start)) <= most) ?? starts.at(-1) ?? 0
  return { past: turn.filter(isPast(end)), rest: restFrom(end) }
}
