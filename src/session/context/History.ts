import { Option, Schema } from "effect"
import { Prompt } from "effect/ai"
import type { AnswerPart } from "../turn/ModelAnswer.ts"
import { appendJson } from "./ContextJson.ts"
import { estimate } from "./Tokens.ts"

/**
 * The model's side of a session: messages as JSON, kept apart from the visible transcript. See
 * docs/sessions.md#transcript-and-context
 */

type Message = Prompt.MessageEncoded
export type Messages = ReadonlyArray<Message>

/** The context in both its forms, so that a long session is neither decoded nor encoded again for each request. */
export interface History {
  /** A JSON array of messages. */
  readonly json: string
  readonly prompt: Prompt.Prompt
  /** An estimate. */
  readonly tokens: number
  /** So many messages at the end are of the turn that runs. */
  readonly running: number
}

export const of = (messages: Messages, running = 0): History => ({
  json: JSON.stringify(messages),
  prompt: Prompt.make(messages),
  tokens: estimate(messages),
  running
})

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return []
  }
}

/** What a session saved, repaired so that every provider takes it. */
export const read = (json: string | null): History => of(json === null ? [] : repair(parsed(json)))

export const messagesOf = ({ json }: History) => JSON.parse(json) as Messages

/** Adds messages of the turn that runs. */
export const append = ({ json, prompt, running, tokens }: History, messages: Messages): History => ({
  json: appendJson(json, messages),
  prompt: Prompt.concat(prompt, messages),
  tokens: tokens + estimate(messages),
  running: running + messages.length
})

/** What the model reads of a call. */
export interface CallResult {
  readonly text: string
  readonly isFailure: boolean
  /** The code of the refusal, where the call was not allowed to run. */
  readonly denied?: string
}

const cancelled: CallResult = { text: "This call was cancelled before it finished.", isFailure: true }

/** A thought without a signature of its provider is for people only. */
const isKept = (part: AnswerPart): boolean =>
  part.type === "text" ? part.text !== "" : part.type === "tool-call" || part.options !== undefined

/**
 * One answer of the model and the results of its calls, in a shape every provider takes: each call has a result, also
 * when the turn was cut off before it had one, and an answer without content is left out.
 */
export const step = (parts: ReadonlyArray<AnswerPart>, results: ReadonlyMap<string, CallResult>): Messages => {
  const kept = parts.filter(isKept)
  if (!kept.some(({ type }) => type !== "reasoning")) return []
  const answer: Message = { role: "assistant", content: kept.map((part) => ({ ...part })) }
  const calls = kept.filter((part) => part.type === "tool-call")
  if (calls.length === 0) return [answer]
  const content = calls.map(({ id, name }) => {
    const { isFailure, text } = results.get(id) ?? cancelled
    return { type: "tool-result" as const, id, name, isFailure, result: text }
  })
  return [answer, { role: "tool", content }]
}

const decode = Schema.decodeUnknownOption(Prompt.Message)

type Assistant = Prompt.AssistantMessageEncoded
type Results = ReadonlyArray<Prompt.ToolMessagePartEncoded>

const partsOf = <P>(content: string | ReadonlyArray<P>): ReadonlyArray<P | Prompt.TextPartEncoded> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const isEmpty = (part: { readonly type: string; readonly text?: unknown }) => part.type === "text" && part.text === ""

const callsOf = ({ content }: Assistant) => partsOf(content).flatMap((part) => part.type === "tool-call" ? [part] : [])

/** One result for each call, in the order of the calls: a missing one is made up, one without a call is dropped. */
const resultsFor = (answer: Assistant, given: Results): Results => {
  const known = new Map(
    given.flatMap((part) => part.type === "tool-result" ? [[part.id, part] as const] : []).toReversed()
  )
  return callsOf(answer).map(({ id, name }) =>
    known.get(id) ??
      { type: "tool-result", id, name, isFailure: true, result: "This call was cut off before it had a result." }
  )
}

/**
 * Messages that every provider takes, out of whatever was stored: what cannot be read, system messages and empty ones
 * are left out. See docs/sessions.md#repair-of-the-context
 */
export const repair = (stored: unknown): Messages => {
  const messages = (Array.isArray(stored) ? stored : []).filter((one): one is Message => Option.isSome(decode(one)))
  const whole: Array<Message> = []
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!
    if (message.role !== "user" && message.role !== "assistant") continue
    const content = partsOf<Prompt.PartEncoded>(message.content).filter((part) => !isEmpty(part))
    if (content.length === 0) continue
    const kept = { ...message, content } as typeof message
    whole.push(kept)
    if (kept.role !== "assistant" || callsOf(kept).length === 0) continue
    const given: Array<Prompt.ToolMessagePartEncoded> = []
    for (let next = messages[at + 1]; next?.role === "tool"; next = messages[++at + 1]) given.push(...next.content)
    whole.push({ role: "tool", content: resultsFor(kept, given) })
  }
  return whole
}
