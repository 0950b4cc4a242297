import { HOLE } from "./Words.ts"

/** What one piece of a word expands to. */
export interface Piece {
  guess: string
  literal: boolean
  certain: boolean
  glob: boolean
}

export const piece = (guess: string): Piece => ({ guess, literal: true, certain: true, glob: false })
export const digits: Piece = { guess: "0", literal: false, certain: true, glob: false }
export const hole: Piece = { guess: HOLE, literal: false, certain: false, glob: false }

/** The words of a brace expansion, in the order of the shell. */
export const alternatives = (text: string): ReadonlyArray<Piece> => {
  if (/^\{[^{}"'$`\\]*,[^{}"'$`\\]*\}$/.test(text)) {
    return text
      .slice(1, -1)
      .split(",")
      .map((each) => ({ ...piece(each), glob: /[*?[]/.test(each) }))
  }
  const range = /^\{(\w+)\.\.(\w+)(\.\.-?\d+)?\}$/.exec(text)
  if (range === null) return [hole]
  const letters = range.slice(1, 3).every((end) => /^[A-Za-z]$/.test(end!))
  if (range[3] !== undefined || !letters) return range[1] === range[2] ? [piece(range[1]!)] : [digits]
  const [from, to] = [range[1]!.charCodeAt(0), range[2]!.charCodeAt(0)]
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => piece(String.fromCharCode(from + at * step)))
}
