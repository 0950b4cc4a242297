import type { CommandAction, Word } from "../../decision/CallAction.ts"
import { namesOfProgram, programOf } from "../../shell/programs/Table.ts"
import { normalised, type Token, withoutGlobals, withoutTakenBack } from "../pattern/Spelling.ts"
import { covers, hits, hitsOptions, type TokenPattern } from "../pattern/TokenPattern.ts"

/**
 * The spellings of one command, each only where it differs from those before. See docs/policy.md#views-of-a-command.
 */
export interface Views {
  /** Base name of the program; `null` where it is not literal. */
  readonly program: Word
  /** As written with assignments, without them, with the bare program, and without global options. */
  readonly written: ReadonlyArray<ReadonlyArray<Token>>
  /** With options split, under all their names; once more without values that only say yes, where there are such. */
  readonly options: ReadonlyArray<ReadonlyArray<Token>>
  /** All names of the program. */
  readonly names: ReadonlyArray<string>
}

const baseName = (program: string) => program.slice(program.lastIndexOf("/") + 1)

export const of = (given: CommandAction): Views => {
  const part = { ...given, argv: withoutTakenBack(given.argv) }
  const written: Array<ReadonlyArray<Token>> = []
  const program = part.argv[0] ?? null
  if (part.assignments.length > 0) {
    const words = part.assignments.map(({ name, value }) => value === null ? null : `${name}=${value}`)
    written.push([...words, ...part.argv])
  }
  if (part.argv.length > 0) written.push(part.argv)
  if (program === null) return { program, written, options: normalised("", part.argv), names: [] }
  const base = baseName(program)
  const bare: ReadonlyArray<Word> = base === program ? part.argv : [base, ...part.argv.slice(1)]
  if (bare !== part.argv) written.push(bare)
  const plain = withoutGlobals(base, bare)
  if (plain !== bare) written.push(plain)
  const names = namesOfProgram(base)
  const [, verb] = plain
  const verbs = typeof verb === "string" ? programOf(base).verbNames(verb) : []
  const renamed = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => [
    names.length > 1 ? names : base,
    ...(verbs.length > 1 ? [verbs, ...tokens.slice(2)] : tokens.slice(1))
  ]
  if (names.length > 1 || verbs.length > 1) written.push(renamed(plain))
  return { program: base, written, options: normalised(base, plain).map(renamed), names }
}

/** For deny and ask: whether any view matches. */
export const hit = (pattern: TokenPattern, views: Views): boolean => {
  const { heads } = pattern
  if (heads !== undefined && !pattern.assigns && !startsWith(heads, views)) return false
  return views.written.some((tokens) => hits(pattern, tokens)) ||
    views.options.some((tokens) =>
      hitsOptions(pattern, tokens) || (pattern.options === undefined && !pattern.exact && hits(pattern, tokens))
    )
}

const startsWith = (heads: ReadonlyArray<string>, { names, program, written }: Views): boolean =>
  program !== null
  && (names.some((name) => heads.includes(name)) ||
    written.some(([first]) => typeof first === "string" && heads.includes(first)))

/** Variables that no program reads as code or as a file to load: an allowed command may set them. */
const harmlessNames = /^(NODE_ENV|CI|FORCE_COLOR|NO_COLOR|DEBUG|TZ|LANG|LC_[A-Z]+|RUST_LOG|RUST_BACKTRACE)$/

export const isHarmless = ({ name, value }: CommandAction["assignments"][number]): boolean =>
  value !== null && harmlessNames.test(name)

/**
 * For allow: as written, apart from harmless assignments and a bare program that resolves to the rule's path.
 * `acceptsPrinted`: other rules judge what prints words that are not known.
 */
export const cover = (
  pattern: TokenPattern,
  part: CommandAction,
  which: (program: string) => string | undefined,
  acceptsPrinted: boolean
): boolean => {
  if (part.opaque || part.argv.length === 0) return false
  if (pattern.everything) return true
  const { alternatives = [], argv, printed } = part
  const known = part.values ?? argv
  const isKnown = (value: Word, index: number) =>
    value !== null || (acceptsPrinted && printed?.includes(index) === true)
  if (![known, ...alternatives].every((words) => words.every(isKnown))) return false
  if (pattern.assigns) {
    const words = part.assignments.map(({ name, value }) => value === null ? null : `${name}=${value}`)
    return words.every((word) => word !== null) && covers(pattern, [...words, ...argv])
  }
  if (!part.assignments.every(isHarmless) || (pattern.exact && part.assignments.length > 0)) return false
  if (covers(pattern, argv)) return true
  const [program, ...rest] = argv
  if (typeof program !== "string" || program.includes("/")) return false
  if (pattern.heads?.some((head) => head.includes("/")) !== true) return false
  const resolved = which(program)
  return resolved !== undefined && covers(pattern, [resolved, ...rest])
}
