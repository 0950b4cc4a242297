import { Prompt } from "effect/ai"
import { type Images, namedIn } from "./Images.ts"
import { answerText } from "./LastTurn.ts"

/**
 * Makes a history that the strictest servers of both wires take, out of whatever models, cancelled turns and other
 * providers left in it. See docs/models.md#what-is-sent.
 */

/** What a tool call may be called on both wires. */
const legalName = /^[a-zA-Z0-9_-]{1,64}$/

const nothing = "(no output)"
const unanswered = "(This call was cut off before it had a result.)"
const interjected = "(The user wrote here.)"
const imagesFollow = "(The images of these results follow.)"
const imageLeftOut = "(An image was left out: it could not be sent.)"
const leftOut = "(The beginning of the conversation was left out.)"

/** The name with what the wire refuses replaced; a name of nothing but such characters says that it is unknown. */
export const sendableName = (name: string): string =>
  legalName.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^_+/, "").slice(0, 64) || "unknown_tool"

const sendableParams = (params: unknown): object =>
  typeof params === "object" && params !== null && !Array.isArray(params)
    ? params
    : params === undefined || params === null || params === ""
    ? {}
    : { unreadable: params }

type UserPart = Prompt.UserMessagePart
type AnswerPart = Prompt.AssistantMessagePart
type Call = Prompt.ToolCallPart
type CallResult = Prompt.ToolResultPart

/** Ids that no other call of the history has, in the order of the calls, which never changes. */
class CallIds {
  private readonly used = new Set<string>()
  private readonly short: boolean

  constructor(short: boolean) {
    this.short = short
  }

  of(id: string): string {
    if (this.short) {
      const own = String(this.used.size).padStart(9, "0")
      this.used.add(own)
      return own
    }
    const legal = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "call"
    let own = legal
    for (let next = 2; this.used.has(own); next++) own = `${legal.slice(0, 63 - String(next).length)}_${next}`
    this.used.add(own)
    return own
  }
}

const isBlank = (text: string) => text.trim() === ""

const userParts = (content: ReadonlyArray<UserPart>, images: Images): ReadonlyArray<UserPart> => {
  const kept = content.filter((part) => part.type === "text" ? !isBlank(part.text) : images.has(part))
  return kept.length === 0 && content.some(({ type }) => type === "file")
    ? [Prompt.makePart("text", { text: imageLeftOut })]
    : kept
}

/** Neighbouring texts as one, so that nothing runs together where a wire joins the parts of a message. */
const joined = <P extends { readonly type: string }>(
  before: ReadonlyArray<P>,
  after: ReadonlyArray<P>
): ReadonlyArray<P> => {
  const [last, first] = [before.at(-1), after[0]]
  return isText(last) && isText(first)
    ? [
      ...before.slice(0, -1),
      Prompt.makePart("text", { text: `${last.text}\n\n${first.text}` }) as unknown as P,
      ...after.slice(1)
    ]
    : [...before, ...after]
}

const isText = (part: unknown): part is Prompt.TextPart => (part as Prompt.TextPart | undefined)?.type === "text"

const assistantNote = (text: string): Prompt.Message =>
  Prompt.assistantMessage({ content: [Prompt.makePart("text", { text })] })

const userNote = (text: string): Prompt.Message => Prompt.userMessage({ content: [Prompt.makePart("text", { text })] })

/** One result for each call, under the id that the call is sent with. Of calls that share an id each takes the next result. */
const resultsOf = (
  calls: ReadonlyArray<readonly [given: Call, sent: Call]>,
  found: ReadonlyArray<CallResult>
): ReadonlyArray<CallResult> => {
  const left = [...found]
  return calls.map(([given, sent]) => {
    const at = left.findIndex(({ id }) => id === given.id)
    const result = at === -1 ? found.find(({ id }) => id === given.id) : left.splice(at, 1)[0]
    const text = result === undefined ? unanswered : answerText(result)
    return Prompt.makePart("tool-result", {
      id: sent.id,
      name: sent.name,
      providerExecuted: false,
      isFailure: result?.isFailure ?? true,
      result: isBlank(text) ? nothing : text
    })
  })
}

export interface SendableOptions {
  /** The images that go along; the others are left out. */
  readonly images: Images
  /** A message of the user does not follow tool results at once: some servers refuse that. */
  readonly alternates?: boolean
  /** Ids of calls are nine digits. */
  readonly shortIds?: boolean
}

/** Images that results name, for a wire whose results are text. */
const imagesOf = (results: ReadonlyArray<CallResult>, images: Images): ReadonlyArray<UserPart> =>
  results.flatMap((result) =>
    namedIn(answerText(result)).flatMap((path) => {
      const image = images.get(path)
      return image === undefined ? [] : [Prompt.makePart("file", { mediaType: image.mediaType, data: path })]
    })
  )

/**
 * The messages of a request, system messages first. Afterwards user and assistant alternate, tool results follow the
 * answer with their calls at once and only there, and nothing is empty. What needs no repair is the same message as before, so that nothing of a prompt cache is lost.
 */
export const sendable = (
  { content }: Prompt.Prompt,
  { alternates = false, images, shortIds = false }: SendableOptions
): ReadonlyArray<Prompt.Message> => {
  const ids = new CallIds(shortIds)
  const sent: Array<Prompt.Message> = []
  const answer = (message: Prompt.AssistantMessage) => {
    const calls: Array<readonly [Call, Call]> = []
    const parts = message.content.flatMap((part): ReadonlyArray<AnswerPart> => {
      if (part.type === "text") return isBlank(part.text) ? [] : [part]
      if (part.type !== "tool-call") return part.type === "reasoning" ? [part] : []
      const call = Prompt.makePart("tool-call", {
        ...part,
        id: ids.of(part.id),
        name: sendableName(part.name),
        params: sendableParams(part.params)
      })
      calls.push([part, call])
      return [call]
    })
    return { calls, parts }
  }

  for (let at = 0; at < content.length; at++) {
    const message = content[at]!
    const last = sent.at(-1)
    if (message.role === "user") {
      const parts = userParts(message.content, images)
      if (parts.length === 0) continue
      if (last?.role === "tool" && alternates) sent.push(assistantNote(interjected))
      if (last?.role === "user") {
        sent[sent.length - 1] = Prompt.userMessage({ content: joined<UserPart>(last.content, parts) })
      } else {sent.push(
          parts.every((part) => message.content.includes(part)) && parts.length === message.content.length
            ? message
            : Prompt.userMessage({ content: parts })
        )}
    }
    if (message.role !== "assistant") continue
    const { calls, parts } = answer(message)
    // Thoughts alone are no answer.
    if (!parts.some(({ type }) => type !== "reasoning")) continue
    if (last === undefined) sent.push(userNote(leftOut))
    if (last?.role === "assistant") {
      sent[sent.length - 1] = Prompt.assistantMessage({ content: joined<AnswerPart>(last.content, parts) })
    } else sent.push(Prompt.assistantMessage({ content: parts, options: message.options }))
    const found: Array<CallResult> = []
    for (let next = content[at + 1]; next?.role === "tool"; next = content[++at + 1]) {
      found.push(...next.content.filter((part) => part.type === "tool-result"))
    }
    if (calls.length === 0) continue
    const results = resultsOf(calls, found)
    sent.push(Prompt.toolMessage({ content: results }))
    const shown = alternates ? imagesOf(results, images) : []
    if (shown.length > 0) sent.push(assistantNote(imagesFollow), Prompt.userMessage({ content: shown }))
  }
  return [...content.filter(({ role }) => role === "system"), ...sent]
}
