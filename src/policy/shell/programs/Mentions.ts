import { resolve } from "../parse/Paths.ts"
import { type Arg, type Command, HOLE, type NamedFile, reading as asRead } from "./Command.ts"
import { readingOf } from "./ReadForms.ts"
import { isAppendedTo } from "./Rules.ts"

/**
 * Files that a command may read without its row saying that a word is one. Every word counts that looks like a path, the
 * values of options included, unless the row says that it is a pattern, a text or a number.
 */

/** A word with a slash that is no address, or `~user`. */
const looksLikePath = /^(?!.*:\/\/)(.*\/|~[\w+-]*$|\.\.?$)/s

/** It leads out of the folder that the command runs in. */
const leavesFolder = /(^|[=@:A-Za-z])[~/]|(^|[/=@])\.\.(\/|$)/

/** `--x=/y`, `-f/y`, `if=/y` and `@/y` name `/y`, `-d/` a separator; a word that is no option names itself. */
const valueOf = (word: string): string | undefined =>
  /^(?:--?[A-Za-z][\w-]*=|[a-z]+=|--?[A-Za-z](?=[/~.].)|@)@?(.+)$/.exec(word)?.[1] ??
    (word.startsWith("-") ? undefined : word)

/** The folder that every match of a shell pattern lies below. */
const literalPart = (pattern: string): string => {
  const segments = pattern.split("/")
  const first = segments.findIndex((segment) => /[*?[{]/.test(segment))
  return first < 0 ? pattern : segments.slice(0, first).join("/") || "/"
}

/** Values of options that name files, where the command only reads. */
export const optionFiles = (command: Command): ReadonlyArray<NamedFile> =>
  command.args.some(({ guess }) => guess.startsWith("-") || guess.startsWith("+"))
    ? asRead(readingOf(command)?.files ?? [])
    : []

/** The words that may be files and are not told to be. */
const openWords = (command: Command): ReadonlyArray<Arg> => {
  const { args, line, row } = command
  const found = readingOf(command)
  const isTold = row.files !== undefined && row.files.operands !== "none"
  if (found !== undefined) return isTold ? found.files : [...found.operands, ...found.files]
  return isTold ? args.filter((arg) => !line.operands.includes(arg)) : args
}

/** Every path besides the files of its row that a command may read, as an absolute one; of a pattern the folder. */
export const mentionsOf = (command: Command): ReadonlyArray<string> => {
  const { args, fields: { cwd, name, where }, row } = command
  if (name === undefined || where === "contained") return []
  if (row.is("prints-words") && !isAppendedTo(command)) return []
  if (!args.some(({ guess }) => leavesFolder.test(guess))) return []
  // Some programs read more arguments from a file that is named so.
  const lists = args.filter(({ guess }) => guess.startsWith("@"))
  return [...openWords(command), ...lists].flatMap(({ guess }) => {
    const end = guess.indexOf(HOLE)
    // What follows is not known, but the folder that it begins with is.
    const known = end < 0 ? guess : guess.slice(0, end).replace(/[^/]*$/, "")
    const value = known === "" ? undefined : valueOf(known)
    if (value === undefined || !looksLikePath.test(value)) return []
    const path = resolve(literalPart(value), cwd)
    return path === undefined ? [] : [path]
  })
}
