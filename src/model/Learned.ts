import { Effect, Stream } from "effect"
import type { ModelFault } from "./ModelFault.ts"
import type { RequestOptions } from "./RequestOptions.ts"
import { orElseUnbegun } from "./ResponseParts.ts"

/**
 * What this process learned of one model from its answers and refusals. Requests are made accordingly from then on. See
 * docs/models.md#what-is-sent.
 */
export interface Learned {
  /** Its thoughts stand in the text and begin without a tag. */
  opensUntagged: boolean
  /** Fields of the request that the server refuses. */
  readonly without: Set<string>
  /** Whether the limit of an answer has its newer name, `max_completion_tokens`. */
  newLimit: boolean
  /** Ids of calls are nine letters and digits, as Mistral wants them. */
  shortIds: boolean
  readonly refusedTools: Set<string>
  /** Images by path, for those that the server refused. */
  readonly refusedImages: Set<string>
  /** Images that people know are left out. */
  readonly leftOut: Set<string>
}

export const make = (): Learned => ({
  opensUntagged: false,
  without: new Set(),
  newLimit: false,
  shortIds: false,
  refusedTools: new Set(),
  refusedImages: new Set(),
  leftOut: new Set()
})

/** What a request had that a server may refuse. */
export interface RequestParts {
  readonly fields: ReadonlyArray<string>
  /** In the order in which they were sent. */
  readonly tools: ReadonlyArray<string>
  /** Their paths. */
  readonly images: ReadonlyArray<string>
}

/** Whether a refusal is about a field, and not about its value alone. */
const refuses = (said: string, field: string): boolean =>
  said.includes(field) &&
  /unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|extra|deprecated|invalid|only the default/i
    .test(said)

/** The tool whose declaration was refused, by its name or by its place in the list. */
const refusedTool = (said: string, tools: ReadonlyArray<string>): string | undefined => {
  if (!/schema|function|tool/i.test(said)) return undefined
  const quoted = tools.find((name) => new RegExp(`['"\`]${name}['"\`]`).test(said))
  if (quoted !== undefined) return quoted
  const place = /tools?(?:\.|\[|\s)(\d+)/.exec(said)
  return place === null ? undefined : tools[Number(place[1])]
}

/**
 * What a refusal teaches, if another request may pass then: a sentence for people where something is left out, `""`
 * where nothing is lost. `undefined` where nothing can be repaired. Each thing is learned once, so that repairs end.
 */
export const learn = (
  learned: Learned,
  { message: said, reason }: ModelFault,
  { fields, images, tools }: RequestParts
): string | undefined => {
  if (reason !== "model_rejected_request") return undefined
  const limit = "max_completion_tokens"
  if (fields.includes("max_tokens") && !learned.newLimit && said.includes(limit)) {
    learned.newLimit = true
    return ""
  }
  if (fields.includes(limit) && learned.newLimit && refuses(said, limit)) {
    learned.newLimit = false
    return ""
  }
  if (fields.includes("stream_options") && /stream_options|include_usage/.test(said)) {
    learned.without.add("stream_options")
    return ""
  }
  const field = ["temperature", "reasoning_effort"].find((field) => fields.includes(field) && refuses(said, field))
  if (field !== undefined) {
    learned.without.add(field)
    return `The model takes no ${field}; it is left out: ${said}`
  }
  if (!learned.shortIds && /tool.?call.?id/i.test(said) && /length of 9/i.test(said)) {
    learned.shortIds = true
    return ""
  }
  if (images.length > 0 && /image|vision|multimodal|media.?type/i.test(said)) {
    images.forEach((path) => learned.refusedImages.add(path))
    return `The provider refused ${
      images.length === 1 ? "the image" : `the ${images.length} images`
    } of this conversation; the model does not see them: ${said}`
  }
  const tool = refusedTool(said, tools)
  if (tool === undefined || learned.refusedTools.has(tool)) return undefined
  learned.refusedTools.add(tool)
  return `The provider refused the tool ${tool}; the model does not have it: ${said}`
}

interface Attempt<A, R> {
  readonly sent: RequestParts
  readonly answer: Stream.Stream<A, ModelFault, R>
}

/** Sends a request again, made anew, as long as a refusal teaches something. */
export const repaired = <A, R>(
  learned: Learned,
  options: RequestOptions,
  attempt: () => Effect.Effect<Attempt<A, R>>
): Stream.Stream<A, ModelFault, R> =>
  Stream.unwrap(Effect.map(attempt(), ({ answer, sent }) =>
    orElseUnbegun(answer, (fault) => {
      const lesson = learn(learned, fault, sent)
      if (lesson === undefined) return Stream.fail(fault)
      const again = repaired(learned, options, attempt)
      return lesson === "" || options.onNotice === undefined
        ? again
        : Stream.unwrap(Effect.as(options.onNotice(lesson), again))
    })))
