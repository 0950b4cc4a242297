import { Option, Schema } from "effect"
import { Prompt } from "effect/ai"

/** Makes any stored context one that every provider takes (zeroclaw.md §4.4, history repair). */

const decode = Schema.decodeUnknownOption(Prompt.Message)

type Message = Prompt.MessageEncoded
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

/** Messages that cannot be read, system messages and empty ones are left out. */
export const repair = (stored: unknown): ReadonlyArray<Message> => {
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
