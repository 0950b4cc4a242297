const marker = /\[IMAGE:[^\]]*\]/g

/** A cut never falls inside an image marker or a surrogate pair: it moves in front of it, or behind it. */
const outside = (text: string, at: number, move: "before" | "after"): number => {
  for (const { 0: { length }, index } of text.matchAll(marker)) {
    if (index < at && at < index + length) return move === "before" ? index : index + length
  }
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at + (move === "before" ? -1 : 1) : at
}

/**
 * The beginning and the end of a long text, two thirds to one, and how much is missing. See
 * docs/sessions.md#long-results
 */
export const capped = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const head = outside(text, Math.ceil((limit * 2) / 3), "before")
  const tail = outside(text, text.length - Math.floor(limit / 3), "after")
  return `${text.slice(0, head)}\n[… ${tail - head} of ${text.length} characters left out …]\n${text.slice(tail)}`
}
