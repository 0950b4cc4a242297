import type { ActionContext, FileOperand } from "../../decision/CallAction.ts"
import { resolve } from "../parse/Paths.ts"
import {
  type Arg,
  type Command,
  HOLE,
  inFolder,
  literal,
  type NamedFile,
  reading,
  renamed,
  supplied,
  writing
} from "./Command.ts"
import { archiveMode, fileOperands, tellsFiles, writtenByScript } from "./FileOperands.ts"
import { patchedFiles } from "./Git.ts"
import { optionFiles } from "./Mentions.ts"
import { savedBy } from "./Network.ts"
import { fits, runsBatches } from "./Rules.ts"

/**
 * What deny rules and limits look for in a command (docs/policy.md#paths-in-rules): the files its arguments name, those
 * that follow from them, as the copy in a folder, and the patterns and folders whose files it comes to.
 */
export const fileAccessOf = (command: Command, place: ActionContext): ReadonlyArray<FileOperand> => {
  if (command.program === "" || command.fields.where === "contained") return []
  const { cwd } = command.fields
  const operands = [
    ...fileOperands(command),
    ...following(command, place),
    ...openRedirects(command),
    ...optionFiles(command)
  ]
  const touches = operands.flatMap(({ arg, kind }) => accessOf(kind, arg, command) ?? [])
  const addBelow = (kind: FileOperand["kind"], below: "all" | "some", args: ReadonlyArray<Arg>): void => {
    for (const arg of args.length === 0 ? [literal(".")] : args) {
      const path = arg.guess.includes(HOLE) ? undefined : resolve(arg.guess, cwd)
      // Nothing lies below a file.
      if (path !== undefined && place.kindOf?.(path) !== "file") {
        touches.push({ kind, path, ...(isPattern(arg) ? { glob: true as const } : {}), below })
      }
    }
  }
  const argsOf = (kind: FileOperand["kind"]) => operands.filter((each) => each.kind === kind).map(({ arg }) => arg)
  if (fits(command, "reads-below")) addBelow("read", "some", argsOf("read"))
  // What stays where it is moved to is not touched.
  if (fits(command, "writes-below")) {
    addBelow("write", "all", movesAway(command) ? argsOf("write").slice(0, -1) : argsOf("write"))
  } else if (fits(command, "spreads-below") && !onlyLists(command)) addBelow("write", "some", argsOf("write"))
  return touches
}

const movesAway = ({ line, row }: Command): boolean =>
  row.files?.operands === "worktree" ? line.verb() === "mv" : row.is("moves")

const onlyLists = (command: Command): boolean =>
  command.row.files?.operands === "archive" && archiveMode(command) !== "extract"

/** A redirect is a part of its own where it is literal. */
const openRedirects = ({ fields: { reads, writes } }: Command): ReadonlyArray<NamedFile> => {
  const open = (args: ReadonlyArray<Arg>) => args.filter(({ value }) => value === null)
  return [...writing(open(writes)), ...reading(open(reads))]
}

const isPattern = (arg: Arg): boolean => arg.glob || (!arg.certain && /[*?[]/.test(arg.guess))

const accessOf = (kind: FileOperand["kind"], arg: Arg, command: Command): FileOperand | undefined => {
  const { cwd, wrappers } = command.fields
  // A name that is found may lie at any depth, and one that is not known anywhere.
  const isFound = arg.value === null && arg.inner.length === 0 && !arg.text.includes("$") &&
    runsBatches(wrappers.at(-1))
  if (isFound || arg.guess.includes(HOLE)) {
    if (kind === "write") return undefined
    const start = arg.guess.split(HOLE)[0]!.replace(/[^/]*$/, "")
    const folder = resolve(start === "" ? (arg.guess.startsWith(HOLE) && !isFound ? "/" : ".") : start, cwd)
    return folder === undefined ? undefined : { kind, path: folder, below: isFound ? "some" : "one" }
  }
  const path = resolve(arg.guess, cwd)
  return path === undefined ? undefined : { kind, path, ...(isPattern(arg) ? { glob: true } : {}) }
}

/** Files that follow from the operands. */
const following = (command: Command, place: ActionContext): ReadonlyArray<NamedFile> => {
  const { args, line, row } = command
  if (row.is("places")) return writing(placedFiles(command, place))
  const names = savedBy(command)
  if (names.length > 0) return writing(names.map((name) => literal(name)))
  const [manner, ...words] = row.words("creates")
  switch (manner) {
    case "patched":
      return writing(patchedFiles(command))
    case "pieces": {
      const [prefix, ...options] = words
      const given = options.length > 0 ? line.values(...options)[0] : line.operands[1]
      return writing([supplied(`${given?.guess ?? prefix}*`, true)])
    }
    case "archive":
      return writing(line.operands.slice(0, 1).flatMap((arg) => [arg, { ...arg, guess: `${arg.guess}.zip` }]))
    case "added":
      return line.verb() === "a" ? writing(line.operands.slice(1, 2)) : []
    case "members": {
      const folder = line.values("-d").at(-1)
      return writing(line.operands.slice(1).map((arg) => (folder === undefined ? arg : inFolder(folder, arg))))
    }
  }
  if (row.files?.operands === "worktree") return line.verb() === "mv" ? writing(placedFiles(command, place)) : []
  const written = writtenByScript(command)
  if (written.length > 0) return writing(written)
  // Where the operands of a reader are not told apart, any pattern may be for its files.
  return tellsFiles(row) || !row.is("reader") ? [] : reading(args.filter((arg) => arg.glob))
}

/** What is copied into a folder keeps its name there. */
const placedFiles = ({ fields, line, row }: Command, place: ActionContext): ReadonlyArray<Arg> => {
  const operands = row.files?.operands === "worktree" ? line.operands.slice(1) : line.operands
  const option = line.values("-t", "--target-directory").at(-1)
  const isAlone = operands.length === 1 && row.is("links")
  const target = option ?? (isAlone ? literal(".") : operands.at(-1))
  if (target === undefined || (operands.length < 2 && option === undefined && !isAlone)) return []
  const path = resolve(target.guess, fields.cwd)
  const isFolder = option !== undefined || isAlone || operands.length > 2 || /(^|\/)\.{0,2}$/.test(target.guess) ||
    (path !== undefined && place.kindOf?.(path) === "folder")
  if (!isFolder) return []
  return (option !== undefined || isAlone ? operands : operands.slice(0, -1)).flatMap((arg) => {
    const name = arg.guess.replace(/\/+$/, "").replace(/^[^/]*:/, "").replace(/^.*\//, "")
    return name === "" || name === "." || name === ".." ? [] : [inFolder(target, renamed(arg, name))]
  })
}
