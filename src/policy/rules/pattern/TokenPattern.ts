import { Result } from "effect"
import {
  alternatives,
  compile,
  is,
  isLiteral,
  matches,
  type PatternAtom,
  type PatternChar,
  textOf,
  tooMany
} from "./Glob.ts"
import { isFlag, splitCluster, type Token } from "./Spelling.ts"
import type { PatternFault } from "./RuleUnreadable.ts"

/**
 * A shell pattern, matched against words after quote removal. A word that is not literal (`null`) is matched only by
 * `*` and `**`: a rule never guesses a value. See docs/policy.md#shell-patterns.
 */
export interface TokenPattern {
  /** The possible first words; `undefined` where a wildcard leaves it open. */
  readonly heads: ReadonlyArray<string> | undefined
  /** Only wildcards, which match any command. */
  readonly everything: boolean
  /** It starts, or may start, with an assignment such as `CI=1`. */
  readonly assigns: boolean
  /** Written with `=`: matches the whole command literally. */
  readonly exact: boolean
  /** For allow: `*` in the middle matches one literal word, as an expansion may become several words or none. */
  readonly strict: ReadonlyArray<PatternAtom<string | null>>
  /** For deny and ask. */
  readonly loose: ReadonlyArray<PatternAtom<Token>>
  /** The options it names with their spellings, and the pattern without them; `undefined` when it names no option. */
  readonly options: Options | undefined
}

interface Options {
  readonly flags: ReadonlyArray<ReadonlyArray<string>>
  readonly rest: ReadonlyArray<PatternAtom<Token>>
}

type Part =
  | { readonly kind: "many" | "one" }
  | { readonly kind: "words"; readonly words: ReadonlyArray<string> }
  | { readonly kind: "glob"; readonly test: (text: string) => boolean; readonly start: string }

interface Split {
  readonly words: ReadonlyArray<{ readonly at: number; readonly chars: ReadonlyArray<PatternChar> }>
}

const split = (text: string): Result.Result<Split, PatternFault> => {
  const words: Array<{ at: number; chars: Array<PatternChar> }> = []
  let current: { at: number; chars: Array<PatternChar> } | undefined
  const word = (at: number) => (current ??= words[words.push({ at, chars: [] }) - 1]!)
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (/\s/.test(char)) {
      current = undefined
    } else if (char === "\"" || char === "'") {
      const close = text.indexOf(char, at + 1)
      if (close < 0) return Result.fail({ at, problem: `the quote ${char} is not closed` })
      const { chars } = word(at)
      for (const quoted of text.slice(at + 1, close)) chars.push({ char: quoted, quoted: true })
      at = close
    } else if (char === "\\" && at + 1 < text.length) {
      word(at).chars.push({ char: text[++at]!, quoted: true })
    } else {
      word(at).chars.push({ char, quoted: false })
    }
  }
  return Result.succeed({ words })
}

const partOf = (at: number, chars: ReadonlyArray<PatternChar>, last: boolean): Result.Result<Part, PatternFault> => {
  if (chars.length > 0 && chars.length <= 2 && chars.every((char) => is(char, "*"))) {
    return Result.succeed({ kind: chars.length === 2 || last ? "many" : "one" })
  }
  const all = alternatives(chars)
  if (all === undefined) return Result.fail({ at, problem: tooMany })
  if (all.every(isLiteral)) return Result.succeed({ kind: "words", words: all.map(textOf) })
  const tests = all.map((one) => compile(one))
  const start = textOf(chars.slice(0, chars.findIndex((char) => is(char, "*") || is(char, "{"))))
  return Result.succeed({ kind: "glob", test: (text) => tests.some((test) => test(text)), start })
}

const some = (token: Token, test: (text: string) => boolean): boolean =>
  typeof token === "string" ? test(token) : token !== null && token.some(test)

const looseAtom = (part: Part): PatternAtom<Token> => {
  switch (part.kind) {
    case "many":
      return "many"
    case "one":
      return () => true
    case "words": {
      const [only, ...more] = part.words
      if (more.length > 0) return (token) => some(token, (text) => part.words.includes(text))
      return (token) => token === only || (typeof token === "object" && token !== null && token.includes(only ?? ""))
    }
    case "glob":
      return (token) => some(token, part.test)
  }
}

const strictAtom = (part: Part): PatternAtom<string | null> => {
  switch (part.kind) {
    case "many":
      return "many"
    case "one":
      return (word) => word !== null
    case "words":
      return (word) => word !== null && part.words.includes(word)
    case "glob":
      return (word) => word !== null && part.test(word)
  }
}

