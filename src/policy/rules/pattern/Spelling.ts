import { programOf } from "../../shell/programs/Table.ts"

/** Other spellings of the same command, which deny and ask rules recognise. */

const afterOptions = (valued: ReadonlyArray<string>, argv: ReadonlyArray<string | null>, start: number): number => {
  let at = start
  while (at < argv.length) {
    const word = argv[at]
    if (typeof word !== "string" || !isFlag(word)) break
    at += valued.includes(word) ? 2 : 1
  }
  return Math.min(at, argv.length)
}

/** The arguments without the options in front of the subcommand, of programs that have one. */
export const withoutGlobals = <W extends string | null>(program: string, argv: ReadonlyArray<W>): ReadonlyArray<W> => {
  const row = programOf(program)
  const valued = row.globals()
  if (valued === undefined) return argv
  const at = afterOptions(valued, argv, 1)
  const plain = at === 1 ? argv : [...argv.slice(0, 1), ...argv.slice(at)]
  const nested = typeof plain[1] === "string" && plain[1] !== "" ? row.globals(plain[1]) : undefined
  const inner = nested === undefined ? 2 : afterOptions(nested, plain, 2)
  return inner <= 2 ? plain : [...plain.slice(0, 2), ...plain.slice(inner)]
}

const namesOf = (
  program: string,
  subcommand: string | null | undefined,
  flag: string
): string | ReadonlyArray<string> => {
  const row = programOf(program)
  const groups = row.same(subcommand ?? "")
  const known = groups.findLast((names) => names.includes(flag))
  if (known !== undefined || !flag.startsWith("--") || flag.length < 4 || !row.is("abbreviates")) return known ?? flag
  const begun = groups.flatMap((names) => names.filter((name) => name.startsWith(flag)).flatMap(() => names))
  return begun.length === 0 ? flag : [flag, ...begun]
}

export const isFlag = (word: string): boolean => word.length > 1 && word.startsWith("-") && word !== "--"

/** `-rf` as `-r`, `-f`, where the program has such clusters. */
export const splitCluster = (program: string | undefined, flag: string): ReadonlyArray<string> =>
  /^-[A-Za-z]{2,}$/.test(flag) && (program === undefined || !programOf(program).is("single-dash"))
    ? Array.from(flag.slice(1), (letter) => `-${letter}`)
    : [flag]

/** A word, what is not literal, or all names of one option. */
export type Token = string | null | ReadonlyArray<string>

/** Clusters split, `--x=y` as two words, every option under all its names; nothing after `--` is an option. */
export const normalised = (program: string, argv: ReadonlyArray<string | null>): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  const end = argv.indexOf("--")
  for (const [index, word] of argv.entries()) {
    if (word === null || index === 0 || !isFlag(word) || (end >= 0 && index > end)) {
      tokens.push(word)
      continue
    }
    const border = word.startsWith("--") ? word.indexOf("=") : -1
    if (border > 0) tokens.push(namesOf(program, argv[1], word.slice(0, border)), word.slice(border + 1))
    else tokens.push(...splitCluster(program, word).map((flag) => namesOf(program, argv[1], flag)))
  }
  return tokens
}
