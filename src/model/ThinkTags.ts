type Kind = "text" | "reasoning"

const opening = "<think>"
const closing = "</think>"

/** How much of the end of a text may be the beginning of a tag. */
const begun = (text: string, tag: string): number => {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}

/** Servers that do not know how their model thinks leave its thoughts in the text, in tags at the very beginning. */
export class ThinkTags {
  private state: "before" | "inside" | "behind" = "before"
  private held = ""

  /** What may be a tag is held back until it is known. */
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

  /** What was held back and is no tag after all. */
  rest(): readonly [Kind, string] {
    const { held } = this
    this.held = ""
    return [this.state === "inside" ? "reasoning" : "text", held]
  }
}
