import { existsSync } from "node:fs"
import { oneLine } from "../terminal/Text.ts"

/** What a conversation answers itself, and the agent's own commands after it. */
export const help = (commands: ReadonlyArray<string>): string =>
  [
    "/help   this list",
    "/exit   leave; so does Ctrl-D",
    "Ctrl-C  while the agent works: stop it; here: clear the line, twice to leave",
    "\\       at the end of a line: the message goes on in the next one; a paste of several lines is one message",
    "a blank before the / sends the line to the agent as it is",
    ...(commands.length === 0 ? [] : [`the agent's own: ${commands.map((name) => `/${oneLine(name)}`).join(" ")}`])
  ].map((line) => `  ${line}\n`).join("")

type Exists = (path: string) => boolean

/** Whether an entry is a command nobody knows. Text that only begins with a path is none, and neither is an indented line. */
export const isUnknown = (entry: string, commands: ReadonlyArray<string>, exists: Exists = existsSync): boolean => {
  const name = /^\/([a-z_-]+)(?=\s|$)/i.exec(entry)?.[1]
  return name !== undefined && !commands.some((known) => known.replace(/^\//, "") === name) && !exists(`/${name}`)
}
