import { type Arg, type Command, isKnown, literal } from "./Command.ts"
import type { Program } from "./Table.ts"

/**
 * The ways to call a program so that it only reads: the `reads` facts of its row. They name every option that may be
 * given and say which of them take a value, so that an option nobody thought of, an abbreviation and a value that looks
 * like an option never pass (docs/policy.md#read-only-commands).
 */
interface ReadForm {
  readonly verbs: ReadonlyArray<ReadonlySet<string>>
  readonly options: Options
  /** One of them has to be given, unless there are none. */
  readonly needs: ReadonlyArray<string>
  /** How many operands there may be, the subcommands aside. */
  readonly most: number
  /** What operands have to look like, and what they must not look like. */
  readonly like: RegExp | undefined
  readonly unlike: RegExp | undefined
}

/** What an option takes: nothing, a value in the same word only, or one of a kind. */
type Takes = "nothing" | "joined" | ValueKind

/** `isJoined`: the value stands in the same word as the option. */
type ValueTest = (value: string, isJoined: boolean) => boolean

interface ValueKind {
  readonly test: ValueTest
  /** Whether the value may be a file: it is one, it is where it looks like a path, or it never is. */
  readonly file: "always" | "maybe" | "never"
  /** Another word comes first, as the name in `--rawfile NAME FILE`. */
  readonly isSecond: boolean
}
type Options = ReadonlyMap<string, Takes>

/** A command line taken apart by one of the forms. */
export interface Reading {
  readonly operands: ReadonlyArray<Arg>
  /** How many subcommands there are. */
  readonly verbs: number
  readonly values: ReadonlyMap<string, ReadonlyArray<Arg>>
  /** Values of options that are files, or may be by their looks. */
  readonly files: ReadonlyArray<Arg>
}

const looksLikeOption = (value: string): boolean => /^-[A-Za-z-]/.test(value)

const valueTests: Readonly<Record<string, ValueTest>> = {
  // A word that stands alone and looks like an option is more likely one.
  "": (value, isJoined) => isJoined || !looksLikeOption(value),
  any: () => true,
  text: (value, isJoined) => isJoined || !looksLikeOption(value),
  file: (value, isJoined) => isJoined || !looksLikeOption(value),
  next: (value, isJoined) => !isJoined && !looksLikeOption(value),
  number: (value) => /^=?[-+]{0,2}(0x[\da-f]+|\d[\d.]*)[A-Za-z]{0,3}$/i.test(value),
  // With a colon it is on another machine.
  local: (value, isJoined) => !value.includes(":") && (isJoined || !looksLikeOption(value))
}

const isFile = new Set(["file", "local"])

/** The kind by its name, or one of several values. */
const kindOf = (text: string): ValueKind => {
  const isSecond = text.startsWith("=")
  const name = isSecond ? text.slice(1) : text
  const test = Object.hasOwn(valueTests, name) ? valueTests[name]! : oneOf(name)
  return { test, file: isFile.has(name) ? "always" : name === "" ? "maybe" : "never", isSecond }
}

const oneOf = (text: string): ValueTest => {
  const values = new Set(text.split(","))
  return (value) => values.has(value.replace(/^=/, ""))
}

const globs = (words: ReadonlyArray<string>): RegExp | undefined =>
  words.length === 0 ? undefined : new RegExp(
    `^(${words.map((word) => word.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*")).join("|")})$`,
    "s"
  )

const optionsOf = (words: ReadonlyArray<string>, isWhole: boolean): Options => {
  const options = new Map<string, Takes>()
  for (const word of words) {
    const [, name = "", mark, kind = ""] = /^(.[^=?]*)([=?]?)(.*)$/.exec(word)!
    const takes = mark === "" ? "nothing" : mark === "?" ? "joined" : kindOf(kind)
    const bundled = !isWhole && /^[-+][^-]/.test(name) && name !== "-#" ? [...name.slice(1)] : undefined
    // Of a bundle only the last one takes the value.
    bundled?.forEach((letter, at) => options.set(name[0] + letter, at === bundled.length - 1 ? takes : "nothing"))
    if (bundled === undefined) options.set(name, takes)
  }
  return options
}

