import { HOLE } from "../programs/Command.ts"

/** What the operators of `${name…}` make of a text. `undefined`: it cannot be told. */

/** Longer texts are not worked on. */
const maxLength = 256
const maxStars = 3

/** A pattern of the shell as an expression for whole texts; without brackets of classes, which depend on the language. */
export const patternOf = (pattern: string): RegExp | undefined => {
  if (pattern.length > maxLength || pattern.includes(HOLE) || /[?*+@!]\(/.test(pattern)) return undefined
  if (pattern.split("*").length > maxStars + 1) return undefined
  let source = ""
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!
    if (char === "*") source += "[^]*"
    else if (char === "?") source += "[^]"
    else if (char === "[") {
      const [bracket] = /^\[[!^]?\]?[^\]]*\]/.exec(pattern.slice(at)) ?? []
      if (bracket === undefined) source += "\\["
      else {
        source += bracket.replace(/^\[!/, "[^").replace(/^(\[\^?)\]/, "$1\\]").replace(/\\/g, "\\\\")
        at += bracket.length - 1
      }
    } else {
      const literal = char === "\\" && at + 1 < pattern.length ? pattern[++at]! : char
      source += literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    }
  }
  try {
    return new RegExp(`^(?:${source})$`)
  } catch {
    return undefined
  }
}

/** The pattern that fits only this text. */
export const literalPattern = (text: string): string => text.replace(/[\\*?[\]]/g, "\\$&")

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`. */
export const removed = (text: string, operator: string, pattern: string): string | undefined => {
  const found = patternOf(pattern)
  if (found === undefined || text.length > maxLength) return undefined
  const { length } = text
  const isLongest = operator.length === 2
  for (let step = 0; step <= length; step++) {
    const size = isLongest ? length - step : step
    const part = operator[0] === "#" ? text.slice(0, size) : text.slice(length - size)
    if (found.test(part)) return operator[0] === "#" ? text.slice(size) : text.slice(0, length - size)
  }
  return text
}

/** `${x/p/r}`, `${x//p/r}`, `${x/#p/r}`, `${x/%p/r}`. */
export const replaced = (
  text: string,
  operator: string,
  pattern: string,
  replacement: string
): string | undefined => {
  const found = patternOf(pattern)
  // A newer shell puts what was found in place of `&`.
  if (found === undefined || text.length > maxLength || /[&\\]/.test(replacement)) return undefined
  if (pattern === "") return text
  const longest = (at: number, most: number): number => {
    for (let end = most; end > at; end--) if (found.test(text.slice(at, end))) return end
    return -1
  }
  if (operator === "/#") {
    const end = longest(0, text.length)
    return end < 0 ? text : replacement + text.slice(end)
  }
  if (operator === "/%") {
    for (let at = 0; at < text.length; at++) if (found.test(text.slice(at))) return text.slice(0, at) + replacement
    return text
  }
  let made = ""
  for (let at = 0; at < text.length;) {
    const end = longest(at, text.length)
    if (end < 0) {
      made += text[at]!
      at++
      continue
    }
    made += replacement
    at = end
    if (operator === "/") return made + text.slice(at)
  }
  return made
}

/** `${x^}`, `${x^^}`, `${x,}`, `${x,,}`. */
export const recased = (text: string, operator: string, pattern: string | undefined): string | undefined => {
  const found = pattern === undefined || pattern === "" ? undefined : patternOf(pattern)
  if (pattern !== undefined && pattern !== "" && found === undefined) return undefined
  const change = (char: string): string =>
    found?.test(char) === false ? char : operator[0] === "^" ? char.toUpperCase() : char.toLowerCase()
  return operator.length === 2
    ? [...text].map(change).join("")
    : text === ""
    ? ""
    : change(text[0]!) + text.slice(1)
}

/** From where to where `${x:offset:length}` takes a text or a list of so many; `undefined` where it takes nothing. */
export const rangeOf = (
  size: number,
  offset: number,
  length: number | undefined
): readonly [number, number] | undefined => {
  const from = offset < 0 ? size + offset : offset
  const to = length === undefined ? size : length < 0 ? size + length : from + length
  return from < 0 ? undefined : [from, Math.max(from, to)]
}

const upperFirst = (text: string): string => text === "" ? "" : text[0]!.toUpperCase() + text.slice(1)

/** `${x@U}` and the like. */
export const transformed = (
  text: string,
  operator: string,
  unescape: (text: string) => string
): string | undefined => {
  switch (operator) {
    case "U":
      return text.toUpperCase()
    case "u":
      return upperFirst(text)
    case "L":
      return text.toLowerCase()
    case "E":
      return unescape(text)
    case "Q":
      return `'${text.replaceAll("'", "'\\''")}'`
  }
  return undefined
}

/** A whole number that a text of arithmetic is for sure: digits and known names, added and subtracted. */
export const numberOf = (text: string, valueOf: (name: string) => string | undefined): number | undefined => {
  const terms = text.trim().match(
    /^[-+]?\s*(?:\d+|\$?[A-Za-z_]\w*|\$\{\w+\})(?:\s*[-+]\s*(?:\d+|\$?[A-Za-z_]\w*|\$\{\w+\}))*$/
  )
  if (terms === null) return undefined
  let sum = 0
  for (const [, sign, name] of text.matchAll(/([-+]?)\s*(\d+|\$?[A-Za-z_]\w*|\$\{\w+\})/g)) {
    const value = /^\d/.test(name!) ? name : valueOf(name!.replace(/[${}]/g, ""))
    if (value === undefined || !/^-?\d{1,6}$/.test(value) || /^0\d/.test(value)) return undefined
    sum += (sign === "-" ? -1 : 1) * Number(value)
  }
  return sum
}
