import type { Command } from "./Command.ts"
import { anyWords, type Fact, programOf, type RiskRule } from "./Table.ts"

/** How many operands the verbs take up, or `undefined` where they are not there. */
const afterVerbs = (verbs: RiskRule["verbs"], operands: ReadonlyArray<string>, from = 0): number | undefined => {
  const [verb, ...rest] = verbs
  if (verb === undefined) return from
  if (verb === anyWords) {
    for (let at = from; at <= operands.length; at++) {
      const end = afterVerbs(rest, operands, at)
      if (end !== undefined) return end
    }
    return undefined
  }
  return from < operands.length && verb(operands[from]!) ? afterVerbs(rest, operands, from + 1) : undefined
}

/** An option as rules spell it: `--name`, and `--name=value` where it has a value. */
const givenOptions = ({ line }: Command): ReadonlyArray<string> =>
  line.options.flatMap((name) => [name, ...line.values(name).map((value) => `${name}=${value.guess}`)])

/** Whether a rule of the program's row is about this command line. */
export const matches = (rule: RiskRule, command: Command): boolean => {
  const { line } = command
  const operands = line.operands.map((arg) => arg.guess)
  const end = afterVerbs(rule.verbs, operands)
  if (end === undefined || (rule.bare && (operands.length > end || line.options.length > 0))) return false
  const rest = operands.slice(end)
  if (rule.operands.length > 0 && !rest.some((operand) => rule.operands.some((wanted) => wanted(operand)))) return false
  if (rule.last.length > 0 && !rule.last.some((wanted) => rest.length > 0 && wanted(rest.at(-1)!))) return false
  if (rule.given.length + rule.unless.length + rule.abbreviated.length === 0) return true
  const options = givenOptions(command)
  if (rule.unless.some((wanted) => options.some(wanted) || rest.some(wanted))) return false
  return rule.given.length + rule.abbreviated.length === 0 || rule.given.some((wanted) => options.some(wanted)) ||
    line.has(...rule.abbreviated)
}

/** Whether one of the rules that a fact of the row consists of is about this command line. */
export const fits = (command: Command, fact: Fact): boolean =>
  command.row.rules(fact).some((rule) => matches(rule, command))

/** The program runs a command for each of many names. */
export const runsBatches = (program: string | undefined): boolean => {
  const [manner] = programOf(program ?? "").words("batch")
  return manner !== undefined && manner !== "job"
}

/** The program appends words from its input to the command that it runs. */
export const appendsInput = (program: string | undefined): boolean =>
  programOf(program ?? "").words("batch")[0] === "input"

/** Words may have been appended to the command. */
export const isAppendedTo = ({ fields: { wrappers } }: Command): boolean => wrappers.some(appendsInput)