const sections = (words: ReadonlyArray<string>): Readonly<Record<string, ReadonlyArray<string>>> => {
  const found: Record<string, Array<string>> = { head: [], needs: [], operands: [], like: [], unlike: [] }
  let into = found["head"]!
  for (const word of words) {
    if (word !== "head" && Object.hasOwn(found, word)) into = found[word]!
    else into.push(word)
  }
  return found
}

const isWhole = (row: Program): boolean => row.is("single-dash") || row.is("unbundled")

const isOption = (word: string): boolean => /^[-+*<]/.test(word)

const toForm = (text: string, row: Program, lists: ReadonlyMap<string, ReadonlyArray<string>>): ReadForm => {
  const { head = [], like = [], needs = [], operands = [], unlike = [] } = sections(text.split(" "))
  const first = head.findIndex(isOption)
  const verbs = head.slice(0, first < 0 ? head.length : first).filter((word) => word !== "")
  const words = head.slice(verbs.length).flatMap((word) => word[0] === "<" ? lists.get(word.slice(1, -1))! : [word])
  const common = verbs.length > 0 ? row.words("reads-globals") : ["--help", "--version"]
  return {
    verbs: verbs.map((word) => new Set(word.split(","))),
    options: optionsOf([...common, ...words.filter((word) => word !== "")], isWhole(row)),
    needs,
    most: operands[0] === undefined ? Infinity : Number(operands[0]),
    like: globs(like),
    unlike: globs(unlike)
  }
}

/** Forms are read from the row when the program is first looked at. */
interface Forms {
  readonly globals: Options
  readonly forms: ReadonlyArray<ReadForm>
}

const known = new WeakMap<Program, Forms>()

const formsOf = (row: Program): Forms => {
  const before = known.get(row)
  if (before !== undefined) return before
  const lists = new Map(
    row.texts("reads-list").map((text) => {
      const [name = "", ...options] = text.split(" ")
      return [name, options]
    })
  )
  const made = {
    globals: optionsOf(row.words("reads-globals"), isWhole(row)),
    forms: row.texts("reads").map((text) => toForm(text, row, lists))
  }
  known.set(row, made)
  return made
}

/** The options that all forms of a program allow, for the test of the table. */
export const readFormsOf = (row: Program): ReadonlyArray<ReadForm> => formsOf(row).forms

/** How the command only reads; `undefined` where no form of its row allows what is given. */
export const readingOf = (command: Command): Reading | undefined => {
  const before = command.known.reading as Reading | "none" | undefined
  if (before !== undefined) return before === "none" ? undefined : before
  const found = find(command)
  command.known.reading = found ?? "none"
  return found
}

const find = ({ args, row }: Command): Reading | undefined => {
  if (!row.has("reads")) return undefined
  const { forms, globals } = formsOf(row)
  const own = row.words("batch")[0] === "expression" ? withoutExecutions(args) : args
  for (const form of forms) {
    const reading = readAs(form, globals, row, own)
    if (reading !== undefined) return reading
  }
  return undefined
}

/**
 * The arguments of a finder without the commands in them, which are commands of their own. What they are given begins
 * with the folder that is searched, and never with a dash. `-execdir` and `-ok` are left for no form to allow.
 */
const withoutExecutions = (args: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const own: Array<Arg> = []
  for (let at = 0; at < args.length; at++) {
    if (args[at]!.value !== "-exec") {
      own.push(args[at]!)
      continue
    }
    let end = at + 1
    while (
      end < args.length && args[end]!.guess !== ";" && !(args[end]!.guess === "+" && args[end - 1]!.guess === "{}")
    ) {
      end++
    }
    // One that never ends is kept, and no form allows it.
    if (end === args.length || end === at + 1) return args
    at = end
  }
  return own
}

