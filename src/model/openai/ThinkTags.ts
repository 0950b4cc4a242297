type Kind = "text" | "reasoning"

const opening = "<think>"
const closing = "</think>"

/** The length of the end of a text that may be the beginning of a tag. */
const begun = (text: string, tag: string): number => {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}

/** Splits thoughts from text for servers that leave them in the text, in `<think>` tags at its beginning. */
export class ThinkTags {
  private state: "before" | "inside" | "behind" = "before"
  private held = ""

  /** Holds back what may be a tag until it is decided. */
  split(text: string): ReadonlyArray<readonly [Kind, string]> {
    if (this.state === "behind") return [["text", text]]
    const all = this.held + text
    this.held = ""
    if (this.state === "before") {
      const start = all.trimStart()
      if (opening.startsWith(start)) {
        this.held = all
        return []
      }
      this.state = start.startsWith(opening) ? "inside" : "behind"
      return this.state === "behind" ? [["text", all]] : this.split(start.slice(opening.length).trimStart())
    }
    const end = all.indexOf(closing)
    if (end === -1) {
      const kept = all.length - begun(all, closing)
      this.held = all.slice(kept)
      return [["reasoning", all.slice(0, kept)]]
    }
    this.state = "behind"
    return [["reasoning", all.slice(0, end)], ["text", all.slice(end + closing.length).trimStart()]]
  }

  /** Returns held-back text that turned out not to be a tag. */
  rest(): readonly [Kind, string] {
    const { held } = this
    this.held = ""
    return [this.state === "inside" ? "reasoning" : "text", held]
  }
}
