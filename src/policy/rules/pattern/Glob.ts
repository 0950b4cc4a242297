/** One position of a pattern: `"many"` stands for any number of items, a predicate for exactly one. */
export type PatternAtom<T> = "many" | ((item: T) => boolean)

/**
 * Whether the atoms match all items. Only the last `"many"` is retried, so the worst case is atoms × items: no input
 * makes a pattern slow.
 */
export const matches = <T>(atoms: ReadonlyArray<PatternAtom<T>>, items: ArrayLike<T>): boolean => {
  let atom = 0
  let item = 0
  let many = -1
  let resume = 0
  while (item < items.length) {
    const test = atoms[atom]
    if (test === "many") {
      many = atom++
      resume = item
    } else if (test !== undefined && test(items[item] as T)) {
      atom++
      item++
    } else if (many < 0) {
      return false
    } else {
      atom = many + 1
      item = ++resume
    }
  }
  while (atoms[atom] === "many") atom++
  return atom === atoms.length
}

/** A character of a pattern; a quoted or escaped one has no special meaning. */
export interface PatternChar {
  readonly char: string
  readonly quoted: boolean
}

export const is = (char: PatternChar | undefined, special: string): boolean =>
  char?.quoted === false && char.char === special

export const textOf = (chars: ReadonlyArray<PatternChar>): string => chars.map(({ char }) => char).join("")

/** The characters of a text in which a backslash quotes the next one. */
export const escaped = (text: string): ReadonlyArray<PatternChar> => {
  const chars: Array<PatternChar> = []
  for (let at = 0; at < text.length; at++) {
    const quoted = text[at] === "\\" && at + 1 < text.length
    if (quoted) at++
    chars.push({ char: text[at] ?? "", quoted })
  }
  return chars
}

/** The end of the `{…}` that starts at `open`, and its commas; `undefined` when it is not closed. */
const group = (chars: ReadonlyArray<PatternChar>, open: number) => {
  const commas: Array<number> = []
  for (let at = open + 1, depth = 0; at < chars.length; at++) {
    if (is(chars[at], "{")) depth++
    if (is(chars[at], ",") && depth === 0) commas.push(at)
    if (is(chars[at], "}") && depth-- === 0) return { commas, close: at }
  }
  return undefined
}

const mostAlternatives = 64

/** The problem where `alternatives` returns `undefined`. */
export const tooMany = "the braces stand for more than 64 alternatives; write several rules"

/**
 * Expands `{a,b}`; `undefined` when there are too many alternatives. Braces without a comma are ordinary characters.
 */
export const alternatives = (
  chars: ReadonlyArray<PatternChar>,
  from = 0
): ReadonlyArray<ReadonlyArray<PatternChar>> | undefined => {
  for (let open = from; open < chars.length; open++) {
    const found = is(chars[open], "{") ? group(chars, open) : undefined
    if (found === undefined || found.commas.length === 0) continue
    const borders = [open, ...found.commas, found.close]
    const all: Array<ReadonlyArray<PatternChar>> = []
    for (let index = 1; index < borders.length; index++) {
      const middle = chars.slice((borders[index - 1] ?? 0) + 1, borders[index])
      const rest = alternatives([...chars.slice(0, open), ...middle, ...chars.slice(found.close + 1)], open)
      if (rest === undefined || all.push(...rest) > mostAlternatives) return undefined
    }
    return all
  }
  return [chars]
}

export const isLiteral = (chars: ReadonlyArray<PatternChar>): boolean => !chars.some((char) => is(char, "*"))

const classAt = (chars: ReadonlyArray<PatternChar>, open: number) => {
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

/** `*` matches any text; with `"file"`, `?` matches one character and `[a-z]` one of a set, as in file patterns. */
export const compile = (
  chars: ReadonlyArray<PatternChar>,
  style: "plain" | "file" = "plain"
): (text: string) => boolean => {
  const special = (char: PatternChar) => is(char, "*") || (style === "file" && (is(char, "?") || is(char, "[")))
  if (!chars.some(special)) {
    const text = textOf(chars)
    return (other) => other === text
  }
  const atoms: Array<PatternAtom<string>> = []
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
