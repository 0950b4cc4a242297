/**
 * Splits thoughts from text for servers that leave them in the text, between tags: `<think>`, `<thinking>`, `<thought>`
 * or `[THINK]`. Chat templates of some models write the opening tag themselves, so that only the closing one is sent.
 */

export type TaggedText = readonly [kind: "text" | "reasoning", text: string] | "retract"

const tags: ReadonlyArray<readonly [opening: string, closing: string]> = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["[THINK]", "[/THINK]"]
]
const openings = tags.map(([opening]) => opening)
const closings = tags.map(([, closing]) => closing)

/** The length of the end of a text that may be the beginning of one of the tags. */
const begun = (text: string, wanted: ReadonlyArray<string>): number => {
  const from = Math.max(text.lastIndexOf("<"), text.lastIndexOf("["))
  if (from === -1) return 0
  const end = text.slice(from)
  return wanted.some((tag) => end.length < tag.length && tag.startsWith(end)) ? end.length : 0
}

interface FoundTag {
  readonly at: number
  readonly tag: string
}

const firstOf = (text: string, wanted: ReadonlyArray<string>): FoundTag | undefined => {
  let found: FoundTag | undefined
  for (const tag of wanted) {
    const at = text.indexOf(tag)
    if (at !== -1 && (found === undefined || at < found.at)) found = { at, tag }
  }
  return found
}

/** Whether a tag is meant, as in an answer about such tags: it is quoted, or closes an opening tag of the text. */
const isText = (before: string, tag: string): boolean =>
  before.split("`").length % 2 === 0 ||
  tags.some(([opening, closing]) => closing === tag && before.includes(opening))

export class ThoughtTags {
  private state: "before" | "inside" | "text"
  private closing: ReadonlyArray<string> = closings
  private held = ""
  /** The answer has tags, so that a later opening tag counts as well. */
  private tagged = false
  /** White space between a thought and what follows belongs to neither. */
  private afterThought = false
  /** What was said as text, as long as a closing tag may still make it a thought. */
  private said = ""
  /** A closing tag came without an opening one: the next answers of this model begin with a thought. */
  opensUntagged: boolean

  /** `opensUntagged`: earlier answers of this model began with a thought without an opening tag. */
  constructor(opensUntagged: boolean) {
    this.opensUntagged = opensUntagged
    this.state = opensUntagged ? "inside" : "before"
  }

  /** Thoughts came in a field of their own: the text is text. */
  apart(): void {
    if (this.state === "inside" && !this.tagged) this.state = "before"
  }

  /**
   * The pieces of a text, without its tags. What may be the beginning of a tag is held back until it is decided.
   * `"retract"`: everything that was given as text up to here was a thought.
   */
  split(text: string): ReadonlyArray<TaggedText> {
    const found: Array<TaggedText> = []
    let rest = this.held + text
    this.held = ""
    while (rest !== "") rest = this.next(rest, found)
    return found
  }

  /** Returns text that was held back and turned out not to be a tag, at the end of the answer. */
  rest(): ReadonlyArray<TaggedText> {
    const { held, said, state } = this
    this.held = ""
    this.said = ""
    this.state = "text"
    // The model did not think this time, and nothing but the answer came.
    const rest: TaggedText = state === "inside" && this.opensUntagged && !this.tagged
      ? ["text", said + held]
      : [state === "inside" ? "reasoning" : "text", held]
    return rest[1] === "" ? [] : [rest]
  }

  private next(text: string, found: Array<TaggedText>): string {
    switch (this.state) {
      case "before":
        return this.begin(text, found)
      case "inside":
        return this.think(text, found)
      case "text":
        return this.speak(text, found)
    }
  }

  private begin(text: string, found: Array<TaggedText>): string {
    const start = text.trimStart()
    const opening = tags.find(([tag]) => start.startsWith(tag))
    if (opening !== undefined) {
      this.open(opening[0])
      return start.slice(opening[0].length).trimStart()
    }
    if (openings.some((tag) => tag.startsWith(start))) {
      this.held = text
      return ""
    }
    this.state = "text"
    return this.speak(text, found)
  }

  private open(tag: string): void {
    this.state = "inside"
    this.tagged = true
    this.closing = tags.flatMap(([opening, closing]) => opening === tag ? [closing] : [])
  }

  private think(text: string, found: Array<TaggedText>): string {
    const end = firstOf(text, this.closing)
    if (end === undefined) {
      const kept = text.length - begun(text, this.closing)
      this.held = text.slice(kept)
      this.add(found, "reasoning", text.slice(0, kept))
      return ""
    }
    this.add(found, "reasoning", text.slice(0, end.at))
    this.state = "text"
    this.tagged = true
    this.afterThought = true
    this.said = ""
    return text.slice(end.at + end.tag.length)
  }

  private speak(given: string, found: Array<TaggedText>): string {
    const text = this.afterThought ? given.trimStart() : given
    if (text === "") return ""
    this.afterThought = false
    const wanted = this.tagged ? openings : closings
    const tag = firstOf(text, wanted)
    if (tag === undefined || isText(this.said + text.slice(0, tag.at), tag.tag)) {
      const kept = tag === undefined ? text.length - begun(text, wanted) : tag.at + tag.tag.length
      this.add(found, "text", text.slice(0, kept))
      if (tag !== undefined) return text.slice(kept)
      this.held = text.slice(kept)
      return ""
    }
    this.add(found, "text", text.slice(0, tag.at))
    if (this.tagged) this.open(tag.tag)
    else {
      found.push("retract")
      this.tagged = true
      this.afterThought = true
      this.opensUntagged = true
      this.said = ""
    }
    return text.slice(tag.at + tag.tag.length)
  }

  private add(found: Array<TaggedText>, kind: "text" | "reasoning", text: string): void {
    if (text === "") return
    found.push([kind, text])
    if (!this.tagged || kind === "text") this.said += text
  }
}
