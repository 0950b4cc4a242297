import { Effect } from "effect"
import { CliOutput } from "effect/cli"
import { failure } from "../Failure.ts"
import { oneLine } from "./Text.ts"

/** What commands write for people. */

export const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** One line on stderr. */
export const warn = (text: string) => Effect.sync(() => void process.stderr.write(`postern: ${oneLine(text)}\n`))

/** That a list is empty; a reader of standard output gets nothing for a row. */
export const sayEmpty = (text: string) =>
  Effect.sync(() => void (process.stdout.isTTY ? process.stdout : process.stderr).write(`${text}\n`))

/** Ends the command with the message of an error. */
export const orFail = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, ({ message }) => failure(message))

export interface TextStyles {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
  readonly italic: (text: string) => string
  readonly underline: (text: string) => string
  readonly strike: (text: string) => string
}

const sgr = (open: number, close: number) => (text: string) =>
  text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`
const same = (text: string) => text

const coloured: TextStyles = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
  italic: sgr(3, 23),
  underline: sgr(4, 24),
  strike: sgr(9, 29)
}

const unstyled: TextStyles = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
  italic: same,
  underline: same,
  strike: same
}

export const textStyles = (hasColor: boolean): TextStyles => hasColor ? coloured : unstyled

/** Columns two blanks apart; the last one is not padded. Cells must be on one line and free of control characters. */
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

/** The time since `since`, in the largest whole unit. */
export const age = (since: string, now: number): string => {
  const seconds = Math.floor((now - Date.parse(since)) / 1000)
  const unit = units.find(([, size]) => seconds >= size)
  return unit === undefined ? "now" : `${Math.floor(seconds / unit[1])} ${unit[0]}`
}
