import { CliOutput } from "effect/cli"

/** Columns two blanks apart; the last one takes what is left. Cells must be safe and on one line. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => CliOutput.displayWidth(row[at] ?? ""))))
  const line = (row: ReadonlyArray<string>) =>
    row.map((cell, at) =>
      at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - CliOutput.displayWidth(cell))
    )
      .join("  ").trimEnd()
  return [head, ...rows].map((row) => `${line(row)}\n`).join("")
}

const units = [["y", 31_536_000], ["mo", 2_592_000], ["w", 604_800], ["d", 86_400], ["h", 3600], ["min", 60]] as const

/** How long ago, in the largest whole unit. */
export const age = (since: string, now: number): string => {
  const seconds = Math.floor((now - Date.parse(since)) / 1000)
  const unit = units.find(([, size]) => seconds >= size)
  return unit === undefined ? "now" : `${Math.floor(seconds / unit[1])} ${unit[0]}`
}
