import type { Touch } from "../Part.ts"
import type { Command } from "./Command.ts"
import { resolve } from "./Paths.ts"
import { fileUse } from "./programs/Files.ts"
import type { Arg } from "./Words.ts"
import { after, HOLE } from "./Words.ts"

export interface Use {
  readonly kind: "read" | "write"
  readonly arg: Arg
}

const cache = new WeakMap<Command, ReadonlyArray<Use>>()

/** The files that the arguments of a command name, redirects aside. */
export const usesOf = (command: Command): ReadonlyArray<Use> => {
  const known = cache.get(command)
  if (known !== undefined) return known
  const found = command.fields.where === "contained" ? [] : find(command)
  cache.set(command, found)
  return found
}

const find = (command: Command): ReadonlyArray<Use> => {
  const { line, program } = command
  const table = fileUse(program)
  if (program === "dd") return prefixed(command, { "of=": "write", "if=": "read" })
  if (program === "tar" || program === "gtar" || program === "bsdtar") return ofTar(command)
  if (program === "sqlite3" || program === "sqlite")
    return line.operands.slice(0, 1).map((arg) => ({ kind: "read", arg }))
  if (table === undefined) return []
  const all: Array<Use> = []
  for (const arg of line.values(...table.writes)) all.push({ kind: "write", arg })
  for (const arg of line.values(...table.reads)) all.push({ kind: "read", arg })
  if (program === "find" || program === "gfind") {
    for (const name of table.writes) {
      const at = command.args.findIndex((arg) => arg.guess === name)
      if (at >= 0 && command.args[at + 1] !== undefined) all.push({ kind: "write", arg: command.args[at + 1]! })
    }
  }
  const skipped =
    program.endsWith("grep") || program === "rg" || program.endsWith("sed")
      ? line.has("-e", "-f", "--expression", "--regexp", "--file")
      : program.endsWith("awk") && line.has("-f")
  const operands = line.operands.slice(skipped ? 0 : table.skip)
  const inPlace = isInPlace(command)
  const hasTarget = line.has("-t", "--target-directory")
  operands.forEach((arg, index) => {
    const isLast = index === operands.length - 1 && !hasTarget && operands.length > 1
    const kind = inPlace ? "write" : isLast ? table.last : table.operands
    if (kind !== "none") all.push({ kind, arg })
    // What is moved away is read as well: a key that is renamed is a key that is used.
    if (program === "mv" && !isLast) all.push({ kind: "read", arg })
  })
  return all
}

export const isInPlace = (command: Command): boolean => {
  const { line, program } = command
  if (program === "sed" || program === "gsed") return line.has("-i", "--in-place")
  if (program === "yq" || program === "sponge" || program === "jq") return line.has("-i", "--in-place", "--inplace")
  return program === "sort" ? false : program === "perl" && line.has("-i")
}

const prefixed = (command: Command, kinds: Readonly<Record<string, "read" | "write">>): ReadonlyArray<Use> =>
  command.args.flatMap((arg) =>
    Object.entries(kinds).flatMap(([prefix, kind]) =>
      arg.guess.startsWith(prefix) ? [{ kind, arg: after(arg, prefix.length) }] : []
    )
  )

/** `tar xzf`, `tar -xzf` and `tar --extract` alike. */
export const tarMode = (command: Command): "create" | "extract" | "list" => {
  const first = command.args[0]?.guess ?? ""
  const letters = /^[A-Za-z]+$/.test(first) ? first : ""
  if (command.line.has("-x", "--extract", "--get") || /x/.test(letters)) return "extract"
  return command.line.has("-c", "-r", "-u", "--create", "--append", "--update") || /[cru]/.test(letters)
    ? "create"
    : "list"
}

const ofTar = (command: Command): ReadonlyArray<Use> => {
  const { line } = command
  const mode = tarMode(command)
  const folders = line.values("-C", "--directory")
  const bundled = /^[A-Za-z]+$/.test(command.args[0]?.guess ?? "")
  const operands = bundled ? line.operands.slice(/f/.test(command.args[0]!.guess) ? 2 : 1) : line.operands
  if (mode === "extract") return folders.map((arg) => ({ kind: "write", arg }))
  const archive = bundled && /f/.test(command.args[0]!.guess) ? line.operands[1] : line.values("-f", "--file")[0]
  const written: ReadonlyArray<Use> =
    mode === "create" && archive !== undefined && archive.guess !== "-" ? [{ kind: "write", arg: archive }] : []
  return [...written, ...operands.map((arg) => ({ kind: "read", arg }) as const)]
}

/** The same for the rule language: only what is literal, as absolute paths. */
export const touchedBy = (command: Command): ReadonlyArray<Touch> => {
  const touches: Array<Touch> = []
  for (const { arg, kind } of usesOf(command)) {
    if (arg.guess.includes(HOLE) || arg.glob) continue
    const path = resolve(arg.guess, command.fields.cwd)
    if (path !== undefined) touches.push({ kind, path })
  }
  return touches
}
