import { Stream } from "effect"
import type { Prompt, Response, Tool } from "effect/ai"
import { trailingSurrogate } from "../domain/Cut.ts"
import type { ModelFault } from "./ModelFault.ts"

export type ResponsePart = Response.StreamPartEncoded
/** The tokens of a response, as its provider counts them. */
export type ResponseUsage = typeof Response.Usage.Encoded
export type ResponseMetadata = Response.ProviderMetadata

type Kind = "text" | "reasoning"

/** The key of our own metadata on parts. */
const own = "postern"

/** Whether a text that ends here turned out to be a thought. */
export const isRetracted = (metadata: Response.ProviderMetadata | undefined): boolean =>
  (metadata?.[own] as { readonly retracted?: boolean } | undefined)?.retracted === true

/** Words for an end that is a failure, beside the many that providers have for a good one. */
const failure =
  /error|fail|malformed|abort|cancel|time_?out|insufficient|interrupt|unavailable|overload|disconnect|unexpected|unspecified|too_many|^other$/i

/** What the end of an answer means that its provider calls by this word. */
export const failsWith = (word: string): boolean => failure.test(word)

interface Open {
  readonly kind: Kind
  readonly id: string
  metadata: ResponseMetadata | undefined
  /** Its start is among the parts. A block without anything but white space is not given, so that a blank answer can be asked for again. */
  isGiven: boolean
}

/**
 * Gathers the parts of one response while bytes are read. Deltas that arrive together leave as one.
 */
export class ResponseParts {
  private ready: Array<ResponsePart> = []
  private text = ""
  private open: Open | undefined
  private blocks = 0
  private calls = 0
  private hasText = false
  private hasThoughts = false

  /** All parts since the last call. */
  take(): Array<ResponsePart> {
    this.settle()
    const { ready } = this
    this.ready = []
    return ready
  }

  /**
   * Adds text, in a new block when none of this kind is open. `metadata` is sent back to the provider with the block.
   */
  say(kind: Kind, text: string, metadata?: ResponseMetadata): void {
    if (!text) return
    if (this.open?.kind !== kind) this.begin(kind, metadata)
    this.text += text
  }

  begin(kind: Kind, metadata?: ResponseMetadata): void {
    this.end()
    this.open = { kind, id: String(this.blocks++), metadata, isGiven: false }
  }

  /** What an answer lacks that ended as if it were whole. */
  get lack(): Lack | undefined {
    this.settle()
    if (this.hasText || this.calls > 0) return undefined
    return { kind: "answer", says: this.hasThoughts ? "it has thoughts and no answer" : "it is empty" }
  }

  /** What was said as text since the last block of another kind was a thought. */
  retract(): void {
    if (this.open?.kind !== "text") return
    this.annotate({ [own]: { retracted: true } })
    this.end()
    this.hasText = false
    this.hasThoughts = true
  }

  annotate(metadata: ResponseMetadata): void {
    if (this.open !== undefined) this.open.metadata = metadata
  }

  end(): void {
    this.settle(true)
    const { open } = this
    this.open = undefined
    if (open?.isGiven !== true) return
    this.ready.push({
      type: `${open.kind}-end`,
      id: open.id,
      ...(open.metadata === undefined ? {} : { metadata: open.metadata })
    })
  }

  push(part: ResponsePart): void {
    this.end()
    if (part.type === "tool-call") this.calls++
    this.ready.push(part)
  }

  /** Both halves of a surrogate pair leave together. */
  private settle(ends = false): void {
    const { open } = this
    if (open === undefined) return
    if (!open.isGiven) {
      const isBlank = this.text.trim() === ""
      if (isBlank && !ends) return
      // What goes back to the provider is given, empty as it may be.
      if (isBlank && (open.metadata === undefined || open.kind === "text")) return void (this.text = "")
      if (!isBlank && open.kind === "text") this.hasText = true
      if (!isBlank && open.kind === "reasoning") this.hasThoughts = true
      open.isGiven = true
      this.ready.push({ type: `${open.kind}-start`, id: open.id })
    }
    const kept = ends ? "" : trailingSurrogate(this.text)
    const text = this.text.slice(0, this.text.length - kept.length)
    this.text = kept
    if (text !== "") this.ready.push({ type: `${open.kind}-delta`, id: open.id, delta: text })
  }
}

/** What a response lacks. */
export interface Lack {
  /** `all`: nothing of an answer came. `end`: it broke off. `answer`: it ended, and there is nothing in it. */
  readonly kind: "all" | "end" | "answer"
  readonly says: string
}

export const nothingCame: Lack = { kind: "all", says: "nothing came" }
export const endedEarly: Lack = { kind: "end", says: "the connection ended before the answer did" }

/** An answer that ended with a provider's word for a failure. */
export const endedWith = (word: string): Lack => ({ kind: "end", says: `it ended with "${word}"` })

/** Reads one response of a provider into parts. */
export interface ResponseReader {
  readonly parts: ResponseParts
  /** One event of the stream. */
  readonly event: (value: unknown) => StreamError | undefined
  /** The response ended, by the provider's mark or with the connection. Returns what is missing for a whole answer. */
  readonly finish: (marked: boolean) => Lack | undefined
  /** Whether the answer is whole; later events are ignored. */
  readonly isDone: () => boolean
}

/** An event that reports a failure. */
interface StreamError {
  readonly error: unknown
}

/** What a model is asked. */
export interface ModelPrompt {
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<Tool.Any>
  /** `none`: the tools stand there for the calls of the history alone. */
  readonly toolChoice: "auto" | "none"
}

/** Streams one response of a model. */
export type ModelStream = (asked: ModelPrompt) => Stream.Stream<ResponsePart, ModelFault>

/** Goes on with another stream where the first one fails before it emitted anything; later failures are final. */
export const orElseUnbegun = <A, R>(
  stream: Stream.Stream<A, ModelFault, R>,
  otherwise: (fault: ModelFault) => Stream.Stream<A, ModelFault, R>
) =>
  Stream.suspend(() => {
    let first = true
    return stream.pipe(
      Stream.mapArray((parts) => {
        first = false
        return parts
      }),
      Stream.catch((fault) => first ? otherwise(fault) : Stream.fail(fault))
    )
  })
