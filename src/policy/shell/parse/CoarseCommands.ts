/**
 * What may be a command in a text that is not parsed, because it is too large or no script that bash would take. Linear
 * in the length of the text, and more than there is: only deny rules, ask rules and limits look at it
 * (docs/policy.md#commands-that-are-too-large).
 */
export interface CoarseCommands {
  /** Words of what may be commands, quotes removed. */
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  /** The same where quotes do not count, so that the text of scripts inside is seen as well. */
  readonly unquoted: ReadonlyArray<ReadonlyArray<string>>
  readonly redirects: ReadonlyArray<{ readonly kind: "read" | "write"; readonly word: string }>
}

const separators = /[\n;&|(){}`]/
const blanks = /[ \t\r]/

export const coarseCommands = (text: string): CoarseCommands => {
  const redirects: Array<{ readonly kind: "read" | "write"; readonly word: string }> = []
  return {
    commands: split(text, true, (kind, word) => void redirects.push({ kind, word })),
    unquoted: /['"]/.test(text) ? split(text, false, () => {}) : [],
    redirects
  }
}

const split = (
  text: string,
  quotes: boolean,
  redirect: (kind: "read" | "write", word: string) => void
): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<ReadonlyArray<string>> = []
  let words: Array<string> = []
  let word = ""
  let isWord = false
  let target: "read" | "write" | undefined
  const endWord = (): void => {
    if (!isWord) return
    if (target === undefined) words.push(word)
    else redirect(target, word)
    target = undefined
    word = ""
    isWord = false
  }
  const endCommand = (): void => {
    endWord()
    target = undefined
    if (words.length > 0) all.push(words)
    words = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === "\\") {
      const next = text[++at] ?? ""
      if (next === "\n") continue
      word += next
      isWord = true
    } else if (char === "'" || char === "\"") {
      isWord = true
      if (!quotes) continue
      const end = text.indexOf(char, at + 1)
      // One that never ends is an apostrophe of a text.
      if (end < 0) continue
      word += text.slice(at + 1, end)
      at = end
    } else if (char === "<" || char === ">") {
      if (/^\d*$/.test(word)) {
        word = ""
        isWord = false
      }
      endWord()
      target = char === "<" ? "read" : "write"
    } else if (blanks.test(char)) endWord()
    else if (separators.test(char)) {
      // `>&1` and `>|file` are redirects still.
      if (target !== undefined && !isWord && (char === "&" || char === "|")) continue
      if (char === "(" && /^["']?\$$/.test(word)) {
        word = ""
        isWord = false
      }
      endCommand()
    } else {
      word += char
      isWord = true
    }
  }
  endCommand()
  return all
}
