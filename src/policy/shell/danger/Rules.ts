import type { Command } from "../Command.ts"

/**
 * A table of command lines, one a line: a program, then its subcommands, then conditions. Commas separate alternatives, `*` is a glob
 * inside a word, `**` any number of words.
 *
 *     git push         with -f --force unless -n --dry-run      one of these options is given, and none of those
 *     git push         operand +* :*                            one more operand looks like this
 *     aws s3 cp        last s3://*                              the last operand looks like this
 *     crontab          bare                                     nothing more is said
 */
export interface Rule {
  readonly programs: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<Word>
  readonly given: ReadonlyArray<Word>
  readonly unless: ReadonlyArray<Word>
  readonly operands: ReadonlyArray<Word> | undefined
  readonly last: ReadonlyArray<Word> | undefined
  readonly bare: boolean
  readonly category: string
}

type Word = (text: string) => boolean

const word = (text: string): Word => {
  const choices = text.split(",")
  if (choices.length === 1 && !text.includes("*")) return (given) => given === text
  const globs = choices.filter((choice) => choice.includes("*"))
  const exact = new Set(choices.filter((choice) => !choice.includes("*")))
  const patterns = globs.map((glob) => new RegExp(`^${glob.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*")}$`, "s"))
  return (given) => exact.has(given) || patterns.some((pattern) => pattern.test(given))
}

/** Matches any number of words; compared by identity. */
const anything: Word = () => true

export const rules = (category: string, table: string): ReadonlyArray<Rule> =>
  table.split("\n").map((line) => line.trim()).filter((line) => line !== "").map((line) => {
    const found = { given: [] as Array<Word>, unless: [] as Array<Word>, operands: [] as Array<Word>, last: [] as Array<Word> }
    const head: Array<string> = []
    let into: "given" | "unless" | "operands" | "last" | undefined
    let bare = false
    for (const text of line.split(/\s+/)) {
      if (text === "with") into = "given"
      else if (text === "unless") into = "unless"
      else if (text === "operand") into = "operands"
      else if (text === "last") into = "last"
      else if (text === "bare") bare = true
      else if (into === undefined) head.push(text)
      else found[into].push(word(text))
    }
    return {
      programs: head[0]!.split(","),
      verbs: head.slice(1).map((verb) => verb === "**" ? anything : word(verb)),
      given: found.given,
      unless: found.unless,
      operands: found.operands.length === 0 ? undefined : found.operands,
      last: found.last.length === 0 ? undefined : found.last,
      bare,
      category
    }
  })

/** Rules by program; programs with a glob, as `mkfs.*`, stand under the text before it. */
export const indexed = (all: ReadonlyArray<Rule>): ReadonlyMap<string, ReadonlyArray<Rule>> => {
  const index = new Map<string, Array<Rule>>()
  for (const rule of all) {
    for (const program of rule.programs) index.set(program, [...index.get(program) ?? [], rule])
  }
  return index
}

/** How many operands the verbs take up, or `undefined` where they are not there. */
const afterVerbs = (verbs: ReadonlyArray<Word>, operands: ReadonlyArray<string>, from = 0): number | undefined => {
  const [verb, ...rest] = verbs
  if (verb === undefined) return from
  if (verb === anything) {
    for (let at = from; at <= operands.length; at++) {
      const end = afterVerbs(rest, operands, at)
      if (end !== undefined) return end
    }
    return undefined
  }
  return from < operands.length && verb(operands[from]!) ? afterVerbs(rest, operands, from + 1) : undefined
}

/** An option as rules spell it: `--name`, or `--name=value` where it has a value. */
const givenOptions = (command: Command): ReadonlyArray<string> => {
  const { line } = command
  return line.options.flatMap((name) => [name, ...line.values(name).map((value) => `${name}=${value.guess}`)])
}

export const matches = (rule: Rule, command: Command): boolean => {
  const operands = command.line.operands.map((arg) => arg.guess)
  const end = afterVerbs(rule.verbs, operands)
  if (end === undefined || rule.bare && (operands.length > end || command.line.options.length > 0)) return false
  if (rule.operands !== undefined && !operands.slice(end).some((operand) => rule.operands!.some((wanted) => wanted(operand)))) return false
  if (rule.last !== undefined && !rule.last.some((wanted) => operands.length > end && wanted(operands.at(-1)!))) return false
  if (rule.given.length === 0 && rule.unless.length === 0) return true
  const options = givenOptions(command)
  if (rule.unless.some((wanted) => options.some(wanted) || operands.slice(end).some(wanted))) return false
  return rule.given.length === 0 || rule.given.some((wanted) => options.some(wanted))
}
