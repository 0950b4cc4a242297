/** What is wrong with a text that should be TOML, and where; lines and columns count from 1. It contains no value of the text. */
export interface TomlProblem {
  readonly problem: string
  /** Whether the error is in a value. */
  readonly inValue: boolean
  readonly line: string
  readonly column: string
}

const position = / at line (\d+), column (\d+)$/

const explanation = (said: string): string =>
  said.startsWith("Invalid value") ? "this is no value; a string needs quotes" : said

/**
 * From the message of `Toml.parse`, which quotes the value that it could not read. That is left out, as it may be a secret without
 * quotes; quoted keys and signs stay.
 */
export const problemOf = (message: string): TomlProblem => {
  const [, line = "1", column = "1"] = position.exec(message) ?? []
  const said = message.replace(position, "")
  if (/^(Expected|Cannot redefine) /.test(said)) return { problem: said, inValue: false, line, column }
  return { problem: explanation(said.replace(/ '.*$/s, "")), inValue: true, line, column }
}

/** The same as one sentence without the name of the file. */
export const tomlProblem = ({ message }: { readonly message: string }): string => {
  const { column, line, problem } = problemOf(message)
  return `not valid TOML: ${problem} at line ${line}, column ${column}`
}

const oneKey = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)`
const keys = String.raw`(${oneKey}(?:[ \t]*\.[ \t]*${oneKey})*)`
const header = new RegExp(String.raw`^\s*\[\[?\s*${keys}\s*\]`)
const assignment = new RegExp(String.raw`^\s*${keys}\s*=`)

const pathOf = (spelling = ""): ReadonlyArray<string> =>
  Array.from(spelling.matchAll(new RegExp(oneKey, "g")), ([key]) => /^["']/.test(key) ? key.slice(1, -1) : key)

/** The key that is assigned on a 1-based line, or on the nearest one above it, as far as a text that no parser accepts shows it. */
export const keyAround = (source: string, line: number): ReadonlyArray<string> | undefined => {
  const lines = source.split("\n").slice(0, line)
  const at = lines.findLastIndex((one) => assignment.test(one))
  if (at < 0) return undefined
  const table = lines.slice(0, at).findLast((one) => header.test(one)) ?? ""
  return [...pathOf(header.exec(table)?.[1]), ...pathOf(assignment.exec(lines[at] ?? "")?.[1])]
}
