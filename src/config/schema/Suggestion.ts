/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
const distance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1))
    }
  }
  return rows[a.length]?.[b.length] ?? Infinity
}

/** The most similar candidate, if one is similar enough; letter case and `-` for `_` do not count. */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  const plain = (text: string) => text.toLowerCase().replaceAll("-", "_")
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    const found = distance(plain(word), plain(candidate))
    if (found <= Math.max(1, Math.floor(candidate.length / 3)) && found < (best?.distance ?? Infinity)) {
      best = { candidate, distance: found }
    }
  }
  return best?.candidate
}

/** `; did you mean "x"?`, or the allowed words when none is close. */
export const hint = (word: string, candidates: ReadonlyArray<string>): string => {
  const found = nearest(word, candidates)
  if (found !== undefined) return `; did you mean "${found}"?`
  return candidates.length === 0 ? "" : `; allowed here: ${candidates.join(", ")}`
}
