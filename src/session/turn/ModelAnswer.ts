import type { Prompt, Response } from "effect/ai"
import type { ResponseUsage } from "../../model/ResponseParts.ts"

export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
  /** What the provider wants to see again with the call. */
  readonly options?: Prompt.ProviderOptions
}

export type AnswerPart =
  | { readonly type: "text"; text: string }
  | { readonly type: "reasoning"; text: string; options?: Prompt.ProviderOptions }
  | { readonly type: "tool-call" } & ModelCall

/** One answer of the model while it comes in: its parts in their order, as the next request repeats them. */
export class ModelAnswer {
  readonly parts: Array<AnswerPart> = []
  finish: Response.FinishReason = "stop"
  /** As the provider counted. */
  usage: ResponseUsage | undefined

  /** Extends the last part where that has the same type. */
  add(type: "text" | "reasoning", text: string): void {
    const last = this.parts.at(-1)
    if (last?.type === type) last.text += text
    else this.parts.push({ type, text })
  }

  begin(type: "text" | "reasoning"): void {
    this.parts.push({ type, text: "" })
  }

  /** The last text was a thought that the provider had not marked as one; it is not sent back. */
  retract(): void {
    if (this.parts.at(-1)?.type === "text") this.parts.pop()
  }

  /** The end of a thought, with the signature by which the provider recognizes it in the next request. */
  endThought(options: Prompt.ProviderOptions): void {
    const last = this.parts.at(-1)
    if (last?.type === "reasoning" && Object.keys(options).length > 0) last.options = options
  }

  call({ id, metadata, name, params }: Response.ToolCallPartEncoded): void {
    const options = metadata === undefined || Object.keys(metadata).length === 0 ? {} : { options: metadata }
    this.parts.push({ type: "tool-call", id, name, params, ...options })
  }

  get text(): string {
    return this.parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("")
  }

  get calls(): ReadonlyArray<ModelCall> {
    return this.parts.filter((part) => part.type === "tool-call")
  }
}