/** Splits `--x=y` into option and value, as in commands. */
const apart = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.flatMap((part): ReadonlyArray<Part> => {
    const [word, ...more] = part.kind === "words" ? part.words : part.kind === "glob" ? [part.start] : []
    const border = word?.startsWith("--") ? word.indexOf("=") : -1
    if (word === undefined || more.length > 0 || border < 0) return [part]
    const option: Part = { kind: "words", words: [word.slice(0, border)] }
    return part.kind === "glob"
      ? [option, { kind: "glob", test: (text) => part.test(`${word.slice(0, border + 1)}${text}`), start: "" }]
      : [option, { kind: "words", words: [word.slice(border + 1)] }]
  })

const optionsOf = (parts: ReadonlyArray<Part>): Options | undefined => {
  const [head] = parts
  const program = head?.kind === "words" && head.words.length === 1 ? head.words[0] : undefined
  const end = parts.findIndex((part) => part.kind === "words" && part.words.includes("--"))
  const flags: Array<ReadonlyArray<string>> = []
  const rest: Array<PatternAtom<Token>> = []
  for (const [index, part] of apart(parts).entries()) {
    const names = part.kind === "words" && index > 0 && (end < 0 || index < end) && part.words.every(isFlag)
      ? part.words
      : []
    const clusters = names.map((name) => splitCluster(program, name))
    if (names.length === 0 || (names.length > 1 && clusters.some((cluster) => cluster.length > 1))) {
      rest.push(looseAtom(part))
    } else if (names.length > 1) flags.push(names)
    else for (const flag of clusters[0] ?? []) flags.push([flag])
  }
  return flags.length === 0 ? undefined : { flags, rest }
}

const literally = (words: Split["words"]): ReadonlyArray<Part> =>
  words.map(({ chars }): Part => ({ kind: "words", words: [textOf(chars)] }))

export const parse = (text: string): Result.Result<TokenPattern, PatternFault> => {
  const start = text.search(/\S/)
  if (start < 0) return Result.fail({ at: 0, problem: "the pattern is empty; write the tool alone to mean every call" })
  const exact = text[start] === "="
  const found = split(exact ? `${" ".repeat(start + 1)}${text.slice(start + 1)}` : text)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const { words } = found.success
  if (words.length === 0) return Result.fail({ at: start, problem: "nothing follows the `=`" })
  const parts: Array<Part> = []
  for (const [index, { at, chars }] of words.entries()) {
    if (exact) continue
    const part = partOf(at, chars, index === words.length - 1)
    if (Result.isFailure(part)) return Result.fail(part.failure)
    parts.push(part.success)
  }
  if (exact) parts.push(...literally(words))
  const [head] = parts
  return Result.succeed({
    heads: head?.kind === "words" ? head.words : undefined,
    everything: parts.every((part) => part.kind === "many"),
    assigns: head?.kind === "words" ? head.words.some(isAssignment) : head?.kind === "glob" && isAssignment(head.start),
    exact,
    strict: parts.map(strictAtom),
    loose: parts.map(looseAtom),
    options: exact ? undefined : optionsOf(parts)
  })
}

const isAssignment = (text: string) => /^[A-Za-z_]\w*\+?=/.test(text)

/** Most programs take a long option by its first letters; the others refuse it, and nothing is lost. */
const isShortened = (word: string, names: ReadonlyArray<string>): boolean =>
  word.length > 3 && word.startsWith("--") && names.some((name) => name.startsWith(word))

/** For allow: word by word. What is not literal has to be known, which is for the caller to see. */
export const covers = (pattern: TokenPattern, words: ReadonlyArray<string | null>): boolean =>
  matches(pattern.strict, words)

/** For deny and ask, on one view of a command. */
export const hits = (pattern: TokenPattern, tokens: ReadonlyArray<Token>): boolean => matches(pattern.loose, tokens)

/**
 * For deny and ask, on the view with options split and named: the pattern's options may stand anywhere before `--`, in
 * any order, and the remaining words must fit the remaining pattern.
 */
export const hitsOptions = ({ options }: TokenPattern, tokens: ReadonlyArray<Token>): boolean => {
  if (options === undefined) return false
  const remaining = Array.from(tokens)
  for (const names of options.flags) {
    const end = remaining.indexOf("--")
    const at = remaining.findIndex((token, index) =>
      index > 0 && (end < 0 || index < end) &&
      (some(token, (text) => names.includes(text)) || (typeof token === "string" && isShortened(token, names)))
    )
    if (at < 0) return false
    remaining.splice(at, 1)
  }
  return matches(options.rest, remaining)
}
