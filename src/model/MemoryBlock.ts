/** What an agent's memory puts before the user's words (zeroclaw.md §5). The offline model looks past it. */

const start = "[Memory context]"
const end = "[/Memory context]"

/** A line of the block with nothing in it that would begin or end one. */
export const defused = (text: string): string => text.replace(/\[(?=\/?Memory context\])/gi, "(")

/** With a blank line after it; the lines are {@link defused}. */
export const wrap = (lines: ReadonlyArray<string>): string => `${start}\n${lines.join("\n")}\n${end}\n\n`

/** What the user said. */
export const past = (text: string): string => {
  const close = text.startsWith(`${start}\n`) ? text.indexOf(`\n${end}\n`) : -1
  return close === -1 ? text : text.slice(close + end.length + 2).trimStart()
}
