interface Token {
  readonly text: string
  readonly line: number
}

const token = /"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g

const tokens = (text: string, isWanted: (token: string) => boolean): ReadonlyArray<Token> => {
  let line = 0
  let counted = 0
  return Array.from(text.matchAll(token)).flatMap(({ 0: found, index }) => {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < index; at = text.indexOf("\n", counted)) {
      line++
      counted = at + 1
    }
    return isWanted(found) ? [{ text: found.trimEnd(), line }] : []
  })
}

const comments = (text: string) => tokens(text, (found) => found.startsWith("#"))

const valueOf = (literal: string): unknown => {
  try {
    return literal.startsWith("'") ? literal.slice(1, -1) : JSON.parse(literal)
  } catch {
    return undefined
  }
}

/** Lines whose comments go with one of the values: its own where nothing else is on it, and comments directly above. */
export const linesAbout = (text: string, values: ReadonlySet<unknown>): ReadonlySet<number> => {
  const lines = text.split("\n")
  const about = new Set<number>()
  for (const { line, text: literal } of tokens(text, (found) => !found.startsWith("#") && values.has(valueOf(found)))) {
    const before = lines[line]?.split(literal)[0] ?? ""
    if (!/^\s*(\{[^[\]{}]*)?$/.test(before)) continue
    about.add(line)
    for (let above = line - 1; lines[above]?.trimStart().startsWith("#"); above--) about.add(above)
  }
  return about
}

/** The first comment of `before` that `after` does not have, save those on lines that are meant to go. */
export const lost = (before: string, after: string, going: ReadonlySet<number>): Token | undefined => {
  const left = new Map<string, number>()
  for (const { text } of comments(after)) left.set(text, (left.get(text) ?? 0) + 1)
  return comments(before).find(({ line, text }) => {
    const there = left.get(text) ?? 0
    left.set(text, there - 1)
    return there <= 0 && !going.has(line)
  })
}
