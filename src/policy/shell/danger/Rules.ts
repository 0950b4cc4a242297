import type { Command } from "../Command.ts"
import { unfolded } from "../programs/Rows.ts"

/**
 * A table of command lines, one a line: a program, then its subcommands, then conditions. Commas separate alternatives,
 * `*` is a glob inside a word, `**` any number of words.
 *
 *     git push         with -f --force unless -n --dry-run      one of these options is given, and none of those
 *     git push         operand +* :*                            one more operand looks like this
 *     aws s3 cp        last s3://*                              the last operand looks like this
 *     crontab          bare                                     nothing more is said
 *
 * A line that is indented deeper goes on where the one above ended; after a comma without a space.
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
  if (!text.includes(",") && !text.includes("*")) return (given) => given === text
  const choices = text.split(",")
  const exact = new Set(choices.filter((choice) => !choice.includes("*")))
  const globs = choices.filter((choice) => choice.includes("*"))
  if (globs.length === 0) return (given) => exact.has(given)
  // Most rows are never looked at, so their expressions are not built before they are.
  let pattern: RegExp | undefined
  return (given) => exact.has(given) || (pattern ??= anyOf(globs)).test(given)
}

const anyOf = (globs: ReadonlyArray<string>): RegExp =>
  new RegExp(
    `^(${globs.map((glob) => glob.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*")).join("|")})$`,
    "s"
  )

/** Matches any number of words; compared by identity. */
const anything: Word = () => true

export const rules = (category: string, table: string): ReadonlyArray<Rule> =>
  unfolded(table).map((line) => {
    const found = {
      given: [] as Array<Word>,
      unless: [] as Array<Word>,
      operands: [] as Array<Word>,
      last: [] as Array<Word>
    }
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
      verbs: head.slice(1).map((verb) => (verb === "**" ? anything : word(verb))),
      given: found.given,
      unless: found.unless,
      operands: found.operands.length === 0 ? undefined : found.operands,
      last: found.last.length === 0 ? undefined : found.last,
      bare,
      category
    }
  })

/** Rules by program. */
export const indexed = (all: ReadonlyArray<Rule>): ReadonlyMap<string, ReadonlyArray<Rule>> => {
  const index = new Map<string, Array<Rule>>()
  for (const rule of all) {
    for (const program of rule.programs) index.set(program, [...(index.get(program) ?? []), rule])
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
  if (end === undefined || (rule.bare && (operands.length > end || command.line.options.length > 0))) return false
  if (
    rule.operands !== undefined &&
    !operands.slice(end).some((operand) => rule.operands!.some((wanted) => wanted(operand)))
  ) {
    return false
  }
  if (rule.last !== undefined && !rule.last.some((wanted) => operands.length > end && wanted(operands.at(-1)!))) {
    return false
  }
  if (rule.given.length === 0 && rule.unless.length === 0) return true
  const options = givenOptions(command)
  if (rule.unless.some((wanted) => options.some(wanted) || operands.slice(end).some(wanted))) return false
  return rule.given.length === 0 || rule.given.some((wanted) => options.some(wanted))
}
