import type { Command } from "../Command.ts"
import { names } from "./Rows.ts"

/** What `xargs` may run: these read, whatever words are added to theirs. */
const supplied = names(`
  cat echo grep head tail wc ls stat basename dirname md5sum sha256sum cut nl tac rev realpath readlink du
  printf strings
`)

/** `sh -c` and `xargs` read only when what they run does; that stands in the list as well. */
export const readsItself = (command: Command, all: ReadonlyArray<Command>): boolean => {
  const { line, program } = command
  if (/^(sh|bash|dash)$/.test(program)) {
    return (
      line.has("-c") &&
      line.options.every((option) => option === "-c" || option === "-l" || option === "-e" || option === "-u") &&
      line.operands.length === 1
    )
  }
  if (program === "time" || program === "nice" || program === "timeout") {
    return leadingOnly(command) && hasInner(command, all)
  }
  if (program !== "xargs" || line.has("-a", "--arg-file", "-i")) return false
  const inner = all[all.indexOf(command) + 1]
  return inner !== undefined && inner.fields.wrappers.at(-1) === "xargs" && supplied.has(inner.program)
}

const hasInner = (command: Command, all: ReadonlyArray<Command>): boolean =>
  all[all.indexOf(command) + 1]?.fields.wrappers.at(-1) === command.program

/** `time` can write a file, so the options before the inner command are known ones. */
const leadingOnly = (command: Command): boolean => {
  const words = command.args.map((arg) => arg.guess)
  for (let at = 0; words[at]?.startsWith("-") === true; at++) {
    if (/^-[nksf]$/.test(words[at]!)) at++
    else if (
      !/^-(p|v|\d+|[nks][\w.]+|-(preserve-status|foreground|verbose|(signal|adjustment)=.*))$/.test(words[at]!)
    ) {
      return false
    }
  }
  return true
}
