import type { ActionContext } from "../../decision/CallAction.ts"
import { type Arg, type Command, literal } from "../programs/Command.ts"
import { matches } from "../programs/Rules.ts"
import { isExpendable } from "./Places.ts"

/** Folders that a program empties before it fills them. */

/** Options by whose names a program takes away what is in its folder. */
const emptying = new RegExp(
  "^--?((clean|purge|wipe|empty|clear|delete|remove)([-_.]?(out(put)?|dest(ination)?|target|dist|dir(ectory)?|folder|old" +
    "|existing|first|before|build|all|on[-_]start))*|(fresh|force[-_]clean)([-_.]?(out(put)?|dir(ectory)?))*)$",
  "i"
)
const folder = new RegExp(
  "^(-[odO]|--?(out|output|dest|destination|target|dist|site)([-_.]?(dir|directory|folder|path|root))?)$",
  "i"
)

/** What stands behind options of these names, or is joined to them. */
const valuesOf = ({ args }: Command, isMeant: (name: string) => boolean): ReadonlyArray<Arg> =>
  args.flatMap((arg, at) => {
    const text = arg.guess
    if (!text.startsWith("-")) return []
    const equals = text.indexOf("=")
    if (equals > 0) return isMeant(text.slice(0, equals)) ? [literal(text.slice(equals + 1))] : []
    const next = args[at + 1]
    return isMeant(text) && next !== undefined && !next.guess.startsWith("-") ? [next] : []
  })

/** A folder that the row or the names of options say is emptied, and that is not made again by a build. */
export const emptied = (command: Command, place: ActionContext): string | undefined => {
  const { fields: { cwd }, line, program, row } = command
  const named = row.empties.flatMap(({ rule, words }) => {
    if (rule !== undefined && !matches(rule, command)) return []
    return words[0] === "operands" ? line.operands.slice(Number(words[1]), Number(words[1]) + 1) : line.values(...words)
  })
  const guessed = row.name === "" && program !== "" && command.args.some(({ guess }) => emptying.test(guess))
    ? valuesOf(command, (name) => folder.test(name))
    : []
  return [...named, ...guessed].every((arg) => isExpendable(arg, cwd, place)) ? undefined : "fs-wipe"
}
