import type { Part } from "./Parts.ts"

type Kind = "text" | "reasoning"

/** Text in pieces of one word each, with the white space that follows it. */
export const words = (text: string): ReadonlyArray<string> => text.match(/\S+\s*|^\s+/g) ?? []

/** Turns what a model says in one response into parts: opens and closes blocks, counts bytes. */
export class Speech {
  private open: { readonly kind: Kind; readonly id: string } | undefined
  private readonly spoken = new Set<Kind>()
  private blocks = 0
  bytes = 0

  /** One delta per piece. A paragraph break goes in front of all but the first utterance of a kind. */
  say(kind: Kind, pieces: ReadonlyArray<string>, continued = false): Array<Part> {
    if (pieces.length === 0) return []
    const parts: Array<Part> = []
    if (this.open?.kind !== kind) {
      parts.push(...this.close())
      this.open = { kind, id: String(this.blocks++) }
      parts.push({ type: `${kind}-start`, id: this.open.id })
    }
    const { id } = this.open
    let prefix = this.spoken.has(kind) && !continued ? "\n\n" : ""
    for (const piece of pieces) {
      const delta = prefix + piece
      this.bytes += Buffer.byteLength(delta)
      parts.push({ type: `${kind}-delta`, id, delta })
      prefix = ""
    }
    this.spoken.add(kind)
    return parts
  }

  call(id: string, name: string, params: unknown): Array<Part> {
    this.bytes += Buffer.byteLength(JSON.stringify(params) ?? "")
    return [...this.close(), { type: "tool-call", id, name, params }]
  }

  finish(reason: "stop" | "tool-calls", inputTokens: number): Array<Part> {
    const total = Math.ceil(this.bytes / 4)
    return [...this.close(), {
      type: "finish",
      reason,
      usage: { inputTokens: { total: inputTokens }, outputTokens: { total } }
    }]
  }

  private close(): Array<Part> {
    const open = this.open
    this.open = undefined
    return open === undefined ? [] : [{ type: `${open.kind}-end`, id: open.id }]
  }
}
