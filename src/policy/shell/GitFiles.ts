import type { Command } from "./Command.ts"
import type { Use } from "./Touched.ts"
import { joined } from "./Touched.ts"
import type { Arg } from "./Words.ts"
import { after, literal } from "./Words.ts"

/** Which files of the work tree git's arguments name, and what it does with them. */

/** The folder that `-C` leads to; paths start there. */
const base = ({ args, line }: Command): Arg | undefined => {
  let folder: Arg | undefined
  for (let at = 0; at < args.length && args[at] !== line.operands[0]; at++) {
    const next = args[at]!.guess === "-C" ? args[++at] : undefined
    if (next !== undefined) folder = folder === undefined ? next : joined(folder, next)
  }
  return folder
}

/** `REVISION:path` and `:path`: what the repository has under that name. */
const stored = (arg: Arg): ReadonlyArray<Arg> => {
  const found = /^[^:/\s]*:(?:\d:)?(?!\/\/)(?=.)/.exec(arg.guess)
  return found === null ? [] : [after(arg, found[0].length)]
}

/** Paths are what follows `--`; without it, what is no revision by its place. */
const paths = ({ args, line }: Command, skip: number): ReadonlyArray<Arg> => {
  const dashes = args.findIndex((arg) => arg.guess === "--")
  return dashes >= 0 ? args.slice(dashes + 1) : line.operands.slice(1 + skip)
}

export const gitUses = (command: Command): ReadonlyArray<Use> => {
  const folder = base(command)
  return named(command).map(({ arg, kind }) => ({
    kind,
    arg: folder === undefined ? arg : joined(folder, pathspec(arg))
  }))
}

/** `:/x`, `:(top)x` and the like. */
const pathspec = (arg: Arg): Arg => {
  const magic = /^:(\/|\([^)]*\))/.exec(arg.guess)
  return magic === null ? arg : after(arg, magic[0].length)
}

const named = (command: Command): ReadonlyArray<Use> => {
  const { line } = command
  const write = (args: ReadonlyArray<Arg>) => args.map((arg): Use => ({ kind: "write", arg: pathspec(arg) }))
  const read = (args: ReadonlyArray<Arg>) => args.map((arg): Use => ({ kind: "read", arg: pathspec(arg) }))
  const output = write(line.values("--output", "-o"))
  switch (line.verb()) {
    case "mv":
      return write(paths(command, 0))
    case "rm":
      return line.has("--cached", "-n", "--dry-run") ? [] : write(paths(command, 0))
    case "restore":
      return line.has("-S", "--staged") && !line.has("-W", "--worktree") ? [] : write(paths(command, 0))
    case "checkout":
      return line.has("-b", "-B", "--orphan", "-t", "--track") ? [] : write(paths(command, 0))
    case "checkout-index":
      return write(paths(command, 0))
    case "stash":
      return write(
        line.verb(1) === "push"
          ? paths(command, 1)
          : command.args.some((arg) => arg.guess === "--")
          ? paths(command, 0)
          : []
      )
    case "clean":
      return line.has("-n", "--dry-run") ? [] : write(paths(command, 0))
    case "apply":
    case "am":
      return [...read(line.operands.slice(1)), ...write(patched(command))]
    case "clone":
    case "worktree":
    case "init":
      return write(line.operands.slice(line.verb() === "init" ? 1 : 2))
    case "archive":
    case "format-patch":
    case "bundle":
      return output
    case "grep":
      return read(paths(command, line.has("-e", "-f") ? 0 : 1))
    case "hash-object":
    case "blame":
    case "annotate":
      return read(line.operands.slice(1))
  }
  const revisions = line.operands.slice(1).flatMap(stored)
  const given = line.operands.slice(1).filter((arg) => stored(arg).length === 0)
  return [...output, ...read(revisions), ...(/^(diff|log|show)$/.test(line.verb()) ? read(given) : [])]
}

/** The files that a patch on standard input says it is for. */
export const patched = ({ fields }: Command): ReadonlyArray<Arg> =>
  [...(fields.input.text ?? "").matchAll(/^(?:\+\+\+|---|rename to|rename from) ([^\t\n]+)/gm)]
    .map((match) => match[1]!)
    .filter((name) => name !== "/dev/null")
    .flatMap((name) => [name, name.replace(/^[ab]\//, "")])
    .map((name) => literal(name))
