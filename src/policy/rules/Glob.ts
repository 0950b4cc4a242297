import { type Atom, matches } from "./Wildcard.ts"

/** A character of a pattern; a quoted or escaped one never has a special meaning. */
export interface Char {
  readonly char: string
  readonly quoted: boolean
}

export const is = (char: Char | undefined, special: string): boolean => char?.quoted === false && char.char === special

export const textOf = (chars: ReadonlyArray<Char>): string => chars.map(({ char }) => char).join("")

/** Characters of a text in which a backslash takes the special meaning from the next one. */
export const escaped = (text: string): ReadonlyArray<Char> => {
  const chars: Array<Char> = []
  for (let at = 0; at < text.length; at++) {
    const quoted = text[at] === "\\" && at + 1 < text.length
    if (quoted) at++
    chars.push({ char: text[at] ?? "", quoted })
  }
  return chars
}

/** The end of the `{…}` that starts at `open`, and its commas; none when it is not closed. */
const group = (chars: ReadonlyArray<Char>, open: number) => {
  const commas: Array<number> = []
  for (let at = open + 1, depth = 0; at < chars.length; at++) {
    if (is(chars[at], "{")) depth++
    if (is(chars[at], ",") && depth === 0) commas.push(at)
    if (is(chars[at], "}") && depth-- === 0) return { commas, close: at }
  }
  return undefined
}

const mostAlternatives = 64

/** What to say where `alternatives` gives up. */
export const tooMany = "the braces stand for more than 64 alternatives; write several rules"

/** The alternatives `{a,b}` stands for; none when there are too many. Braces without a comma are ordinary characters. */
export const alternatives = (chars: ReadonlyArray<Char>, from = 0): ReadonlyArray<ReadonlyArray<Char>> | undefined => {
  for (let open = from; open < chars.length; open++) {
    const found = is(chars[open], "{") ? group(chars, open) : undefined
    if (found === undefined || found.commas.length === 0) continue
    const borders = [open, ...found.commas, found.close]
    const all: Array<ReadonlyArray<Char>> = []
    for (let index = 1; index < borders.length; index++) {
      const middle = chars.slice((borders[index - 1] ?? 0) + 1, borders[index])
      const rest = alternatives([...chars.slice(0, open), ...middle, ...chars.slice(found.close + 1)], open)
      if (rest === undefined || all.push(...rest) > mostAlternatives) return undefined
    }
    return all
  }
  return [chars]
}

export const isLiteral = (chars: ReadonlyArray<Char>): boolean => !chars.some((char) => is(char, "*"))

const classAt = (chars: ReadonlyArray<Char>, open: number) => {
  const close = chars.findIndex((char, index) => index > open + 1 && is(char, "]"))
  if (close < 0) return undefined
  const negated = is(chars[open + 1], "!") || is(chars[open + 1], "^")
  const members = textOf(chars.slice(open + (negated ? 2 : 1), close))
  const contains = (char: string) => {
    for (let at = 0; at < members.length; at++) {
      const first = members[at] ?? ""
      const last = members[at + 1] === "-" && at + 2 < members.length ? members[at += 2] ?? first : first
      if (first <= char && char <= last) return true
    }
    return false
  }
  return { close, test: (char: string) => contains(char) !== negated }
}

/** `*` is any text; with `"file"` also `?` is one character and `[a-z]` one of these, as in file patterns. */
export const compile = (chars: ReadonlyArray<Char>, style: "plain" | "file" = "plain"): (text: string) => boolean => {
  const special = (char: Char) => is(char, "*") || (style === "file" && (is(char, "?") || is(char, "[")))
  if (!chars.some(special)) {
    const text = textOf(chars)
    return (other) => other === text
  }
  const atoms: Array<Atom<string>> = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]
    const found = style === "file" && is(char, "[") ? classAt(chars, at) : undefined
    if (is(char, "*")) atoms.push("many")
    else if (style === "file" && is(char, "?")) atoms.push(() => true)
    else if (found !== undefined) {
      atoms.push(found.test)
      at = found.close
    } else atoms.push((other) => other === char?.char)
  }
  return (text) => matches(atoms, text)
}
