interface Token {
  readonly text: string
  readonly line: number
}

const token = /"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g

const tokens = (text: string, isWanted: (token: string) => boolean): ReadonlyArray<Token> =>
  Array.from(text.matchAll(token)).filter(([found]) => isWanted(found)).map(({ 0: found, index }) => ({
    text: found.trimEnd(),
    line: text.slice(0, index).split("\n").length - 1
  }))

const comments = (text: string) => tokens(text, (found) => found.startsWith("#"))

const valueOf = (literal: string): unknown => {
  try {
    return literal.startsWith("'") ? literal.slice(1, -1) : JSON.parse(literal)
  } catch {
    return undefined
  }
}

/** Lines whose comments go with `value`: its own where nothing else is on it, and comments directly above. */
export const linesAbout = (text: string, value: string): ReadonlySet<number> => {
  const lines = text.split("\n")
  const about = new Set<number>()
  for (const { line, text: literal } of tokens(text, (found) => valueOf(found) === value)) {
    const before = lines[line]?.split(literal)[0] ?? ""
    if (!/^\s*(\{[^[\]{}]*)?$/.test(before)) continue
    about.add(line)
    for (let above = line - 1; lines[above]?.trimStart().startsWith("#"); above--) about.add(above)
  }
  return about
}

/** The first comment of `before` that `after` does not have, save those on lines that are meant to go. */
export const lost = (before: string, after: string, going: ReadonlySet<number>): Token | undefined => {
  const left = comments(after).map(({ text }) => text)
  return comments(before).find(({ line, text }) => {
    const at = left.indexOf(text)
    if (at >= 0) left.splice(at, 1)
    return at < 0 && !going.has(line)
  })
}
