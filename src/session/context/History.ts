import { Prompt } from "effect/ai"
import type { AnswerPart } from "../turn/Answer.ts"
import { appendJson } from "./ContextJson.ts"
import { repair } from "./Repair.ts"
import { estimate } from "./Tokens.ts"

/** The model's side of a session: messages as JSON, kept apart from the visible transcript (spec §4). */

export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
  /** What the provider wants to see again with the call. */
  readonly options?: Prompt.ProviderOptions
}

export interface CallResult {
  readonly text: string
  readonly isFailure: boolean
  /** The code of the refusal, where the call was not allowed to run. */
  readonly denied?: string
}

/** The context in both its forms, so that a long session is neither read nor written anew for each request. */
export interface History {
  /** A JSON array of messages. */
  readonly json: string
  readonly prompt: Prompt.Prompt
  /** An estimate. */
  readonly tokens: number
}

export const of = (messages: ReadonlyArray<Prompt.MessageEncoded>): History => ({
  json: JSON.stringify(messages),
  prompt: Prompt.make(messages),
  tokens: estimate(messages)
})

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return []
  }
}

/** What a session saved; what no provider would take is put right. */
export const read = (json: string | null): History => of(json === null ? [] : repair(parsed(json)))

export const messagesOf = ({ json }: History) => JSON.parse(json) as ReadonlyArray<Prompt.MessageEncoded>

export const append = ({ json, prompt, tokens }: History, messages: ReadonlyArray<Prompt.MessageEncoded>): History => ({
  json: appendJson(json, messages),
  prompt: Prompt.concat(prompt, messages),
  tokens: tokens + estimate(messages)
})

const cancelled: CallResult = { text: "This call was cancelled before it finished.", isFailure: true }

/** A thought that nobody wants to see again is for people only. */
const isKept = (part: AnswerPart): boolean =>
  part.type === "text" ? part.text !== "" : part.type === "tool-call" || part.options !== undefined

/**
 * One answer of the model and what its calls gave, in a shape every provider takes: each call has a result, also when the turn was
 * cut off before it had one, and an answer without content is left out.
 */
export const step = (
  parts: ReadonlyArray<AnswerPart>,
  results: ReadonlyMap<string, CallResult>
): ReadonlyArray<Prompt.MessageEncoded> => {
  const kept = parts.filter(isKept)
  if (!kept.some(({ type }) => type !== "reasoning")) return []
  const answer: Prompt.MessageEncoded = { role: "assistant", content: kept.map((part) => ({ ...part })) }
  const calls = kept.filter((part) => part.type === "tool-call")
  if (calls.length === 0) return [answer]
  const content = calls.map(({ id, name }) => {
    const { isFailure, text } = results.get(id) ?? cancelled
    return { type: "tool-result" as const, id, name, isFailure, result: text }
  })
  return [answer, { role: "tool", content }]
}
