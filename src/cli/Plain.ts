/**
 * What agents, tools and stored sessions say is shown on a terminal, where a control character is a command: it can move the
 * cursor, rewrite what was shown, fill the clipboard. These functions leave text in which none of them is alive.
 */

const code = (char: string) => char.codePointAt(0) ?? 0

/** Control characters but tab and newline, C1, and the bidirectional overrides that make code read differently than it runs. */
const alive = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const picture = (char: string) => {
  const point = code(char)
  if (point < 0x20) return String.fromCodePoint(0x2400 + point)
  return point === 0x7f ? "␡" : `‹U+${point.toString(16).toUpperCase().padStart(4, "0")}›`
}

/** Every control character as a visible picture. Pieces of a stream may be treated one by one. */
export const plain = (text: string): string => text.replace(/\r+(?=\n|$)/g, "").replace(alive, picture)

/** As `plain`, on one line. */
export const oneLine = (text: string): string => plain(text.trim().replace(/\s*\n\s*/g, " ⏎ "))

/** As `plain`, without colour codes: programs that believe in a terminal write many, and their pictures hide the text. */
export const plainOutput = (text: string): string => plain(text.replace(/\u001b\[[0-9;:]*m/g, ""))

/** JSON on one line whose strings hold no control character either; it parses to the same value. */
export const json = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${code(char).toString(16).padStart(4, "0")}`
  )

/** At most `width` characters, the end replaced by `…`. */
export const cut = (text: string, width: number): string => {
  if (text.length <= width) return text
  return text.slice(0, width - 1).replace(/[\ud800-\udbff]$/, "") + "…"
}
