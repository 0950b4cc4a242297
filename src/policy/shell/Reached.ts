import type { ActionContext, FileOperand } from "../decision/CallAction.ts"
import { isReader } from "../rules/Touches.ts"
import type { Command } from "./Command.ts"
import { saved } from "./Downloads.ts"
import { patched } from "./GitFiles.ts"
import { resolve } from "./Paths.ts"
import { fileUse } from "./programs/Files.ts"
import { readsTree, writesTree } from "./programs/Trees.ts"
import { writtenByScript } from "./ScriptFiles.ts"
import { joined, type Use, usesOf } from "./Touched.ts"
import { tarMode } from "./TarMode.ts"
import { type Arg, HOLE, literal, supplied } from "./Words.ts"

/**
 * What deny rules and limits look for in a command (policy §2.5): the files its arguments name, those that follow from them, as the
 * copy in a folder, and the patterns and folders whose files it comes to.
 */
export const touchedBy = (command: Command, place: ActionContext): ReadonlyArray<FileOperand> => {
  if (command.program === "" || command.fields.where === "contained") return []
  const { cwd } = command.fields
  const touches: Array<FileOperand> = []
  const uses = [...usesOf(command), ...extra(command, place), ...redirects(command)]
  for (const { arg, kind } of uses) {
    const found = touched(kind, arg, command)
    if (found !== undefined) touches.push(found)
  }
  const below = (kind: FileOperand["kind"], how: "all" | "some", args: ReadonlyArray<Arg>): void => {
    for (const arg of args.length === 0 ? [literal(".")] : args) {
      const path = arg.guess.includes(HOLE) ? undefined : resolve(arg.guess, cwd)
      // Nothing lies below a file.
      if (path !== undefined && place.kindOf?.(path) !== "file") {
        touches.push({ kind, path, ...(isPattern(arg) ? { glob: true as const } : {}), below: how })
      }
    }
  }
  const of = (kind: FileOperand["kind"]) => uses.filter((use) => use.kind === kind).map(({ arg }) => arg)
  if (readsTree(command)) below("read", "some", of("read"))
  const writes = writesTree(command)
  // What stays where it is moved to is not touched.
  if (writes === "all" && /mv$/.test(moverOf(command))) below("write", writes, of("write").slice(0, -1))
  else if (writes !== undefined && unpacks(command)) below("write", writes, of("write"))
  return touches
}

/** A redirect is a part of its own where it is literal. */
const redirects = ({ fields }: Command): ReadonlyArray<Use> => {
  const open = (kind: Use["kind"], args: ReadonlyArray<Arg>) =>
    args.filter(({ value }) => value === null).map((arg): Use => ({ kind, arg }))
  return [...open("write", fields.writes), ...open("read", fields.reads)]
}

const isPattern = (arg: Arg): boolean => arg.glob || (!arg.certain && /[*?[]/.test(arg.guess))

const feeders = new Set(["find", "gfind", "fd", "fdfind", "xargs", "parallel"])

const touched = (kind: FileOperand["kind"], arg: Arg, command: Command): FileOperand | undefined => {
  const { cwd, wrappers } = command.fields
  // A name that is found may lie at any depth, and one that is not known anywhere.
  const isFound = arg.value === null && arg.inner.length === 0 && !arg.text.includes("$") &&
    feeders.has(wrappers.at(-1) ?? "")
  if (isFound || arg.guess.includes(HOLE)) {
    if (kind === "write") return undefined
    const start = arg.guess.split(HOLE)[0]!.replace(/[^/]*$/, "")
    const folder = resolve(start === "" ? (arg.guess.startsWith(HOLE) && !isFound ? "/" : ".") : start, cwd)
    return folder === undefined ? undefined : { kind, path: folder, below: isFound ? "some" : "one" }
  }
  const path = resolve(arg.guess, cwd)
  return path === undefined ? undefined : { kind, path, ...(isPattern(arg) ? { glob: true } : {}) }
}

const moverOf = ({ line, program }: Command): string => (program === "git" ? line.verb() : program)

/** A list archive only names what is in it. */
const unpacks = (command: Command): boolean => !/tar$/.test(command.program) || tarMode(command) === "extract"

const placing = /^g?(cp|mv|ln|install)$|^(rsync|scp)$/

const extra = (command: Command, place: ActionContext): ReadonlyArray<Use> => {
  const { args, line, program } = command
  const write = (each: ReadonlyArray<Arg>) => each.map((arg): Use => ({ kind: "write", arg }))
  if (placing.test(program)) return write(placed(command, place))
  const names = saved(command)
  if (names.length > 0) return write(names.map((name) => literal(name)))
  switch (program) {
    case "patch":
      return write(patched(command))
    case "split":
      return write([supplied(`${line.operands[1]?.guess ?? "x"}*`, true)])
    case "csplit":
      return write([supplied(`${line.values("-f", "--prefix")[0]?.guess ?? "xx"}*`, true)])
    case "zip":
      return write(line.operands.slice(0, 1).flatMap((arg) => [arg, { ...arg, guess: `${arg.guess}.zip` }]))
    case "7z":
    case "7za":
    case "rar":
      return line.verb() === "a" ? write(line.operands.slice(1, 2)) : []
    case "unzip": {
      const folder = line.values("-d").at(-1)
      return write(line.operands.slice(1).map((arg) => (folder === undefined ? arg : joined(folder, arg))))
    }
    case "git":
      return line.verb() === "mv" ? write(placed(command, place)) : []
  }
  const written = writtenByScript(command)
  if (written.length > 0) return write(written)
  // Where the operands of a reader are not told apart, any pattern may be for its files.
  return fileUse(program) === undefined && isReader(program)
    ? args.filter((arg) => arg.glob).map((arg): Use => ({ kind: "read", arg }))
    : []
}

/** What is copied into a folder keeps its name there. */
const placed = (command: Command, place: ActionContext): ReadonlyArray<Arg> => {
  const { fields, line, program } = command
  const operands = program === "git" ? line.operands.slice(1) : line.operands
  const option = line.values("-t", "--target-directory").at(-1)
  const last = operands.at(-1)
  const isAlone = operands.length === 1 && program.endsWith("ln")
  const target = option ?? (isAlone ? literal(".") : last)
  if (target === undefined || (operands.length < 2 && option === undefined && !isAlone)) return []
  const path = resolve(target.guess, fields.cwd)
  const isFolder = option !== undefined || isAlone || operands.length > 2 || /(^|\/)\.{0,2}$/.test(target.guess) ||
    (path !== undefined && place.kindOf?.(path) === "folder")
  if (!isFolder) return []
  return (option !== undefined || isAlone ? operands : operands.slice(0, -1)).flatMap((arg) => {
    const name = arg.guess.replace(/\/+$/, "").replace(/^[^/]*:/, "").replace(/^.*\//, "")
    return name === "" || name === "." || name === ".."
      ? []
      : [joined(target, { ...arg, guess: name, text: name, value: arg.value === null ? null : name })]
  })
}
