/** The high surrogate that ends a piece of text; its other half comes with the next piece. */
export const trailingSurrogate = (text: string): string => /[\ud800-\udbff]?$/.exec(text)?.[0] ?? ""

/** The first `limit` UTF-16 units of a text at most, without half of a surrogate pair: JSON and terminals garble one. */
export const beginning = (text: string, limit: number): string => {
  const kept = text.slice(0, Math.max(0, limit))
  return kept.length < text.length ? kept.replace(/[\uD800-\uDBFF]$/, "") : kept
}

/** The last `limit` UTF-16 units of a text at most, without half of a surrogate pair. */
export const ending = (text: string, limit: number): string => {
  const kept = text.slice(Math.max(0, text.length - Math.floor(limit)))
  return kept.length < text.length ? kept.replace(/^[\uDC00-\uDFFF]/, "") : kept
}
