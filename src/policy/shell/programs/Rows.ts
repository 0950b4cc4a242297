/** A set of names that are written one after the other. */
export const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** The lines of a text table: one that is indented deeper goes on where the one above ended. */
export const unfolded = (table: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let margin = 0
  for (const line of table.split("\n").filter((each) => each.trim() !== "")) {
    const indent = line.length - line.trimStart().length
    if (lines.length === 0) margin = indent
    const last = lines.at(-1)
    if (last === undefined || indent <= margin) lines.push(line.trim())
    else lines[lines.length - 1] = last + (last.endsWith(",") ? "" : " ") + line.trim()
  }
  return lines
}
