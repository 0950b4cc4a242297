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
  if (known !== undefined || !flag.startsWith("--") || flag.length < 3 || !row.is("abbreviates")) return known ?? flag
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

/** The words without options that a later `--no-x` takes back, of programs where it does. */
export const withoutTakenBack = <W extends string | null>(argv: ReadonlyArray<W>): ReadonlyArray<W> => {
  const name = argv[0]?.slice(argv[0].lastIndexOf("/") + 1) ?? ""
  if (!argv.some((word) => word?.startsWith("--no-")) || !programOf(name).is("negates")) return argv
  const end = argv.indexOf("--" as W)
  return argv.filter((word, at) =>
    word?.startsWith("--") !== true || (end >= 0 && at >= end) ||
    !argv.slice(at + 1, end < 0 ? undefined : end).includes(`--no-${word.slice(2)}` as W)
  )
}

const agrees = /^--[^=]+=(true|yes|on|1)$/i

/**
 * Clusters split, `--x=y` as two words, every option under all its names, with the options that other words mean;
 * nothing after `--` is an option. Where `--x=true` may be `--x` alone, once more in that form.
 */
export const normalised = (
  program: string,
  argv: ReadonlyArray<string | null>
): ReadonlyArray<ReadonlyArray<Token>> => {
  const agreeing = argv.map((word) => word !== null && agrees.test(word) ? word.slice(0, word.indexOf("=")) : word)
  const once = tokensOf(program, argv)
  return agreeing.some((word, at) => word !== argv[at]) ? [once, tokensOf(program, agreeing)] : [once]
}

const tokensOf = (program: string, argv: ReadonlyArray<string | null>): ReadonlyArray<Token> => {
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
  const verb = argv[1] ?? ""
  const meant = argv.slice(2).flatMap((word) => word === null ? [] : programOf(program).implied(verb, word))
  const options = meant.map((option) => namesOf(program, verb, option))
  return options.length === 0 ? tokens : [...tokens.slice(0, 2), ...options, ...tokens.slice(2)]
}
