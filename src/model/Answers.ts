import type { ToolAnswer } from "./LastTurn.ts"

const maxLines = 60
const maxCharacters = 4_000

const plural = (count: number, noun: string) => `${count} more ${noun}${count === 1 ? "" : "s"}`

interface Beginning {
  readonly text: string
  /** What is missing, in words; empty when nothing is. */
  readonly note: string
}

/** The beginning of a long text, in whole lines. */
export const beginning = (text: string, lines = maxLines, characters = maxCharacters): Beginning => {
  const all = text.trimEnd().split("\n")
  let kept = 0
  for (let length = 0; kept < all.length && kept < lines; kept++) {
    length += (all[kept]?.length ?? 0) + 1
    if (length > characters) break
  }
  if (kept === all.length) return { text: all.join("\n"), note: "" }
  if (kept > 0) return { text: all.slice(0, kept).join("\n"), note: `(${plural(all.length - kept, "line")})` }
  const line = all[0] ?? ""
  return { text: line.slice(0, characters), note: `(${plural(line.length - characters, "character")})` }
}

/** A fence longer than any run of backticks inside, so that file contents cannot end the block. */
export const fenced = (text: string): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** A tool's answer as message text: one line stays a sentence, more become a code block. */
export const showAnswer = ({ isFailure, name, text }: ToolAnswer): string => {
  const shown = beginning(text)
  if (shown.text.trim() === "") return isFailure ? `\`${name}\` failed.` : `\`${name}\` is done; it has no output.`
  const label = isFailure ? `\`${name}\` failed:` : `\`${name}\`:`
  const note = shown.note === "" ? "" : `\n${shown.note}`
  if (shown.text.includes("\n")) return `${label}\n${fenced(shown.text)}${note}`
  return (isFailure ? `${label} ${shown.text}` : shown.text) + note
}
