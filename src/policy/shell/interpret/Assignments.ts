import { type Arg, type Command, HOLE } from "../programs/Command.ts"
import { listedBy } from "./BatchRunners.ts"
import { formatted, isExact } from "./Output.ts"
import type { Scope } from "./Scope.ts"
import {
  arrayOf,
  eitherOf,
  given,
  type Known,
  likely,
  listOf,
  unknownValue,
  unset,
  type Value,
  Variables
} from "./Variables.ts"
import { fieldsOf } from "./WordExpansion.ts"

/** How commands change the variables of the shell. */

/** A value that is put into a variable, or into one element of it. */
export interface Stored {
  readonly name: string
  readonly known: Known
  readonly append?: boolean
  /** The key or number of the element; `null` where it is not known. */
  readonly index?: string | null | undefined
}

export const valueOf = ({ certain, exact, glob, guess, value }: Arg): Value => ({
  guess,
  certain,
  exact: exact || value !== null,
  glob
})

/** A value as a variable with these letters of `declare` keeps it. */
const kept = (value: Value, attributes: string): Value => {
  if (attributes.includes("i")) return { guess: "0", certain: value.certain, exact: false, glob: false }
  if (attributes.includes("l")) return { ...value, guess: value.guess.toLowerCase() }
  if (attributes.includes("u")) return { ...value, guess: value.guess.toUpperCase() }
  return /c/.test(attributes) ? likely(value) : value
}

const joinedTo = (before: Value, value: Value): Value => ({
  guess: before.guess + value.guess,
  certain: before.certain && value.certain,
  exact: before.exact && value.exact,
  glob: before.glob || value.glob
})

/** Puts a value into a variable. `isVolatile`: something unseen may change variables at any time. */
export const store = (scope: Scope, { append, index, known: made, name }: Stored, isVolatile: boolean): void => {
  const target = scope.variables.target(name)
  // Any variable may be meant.
  if (target === undefined || !/^[A-Za-z_]\w*$/.test(target)) {
    scope.variables = scope.variables.doubted()
    return
  }
  const before = scope.variables.get(target)
  const attributes = [...new Set((before?.attributes ?? "") + (made.attributes ?? ""))].join("")
  const known = made.elements === undefined
    ? { ...made, ...kept(made, attributes) }
    : arrayOf(new Map(Array.from(made.elements, ([key, value]) => [key, kept(value, attributes)])))
  const value = index === undefined
    ? append === true ? appended(before, known) : known
    : withElement(before, index, append === true ? joinedTo(elementOf(before, index), known) : known)
  const next: Known = { ...value, attributes: attributes === "" ? undefined : attributes }
  const sure = isVolatile ? { ...next, ...likely(next), elements: undefined } : next
  // Who writes to a variable that cannot be written may be refused.
  const isFixed = before?.attributes?.includes("r") === true
  scope.variables = scope.variables.with(target, isFixed ? eitherOf([before!, sure]) : sure)
}

const elementOf = (before: Known | undefined, index: string | null): Value =>
  (index === null ? undefined : before?.elements?.get(index)) ?? unknownValue

const appended = (before: Known | undefined, known: Known): Known => {
  if (known.elements === undefined) {
    if (before?.elements !== undefined) return withElement(before, "0", joinedTo(elementOf(before, "0"), known))
    return { ...known, ...joinedTo(before ?? unknownValue, known) }
  }
  const old = before === undefined || before.isUnset
    ? before === undefined ? undefined : new Map<string, Value>()
    : before.elements ?? new Map([["0", before]])
  if (old === undefined) return unknownValue
  const last = Math.max(-1, ...Array.from(old.keys(), Number))
  const isNamed = Number.isNaN(last)
  return arrayOf(
    new Map([
      ...old,
      ...Array.from(known.elements, ([key, value]): [string, Value] => [
        isNamed ? key : String(last + 1 + Number(key)),
        value
      ])
    ])
  )
}

const withElement = (before: Known | undefined, index: string | null, value: Value): Known => {
  if (index === null) return unknownValue
  if (before !== undefined && before.elements === undefined && before.guess.includes(HOLE)) return before
  const old = before?.elements ?? (before === undefined || before.isUnset ? [] : [["0", before] as const])
  const all = new Map<string, Value>([...old, [index, value]])
  const isNumbered = [...all.keys()].every((key) => /^\d+$/.test(key))
  return arrayOf(isNumbered ? new Map([...all].sort(([a], [b]) => Number(a) - Number(b))) : all)
}

const nameAndIndex = (text: string): Pick<Stored, "name" | "index"> => {
  const [, name, index] = /^(\w+)\[(.*)\]$/s.exec(text) ?? []
  if (name === undefined) return { name: text }
  return { name, index: /^[\w.-]+$/.test(index!) ? index! : null }
}

