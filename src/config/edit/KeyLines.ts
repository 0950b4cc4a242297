const key = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g

const splitKeys = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(key), ([, basic, literal, bare]) => basic ?? literal ?? bare ?? "")

const keys = String.raw`((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+|[ \t]*\.[ \t]*)+)`
const header = new RegExp(String.raw`^\s*\[\[?\s*${keys}\s*\]`)
const assignment = new RegExp(String.raw`^\s*${keys}\s*=`)

const startsWith = (path: ReadonlyArray<string>, prefix: ReadonlyArray<string>) =>
  prefix.length <= path.length && prefix.every((key, index) => key === path[index])

interface Item {
  /** 0-based line on which it begins. */
  readonly at: number
  /** Of the table or key it names. */
  readonly path: ReadonlyArray<string>
  readonly header: boolean
  /** The keys as the line spells them, after `depth` keys that the table above them has. */
  readonly text: string
  readonly depth: number
}

/** One text is asked about many paths. */
let known: { readonly source: string; readonly items: ReadonlyArray<Item> } = { source: "", items: [] }

const items = (source: string): ReadonlyArray<Item> => {
  if (known.source !== source) known = { source, items: scan(source) }
  return known.items
}

/** Table headers and assignments in order. Lines inside multi-line strings are skipped. */
const scan = (source: string): ReadonlyArray<Item> => {
  const found: Array<Item> = []
  let table: ReadonlyArray<string> = []
  let quotes: string | undefined
  for (const [at, line] of source.split("\n").entries()) {
    const fences: ReadonlyArray<string> = line.match(/"""|'''/g) ?? []
    const inside = quotes !== undefined
    for (const fence of fences) {
      if (quotes === undefined) quotes = fence
      else if (quotes === fence) quotes = undefined
    }
    if (inside) continue
    const opened = header.exec(line)?.[1]
    const assigned = opened === undefined ? assignment.exec(line)?.[1] : undefined
    if (opened !== undefined) table = splitKeys(opened)
    if (opened !== undefined) found.push({ at, path: table, header: true, text: opened, depth: 0 })
    if (assigned !== undefined) {
      found.push({ at, path: [...table, ...splitKeys(assigned)], header: false, text: assigned, depth: table.length })
    }
  }
  return found
}

/** The 1-based line of a TOML text on which `path` is set, or else the one of the nearest table around it; for error messages. */
export const lineOf = (source: string, path: ReadonlyArray<string>): number | undefined => {
  let best: { readonly line: number; readonly depth: number } | undefined
  for (const { at, path: here } of items(source)) {
    if (!startsWith(path, here) && !startsWith(here, path)) continue
    const depth = Math.min(here.length, path.length)
    if (best === undefined || depth > best.depth) best = { line: at + 1, depth }
  }
  return best?.line
}

/** The key that is assigned on a 1-based line, or on the nearest one above it. */
export const keyOn = (source: string, line: number): ReadonlyArray<string> | undefined =>
  items(source).findLast((item) => !item.header && item.at < line)?.path

/** The 0-based line that assigns exactly this key. */
export const assignmentOf = (source: string, path: ReadonlyArray<string>): number | undefined =>
  items(source).find((item) => !item.header && item.path.length === path.length && startsWith(item.path, path))?.at

const isBlank = (line: string | undefined) => line?.trim() === ""
const isComment = (line: string | undefined) => line?.trimStart().startsWith("#") === true

/** Where the lines of an item end: before the comments of the next one, and before whatever a blank line sets apart. */
const endOf = (lines: ReadonlyArray<string>, from: number, next: number): number => {
  let end = next
  while (end - 1 > from && (isBlank(lines[end - 1]) || isComment(lines[end - 1]))) end--
  const blank = lines.slice(end, next).findIndex(isBlank)
  return blank < 0 ? next === lines.length ? next : end : end + blank
}

/** The 0-based lines that go with a key or a table and everything below it, comments directly above included. */
export const linesWith = (source: string, path: ReadonlyArray<string>): ReadonlySet<number> => {
  const lines = source.split("\n")
  const all = items(source)
  const gone = new Set<number>()
  for (const [index, { at, header, path: here }] of all.entries()) {
    if (!startsWith(here, path)) continue
    const after = all.findIndex((one, later) => later > index && (one.header || !header))
    const last = after < 0 ? all.length - 1 : after - 1
    const end = endOf(lines, all[last]?.at ?? at, all[last + 1]?.at ?? lines.length)
    for (let line = at; line < end; line++) gone.add(line)
    for (let above = at - 1; isComment(lines[above]); above--) gone.add(above)
    for (let below = end; header && below < lines.length - 1 && isBlank(lines[below]); below++) gone.add(below)
  }
  return gone
}

/** The text with the last key of `path` spelled otherwise wherever a header or a line names it. */
export const respelled = (source: string, path: ReadonlyArray<string>, spelling: string): string => {
  const lines = source.split("\n")
  for (const { at, depth, path: here, text } of items(source)) {
    if (!startsWith(here, path) || depth >= path.length) continue
    let index = depth
    const other = text.replace(key, (one) => index++ === path.length - 1 ? spelling : one)
    lines[at] = lines[at]?.replace(text, () => other) ?? ""
  }
  return lines.join("\n")
}
