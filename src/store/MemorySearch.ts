/** How a question becomes a full-text query, and how well an entry answers it (docs/sessions.md#recall). Pure. */

/** More words of a question than this say nothing new. */
const maxTerms = 16

/** Words that are in nearly every question. */
const common = new Set(
  ("a an and are as at be been but by can could did do does for from had has have how i if in is it its me my no not of on or our " +
    "so that the their them then there they this to us was we were what when where which who will with would you your")
    .split(" ")
)

/** The words that count, folded as the index folds them, each once. */
export const terms = (question: string): ReadonlyArray<string> => {
  const words =
    question.slice(0, 4096).normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const all = Array.from(new Set(words.map((word) => word.slice(0, 64))))
  const telling = all.filter((word) => !common.has(word))
  return (telling.length > 0 ? telling : all).slice(0, maxTerms)
}

/** One word, or the beginning of one where there is enough of it. Only letters and digits get here: nothing else has a meaning in it. */
export const matcher = (term: string): string => `"${term}"${term.length > 2 ? "*" : ""}`

export interface TermHits {
  /** Entries that have the word at all. */
  readonly frequency: number
  /** Those of the candidates that have it. */
  readonly rows: ReadonlySet<number>
}

/**
 * How much of what was asked an entry has, from 0 to 1. A rare word counts more than one that many entries have, and a word that
 * no entry has does not count: it cannot tell them apart.
 */
export const score = (row: number, hits: ReadonlyArray<TermHits>, entries: number): number => {
  const weight = ({ frequency }: TermHits) => Math.log(1 + (entries - frequency + 0.5) / (frequency + 0.5))
  const known = hits.filter(({ frequency }) => frequency > 0)
  const sum = (some: ReadonlyArray<TermHits>) => some.reduce((total, one) => total + weight(one), 0)
  return known.length === 0 ? 0 : Math.min(1, sum(known.filter(({ rows }) => rows.has(row))) / sum(known))
}
