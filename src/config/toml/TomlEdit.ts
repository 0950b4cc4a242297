import { isDeepStrictEqual } from "node:util"
import { Effect, Result, Schema } from "effect"
import { Toml } from "effect/encoding"
import { isTable, type KeyAssignment, type KeyPath, type Table } from "../schema/KeyPath.ts"
import { layoutOf, linesAbout, linesWith, lostComment, respelled, type TomlLayout } from "./TomlLayout.ts"
import { tomlProblem } from "./TomlProblem.ts"
import * as Chunk from "../../platform/Chunk.ts"

/** The requested change of a TOML text is not possible; nothing was written. */
export class TomlNotEdited extends Schema.TaggedError<TomlNotEdited>()("TomlNotEdited", { message: Schema.String }) {}

const refuse = (message: string) => new TomlNotEdited({ message })

const library = Chunk.make(() => import("@decimalturn/toml-patch"))

export const parsed = (text: string): Effect.Effect<Table, TomlNotEdited> =>
  Effect.mapError(Effect.fromResult(Toml.parse(text)), (error) => refuse(tomlProblem(error)))

const withoutBlanks = (line: string) => line.replace(/\s+/g, "")

/** Lines that differ only in blanks, such as spaces before a comment, stay as they were. */
const withOldBlanks = (before: string, after: string): string => {
  const old = before.split("\n")
  let from = 0
  return after.split("\n").map((line) => {
    const form = withoutBlanks(line)
    const at = form === "" ? -1 : old.findIndex((one, index) => index >= from && withoutBlanks(one) === form)
    if (at < 0) return line
    from = at + 1
    return old[at]
  }).join("\n")
}

/** Tables with the same prototype: parsers choose different ones. */
const normalized = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(normalized)
    : isTable(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, normalized(one)]))
    : value

/** Whether a text has exactly these values. */
export const means = (text: string, wanted: Table): boolean =>
  Result.match(Toml.parse(text), {
    onSuccess: (root) => isDeepStrictEqual(normalized(root), normalized(wanted)),
    onFailure: () => false
  })

/** The first candidate with the wanted values, if it has every comment except those that may go. */
const firstSafe = Effect.fnUntraced(
  function*(before: TomlLayout, candidates: ReadonlyArray<string>, wanted: Table, going: ReadonlySet<number>) {
    const edited = candidates.find((candidate) => means(candidate, wanted))
    if (edited === undefined) return yield* refuse("it cannot be changed safely; please change it by hand")
    const comment = lostComment(before, yield* layoutOf(edited), going)
    if (comment === undefined) return edited
    return yield* refuse(`line ${comment.line + 1}: the comment there would be lost; please change it by hand`)
  }
)

/**
 * The text after `change`, which changes the parsed table in place; comments, order and everything else stay. A second parser must read
 * the same values from the result, and it must have every comment except those about a `removed` value or on `removed` lines.
 */
export const edit = Effect.fnUntraced(function*(
  text: string,
  change: (root: Table) => void,
  removed: string | ReadonlySet<number> = new Set()
) {
  const { parse, patch } = yield* library
  const wanted = yield* parsed(text)
  const patched = yield* Effect.try({
    try: () => {
      change(wanted)
      const root: Table = parse(text)
      change(root)
      return patch(text, root, { inlineTableStart: 9 })
    },
    catch: () => refuse("it cannot be changed in place; please change it by hand")
  })
  const ended = text === "" && !patched.endsWith("\n") ? `${patched}\n` : patched
  const layout = yield* layoutOf(text)
  const going = typeof removed === "string" ? linesAbout(layout, new Set([removed])) : removed
  return yield* firstSafe(layout, [withOldBlanks(text, ended), ended], wanted, going)
})

