import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import { Toml } from "effect/encoding"
import { rename, set, unset } from "../../src/config/toml/TomlEdit.ts"
import type { Table } from "../../src/config/schema/KeyPath.ts"
import { either, integer, line, oneOf } from "../support/Arbitraries.ts"

interface Above {
  readonly isApart: boolean
  readonly comments: ReadonlyArray<string>
}

/** A document as people write it: tables of keys with values on one line, comments above and behind them, and blank lines. */
interface Written {
  readonly above: Above
  readonly key: string
  readonly value: unknown
  readonly gap: string
  readonly behind: string | undefined
}

interface Section {
  readonly above: Above
  readonly name: string
  readonly keys: ReadonlyArray<Written>
}

const comment = Arbitrary.map(line, (text) => text.replaceAll("\t", " ").trimEnd())
const above = Arbitrary.all({ isApart: oneOf(true, false), comments: Arbitrary.array(comment, { maxLength: 2 }) })
const scalar = either<unknown>(line, integer, oneOf(true, false))
/** A comment behind an empty list makes the editor refuse, so there is none in these documents. */
const value = either<unknown>(scalar, Arbitrary.array(line, { minLength: 1, maxLength: 3 }))

const unique = <A>(items: ReadonlyArray<A>, name: (item: A) => string): ReadonlyArray<A> =>
  items.filter((item, at) => items.findIndex((one) => name(one) === name(item)) === at)

const keys = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.all({
      above,
      key: oneOf("a", "b", "c-d", "e_1", "\"f g\""),
      value,
      gap: oneOf(" ", "", "   "),
      behind: either<string | undefined>(comment, Arbitrary.Constant(undefined))
    }),
    { maxLength: 4 }
  ),
  (all) => unique(all, ({ key }) => key)
)

const sections = Arbitrary.map(
  Arbitrary.array(Arbitrary.all({ above, name: oneOf("one", "two", "three", "\"4 four\""), keys }), { maxLength: 3 }),
  (all) => unique(all, ({ name }) => name)
)

const written = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(written).join(", ")}]` : JSON.stringify(value)

/** Comments are numbered: of two that are alike the editor does not know which one is meant to go. */
const textOf = (root: ReadonlyArray<Written>, sections: ReadonlyArray<Section>): string => {
  let count = 0
  const comment = (text: string) => `# ${++count} ${text}`
  const before = ({ comments, isApart }: Above) => [...(isApart ? [""] : []), ...comments.map(comment)]
  const lines = (keys: ReadonlyArray<Written>) =>
    keys.flatMap(({ above, behind, gap, key, value }) => [
      ...before(above),
      `${key}${gap}=${gap}${written(value)}${behind === undefined ? "" : `${gap} ${comment(behind)}`}`
    ])
  return [
    ...lines(root),
    ...sections.flatMap(({ above, keys, name }) => [...before(above), `[${name}]`, ...lines(keys)])
  ]
    .map((line) => `${line}\n`).join("")
}

const document = Arbitrary.map(Arbitrary.all([keys, sections]), ([root, sections]) => textOf(root, sections))

const read = (text: string): Table => Result.getOrThrow(Toml.parse(text)) as Table
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const commentsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => /^\s*(#.*)$/.exec(line)?.[1] ?? [])

const section = oneOf("", "one", "two", "three", "4 four", "five")
const key = oneOf("a", "b", "c-d", "e_1", "f g", "new")
const pathOf = (section: string, key: string) => section === "" ? [key] : [section, key]

const assigned = (text: string, path: ReadonlyArray<string>, value: unknown): Table => {
  const root = read(text)
  const [first, second] = path as [string, string?]
  if (second === undefined) root[first] = value
  else root[first] = { ...(root[first] as Table | undefined), [second]: value }
  return root
}

const valueAt = (root: Table, path: ReadonlyArray<string>) =>
  path.reduce<unknown>((value, key) => (value as Table | undefined)?.[key], root)

describe("Properties of edits of config.toml", () => {
  it.effect.prop("a value that is set is read back, everything else is as before, and every line of comment stays", {
    document,
    section,
    key,
    value
  }, ({ document, key, section, value }) =>
    Effect.gen(function*() {
      const path = pathOf(section, key)
      const result = yield* Effect.result(set(document, [{ path, value }]))
      // Of a list that keeps no item, the comment behind it may be about what is gone.
      if (Result.isFailure(result)) return assert.isArray(valueAt(read(document), path), result.failure.message)
      const edited = result.success
      assert.deepStrictEqual(plain(read(edited)), plain(assigned(document, path, value)))
      assert.deepStrictEqual(commentsOf(edited), commentsOf(document))
    }))

  it.effect.prop("a value that takes the place of another changes that line alone", {
    document,
    section,
    key,
    value: scalar
  }, ({ document, key, section, value }) =>
    Effect.gen(function*() {
      const path = pathOf(section, key)
      const old = valueAt(read(document), path)
      if (old === undefined || Array.isArray(old)) return
      const edited = (yield* set(document, [{ path, value }])).split("\n")
      const changed = document.split("\n").filter((line, at) => line !== edited[at])
      assert.strictEqual(edited.length, document.split("\n").length)
      assert.isAtMost(changed.length, 1)
    }))

  it.effect.prop("a value that is unset is gone, everything else is as before, and no other line changes", {
    document,
    section,
    key
  }, ({ document, key, section }) =>
    Effect.gen(function*() {
      const path = pathOf(section, key)
      const before = read(document)
      const edited = yield* unset(document, path)
      if (valueAt(before, path) === undefined) return assert.isUndefined(edited)
      const parent = path.length === 1 ? before : before[path[0]!] as Table
      delete parent[path.at(-1)!]
      assert.deepStrictEqual(plain(read(edited ?? "")), plain(before))
      // What is left is the document without some of its lines.
      let from = 0
      const lines = document.split("\n")
      for (const line of (edited ?? "").split("\n")) {
        const at = lines.indexOf(line, from)
        assert.isAtLeast(at, 0, `the line ${line} was not there`)
        from = at + 1
      }
    }))

  it.effect.prop("a table under another name keeps its values and all comments, and what refers to it changes along", {
    document,
    name: oneOf("one", "two", "three", "4 four"),
    to: oneOf("other", "with space", "7"),
    reference: line
  }, ({ document, name, reference, to }) =>
    Effect.gen(function*() {
      const before = read(document)
      if (before[name] === undefined) return
      const edited = yield* rename(document, [name], to, [{ path: ["a"], value: reference }])
      const { [name]: table, ...rest } = before
      assert.deepStrictEqual(plain(read(edited)), plain({ ...rest, [to]: table, a: reference }))
      assert.deepStrictEqual(commentsOf(edited), commentsOf(document))
    }))
})
