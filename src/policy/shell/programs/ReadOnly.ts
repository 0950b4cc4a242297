import { dirname, join } from "node:path"
import type { ActionContext } from "../../decision/CallAction.ts"
import { type Arg, type Command, isKnown } from "./Command.ts"
import { awkReads } from "./AwkScript.ts"
import { isHarmlessVariable, isOwnVariable } from "./Environment.ts"
import { isInPlainRepository } from "./Git.ts"
import { type Reading, readingOf } from "./ReadForms.ts"
import { fits } from "./Rules.ts"
import { type Program, programsWith } from "./Table.ts"

/** The command only reads (docs/policy.md#read-only-commands). */
export const isReadOnly = (command: Command, place: ActionContext): boolean => {
  const { args, row, words } = command
  if (row.has("safe-inner")) return false
  // What is not literal may turn out to be an option, or to be several words; so may a name that a glob finds.
  if (!row.is("anything") && !args.every((arg) => isFixed(arg, args))) return false
  // The disk is looked at last.
  if (isVersion(row, words)) return isOwnProgram(command, place)
  const reading = readingOf(command)
  if (reading === undefined) return false
  const [judge] = row.words("reads-as")
  return (judge === undefined || judges[judge]!(command, place, reading)) && isOwnProgram(command, place)
}

