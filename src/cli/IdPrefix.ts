/** In characters: an id may be shortened to this length. */
export const minPrefixLength = 4

type IdMatch<A> =
  | { readonly _tag: "One"; readonly value: A }
  | { readonly _tag: "None" }
  | { readonly _tag: "Several"; readonly ids: ReadonlyArray<string> }

/** The values with this id, or else those whose id begins with it; values that share one id count as one, the first of them. */
export const findById = <A>(values: ReadonlyArray<A>, idOf: (value: A) => string, id: string): IdMatch<A> => {
  const exact = values.find((value) => idOf(value) === id)
  if (exact !== undefined) return { _tag: "One", value: exact }
  const matches = id.length < minPrefixLength ? [] : values.filter((value) => idOf(value).startsWith(id))
  const ids = Array.from(new Set(matches.map(idOf)))
  const [first] = matches
  if (first === undefined) return { _tag: "None" }
  return ids.length === 1 ? { _tag: "One", value: first } : { _tag: "Several", ids }
}

/** `3 sessions begin with 0123: …`, with the first five ids. */
export const severalMatches = (what: string, id: string, ids: ReadonlyArray<string>): string =>
  `${ids.length} ${what} begin with ${id}: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", …" : ""}`
