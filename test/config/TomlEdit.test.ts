import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { edit } from "../../src/config/toml/TomlEdit.ts"
import type { Table } from "../../src/config/schema/KeyPath.ts"

const list = (change: (old: ReadonlyArray<unknown>) => ReadonlyArray<unknown>) => (root: Table) => {
  root["r"] = change(root["r"] as ReadonlyArray<unknown> ?? [])
}
const add = (...values: ReadonlyArray<unknown>) => list((old) => [...old, ...values])
const without = (value: unknown) => list((old) => old.filter((one) => one !== value))

describe("Editing TOML", () => {
  const cases: ReadonlyArray<readonly [string, string, (root: Table) => void, string, string?]> = [
    [
      "keeps blanks before comments",
      "a = 1     # one\nr = [\"x\"]  # list\nlonger = 2 # two\n",
      add("y"),
      "a = 1     # one\nr = [\"x\", \"y\"]  # list\nlonger = 2 # two\n"
    ],
    [
      "keeps spellings of values",
      "h = 0xFF\nn = 1_000\nd = 1979-05-27T07:32:00Z\ns = 'lit'\nr = []\n",
      add("y"),
      "h = 0xFF\nn = 1_000\nd = 1979-05-27T07:32:00Z\ns = 'lit'\nr = [\"y\"]\n"
    ],
    ["keeps lists over several lines", "r = [\n  \"x\", # x\n]\n", add("y"), "r = [\n  \"x\", # x\n  \"y\",\n]\n"],
    [
      "keeps Windows line ends",
      "# c\r\nr = [\r\n  \"x\", # x\r\n]\r\n",
      add("y"),
      "# c\r\nr = [\r\n  \"x\", # x\r\n  \"y\",\r\n]\r\n"
    ],
    ["starts an empty file", "", add("y"), "r = [ \"y\" ]\n"],
    [
      "leaves out one value and what is said about it",
      "r = [\n  # about x\n  \"x\", # x\n  # about y\n  \"y\", # y\n]\n",
      without("x"),
      "r = [\n  # about y\n  \"y\", # y\n]\n",
      "x"
    ]
  ]
  for (const [name, before, change, after, removed] of cases) {
    it.effect(name, () => Effect.map(edit(before, change, removed), (edited) => assert.strictEqual(edited, after)))
  }

  it.effect("refuses to lose a comment that is about something else", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(edit("p = { q = 1, z = [\"x\"] } # all of it\n", (root) => {
        root["p"] = { q: 1, z: [] }
      }, "x"))
      assert.strictEqual(error.message, "line 1: the comment there would be lost; please change it by hand")
    }))

  it.effect("refuses what is no TOML", () =>
    Effect.map(Effect.flip(edit("r = [", add("y"))), ({ message }) => assert.match(message, /^not valid TOML: /)))
})