/** A name of a variable among the words of a builtin. */
const namedBy = (word: string): Pick<Stored, "name" | "index"> =>
  word.includes(HOLE) ? { name: "" } : nameAndIndex(word)

/** What a builtin puts into variables, apart from what `declare` and its kin do. */
export const storedBy = (command: Command, scope: Scope): ReadonlyArray<Stored> => {
  switch (command.program) {
    case "read":
      return readBy(command, scope)
    case "mapfile":
    case "readarray":
      return mappedBy(command)
    case "printf": {
      if (!/^-v/.test(command.words[0] ?? "")) return []
      const [first = "", second = ""] = command.words
      const rest = first === "-v" ? command.args.slice(2) : command.args.slice(1)
      const made = formatted(rest.map((arg) => arg.guess))
      const sure = made !== undefined && made.isPlain && isExact(rest)
      const value = made === undefined ? unknownValue : { guess: made.text, certain: sure, exact: sure, glob: false }
      return [{ ...namedBy(first === "-v" ? second : first.slice(2)), known: value }]
    }
    case "getopts":
      return [...command.words.slice(1, 2), "OPTARG", "OPTIND"].map((word) => ({
        ...namedBy(word),
        known: unknownValue
      }))
    case "let":
      return command.words.map((word) => ({
        ...namedBy(
          /^\s*(\w+)\s*([-+*/%&|^]|<<|>>)?=|^\s*(?:\+\+|--)?(\w+)/.exec(word)?.slice(1).find((each) =>
            /^\w/.test(each ?? "")
          ) ?? HOLE
        ),
        known: { guess: "0", certain: true, exact: false, glob: false }
      }))
    case "unset": {
      if (command.words.some((word) => /^-\w*f/.test(word))) return []
      const names = command.words.filter((word) => !word.startsWith("-"))
      return names.map((word) => {
        const found = namedBy(word)
        return { ...found, known: found.index === undefined ? unset : unknownValue }
      })
    }
  }
  return []
}

/** Options of a builtin: letters, with the values of those that take one, and the words behind. */
const optionsOf = (words: ReadonlyArray<string>, valued: string) => {
  const values = new Map<string, string>()
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at]!
    if (word === "--") {
      at++
      break
    }
    if (word.length < 2 || word[0] !== "-") break
    for (let index = 1; index < word.length; index++) {
      const letter = word[index]!
      if (!valued.includes(letter)) values.set(letter, "")
      else {
        values.set(letter, index + 1 < word.length ? word.slice(index + 1) : (words[++at] ?? ""))
        break
      }
    }
  }
  return { values, names: words.slice(at) }
}

/** The lines of a text, or what another delimiter separates. */
export const recordsOf = (text: string, delimiter = "\n"): ReadonlyArray<string> => {
  if (text === "") return []
  const records = text.split(delimiter === "" ? "\0" : delimiter[0]!)
  return records.at(-1) === "" ? records.slice(0, -1) : records
}

/** More lines than these are not told apart. */
const mostRecords = 8

const separatorsOf = ({ fields: { assignments } }: Command, { variables }: Scope): string | undefined => {
  const own = assignments.findLast(({ name }) => name === "IFS")?.value
  if (own !== undefined) return own.value ?? (own.exact ? own.guess : undefined)
  const known = variables.get("IFS")
  return known === undefined || known.isUnset ? " \t\n" : known.exact ? known.guess : undefined
}

const readBy = (command: Command, scope: Scope): ReadonlyArray<Stored> => {
  const { fields: { input }, words } = command
  const { names, values } = optionsOf(words, "adinNptu")
  const array = values.get("a")
  const all = array === undefined ? names.length === 0 ? ["REPLY"] : names : [array]
  const nothingKnown = (known: Known): ReadonlyArray<Stored> => all.map((name) => ({ ...namedBy(name), known }))
  if (input.text === undefined) {
    const listed = input.from.flatMap((each) => listedBy(each) ?? [])
    if (listed.length === 0 || listed.length > mostRecords) return nothingKnown(unknownValue)
    return nothingKnown(eitherOf(listed.map(({ guess }) => ({ ...likely(given(guess)), glob: guess !== HOLE }))))
  }
  const separators = separatorsOf(command, scope)
  const isCut = ["n", "N", "u", "i"].some((letter) => values.has(letter))
  const records = recordsOf(input.text, values.get("d") ?? "\n")
  const possible = input.isShared === true ? records : records.slice(0, 1)
  const isRaw = values.has("r") || !input.text.includes("\\")
  if (isCut || !isRaw || separators === undefined || possible.length > mostRecords) return nothingKnown(unknownValue)
  const sure = input.exact === true && !input.text.includes(HOLE)
  const value = (guess: string): Value =>
    guess.includes(HOLE) ? unknownValue : { guess, certain: sure, exact: sure, glob: false }
  if (possible.length === 0) return nothingKnown({ ...value("") })
  if (array !== undefined) {
    const lists = possible.map((record) => listOf(fieldsIn(record, separators).map(value)))
    return [{ ...namedBy(array), known: eitherOf(lists) }]
  }
  if (names.length === 0) return [{ name: "REPLY", known: eitherOf(possible.map(value)) }]
  return names.map((name, at) => ({
    ...namedBy(name),
    known: eitherOf(possible.map((record) => value(wordsFor(record, separators, names.length)[at] ?? "")))
  }))
}

