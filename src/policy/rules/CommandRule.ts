import type { CommandAction } from "../decision/CallAction.ts"
import { names } from "../shell/programs/Rows.ts"
import { quoteWord } from "./Rule.ts"
import { hasSubcommands, runsAnything, runsNext, runsScript } from "./Runners.ts"

/** The rules that can be made of one command. */

/** Harmless or not by what stands in the arguments alone. */
const asGiven = names("cmake ctest")

/** What any option of theirs may do, their name says. */
const wellNamed = names(
  "pytest mkdir id ls tsc eslint prettier vitest jest mocha ruff mypy black flake8 rspec phpunit shellcheck"
)

const isName = (word: string | null | undefined): word is string =>
  typeof word === "string" && /^[a-z][a-z0-9:_-]*$/.test(word)

/** The command as it is written; nothing where a word of it is not literal. */
export const exactly = ({ argv, assignments, opaque }: CommandAction): string | undefined => {
  if (opaque || assignments.length > 0 || !argv.every((word) => word !== null)) return undefined
  return `shell(=${argv.map(quoteWord).join(" ")})`
}

/** The program and its subcommand with any arguments; nothing where that would say too much. */
export const broadly = (part: CommandAction): string | undefined => {
  const { argv, opaque, wrappers } = part
  const [program, subcommand, script] = argv
  if (opaque || typeof program !== "string" || wrappers.some((name) => name === "xargs" || name === "find")) {
    return undefined
  }
  if (program.includes("/") || runsAnything(program)) return undefined
  if (typeof subcommand === "string" && runsNext(program, subcommand)) return undefined
  if (
    asGiven.has(program) ||
    (subcommand?.startsWith("-") === true && !hasSubcommands(program) && !wellNamed.has(program))
  ) return exactly(part)
  if (!isName(subcommand)) return hasSubcommands(program) ? undefined : `shell(${quoteWord(program)} *)`
  if (!runsScript(program, subcommand)) return `shell(${quoteWord(program)} ${subcommand} *)`
  return isName(script) ? `shell(${quoteWord(program)} ${subcommand} ${script} *)` : undefined
}
