/**
 * Splits thoughts from text for servers that leave them in the text, between tags: `<think>`, `<thinking>`, `[THINK]`
 * and what else models call them. Chat templates of some models write the opening tag themselves, so that only the
 * closing one is sent.
 */

export type TaggedText = readonly [kind: "text" | "reasoning", text: string] | "retract"

/** What stands between `<` and `>`, in any case, with attributes or without. */
const names: ReadonlySet<string> = new Set([
  "think",
  "thinking",
  "thought",
  "thoughts",
  "reasoning",
  "reflection",
  "seed:think",
  "mm:think",
  "antml:thinking"
])

/** Tags of other forms. */
const signs: ReadonlyArray<readonly [opening: string, closing: string]> = [
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"]
]

interface FoundTag {
  readonly at: number
  readonly length: number
  /** Opening and closing tags of one kind share it. */
  readonly name: string
  readonly closes: boolean
}

/** Where a text ends in what may be the beginning of a tag. */
type Begun = { readonly from: number }

const first = /[<[◁]/
/** In characters, attributes included. */
const longestTag = 200
const element = /^<(\/?)([a-z:]+)(?:\s[^<>]*)?>/i
const elementBegun = /^<\/?([a-z:]*)(\s[^<>]*)?$/i

const signAt = (rest: string): Omit<FoundTag, "at"> | "begun" | undefined => {
  for (const pair of signs) {
    for (const sign of pair) {
      if (rest.startsWith(sign)) return { length: sign.length, name: pair[0], closes: sign === pair[1] }
      if (rest.length < sign.length && sign.startsWith(rest)) return "begun"
    }
  }
  return undefined
}

const tagAt = (rest: string): Omit<FoundTag, "at"> | "begun" | undefined => {
  const [tag = "", slash = "", name = ""] = element.exec(rest) ?? []
  if (names.has(name.toLowerCase())) return { length: tag.length, name: name.toLowerCase(), closes: slash !== "" }
  const [, begun, attributes] = rest.length === longestTag ? [] : elementBegun.exec(rest) ?? []
  if (begun !== undefined) {
    const known = begun.toLowerCase()
    const isName = (name: string) => attributes === undefined ? name.startsWith(known) : name === known
    if (Array.from(names).some(isName)) return "begun"
  }
  return signAt(rest)
}

/** The first tag of a text from a place on, or where it ends in the middle of what may be one. */
const findTag = (text: string, from: number): FoundTag | Begun | undefined => {
  for (let at = from; at < text.length; at++) {
    const next = text.slice(at).search(first)
    if (next === -1) return undefined
    at += next
    const found = tagAt(text.slice(at, at + longestTag))
    if (found === "begun") return { from: at }
    if (found !== undefined) return { at, ...found }
  }
  return undefined
}

/** Whether a tag is quoted, as in an answer about such tags. */
const isQuoted = (before: string): boolean => before.split("`").length % 2 === 0

const isBlank = (text: string) => text.trim() === ""

export class ThoughtTags {
  private state: "before" | "inside" | "text"
  private held = ""
  /** The name of the tag that opened the thought. */
  private opened: string | undefined
  /** Names of the tags that opened in the thought since, and in the text. */
  private readonly inner = new Set<string>()
  /** The answer has tags, so that a later opening tag counts as well. */
  private tagged = false
  /** White space between a thought and what follows belongs to neither. */
  private afterThought = false
  /** What was said as text since the last thought, as long as a closing tag may still make it one. */
  private said = ""
  private isThoughtBlank = true
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
        return this.begin(text)
      case "inside":
        return this.think(text, found)
      case "text":
        return this.speak(text, found)
    }
  }

  private begin(text: string): string {
    const start = text.trimStart()
    if (start === "") {
      this.held = text
      return ""
    }
    this.state = "text"
    const tag = findTag(start, 0)
    if (tag === undefined) return text
    if ("from" in tag ? tag.from > 0 : tag.at > 0 || tag.closes) return text
    if ("from" in tag) {
      this.state = "before"
      this.held = text
      return ""
    }
    return this.open(tag, start)
  }

  /** Returns what stands behind the tag. */
  private open({ at, length, name }: FoundTag, text: string): string {
    this.state = "inside"
    this.tagged = true
    this.opened = name
    this.inner.clear()
    this.isThoughtBlank = true
    return text.slice(at + length)
  }

  /** A thought ends with the tag that began it, or with one that nothing in it opened. */
  private ends({ closes, name }: FoundTag): boolean {
    return closes && (this.opened === undefined || name === this.opened || !this.inner.has(name))
  }

  private think(text: string, found: Array<TaggedText>): string {
    for (let from = 0;;) {
      const tag = findTag(text, from)
      const kept = tag === undefined ? text.length : "from" in tag ? tag.from : tag.at
      if (tag === undefined || "from" in tag) {
        this.held = text.slice(kept)
        this.addThought(found, text.slice(0, kept))
        return ""
      }
      if (!tag.closes && this.isThoughtBlank && isBlank(text.slice(0, kept))) {
        this.inner.add(tag.name)
        const inner = new Set(this.inner)
        const rest = this.open(tag, text)
        for (const name of inner) this.inner.add(name)
        return rest
      }
      if (this.ends(tag)) {
        this.addThought(found, text.slice(0, kept))
        this.state = "text"
        this.tagged = true
        this.afterThought = true
        this.said = ""
        return text.slice(kept + tag.length)
      }
      if (!tag.closes) this.inner.add(tag.name)
      from = kept + tag.length
    }
  }

  private speak(given: string, found: Array<TaggedText>): string {
    const text = this.afterThought ? given.trimStart() : given
    if (text === "") return ""
    for (let from = 0;;) {
      const tag = findTag(text, from)
      const kept = tag === undefined ? text.length : "from" in tag ? tag.from : tag.at
      if (tag === undefined || "from" in tag) {
        this.held = text.slice(kept)
        this.addText(found, text.slice(0, kept))
        return ""
      }
      const before = this.said + text.slice(0, kept)
      if (
        !isQuoted(before) && (tag.closes ? this.isClosing(tag, before) : this.tagged || /(?:^|\n)\s*$/.test(before))
      ) {
        this.addText(found, text.slice(0, kept))
        if (!tag.closes) return this.open(tag, text)
        this.inner.delete(tag.name)
        if (!isBlank(this.said)) found.push("retract")
        if (!this.tagged) this.opensUntagged = true
        this.tagged = true
        this.afterThought = true
        this.said = ""
        return text.slice(kept + tag.length)
      }
      from = kept + tag.length
    }
  }

  /** Whether a closing tag in the text ends a thought that nothing, or a tag within the thought before, has opened. */
  private isClosing({ name }: FoundTag, before: string): boolean {
    if (this.tagged) return this.inner.has(name) || isBlank(before)
    return findTag(before.replaceAll(/`[^`]*`/g, ""), 0) === undefined
  }

  private addThought(found: Array<TaggedText>, given: string): void {
    const text = this.tagged && this.isThoughtBlank ? given.trimStart() : given
    if (text === "") return
    found.push(["reasoning", text])
    this.isThoughtBlank &&= isBlank(text)
    if (!this.tagged) this.said += text
  }

  private addText(found: Array<TaggedText>, text: string): void {
    if (text === "") return
    this.afterThought = false
    found.push(["text", text])
    this.said += text
  }
}
