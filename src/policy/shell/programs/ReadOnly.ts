import { dirname, join } from "node:path"
import type { ActionContext } from "../../decision/CallAction.ts"
import { type Arg, type Command, isKnown } from "./Command.ts"
import { readsRepository } from "./Git.ts"
import { fits } from "./Rules.ts"
import type { Program } from "./Table.ts"

/** The command only reads (docs/policy.md#read-only-commands). */
export const isReadOnly = (command: Command, place: ActionContext): boolean => {
  const { args, row, words } = command
  const [safe = "", ...more] = row.texts("safe")[0]?.split(" ") ?? []
  if (safe === "always") return true
  const manner = manners[safe]
  // What is not literal may turn out to be an option, or to be several words; so may a name that a glob finds.
  if (manner?.takesAnyWords !== true && !args.every((arg) => isFixed(arg, args))) return false
  if (isVersion(row, words)) return isOwnProgram(command, place)
  return manner !== undefined && words.every((word) => passes(row, word)) && isOwnProgram(command, place) &&
    manner.reads(command, place, more.join(" "))
}

const isFixed = (arg: Arg, args: ReadonlyArray<Arg>): boolean =>
  !arg.glob &&
  (arg.value !== null ||
    arg.text.startsWith("<(") ||
    // Only so many alternatives of braces are looked at.
    (isKnown(arg) && !/[$`]|\.\./.test(arg.text) && args.filter((each) => each.text === arg.text).length < 32))

const isVersion = (row: Program, [word = "", ...more]: ReadonlyArray<string>): boolean => {
  if (!row.has("version") || more.length > 0) return false
  const forms = row.words("version")
  return word === "--version" || (/^-[vV]$/.test(word) && forms.includes("short")) ||
    (word === "version" && forms.includes("verb"))
}

interface Manner {
  readonly reads: (command: Command, place: ActionContext, text: string) => boolean
  readonly takesAnyWords?: true
}

const manners: Readonly<Record<string, Manner>> = {
  bare: { reads: ({ args }) => args.length === 0 },
  options: { reads: () => true },
  /** The words, each with a null character behind it. */
  line: { reads: ({ words }, _, text) => expression(text).test(words.map((word) => `${word}\0`).join("")) },
  operands: { reads: ({ words }, _, text) => operandsBut(words, expression(text)) < 2 },
  repository: { reads: readsRepository },
  printing: {
    reads: ({ words }) =>
      words.some((word) => /^-\w*n/.test(word)) &&
      /^(\d+|\$)(,(\d+|\$))?p$/.test(words.find((word) => !word.startsWith("-")) ?? "")
  },
  filtering: { reads: ({ line }) => awkReads(line.operands[0]?.value ?? null) },
  format: {
    // Only its first word can be an option, and that one names a variable to set.
    reads: ({ args: [first] }) =>
      first?.value != null
        ? first.guess === "--" || !first.guess.startsWith("-")
        : first?.glob === false && /^["']?[\w%]/.test(first.text),
    takesAnyWords: true
  },
  variables: {
    reads: ({ args }) => args.length > 0 && args.every((arg) => harmlessExport.test(arg.text)),
    takesAnyWords: true
  }
}

const harmlessExport = /^(NODE_ENV|CI|FORCE_COLOR|NO_COLOR|DEBUG|TZ|LANG|LC_\w+|RUST_LOG|RUST_BACKTRACE)=/

const expressions = new Map<string, RegExp>()

const expression = (text: string): RegExp => {
  const made = expressions.get(text) ?? new RegExp(text)
  expressions.set(text, made)
  return made
}

/**
 * Whether a word is no option of the program, or one with which it only reads. Words after a `--` and values of options
 * are held to it as well, so that it does not matter how the program tells them apart.
 */
const passes = (row: Program, word: string): boolean => {
  const short = row.texts("safe-short")[0]
  if (short === undefined || word.length < 2 || word[0] !== "-" || word === "--") return true
  return row.words("safe-long").includes(word.replace(/=.*/s, "")) || (word[1] !== "-" && expression(short).test(word))
}

/** All that follows the first operand may be one: not every program looks for options there. */
const operandsBut = (words: ReadonlyArray<string>, valued: RegExp): number => {
  const first = words.findIndex((word, at) => !/^-./.test(word) && !valued.test(words[at - 1] ?? ""))
  return first < 0 ? 0 : words.length - first
}

/** Strings and patterns are not told from code: where one ends takes a whole parser to know. */
const awkReads = (program: string | null): boolean => {
  if (program === null) return false
  const rest = program.replace(/^\s*(NR|NF|FNR|\$\d+)\s*[<>]=?\s*\d+/, "").replaceAll("||", " ")
  return !/system|getline|close|fflush|ENVIRON|[|>@]|\\\r?\n/.test(rest)
}

const foldersUpFrom = (folder: string): ReadonlyArray<string> =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersUpFrom(dirname(folder))]

/** The program is the one of the machine, whatever the project around the folder says. */
const isOwnProgram = ({ fields: { cwd }, row }: Command, { isPlainRepository, kindOf }: ActionContext): boolean => {
  const names = row.words("project")
  if (names.length === 0) return true
  // It asks git about the repository.
  if (names[0] === "repository") return cwd !== null && isPlainRepository?.(cwd) === true
  if (cwd === null || kindOf === undefined) return false
  return foldersUpFrom(cwd).every((folder) => names.every((name) => kindOf(join(folder, name)) === "none"))
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
      return leadsOnly(command) && wraps
    case "batch":
      return !line.has("-a", "--arg-file", "-i") && wraps && inner!.row.is("batch-safe")
  }
  return false
}

/** `time` can write a file, so the options before the inner command are known ones. */
const leadsOnly = ({ words }: Command): boolean => {
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