const isFixed = (arg: Arg, args: ReadonlyArray<Arg>): boolean =>
  arg.glob
    // No name that it finds begins with a dash, whatever lies there.
    ? arg.certain && arg.inner.length === 0 && /^[\w./@][^$`]*$/.test(arg.guess) && !/[$`]/.test(arg.text)
    : (textOf(arg) !== undefined ||
      arg.text.startsWith("<(") ||
      // Only so many alternatives of braces are looked at.
      (isKnown(arg) && !/[$`]|\.\./.test(arg.text) && args.filter((each) => each.text === arg.text).length < 32))

const isVersion = (row: Program, [word = "", ...more]: ReadonlyArray<string>): boolean => {
  if (!row.has("version") || more.length > 0) return false
  const forms = row.words("version")
  return word === "--version" || (/^-[vV]$/.test(word) && forms.includes("short")) ||
    (word === "version" && forms.includes("verb"))
}

type Judge = (command: Command, place: ActionContext, reading: Reading) => boolean

/** What the program gets, where only the command line decides it. */
const textOf = ({ exact, glob, guess, value }: Arg): string | undefined => value ?? (exact && !glob ? guess : undefined)

/** What it takes more than a list of options to tell. */
export const judges: Readonly<Record<string, Judge>> = {
  repository: isInPlainRepository,
  script: (_, __, { operands, values }) => {
    const scripts = [...(values.get("-e") ?? []), ...(values.get("--expression") ?? [])]
    const all = scripts.length > 0 ? scripts : operands.slice(0, 1)
    return all.length > 0 && all.every((arg) => textOf(arg) !== undefined && sedReads(textOf(arg)!))
  },
  filter: (_, __, { operands: [program] }) => {
    const text = program && textOf(program)
    return text !== undefined && awkReads(text)
  },
  format: ({ args: [first] }) =>
    // Only its first word can be an option, and that one names a variable to set.
    first?.value != null
      ? first.guess === "--" || !first.guess.startsWith("-")
      : first?.glob === false && /^["']?[\w%]/.test(first.text),
  variables: ({ args }) => args.length > 0 && args.every(exportsHarmless),
  names: (_, __, { operands, values }) =>
    [...operands, ...(values.get("-a") ?? [])].every(({ value }) => value !== null && isOwnVariable(value))
}

const exportsHarmless = ({ guess, text }: Arg): boolean => {
  const equals = text.indexOf("=")
  return equals > 0 && isHarmlessVariable(text.slice(0, equals), guess.slice(equals + 1))
}

/** Where the delimiter stands that ends a part; about one in brackets implementations differ, so there it is refused. */
const delimiterAt = (script: string, from: number, delimiter: string): number | undefined => {
  for (let at = from; at < script.length && script[at] !== "\n"; at++) {
    if (script[at] === delimiter) return at
    if (script[at] === "\\") {
      if (script[++at] === "\n") return undefined
    } else if (script[at] === "[") {
      const [bracket] = /^\[\^?(?:\[:\w+:\]|[^\]\[\n\\])+\]/.exec(script.slice(at)) ?? []
      if (bracket === undefined || bracket.includes(delimiter)) return undefined
      at += bracket.length - 1
    }
  }
  return undefined
}

const sedCommand = /^(?:[pdq=PDnNgGhHxl{]|(})|[sy]([^\w\s\\;{}]))/

/** Every command of the script is one that neither writes a file nor runs a command. */
const sedReads = (script: string): boolean => {
  let at = 0
  const skip = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(script.slice(at))
    at += found?.[0].length ?? 0
    return found
  }
  const skipAddress = (): boolean => {
    if (skip(/^(?:\d+(?:~\d+)?|\$|[+~]\d+)/) !== null || script[at] !== "/") return true
    const end = delimiterAt(script, at + 1, "/")
    at = end === undefined ? at : end + 1
    skip(/^I/)
    return end !== undefined
  }
  while (skip(/^[\s;]+/) !== null || at < script.length) {
    if (at === script.length) break
    if (!skipAddress() || (skip(/^\s*,\s*/) !== null && !skipAddress())) return false
    skip(/^[\s!]+/)
    const found = skip(sedCommand)
    if (found === null) return false
    const [command, , delimiter] = found
    if (delimiter !== undefined) {
      for (let part = 0; part < 2; part++) {
        const end = delimiterAt(script, at, delimiter)
        if (end === undefined) return false
        at = end + 1
      }
      if (command[0] === "s") skip(/^[gpIi\d]+/)
    }
    if (command !== "{" && !/^[ \t]*([;\n}]|$)/.test(script.slice(at))) return false
  }
  return script.trim() !== ""
}

const foldersUpFrom = (folder: string): ReadonlyArray<string> =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersUpFrom(dirname(folder))]

let managing: ReadonlyArray<string> | undefined

const managers = (): ReadonlyArray<string> =>
  managing ??= programsWith("chooses").flatMap((manager) => manager.words("chooses"))

/** The program is the one of the machine, whatever the project around the folder says. */
const isOwnProgram = ({ fields: { cwd }, program, row }: Command, place: ActionContext): boolean => {
  if (place.isInFolders?.(program) === true) return false
  const [first, ...names] = row.words("project")
  // It asks git about the repository.
  if (first === "repository" && (cwd === null || place.isPlainRepository?.(cwd) !== true)) return false
  const own = first === undefined || first === "repository" ? names : [first, ...names]
  // Git's own version matters less than that it can be asked in every folder.
  const chosen = row.has("version") && !row.words("reads-as").includes("repository") ? managers() : []
  if (own.length + chosen.length === 0) return true
  const { kindOf } = place
  if (cwd === null || kindOf === undefined) return false
  return foldersUpFrom(cwd).every((folder) =>
    [...own, ...chosen].every((name) => kindOf(join(folder, name)) === "none")
  )
}

const nextOf = (command: Command, all: ReadonlyArray<Command>): Command | undefined => all[all.indexOf(command) + 1]

/** It only reads as long as what it runs does, which stands behind it in the list. */
export const readsItself = (command: Command, all: ReadonlyArray<Command>): boolean => {
  const { line, program, row } = command
  const inner = nextOf(command, all)
  const wraps = inner?.fields.wrappers.at(-1) === program
  switch (row.words("safe-inner")[0]) {
    case "script":
      return line.has("-c") && line.options.every((option) => /^-[cleu]$/.test(option)) && line.operands.length === 1
    case "leading":
      return wraps && readingOf(command) !== undefined
    case "batch":
      return wraps && inner!.row.is("anything") && readingOf(command) !== undefined
  }
  return false
}

/** It builds or tests, and writes only what it produces (docs/policy.md#test-commands). */
export const isTest = (command: Command): boolean => {
  const name = command.fields.name?.guess ?? ""
  if (name.includes("/") && !/^(\.\/)?(node_modules\/\.bin\/[\w-]+|gradlew|mvnw)$/.test(name)) return false
  return fits(command, "tests")
}

/** A package runner is what it runs, which follows in the list; its own options must not fetch or evaluate anything. */
export const runsTest = (command: Command, all: ReadonlyArray<Command>): boolean => {
  const { line, row, words } = command
  const [verb, ...verbs] = row.words("runs-tests")
  if (!row.has("runs-tests") || (verb !== undefined && ![verb, ...verbs].includes(line.verb()))) return false
  const next = nextOf(command, all)
  return next !== undefined && isTest(next) && !words.some((word) => /^[\w-]+@/.test(word)) &&
    !line.has("-p", "--package", "-c", "--call", "--with", "-y", "--yes")
}
