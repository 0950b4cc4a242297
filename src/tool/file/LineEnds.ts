/** Line ends apart from the text, so that a text can be compared and changed without them, and each line keeps its own. */
export interface FoldedText {
  /** With `\n` at the end of each line. */
  readonly text: string
  /** What stood there, one for each `\n` of the text. */
  readonly ends: ReadonlyArray<string>
}

/** A carriage return alone ends a line only where no line feed does. */
const endsOf = (text: string): RegExp => text.includes("\n") ? /\r?\n/g : /\r/g

export const fold = (text: string): FoldedText => {
  const pattern = endsOf(text)
  return { text: text.replace(pattern, "\n"), ends: text.match(pattern) ?? [] }
}

export const unfold = ({ ends, text }: FoldedText): string => {
  if (ends.every((end) => end === "\n")) return text
  let index = 0
  return text.replace(/\n/g, () => ends[index++] ?? "\n")
}

/** Without the ends, and without a further line after a final end. */
export const split = (text: string): ReadonlyArray<string> => {
  const lines = text.split(endsOf(text))
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** The ends next to a passage: of the line before it, and of the line that its last one belongs to. */
interface Surroundings {
  readonly before: string | undefined
  readonly after: string | undefined
}

/**
 * The ends of a passage that takes the place of another: lines that were there keep theirs, changed ones take that of the
 * line they replace, added ones that of the line above them, or below where there is none.
 */
export const carry = (old: FoldedText, changed: FoldedText, { after, before }: Surroundings): ReadonlyArray<string> => {
  const uniform = new Set([
    ...old.ends,
    ...(before === undefined ? [] : [before]),
    ...(after === undefined ? [] : [after])
  ])
  const [only] = uniform
  if (only !== undefined && uniform.size === 1) return changed.ends.map(() => only)
  const origins = align(old.text.split("\n"), changed.text.split("\n"))
  const endOf = (origin: number | undefined) =>
    origin === undefined ? undefined : origin < old.ends.length ? old.ends[origin] : after
  const below = endOf(origins.find((origin) => origin !== undefined))
  const ends: Array<string> = []
  for (const [line, written] of changed.ends.entries()) {
    ends.push(endOf(origins[line]) ?? ends.at(-1) ?? before ?? below ?? after ?? written)
  }
  return ends
}

/** A whole new text for a file. One that brings `\r` itself says what its line ends are; else each line keeps its own. */
export const keep = (old: string, text: string): string => {
  if (text.includes("\r") || !old.includes("\r")) return text
  const changed = fold(text)
  return unfold({ text: changed.text, ends: carry(fold(old), changed, { before: undefined, after: undefined }) })
}

/** Comparisons of lines before only lines that occur once are compared. */
const maxComparisons = 1_000_000

/** For each new line the old one that it is, or that it stands in place of. */
const align = (old: ReadonlyArray<string>, lines: ReadonlyArray<string>): ReadonlyArray<number | undefined> => {
  const origins: Array<number | undefined> = lines.map(() => undefined)
  const between = (oldStart: number, oldEnd: number, start: number, end: number): void => {
    let [a, b, from, to] = [oldStart, oldEnd, start, end]
    while (a < b && from < to && old[a] === lines[from]) origins[from++] = a++
    while (a < b && from < to && old[b - 1] === lines[to - 1]) origins[--to] = --b
    if (a === b || from === to) return
    const pairs = (b - a) * (to - from) <= maxComparisons
      ? longest(old.slice(a, b), lines.slice(from, to))
      : unique(old.slice(a, b), lines.slice(from, to))
    if (pairs.length === 0) {
      for (let step = 0; a + step < b && from + step < to; step++) origins[from + step] = a + step
      return
    }
    let [lastOld, last] = [a, from]
    for (const [oldIndex, index] of pairs) {
      between(lastOld, a + oldIndex, last, from + index)
      origins[from + index] = a + oldIndex
      ;[lastOld, last] = [a + oldIndex + 1, from + index + 1]
    }
    between(lastOld, b, last, to)
  }
  between(0, old.length, 0, lines.length)
  return origins
}

type Pairs = ReadonlyArray<readonly [number, number]>

/** The longest common subsequence. */
const longest = (old: ReadonlyArray<string>, lines: ReadonlyArray<string>): Pairs => {
  const width = lines.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const at = (a: number, b: number) => lengths[a * width + b] ?? 0
  for (let a = old.length - 1; a >= 0; a--) {
    for (let b = lines.length - 1; b >= 0; b--) {
      lengths[a * width + b] = old[a] === lines[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1))
    }
  }
  const pairs: Array<readonly [number, number]> = []
  for (let [a, b] = [0, 0]; a < old.length && b < lines.length;) {
    if (old[a] === lines[b]) pairs.push([a++, b++])
    else if (at(a + 1, b) >= at(a, b + 1)) a++
    else b++
  }
  return pairs
}

/** Lines that both texts have once, as far as they come in the same order. */
const unique = (old: ReadonlyArray<string>, lines: ReadonlyArray<string>): Pairs => {
  const once = (all: ReadonlyArray<string>) => {
    const places = new Map<string, number>()
    for (const [index, line] of all.entries()) places.set(line, places.has(line) ? -1 : index)
    return places
  }
  const places = once(old)
  const pairs: Array<readonly [number, number]> = []
  for (const [line, index] of once(lines)) {
    const oldIndex = places.get(line) ?? -1
    if (index >= 0 && oldIndex > (pairs.at(-1)?.[0] ?? -1)) pairs.push([oldIndex, index])
  }
  return pairs
}
