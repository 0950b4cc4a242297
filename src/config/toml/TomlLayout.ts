import { Effect } from "effect"
import * as Chunk from "../../platform/Chunk.ts"

const loadLibrary = Chunk.make(() => import("@decimalturn/toml-patch"))

type Path = ReadonlyArray<string>

/** A table header or an assignment; lines and columns count from 0. */
interface KeyPosition {
  readonly line: number
  readonly column: number
  /** Of the table or key that it names. */
  readonly path: Path
  readonly isHeader: boolean
  /** The keys as they are spelled there, after `depth` keys that the table above them has. */
  readonly spelling: string
  readonly depth: number
}

interface TextPosition {
  readonly line: number
  readonly column: number
  readonly text: string
}

/** Where a TOML text has its keys, strings and comments. Nothing is known of a text that is not TOML. */
export interface TomlLayout {
  readonly lines: ReadonlyArray<string>
  readonly keys: ReadonlyArray<KeyPosition>
  readonly strings: ReadonlyArray<TextPosition>
  readonly comments: ReadonlyArray<TextPosition>
}

type Library = typeof import("@decimalturn/toml-patch")

/** A node of the library's syntax tree, as far as it is looked at. */
interface Node {
  readonly type: string
  readonly loc: { readonly start: { readonly line: number; readonly column: number } }
  readonly raw?: string
  readonly value?: unknown
  readonly key?: Node
  readonly item?: Node
  readonly items?: ReadonlyArray<Node>
}

const layoutWith = ({ TomlDocument }: Library, source: string): TomlLayout => {
  const keys: Array<KeyPosition> = []
  const strings: Array<TextPosition> = []
  const comments: Array<TextPosition> = []

  /** What can stand within a value as well as between assignments. */
  const collect = ({ item, items = [], loc: { start }, raw = "", type, value }: Node): void => {
    const position = { line: start.line - 1, column: start.column }
    if (type === "Comment") comments.push({ ...position, text: raw.trimEnd() })
    if (type === "String") strings.push({ ...position, text: String(value) })
    for (const child of [...(item === undefined ? [] : [item]), ...items]) collect(child)
    if (type === "KeyValue") collect(value as Node)
  }

  const name = ({ loc: { start }, raw: spelling = "", value }: Node, isHeader: boolean, table: Path): Path => {
    const path = [...table, ...value as Path]
    keys.push({ line: start.line - 1, column: start.column, path, isHeader, spelling, depth: table.length })
    return path
  }

  for (const block of new TomlDocument(source).cst as ReadonlyArray<Node>) {
    const table = block.key?.item === undefined ? [] : name(block.key.item, true, [])
    for (const row of block.items ?? [block]) if (row.type === "KeyValue" && row.key) name(row.key, false, table)
    collect(block)
  }
  return { lines: source.split("\n"), keys, strings, comments }
}

export const layoutOf = (source: string): Effect.Effect<TomlLayout> =>
  loadLibrary.pipe(
    Effect.flatMap((library) => Effect.try(() => layoutWith(library, source))),
    Effect.orElseSucceed(() => ({ lines: source.split("\n"), keys: [], strings: [], comments: [] }))
  )

const startsWith = (path: Path, prefix: Path) =>
  prefix.length <= path.length && prefix.every((key, index) => key === path[index])

/** The 1-based line on which `path` is set, or else the one of the nearest table around it; for error messages. */
export const lineOf = ({ keys }: TomlLayout, path: Path): number | undefined => {
  let best: { readonly line: number; readonly depth: number } | undefined
  for (const { line, path: here } of keys) {
    if (!startsWith(path, here) && !startsWith(here, path)) continue
    const depth = Math.min(here.length, path.length)
    if (best === undefined || depth > best.depth) best = { line: line + 1, depth }
  }
  return best?.line
}

/** The 0-based line that assigns exactly this key. */
export const assignmentOf = ({ keys }: TomlLayout, path: Path): number | undefined =>
  keys.find((one) => !one.isHeader && one.path.length === path.length && startsWith(one.path, path))?.line

const isBlank = (line: string | undefined) => line?.trim() === ""
const isComment = (line: string | undefined) => line?.trimStart().startsWith("#") === true

/** Where the lines of a key end: before the comments of the next one, and before whatever a blank line sets apart. */
const endOf = (lines: ReadonlyArray<string>, from: number, next: number): number => {
  let end = next
  while (end - 1 > from && (isBlank(lines[end - 1]) || isComment(lines[end - 1]))) end--
  const blank = lines.slice(end, next).findIndex(isBlank)
  return blank < 0 ? next === lines.length ? next : end : end + blank
}

const addCommentsAbove = (lines: ReadonlyArray<string>, line: number, to: Set<number>): void => {
  for (let above = line - 1; isComment(lines[above]); above--) to.add(above)
}

/** The 0-based lines that go with a key or a table and everything below it, comments directly above included. */
export const linesWith = ({ keys, lines }: TomlLayout, path: Path): ReadonlySet<number> => {
  const found = new Set<number>()
  for (const [index, { isHeader, line: from, path: here }] of keys.entries()) {
    if (!startsWith(here, path)) continue
    const after = keys.findIndex((one, later) => later > index && (one.isHeader || !isHeader))
    const last = after < 0 ? keys.length - 1 : after - 1
    const end = endOf(lines, keys[last]?.line ?? from, keys[last + 1]?.line ?? lines.length)
    for (let line = from; line < end; line++) found.add(line)
    addCommentsAbove(lines, from, found)
    for (let below = end; isHeader && below < lines.length - 1 && isBlank(lines[below]); below++) found.add(below)
  }
  return found
}

/** The 0-based lines whose comments go with one of the strings: its own where nothing else is on it, and comments directly above. */
export const linesAbout = ({ lines, strings }: TomlLayout, values: ReadonlySet<unknown>): ReadonlySet<number> => {
  const found = new Set<number>()
  for (const { column, line, text } of strings) {
    if (!values.has(text) || !/^\s*(\{[^[\]{}]*)?$/.test(lines[line]?.slice(0, column) ?? "")) continue
    found.add(line)
    addCommentsAbove(lines, line, found)
  }
  return found
}

/** The first comment of `before` that `after` does not have, except those on lines that may go. */
export const lostComment = (
  before: TomlLayout,
  after: TomlLayout,
  going: ReadonlySet<number>
): TextPosition | undefined => {
  const left = new Map<string, number>()
  for (const { text } of after.comments) left.set(text, (left.get(text) ?? 0) + 1)
  return before.comments.find(({ line, text }) => {
    const there = left.get(text) ?? 0
    left.set(text, there - 1)
    return there <= 0 && !going.has(line)
  })
}

const oneKey = /"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+/g

/** The text with the last key of `path` spelled otherwise wherever a header or an assignment names it. */
export const respelled = ({ keys, lines }: TomlLayout, path: Path, spelling: string): string => {
  const changed = [...lines]
  for (const { column, depth, line, path: here, spelling: old } of keys) {
    if (!startsWith(here, path) || depth >= path.length) continue
    let index = depth
    const other = old.replace(oneKey, (one) => index++ === path.length - 1 ? spelling : one)
    const text = lines[line] ?? ""
    changed[line] = text.slice(0, column) + other + text.slice(column + old.length)
  }
  return changed.join("\n")
}