/** A table as TOML under a header of its own, followed by the tables in it. */
export const section = Effect.fnUntraced(function*(name: string, table: Table) {
  const { stringify } = yield* library
  const write = (name: string, table: Table): string => {
    const values = Object.entries(table).filter(([, value]) => !isTable(value))
    const tables = Object.entries(table).filter((entry): entry is [string, Table] => isTable(entry[1]))
    const head = values.length > 0 || tables.length === 0
      ? [`[${name}]\n${stringify(Object.fromEntries(values))}`.trimEnd() + "\n"]
      : []
    return [...head, ...tables.map(([key, one]) => write(`${name}.${keyText(key)}`, one))].join("\n")
  }
  return yield* Effect.try({
    try: () => write(name, table),
    catch: (error) => refuse(`it cannot be written as TOML: ${error instanceof Error ? error.message : String(error)}`)
  })
})

const keyText = (key: string): string => /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)

const assign = (root: Table, { path, value }: KeyAssignment): void => {
  let table = root
  for (const key of path.slice(0, -1)) {
    const next = table[key]
    table = isTable(next) ? next : (table[key] = {}) as Table
  }
  table[path.at(-1) ?? ""] = structuredClone(value)
}

/** Whether the key was set. */
const remove = (root: Table, path: KeyPath): boolean => {
  const table = path.slice(0, -1).reduce<unknown>((value, key) => isTable(value) ? value[key] : undefined, root)
  return isTable(table) && Object.hasOwn(table, path.at(-1) ?? "") && delete table[path.at(-1) ?? ""]
}

const at = (root: Table, path: KeyPath): unknown =>
  path.reduce<unknown>((value, key) => isTable(value) ? value[key] : undefined, root)

/** Tables of `after` that `before` does not have; each becomes a section. */
const added = (
  before: Table,
  after: Table,
  path: KeyPath = []
): ReadonlyArray<{ readonly path: KeyPath; readonly table: Table }> =>
  Object.entries(after).flatMap(([key, value]) => {
    const old = before[key]
    if (!isTable(value) || (old !== undefined && !isTable(old))) return []
    const here = [...path, key]
    const onlyTables = Object.keys(value).length > 0 && Object.values(value).every(isTable)
    return old === undefined && !onlyTables ? [{ path: here, table: value }] : added(old ?? {}, value, here)
  })

const joined = (text: string, sections: ReadonlyArray<string>): string =>
  [...(text.trim() === "" ? [] : [text.endsWith("\n") ? text : `${text}\n`]), ...sections].join("\n")

/** The items that stay when a list is replaced; `undefined` when all of them do. */
const keptItems = (before: unknown, after: unknown): ReadonlyArray<unknown> | undefined => {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined
  const left = before.filter((item) => after.includes(item))
  return left.length < before.length ? left : undefined
}

/** Removes the items that a new list leaves out, with the comments about them: a comment must not move to another item. */
const withoutOldItems = Effect.fnUntraced(function*(text: string, assignments: ReadonlyArray<KeyAssignment>) {
  const before = yield* parsed(text)
  const gone = new Set<unknown>()
  const lists = assignments.flatMap(({ path, value }) => {
    const old = at(before, path)
    const left = keptItems(old, value)
    if (left === undefined || !Array.isArray(old)) return []
    for (const item of old) if (!left.includes(item)) gone.add(item)
    return [{ path, value: left }]
  })
  if (lists.length === 0) return text
  return yield* edit(text, (root) => {
    for (const list of lists) assign(root, list)
  }, linesAbout(yield* layoutOf(text), gone))
})

/** Sets values, later ones over earlier ones; new tables become sections at the end. */
export const set = Effect.fnUntraced(function*(original: string, assignments: ReadonlyArray<KeyAssignment>) {
  const text = yield* withoutOldItems(original, assignments)
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
      // The tables around it exist only for it.
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

/** Removes a key or table and the comments about it; `undefined` when it is not set. */
export const unset = Effect.fnUntraced(function*(text: string, path: KeyPath) {
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

/** Renames the last key of a path, and sets the values that change with it. */
export const rename = Effect.fnUntraced(
  function*(text: string, path: KeyPath, to: string, assignments: ReadonlyArray<KeyAssignment>) {
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
