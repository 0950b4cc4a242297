import type { CommandAction } from "../../decision/CallAction.ts"
import { appendsInput } from "../../shell/programs/Rules.ts"
import { programOf } from "../../shell/programs/Table.ts"
import { quoteWord } from "../Rule.ts"

/** The rules that can be made of one command. */

/** Whether the word after the program is a subcommand. */
export const hasSubcommands = (program: string): boolean => {
  const row = programOf(program)
  return row.is("subcommands") || row.has("next-runs") || row.has("next-names")
}

/** `gcc-12` and `vim.tiny` are what they are without the rest. */
const familiar = (program: string): string =>
  program.replace(/(\.exe|\.(tiny|basic|nox|gtk\d?|athena))$/, "").replace(/-?\d[\d.]*$/, "")

const isOpen = (program: string): boolean => {
  const row = programOf(program)
  return row.is("open") || row.is("shell") || row.is("foreign-shell") ||
    row.wrappers.some(({ verbs }) => verbs.length === 0) ||
    (!hasSubcommands(program) && (row.language !== undefined || row.statements !== undefined))
}

/**
 * A rule about it, whatever its arguments, would be one about any program: it runs what it is given, or what a
 * repository configures.
 */
const runsAnything = (program: string): boolean => isOpen(program) || isOpen(familiar(program))

/** The words after this subcommand are what it runs. */
const runsNext = (program: string, subcommand: string): boolean => {
  const row = programOf(program)
  return row.words("next-runs").includes(subcommand) || row.wrappers.some(({ verbs }) => verbs[0] === subcommand)
}

const isName = (word: string | null | undefined): word is string =>
  typeof word === "string" && /^[a-z][a-z0-9:_-]*$/.test(word)

/** What it is run with are names that another program found or was given. */
const runsNames = (wrapper: string): boolean =>
  appendsInput(wrapper) || programOf(wrapper).words("batch")[0] === "expression"

/** The command as it is written; nothing where a word of it is not literal. */
export const exactly = ({ argv, assignments, opaque }: CommandAction): string | undefined => {
  if (opaque || assignments.length > 0 || !argv.every((word) => word !== null)) return undefined
  return `shell(=${argv.map(quoteWord).join(" ")})`
}

/** The program and its subcommand with any arguments; nothing where that would say too much. */
export const broadly = (part: CommandAction): string | undefined => {
  const { argv, opaque, wrappers } = part
  const [program, subcommand, script] = argv
  if (opaque || typeof program !== "string" || wrappers.some(runsNames)) {
    return undefined
  }
  if (program.includes("/") || runsAnything(program)) return undefined
  if (typeof subcommand === "string" && runsNext(program, subcommand)) return undefined
  const row = programOf(program)
  if (
    row.is("as-given") || (subcommand?.startsWith("-") === true && !hasSubcommands(program) && !row.is("well-named"))
  ) return exactly(part)
  if (!isName(subcommand)) return hasSubcommands(program) ? undefined : `shell(${quoteWord(program)} *)`
  if (!row.words("next-names").includes(subcommand)) return `shell(${quoteWord(program)} ${subcommand} *)`
  return isName(script) ? `shell(${quoteWord(program)} ${subcommand} ${script} *)` : undefined
}