const readAs = (form: ReadForm, globals: Options, row: Program, args: ReadonlyArray<Arg>): Reading | undefined => {
  const operands: Array<Arg> = []
  const values = new Map<string, Array<Arg>>()
  const files: Array<Arg> = []
  const note = (name: string, value: Arg | undefined, kind?: ValueKind): void => {
    if (value !== undefined && mayBeFile(value, kind)) files.push(value)
    const before = values.get(name)
    if (before === undefined) values.set(name, value === undefined ? [] : [value])
    else if (value !== undefined) before.push(value)
  }
  let verb = 0
  let count = 0
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    const text = arg.guess
    const options = verb < form.verbs.length ? globals : form.options
    if (text === "--" && !isWhole(row)) {
      operands.push(...args.slice(at + 1))
      break
    }
    const dashed = text.length > 1 && (text[0] === "-" || (text[0] === "+" && hasPlus(options)))
    // What is not known was let through because no word makes this program more than a read.
    if (!dashed || (arg.value === null && !isKnown(arg))) {
      if (verb < form.verbs.length) {
        if (!form.verbs[verb]!.has(text)) return undefined
        verb++
        continue
      }
      if (operands.length === 0) count = args.length - at
      operands.push(arg)
      if (!row.is("options-first")) continue
      operands.push(...args.slice(at + 1))
      break
    }
    const taken = take(options, text, args.slice(at + 1, at + 3), isWhole(row), note)
    if (taken === undefined) return undefined
    at += taken
  }
  if (verb < form.verbs.length) return undefined
  if (form.needs.length > 0 && !form.needs.some((name) => values.has(name))) return undefined
  // All that follows the first operand may be one: not every program looks for options there.
  const most = Math.max(count, operands.length) + (operands.some((arg) => arg.glob) ? 1 : 0)
  if (most > form.most) return undefined
  const { like, unlike } = form
  if (operands.some(({ guess }) => like?.test(guess) === false || unlike?.test(guess) === true)) return undefined
  return { operands, verbs: verb, values, files }
}

const mayBeFile = ({ guess }: Arg, kind: ValueKind | undefined): boolean =>
  kind?.file === "always" || (kind?.file === "maybe" && /\/|^~|^\.\.$/.test(guess))

const hasPlus = (options: Options): boolean => [...options.keys()].some((name) => name[0] === "+")

/** How many of the next words belong to an option; `undefined` where it is not allowed. */
const take = (
  options: Options,
  text: string,
  next: ReadonlyArray<Arg>,
  whole: boolean,
  note: (name: string, value: Arg | undefined, kind?: ValueKind) => void
): number | undefined => {
  if (options.has("*")) return 0
  if (options.has("-#") && /^-\d[\d.]*$/.test(text)) return 0
  const value = (name: string, kind: ValueKind): number | undefined => {
    const found = next[kind.isSecond ? 1 : 0]
    if (found === undefined || !kind.test(found.guess, false)) return undefined
    if (kind.isSecond && looksLikeOption(next[0]!.guess)) return undefined
    note(name, found, kind)
    return kind.isSecond ? 2 : 1
  }
  if (text.startsWith("--") || whole) {
    const equals = text.indexOf("=")
    const name = equals < 0 ? text : text.slice(0, equals)
    const takes = options.get(name)
    if (takes === undefined) return whole ? joinedValue(options, text, note) : undefined
    if (typeof takes === "string") {
      note(name, undefined)
      return equals < 0 || takes === "joined" ? 0 : undefined
    }
    if (equals < 0) return value(name, takes)
    if (takes.isSecond || !takes.test(text.slice(equals + 1), true)) return undefined
    note(name, joinedArg(text.slice(equals + 1)), takes)
    return 0
  }
  for (let at = 1; at < text.length; at++) {
    const name = text[0]! + text[at]!
    const takes = options.get(name)
    if (takes === undefined) return undefined
    if (takes === "nothing") {
      note(name, undefined)
      continue
    }
    const rest = text.slice(at + 1)
    if (takes === "joined") {
      note(name, undefined)
      return 0
    }
    if (rest === "") return value(name, takes)
    if (takes.isSecond || !takes.test(rest, true)) return undefined
    note(name, joinedArg(rest), takes)
    return 0
  }
  return 0
}

/** `-l16` of a program that takes no bundles. */
const joinedValue = (
  options: Options,
  text: string,
  note: (name: string, value: Arg | undefined, kind?: ValueKind) => void
): number | undefined => {
  const name = text.slice(0, 2)
  const takes = options.get(name)
  if (typeof takes !== "object" || takes.isSecond || !takes.test(text.slice(2), true)) return undefined
  note(name, joinedArg(text.slice(2)), takes)
  return 0
}

const joinedArg = literal
