import type { Command } from "./Command.ts"
import { names as namesOf } from "./programs/Rows.ts"
import type { Arg } from "./Words.ts"
import { HOLE, supplied } from "./Words.ts"

/** Programs that run a command once for each of many names, and which names these are. */

const actions = new Set(["-exec", "-execdir", "-ok", "-okdir"])
const names = new Set(["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"])

/** Every path that `find` or `fd` may come to, as an argument: the start joined with the name it looks for. */
export const foundBy = (command: Command): ReadonlyArray<Arg> => {
  const words = command.args
  if (command.program.startsWith("fd")) {
    const extensions = command.line.values("-e", "--extension").map((arg) => `*.${arg.guess}`)
    const base = command.line.operands[1]?.guess ?? "."
    const pattern = (command.line.operands[0]?.guess ?? "").replace(/^\^|\$$/g, "").replaceAll("\\", "")
    const found = extensions.length > 0 ? extensions : [/^\.?[\w-][\w.-]*$/.test(pattern) ? pattern : "*"]
    return found.map((name) => supplied(`${base}/${name}`, name.includes("*")))
  }
  const end = words.findIndex((word) => /^[-(!]/.test(word.guess) && !/^-[HLPO]/.test(word.guess))
  const starts = words.slice(0, end < 0 ? words.length : end).filter((word) => !word.guess.startsWith("-"))
  const patterns: Array<string> = []
  let onlyEmpty = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!.guess
    if (word === "-empty") onlyEmpty = true
    if (!names.has(word) || /^(!|-not)$/.test(words[at - 1]?.guess ?? "")) continue
    const value = words[at + 1]?.guess ?? HOLE
    const prunes = words.slice(at + 2, at + 4).some((each) => each.guess === "-prune") &&
      words.some((each) => each.guess === "-o")
    if (!prunes) patterns.push(value)
  }
  if (patterns.length === 0) patterns.push(onlyEmpty ? "*.tmp" : "*")
  return (starts.length === 0 ? ["."] : starts.map((start) => start.guess)).flatMap((start) =>
    patterns.map((name) =>
      supplied(
        name.startsWith("/") || name.startsWith("./") ? name : `${start}/${name.replace(/^\*\//, "")}`,
        /[*?[]/.test(name)
      )
    )
  )
}

/** The commands of `-exec` and of `fd -x`, with the found names in place of `{}`. */
export const fromFind = (command: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const { args } = command
  const found: Array<ReadonlyArray<Arg>> = []
  for (let at = 0; at < args.length; at++) {
    const isFd = /^(-x|-X|--exec|--exec-batch)$/.test(args[at]!.guess) && command.program.startsWith("fd")
    if (!isFd && !actions.has(args[at]!.guess)) continue
    let end = at + 1
    while (
      end < args.length &&
      args[end]!.guess !== ";" &&
      !(args[end]!.guess === "+" && args[end - 1]!.guess === "{}")
    ) {
      end++
    }
    const words = args.slice(at + 1, end)
    if (words.length > 0) found.push(filled(words, "{}", foundBy(command), isFd))
    at = end
  }
  return found
}

/** Replaces the placeholder, or appends the names where there is none. */
const filled = (
  words: ReadonlyArray<Arg>,
  mark: string,
  values: ReadonlyArray<Arg>,
  append: boolean
): ReadonlyArray<Arg> => {
  const marked = words.some((word) => word.guess.includes(mark))
  const replaced = words.flatMap((word, index) => {
    if (!word.guess.includes(mark)) return [word]
    return word.guess === mark && index > 0
      ? values
      : [{ ...supplied(word.guess.replaceAll(mark, HOLE)), text: word.text }]
  })
  return marked || !append ? replaced : [...replaced, ...values]
}

const maxGiven = 32

/** What `xargs` appends: the names an earlier `find` printed, or something unknown. */
export const fromXargs = (command: Command, words: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const finders = command.fields.input.from.filter((each) => each.program === "find" || each.program.startsWith("fd"))
  const given = command.fields.input.text?.trim().split(/\s+/) ?? []
  const isGiven = given.length > 0 && given.length <= maxGiven &&
    !given.some((word) => word === "" || word.includes(HOLE))
  const values = finders.length === 1 && command.fields.input.from.length === 1
    ? foundBy(finders[0]!)
    : isGiven
    ? given.map((word) => ({ ...supplied(word), certain: false }))
    : [supplied(HOLE)]
  const mark = command.line.values("-I", "--replace")[0]?.guess ??
    (command.line.has("-i", "--replace") ? "{}" : undefined)
  return mark === undefined ? [...words, ...values] : filled(words, mark, values, false)
}

const parallelOptions = namesOf(`
  -j --jobs -a --arg-file -S --sshlogin --results --joblog --timeout --delay --colsep -N -n -I --tmpdir --retries --load
`)

/** One list per value of `:::`; a single word is a script. */
export const fromParallel = (command: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const { args } = command
  const colons = args.findIndex((arg) => /^:{3,4}\+?$/.test(arg.guess))
  const before = colons < 0 ? args : args.slice(0, colons)
  const values = colons < 0 ? [supplied(HOLE)] : args.slice(colons + 1).filter((arg) => !/^:{3,4}\+?$/.test(arg.guess))
  let start = 0
  while (start < before.length && before[start]!.guess.startsWith("-")) {
    start += parallelOptions.has(before[start]!.guess) ? 2 : 1
  }
  const words = before.slice(start)
  if (words.length === 0) return values.map((value) => [value])
  if (words.length === 1 && /\s/.test(words[0]!.guess)) {
    return [[{ ...words[0]!, guess: words[0]!.guess.replaceAll("{}", HOLE) }]]
  }
  return [filled(words, "{}", values, true)]
}
