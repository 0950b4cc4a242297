import { type Arg, type Command, HOLE, supplied } from "../programs/Command.ts"
import { matches } from "../programs/Rules.ts"

/** Programs that run a command once for each of many names, and which names these are. */

const actions = new Set(["-exec", "-execdir", "-ok", "-okdir"])
const isExecution = /^(-x|-X|--exec|--exec-batch)$/
const nameTests = new Set(["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"])

const mannerOf = (command: Command): string | undefined => command.row.words("batch")[0]

export const isFinder = (command: Command): boolean =>
  mannerOf(command) === "expression" || mannerOf(command) === "pattern"

/** Every path that the program may come to, as an argument: the start joined with the name it looks for. */
export const foundBy = (command: Command): ReadonlyArray<Arg> => {
  const { line, words } = command
  if (mannerOf(command) === "pattern") {
    const extensions = line.values("-e", "--extension").map((arg) => `*.${arg.guess}`)
    const end = words.findIndex((word) => isExecution.test(word))
    const operands = end < 0 ? line.operands : line.operands.filter((arg) => command.args.indexOf(arg) < end)
    const base = operands[1]?.guess ?? "."
    const pattern = (operands[0]?.guess ?? "").replace(/^\^|\$$/g, "").replaceAll("\\", "")
    const found = extensions.length > 0 ? extensions : [/^\.?[\w-][\w.-]*$/.test(pattern) ? pattern : "*"]
    return found.map((name) => supplied(`${base}/${name}`, name.includes("*")))
  }
  const end = words.findIndex((word) => /^[-(!]/.test(word) && !/^-[HLPO]/.test(word))
  const starts = words.slice(0, end < 0 ? words.length : end).filter((word) => !word.startsWith("-"))
  const patterns: Array<string> = []
  words.forEach((word, at) => {
    if (!nameTests.has(word) || /^(!|-not)$/.test(words[at - 1] ?? "")) return
    const prunes = words.slice(at + 2, at + 4).includes("-prune") && words.includes("-o")
    if (!prunes) patterns.push(words[at + 1] ?? HOLE)
  })
  if (patterns.length === 0) patterns.push(words.includes("-empty") ? "*.tmp" : "*")
  return (starts.length === 0 ? ["."] : starts).flatMap((start) =>
    patterns.map((name) =>
      supplied(
        name.startsWith("/") || name.startsWith("./") ? name : `${start}/${name.replace(/^\*\//, "")}`,
        /[*?[]/.test(name)
      )
    )
  )
}

/** The files whose names a command prints. */
export const listedBy = (command: Command): ReadonlyArray<Arg> | undefined => {
  const { line, row } = command
  if (isFinder(command)) return foundBy(command)
  const rule = row.rules("lists-files").find((each) => matches(each, command))
  if (rule === undefined) return undefined
  const named = line.operands.slice(rule.verbs.length)
  return named.length > 0 && !row.is("searcher") ? named : [supplied("*", true)]
}

/** The commands of `-exec` and of `-x`, with the found names in place of `{}`. */
export const commandsOfFinder = (command: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const { args, words } = command
  const found: Array<ReadonlyArray<Arg>> = []
  for (let at = 0; at < args.length; at++) {
    const appends = isExecution.test(words[at]!) && mannerOf(command) === "pattern"
    if (!appends && !actions.has(words[at]!)) continue
    let end = at + 1
    while (end < args.length && words[end] !== ";" && !(words[end] === "+" && words[end - 1] === "{}")) end++
    const inner = args.slice(at + 1, end)
    if (inner.length > 0) found.push(filled(inner, "{}", foundBy(command), appends))
    at = end
  }
  return found
}

/** Replaces the placeholder, or appends the names where there is none. */
const filled = (
  words: ReadonlyArray<Arg>,
  mark: string,
  values: ReadonlyArray<Arg>,
  appends: boolean
): ReadonlyArray<Arg> => {
  const marked = words.some((word) => word.guess.includes(mark))
  const replaced = words.flatMap((word, index) => {
    if (!word.guess.includes(mark)) return [word]
    return word.guess === mark && index > 0
      ? values
      : [{ ...supplied(word.guess.replaceAll(mark, HOLE)), text: word.text }]
  })
  return marked || !appends ? replaced : [...replaced, ...values]
}

const maxGiven = 256

/** The words that `xargs` reads. */
const wordsIn = (text: string, { line }: Command): ReadonlyArray<string> => {
  const delimiter = line.values("-d", "--delimiter")[0]?.guess
  if (line.has("-0", "--null") || delimiter !== undefined) {
    const separator = delimiter === undefined ? "\0" : delimiter.replace("\\n", "\n").replace("\\t", "\t")
    return text.replace(/\n$/, "").split(separator).filter((word) => word !== "")
  }
  if (line.has("-I", "-i", "--replace", "-L")) {
    return text.split("\n").map((each) => each.trim()).filter((each) => each !== "")
  }
  return Array.from(
    text.matchAll(/(?:[^\s"'\\]|\\[^]|"[^"]*"|'[^']*'|["'])+/g),
    ([word]) => word.replace(/\\([^])|"([^"]*)"|'([^']*)'/g, "$1$2$3")
  )
}

/** The words with those that the input adds: the names that an earlier finder printed, or something unknown. */
export const withInputNames = (command: Command, words: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const { fields: { input }, line } = command
  const finders = input.from.filter(isFinder)
  const given = input.text === undefined || input.text.length > 16 * 1024 ? [] : wordsIn(input.text, command)
  const isGiven = given.length > 0 && given.length <= maxGiven && !given.some((word) => word.includes(HOLE))
  if (given.length > maxGiven) command.opaque = true
  const values = finders.length === 1 && input.from.length === 1
    ? foundBy(finders[0]!)
    : isGiven
    ? given.map((word) => ({ ...supplied(word), certain: input.exact === true }))
    : [supplied(HOLE)]
  const mark = line.values("-I", "--replace")[0]?.guess ?? (line.has("-i", "--replace") ? "{}" : undefined)
  return mark === undefined ? [...words, ...values] : filled(words, mark, values, false)
}

const isSeparator = (arg: Arg): boolean => /^:{3,4}\+?$/.test(arg.guess)

/** One list per value of `:::`; a single word is a script. */
export const commandsOfParallel = ({ args, row }: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const separator = args.findIndex(isSeparator)
  const before = separator < 0 ? args : args.slice(0, separator)
  const values = separator < 0 ? [supplied(HOLE)] : args.slice(separator + 1).filter((arg) => !isSeparator(arg))
  const valued = row.words("batch")
  let start = 0
  while (start < before.length && before[start]!.guess.startsWith("-")) {
    start += valued.includes(before[start]!.guess) ? 2 : 1
  }
  const words = before.slice(start)
  if (words.length === 0) return values.map((value) => [value])
  return words.length === 1 && /\s/.test(words[0]!.guess)
    ? [[{ ...words[0]!, guess: words[0]!.guess.replaceAll("{}", HOLE) }]]
    : [filled(words, "{}", values, true)]
}
