import stringWidth from "string-width"
import wrapAnsi from "wrap-ansi"

/** Widths on a terminal: letters of East Asia and emoji take two columns, colours none. */

export const widthOf = (text: string): number => stringWidth(text)

/** Lines of at most `width` columns, broken at words, and inside of those that are longer. */
export const wrapped = (text: string, width: number): ReadonlyArray<string> =>
  wrapAnsi(text, Math.max(1, width), { hard: true }).split("\n")

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

const colour = /\u001b\[[0-9;]*m/g

/** At most `width` columns, the end replaced by `…`; colours are ended. */
export const clipped = (line: string, width: number): string => {
  if (line.length <= width && /^[\u0020-\u007e]*$/.test(line)) return line
  if (widthOf(line) <= width) return line
  let left = Math.max(0, width - 1)
  let out = ""
  let at = 0
  const take = (text: string): boolean => {
    for (const { segment } of graphemes.segment(text)) {
      const columns = widthOf(segment)
      if (columns > left) return false
      left -= columns
      out += segment
    }
    return true
  }
  for (const found of line.matchAll(colour)) {
    if (!take(line.slice(at, found.index))) return `${out}…\u001b[0m`
    out += found[0]
    at = found.index + found[0].length
  }
  take(line.slice(at))
  return at === 0 ? `${out}…` : `${out}…\u001b[0m`
}

/** With blanks up to `width` columns. */
export const padded = (text: string, width: number, align: "left" | "right" | "center" = "left"): string => {
  const room = Math.max(0, width - widthOf(text))
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0
  return " ".repeat(before) + text + " ".repeat(room - before)
}
