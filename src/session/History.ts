import { Prompt } from "effect/ai"

/** The model's side of a session: messages as JSON, kept apart from the visible transcript (spec §4). */

export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
}

export interface CallResult {
  readonly text: string
  readonly isFailure: boolean
}

export const decode = (context: string | null): ReadonlyArray<Prompt.MessageEncoded> => JSON.parse(context ?? "[]")

export const encode = (messages: ReadonlyArray<Prompt.MessageEncoded>): string => JSON.stringify(messages)

export const user = (text: string): Prompt.MessageEncoded => ({ role: "user", content: [{ type: "text", text }] })

const cancelled: CallResult = { text: "This call was cancelled before it finished.", isFailure: true }

/**
 * One answer of the model and what its calls gave, in a shape every provider takes: each call has a result, also when the turn was
 * cut off before it had one, and an answer without content is left out.
 */
export const step = (
  text: string,
  calls: ReadonlyArray<ModelCall>,
  results: ReadonlyMap<string, CallResult>
): ReadonlyArray<Prompt.MessageEncoded> => {
  if (text === "" && calls.length === 0) return []
  const answer: Prompt.MessageEncoded = {
    role: "assistant",
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ id, name, params }) => ({ type: "tool-call" as const, id, name, params }))
    ]
  }
  if (calls.length === 0) return [answer]
  const content = calls.map(({ id, name }) => {
    const { isFailure, text } = results.get(id) ?? cancelled
    return { type: "tool-result" as const, id, name, isFailure, result: text }
  })
  return [answer, { role: "tool", content }]
}
