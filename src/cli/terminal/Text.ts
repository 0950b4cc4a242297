import { beginning } from "../../domain/Cut.ts"

/**
 * Text of agents, tools and stored sessions is shown on a terminal, where a control character is a command: it can move the cursor,
 * rewrite what was shown, or fill the clipboard. These functions return text without any of them.
 * The text can be anything and megabytes long: no expression here may look at one run of characters more than twice.
 */

const code = (char: string) => char.codePointAt(0) ?? 0

/** Control characters but tab and newline, C1, and the bidirectional overrides that make code read differently than it runs. */
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const picture = (char: string) => {
  const point = code(char)
  if (point < 0x20) return String.fromCodePoint(0x2400 + point)
  return point === 0x7f ? "␡" : `‹U+${point.toString(16).toUpperCase().padStart(4, "0")}›`
}

/** Every control character as a visible picture. Pieces of a stream may be treated one by one. */
export const plain = (text: string): string => text.replace(/(?<!\r)\r+(?=\n|$)/g, "").replace(unsafe, picture)

/** As `plain`, on one line. */
export const oneLine = (text: string): string =>
  plain(text.trim().replace(/\s+/g, (blanks) => blanks.includes("\n") ? " ⏎ " : blanks))

/** As `plain`, without colour codes: programs that write for a terminal have many, and their pictures would hide the text. */
export const plainOutput = (text: string): string => plain(text.replace(/\u001b\[[0-9;:]*m/g, ""))

/** Deeper JSON is not indented, and cut off where `JSON.stringify` cannot take it. */
const maxLevels = 100

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === "object" && value !== null &&
  (than === 0 || Object.values(value).some((part) => isDeeper(part, than - 1)))

const shallow = (value: unknown, depth: number): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (depth === 0) return "(nested too deeply to show)"
  if (Array.isArray(value)) return value.map((part) => shallow(part, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shallow(part, depth - 1)]))
}

const written = (value: unknown, space: number | undefined): string => {
  try {
    return JSON.stringify(value, null, space !== undefined && isDeeper(value, maxLevels) ? undefined : space)
  } catch {
    return JSON.stringify(shallow(value, maxLevels))
  }
}

/** JSON whose strings hold no control character either; it parses to the same value, unless that nests too deeply. */
export const json = (value: unknown, space?: number): string =>
  written(value, space).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${code(char).toString(16).padStart(4, "0")}`
  )

/** Whether a text contains `part`. A text of more than 1000 characters is not searched: that can take the product of both lengths. */
export const mentions = (text: string, part: string): boolean => text.length <= 1000 && text.includes(part)

/** At most `width` characters, the end replaced by `…`. */
export const truncate = (text: string, width: number): string =>
  text.length <= width ? text : `${beginning(text, width - 1)}…`
