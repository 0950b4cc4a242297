import { Result } from "effect"

/**
 * Cuts a command line into words as a POSIX shell does, without expanding anything. A backslash only escapes quotes, blanks
 * and itself, so that Windows paths survive.
 */
export const words = (line: string): Result.Result<ReadonlyArray<string>, string> => {
  const found: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    const next = line.charAt(at + 1)
    if (char === "\\" && quote !== "'" && next !== "" && (quote === undefined ? /[\s"'\\]/ : /["\\]/).test(next)) {
      word = (word ?? "") + next
      at++
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined
      else word = (word ?? "") + char
    } else if (char === "'" || char === "\"") {
      quote = char
      word ??= ""
    } else if (/\s/.test(char)) {
      if (word !== undefined) found.push(word)
      word = undefined
    } else {
      word = (word ?? "") + char
    }
  }
  if (quote !== undefined) return Result.fail(`a ${quote} is never closed`)
  if (word !== undefined) found.push(word)
  return found.length === 0 ? Result.fail("it is empty") : Result.succeed(found)
}
