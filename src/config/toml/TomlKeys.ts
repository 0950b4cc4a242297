import { Effect } from "effect"
import { edit, keyText, means, parsed, section } from "./TomlEdit.ts"
import { layoutOf, linesAbout, linesWith, lostComment, respelled } from "./TomlLayout.ts"
import { isTable, type Table } from "../schema/KeyPath.ts"

type Path = ReadonlyArray<string>

export interface Assignment {
  readonly path: Path
  readonly value: unknown
}

const assign = (root: Table, { path, value }: Assignment): void => {
  let table = root
  for (const key of path.slice(0, -1)) {
    const next = table[key]
    table = isTable(next) ? next : (table[key] = {}) as Table
  }
  table[path.at(-1) ?? ""] = structuredClone(value)
}

/** Whether something was there. */
const remove = (root: Table, path: Path): boolean => {
  const table = path.slice(0, -1).reduce<unknown>((value, key) => isTable(value) ? value[key] : undefined, root)
  return isTable(table) && Object.hasOwn(table, path.at(-1) ?? "") && delete table[path.at(-1) ?? ""]
}

const at = (root: Table, path: Path): unknown =>
  path.reduce<unknown>((value, key) => isTable(value) ? value[key] : undefined, root)

/** Tables of `after` that `before` lacks, each as a section of its own. */
const added = (
  before: Table,
  after: Table,
  path: Path = []
): ReadonlyArray<{ readonly path: Path; readonly table: Table }> =>
  Object.entries(after).flatMap(([key, value]) => {
    const old = before[key]
    if (!isTable(value) || (old !== undefined && !isTable(old))) return []
    const here = [...path, key]
    const onlyTables = Object.keys(value).length > 0 && Object.values(value).every(isTable)
    return old === undefined && !onlyTables ? [{ path: here, table: value }] : added(old ?? {}, value, here)
  })

const joined = (text: string, sections: ReadonlyArray<string>): string =>
  [...(text.trim() === "" ? [] : [text.endsWith("\n") ? text : `${text}\n`]), ...sections].join("\n")

/** What a list keeps when a new one takes its place, if that is not all of it. */
const kept = (before: unknown, after: unknown): ReadonlyArray<unknown> | undefined => {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined
  const left = before.filter((item) => after.includes(item))
  return left.length < before.length ? left : undefined
}

/** Lists without the items that a new value leaves out, and without the comments about these: no comment may pass to another item. */
const narrowed = Effect.fnUntraced(function*(text: string, assignments: ReadonlyArray<Assignment>) {
  const before = yield* parsed(text)
  const gone = new Set<unknown>()
  const lists = assignments.flatMap(({ path, value }) => {
    const old = at(before, path)
    const left = kept(old, value)
    if (left === undefined || !Array.isArray(old)) return []
    for (const item of old) if (!left.includes(item)) gone.add(item)
    return [{ path, value: left }]
  })
  if (lists.length === 0) return text
  return yield* edit(text, (root) => {
    for (const list of lists) assign(root, list)
  }, linesAbout(yield* layoutOf(text), gone))
})

/** Values set at their paths, later ones over earlier ones; new tables become sections at the end. */
export const set = Effect.fnUntraced(function*(original: string, assignments: ReadonlyArray<Assignment>) {
  const text = yield* narrowed(original, assignments)
  const before = yield* parsed(text)
  const wanted = yield* parsed(text)
  const change = (root: Table) => {
    for (const assignment of assignments) assign(root, assignment)
  }
  change(wanted)
  const layout = yield* layoutOf(text)
  const going = new Set(
    assignments.flatMap(({ path }) => isTable(at(before, path)) ? Array.from(linesWith(layout, path)) : [])
  )
  const sections = added(before, wanted)
  if (sections.length === 0) return yield* edit(text, change, going)
  const rest = yield* edit(text, (root) => {
    change(root)
    for (const { path } of sections) {
      remove(root, path)
      // The tables around it were only made for it.
      for (let up = path.slice(0, -1); up.length > 0 && at(before, up) === undefined; up = up.slice(0, -1)) {
        remove(root, up)
      }
    }
  }, going)
  const ends = yield* Effect.forEach(sections, ({ path, table }) => section(path.map(keyText).join("."), table))
  const apart = joined(rest, ends)
  const isSafe = means(apart, wanted) && lostComment(layout, yield* layoutOf(apart), going) === undefined
  return isSafe ? apart : yield* edit(text, change, going)
})

/** Without a key or table and the comments about it; `undefined` when it is not there. */
export const unset = Effect.fnUntraced(function*(text: string, path: Path) {
  const wanted = yield* parsed(text)
  if (!remove(wanted, path)) return undefined
  const layout = yield* layoutOf(text)
  const lines = linesWith(layout, path)
  const cut = text.split("\n").filter((_, line) => !lines.has(line)).join("\n").replace(/\n{2,}$/, "\n")
  // Tables around it that were only implied go with it; those with a header of their own stay.
  for (let up = path.slice(0, -1);; up = up.slice(0, -1)) {
    if (means(cut, wanted) && lostComment(layout, yield* layoutOf(cut), lines) === undefined) return cut
    const around = at(wanted, up)
    if (up.length === 0 || !isTable(around) || Object.keys(around).length > 0) break
    remove(wanted, up)
  }
  return yield* edit(text, (root) => void remove(root, path), lines)
})

/** The last key of a path under another name, and values that change with it. */
export const rename = Effect.fnUntraced(
  function*(text: string, path: Path, to: string, assignments: ReadonlyArray<Assignment>) {
    const change = (root: Table) => {
      const value = at(root, path)
      remove(root, path)
      assign(root, { path: [...path.slice(0, -1), to], value })
    }
    const wanted = yield* parsed(text)
    change(wanted)
    const other = respelled(yield* layoutOf(text), path, keyText(to))
    return yield* set(means(other, wanted) ? other : yield* edit(text, change), assignments)
  }
)
