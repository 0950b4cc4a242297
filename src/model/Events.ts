import { Result } from "effect"
import { Sse } from "effect/encoding"

/** Server-sent events out of bytes, cut anywhere: between the bytes of a character, in the middle of a line, between CR and LF. */
export class Events {
  private readonly decoder = new TextDecoder()
  private found: Array<string> = []
  private readonly parser = Sse.makeParser((event) => {
    if (event._tag === "Event") this.found.push(event.data)
  })
  /** An event that has no end. */
  tooLarge = false

  feed(bytes: Uint8Array): ReadonlyArray<string> {
    return this.read(this.decoder.decode(bytes, { stream: true }))
  }

  /** The last event also counts where the blank line behind it is missing. */
  end(): ReadonlyArray<string> {
    return this.read(`${this.decoder.decode()}\n\n`)
  }

  private read(text: string): ReadonlyArray<string> {
    if (this.parser.feed(text) !== undefined) this.tooLarge = true
    const { found } = this
    this.found = []
    return found
  }
}

/** What stands in an event; `undefined` where it is no JSON. */
export const json = (data: string): unknown => Result.getOrUndefined(Result.try(() => JSON.parse(data) as unknown))
