import type { Stream } from "effect"
import type { IdGenerator, LanguageModel, Response } from "effect/ai"
import type { ModelFault } from "./ModelFault.ts"

export type Part = Response.StreamPartEncoded
export type Metadata = Response.ProviderMetadata

type Kind = "text" | "reasoning"

interface Open {
  readonly kind: Kind
  readonly id: string
  metadata: Metadata | undefined
}

/**
 * Parts of one response, gathered while a piece of the wire is read. Deltas that came in together leave as one: whoever reads
 * as fast as the model speaks gets them one by one.
 */
export class Parts {
  private ready: Array<Part> = []
  private text = ""
  private open: Open | undefined
  private blocks = 0

  /** Everything since the last call. */
  take(): Array<Part> {
    this.settle()
    const { ready } = this
    this.ready = []
    return ready
  }

  /** Opens a block where none of this kind is open. `metadata` is what the provider wants to see again with it. */
  say(kind: Kind, text: string, metadata?: Metadata): void {
    if (!text) return
    if (this.open?.kind !== kind) this.begin(kind, metadata)
    this.text += text
  }

  begin(kind: Kind, metadata?: Metadata): void {
    this.end()
    this.open = { kind, id: String(this.blocks++), metadata }
    this.ready.push({ type: `${kind}-start`, id: this.open.id })
  }

  annotate(metadata: Metadata): void {
    if (this.open !== undefined) this.open.metadata = metadata
  }

  end(): void {
    this.settle()
    const { open } = this
    this.open = undefined
    if (open !== undefined) {
      this.ready.push({
        type: `${open.kind}-end`,
        id: open.id,
        ...(open.metadata === undefined ? {} : { metadata: open.metadata })
      })
    }
  }

  push(part: Part): void {
    this.end()
    this.ready.push(part)
  }

  private settle(): void {
    const { open, text } = this
    this.text = ""
    if (open !== undefined && text !== "") this.ready.push({ type: `${open.kind}-delta`, id: open.id, delta: text })
  }
}

/** Turns what one provider sends in one response into parts. */
export interface Reader {
  readonly parts: Parts
  /** One event of the stream. */
  readonly event: (value: unknown) => ReadError | undefined
  /** Nothing more comes, by the provider's own mark or because the connection ended; gives what is missing for a whole answer. */
  readonly finish: (marked: boolean) => string | undefined
  /** The answer is whole; whatever still comes is of no importance. */
  readonly isDone: () => boolean
}

/** An event that says the answer failed. */
export interface ReadError {
  readonly error: unknown
}

/** A model of a provider: one try, no fallback. */
export type StreamParts = (
  request: LanguageModel.ProviderOptions
) => Stream.Stream<Part, ModelFault, IdGenerator.IdGenerator>
