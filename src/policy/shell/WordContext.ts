import { digits, hole, type Piece, piece } from "./Braces.ts"
import type { Command } from "./Command.ts"
import type { SyntaxNode } from "./ShellParser.ts"
import type { Arg, Known } from "./Words.ts"

/** What is known where a word stands. */
export interface WordContext {
  readonly home: string
  readonly cwd: string | null
  readonly variables: ReadonlyMap<string, Known>
  /** What `$1`, `$2` and on are; where absent, nobody knows. */
  readonly positional?: ReadonlyArray<Arg> | undefined
  /** Visits a substitution and returns what runs in it. */
  readonly visit: (node: SyntaxNode) => ReadonlyArray<Command>
}

// They expand to digits: what the digits are does not matter to a path.
const numbers = new Set([
  "$",
  "!",
  "?",
  "#",
  "RANDOM",
  "SRANDOM",
  "BASHPID",
  "PPID",
  "UID",
  "EUID",
  "SECONDS",
  "LINENO",
  "EPOCHSECONDS"
])

/** What `$name` stands for. */
export const variable = (name: string, context: WordContext): Piece => {
  if (numbers.has(name)) return digits
  const given = /^[1-9]$/.test(name) ? context.positional?.[Number(name) - 1] : undefined
  if (given !== undefined) return { guess: given.guess, certain: given.certain, literal: false, glob: given.glob }
  const known = context.variables.get(name)
  if (known !== undefined) return { ...known, literal: false, glob: false }
  if (name === "HOME") return piece(context.home)
  return name === "PWD" && context.cwd !== null ? piece(context.cwd) : hole
}
