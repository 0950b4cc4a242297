/** The block of memories before a prompt. See docs/sessions.md#memory. */

const start = "[Memory context]"
const end = "[/Memory context]"

/** A line in which nothing begins or ends a block. */
export const escapeMarkers = (text: string): string => text.replace(/\[(?=\/?Memory context\])/gi, "(")

/** With a blank line after it; the lines are {@link escapeMarkers}. */
export const wrap = (lines: ReadonlyArray<string>): string => `${start}\n${lines.join("\n")}\n${end}\n\n`

/** The prompt without its block. */
export const withoutMemory = (text: string): string => {
  const close = text.startsWith(`${start}\n`) ? text.indexOf(`\n${end}\n`) : -1
  return close === -1 ? text : text.slice(close + end.length + 2).trimStart()
}