const fieldsIn = (record: string, separators: string): ReadonlyArray<string> => {
  const fields = fieldsOf(trimmed(record, separators), separators) ?? [trimmed(record, separators)]
  return fields.at(-1) === "" ? fields.slice(0, -1) : fields
}

const trimmed = (record: string, separators: string): string => {
  const blank = [...separators].filter((each) => " \t\n".includes(each))
  let [from, to] = [0, record.length]
  while (from < to && blank.includes(record[from]!)) from++
  while (to > from && blank.includes(record[to - 1]!)) to--
  return record.slice(from, to)
}

/** A line as so many words, of which the last has all the rest. */
const wordsFor = (record: string, separators: string, count: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let rest = trimmed(record, separators)
  while (found.length < count - 1 && rest !== "") {
    const end = [...rest].findIndex((char) => separators.includes(char))
    if (end < 0) break
    found.push(rest.slice(0, end))
    rest = trimmed(rest.slice(end), separators)
    const isOther = separators.includes(rest[0] ?? "") && rest !== ""
    if (isOther) rest = trimmed(rest.slice(1), separators)
  }
  return [...found, rest]
}

const mappedBy = ({ fields: { input }, words }: Command): ReadonlyArray<Stored> => {
  const { names: [name = "MAPFILE"], values } = optionsOf(words, "dnOsuCc")
  const delimiter = values.get("d") ?? "\n"
  const isPlain = ["n", "O", "s", "u"].every((letter) => !values.has(letter))
  if (input.text === undefined || input.text.includes(HOLE) || !isPlain) {
    return [{ ...namedBy(name), known: unknownValue }]
  }
  const ending = values.has("t") ? "" : delimiter
  const exact = input.exact === true
  const records = recordsOf(input.text, delimiter).map((record) => ({
    guess: record + ending,
    certain: exact,
    exact,
    glob: false
  }))
  return [{ ...namedBy(name), known: listOf(records) }]
}

/** Builtins that give variables their properties. */
export const declares = /^(export|declare|typeset|local|readonly)$/

/** What `declare` and its kin put into variables. `assigned`: the values that stand in their words. */
export const declaredBy = (
  { args, program, words }: Command,
  scope: Scope,
  assigned: (arg: Arg) => Stored | undefined
): ReadonlyArray<Stored> => {
  const found: Array<Stored> = []
  let attributes = program === "export" ? "x" : program === "readonly" ? "r" : ""
  let isGlobal = false
  args.forEach((arg, at) => {
    const word = words[at]!
    if (/^[-+]\w/.test(word)) {
      if (word[0] === "-") attributes += word.slice(1)
      isGlobal ||= word.includes("g")
      return
    }
    const own = assigned(arg)
    const equals = word.indexOf("=")
    const { append = false, index, known, name }: Omit<Stored, "known"> & { readonly known?: Known } = own ??
      (equals > 0
        ? {
          ...namedBy(word.slice(0, equals).replace(/\+$/, "")),
          append: word[equals - 1] === "+",
          known: { ...valueOf(arg), guess: word.slice(equals + 1) }
        }
        : namedBy(word))
    const isLocal = scope.locals !== undefined && (program === "local" || /^(declare|typeset)$/.test(program)) &&
      !isGlobal
    if (isLocal) scope.locals!.add(name)
    const isArray = /[aA]/.test(attributes)
    const old = isLocal ? unset : scope.variables.get(name) ?? (isArray ? arrayOf(new Map()) : undefined)
    found.push({
      name,
      index,
      append,
      known: { ...(known ?? old ?? unknownValue), attributes: attributes.replace(/[^AaxrilucnA]/g, "") }
    })
  })
  return found
}

/** What a shell of its own knows of the variables around it: those that are passed on. */
export const passedOn = (variables: Variables, assignments: ReadonlyArray<Stored>, isDirect: boolean): Variables =>
  assignments.reduce(
    (all, { known, name }) => all.with(name, known),
    variables.doubted((_, { attributes = "" }) => !isDirect || !attributes.includes("x"))
  )
