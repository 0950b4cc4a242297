import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, toolbox } from "../Call.ts"

describe("file_edit", () => {
  layer(toolbox())((it) => {
    it.effect("replaces exactly one occurrence and reports it", () =>
      Effect.gen(function*() {
        const { cwd, put, run } = yield* bench
        put("a.ts", "let a = 1\nlet b = 2\n")
        const output = yield* run("file_edit", { path: "a.ts", old_string: "b = 2", new_string: "b = $& $1" })
        assert.strictEqual(output.text, "Replaced 1 occurrence in a.ts (24 bytes).")
        assert.deepStrictEqual(output.locations, [{ path: join(cwd, "a.ts"), line: 2 }])
        assert.strictEqual(readFileSync(join(cwd, "a.ts"), "utf8"), "let a = 1\nlet b = $& $1\n")
      }))

    it.effect("changes nothing when the text is missing, ambiguous, empty or the same", () =>
      Effect.gen(function*() {
        const { cwd, failure, put } = yield* bench
        put("a.ts", "  x()\nx()\naaa\n")
        const edit = (old_string: string, new_string = "z") =>
          failure("file_edit", { path: "a.ts", old_string, new_string })
        assert.match(yield* edit("nothing"), /not found in a.ts.*Read the file again/)
        assert.match(yield* edit("x( )\nx()"), /not found/)
        assert.match(yield* edit("\tx()\n x()"), /Line 1 differs from it only in white space/)
        assert.match(yield* edit("x()"), /found 2 times in a.ts \(lines 1, 2\)/)
        assert.match(yield* edit("aa"), /found 2 times/)
        assert.match(yield* edit(""), /empty/)
        assert.match(yield* edit("aaa", "aaa"), /same/)
        assert.match(
          yield* failure("file_edit", { path: "none.ts", old_string: "a", new_string: "b" }),
          /does not exist/
        )
        assert.strictEqual(readFileSync(join(cwd, "a.ts"), "utf8"), "  x()\nx()\naaa\n")
      }))

    it.effect("makes several edits in one go, each in what the one before it left", () =>
      Effect.gen(function*() {
        const { cwd, put, run } = yield* bench
        put("a.ts", "one\ntwo\nthree\n")
        const output = yield* run("file_edit", {
          path: "a.ts",
          edits: [{ old_string: "one", new_string: "1\n1b" }, { old_string: "1b\ntwo", new_string: "2" }, {
            old_string: "three\n",
            new_string: ""
          }]
        })
        assert.strictEqual(output.text, "Replaced 3 passages in a.ts (4 bytes).")
        const path = join(cwd, "a.ts")
        assert.deepStrictEqual(output.locations, [{ path, line: 1 }, { path, line: 2 }, { path, line: 3 }])
        assert.lengthOf(output.content ?? [], 3)
        assert.strictEqual(readFileSync(path, "utf8"), "1\n2\n")
      }))

    it.effect("makes none of several edits when one cannot be made, and says which and why", () =>
      Effect.gen(function*() {
        const { cwd, failure, put } = yield* bench
        put("a.ts", "one\ntwo\ntwo\n")
        const edit = (...edits: ReadonlyArray<readonly [string, string]>) =>
          failure("file_edit", {
            path: "a.ts",
            edits: edits.map(([old_string, new_string]) => ({ old_string, new_string }))
          })
        assert.match(
          yield* edit(["one", "1"], ["one", "2"]),
          /^Edit 2 of 2: old_string was not found in a.ts.*edits before it.* Nothing was changed\.$/
        )
        assert.match(
          yield* edit(["one", "1"], ["two", "2"]),
          /^Edit 2 of 2: old_string was found 2 times in a.ts \(lines 2, 3\)/
        )
        assert.match(yield* edit(["one", "1"], ["", "2"]), /empty/)
        assert.match(yield* edit(), /Name old_string/)
        assert.match(yield* failure("file_edit", { path: "a.ts", old_string: "one" }), /new_string is missing/)
        assert.strictEqual(readFileSync(join(cwd, "a.ts"), "utf8"), "one\ntwo\ntwo\n")
      }))

    it.effect("keeps Windows line ends and the byte order mark", () =>
      Effect.gen(function*() {
        const { cwd, put, text } = yield* bench
        put("a.txt", "\uFEFFone\r\ntwo\r\nthree\r\n")
        yield* text("file_edit", { path: "a.txt", old_string: "one\ntwo", new_string: "1\n2\n" })
        assert.strictEqual(readFileSync(join(cwd, "a.txt"), "utf8"), "\uFEFF1\r\n2\r\n\r\nthree\r\n")
        put("mixed.txt", "a\r\nb\nc")
        yield* text("file_edit", { path: "mixed.txt", old_string: "b\nc", new_string: "B\nC" })
        assert.strictEqual(readFileSync(join(cwd, "mixed.txt"), "utf8"), "a\r\nB\nC")
      }))

    it.effect("previews the change with its line", () =>
      Effect.gen(function*() {
        const { cwd, preview, put } = yield* bench
        put("a.ts", "1\n2\n3\n")
        const path = join(cwd, "a.ts")
        const { version: _, ...shown } = yield* preview("file_edit", { path: "a.ts", old_string: "3", new_string: "4" })
        assert.deepStrictEqual(shown, {
          title: "Edit a.ts",
          locations: [{ path, line: 3 }],
          content: [{ type: "diff", path, oldText: "3", newText: "4" }],
          rawInput: { path: "a.ts", oldText: "3", newText: "4" }
        })
      }))

    it.effect("changes only the text it was shown in", () =>
      Effect.gen(function*() {
        const { cwd, preview, put, run } = yield* bench
        const edit = { path: "a.ts", old_string: "b", new_string: "c" }
        put("a.ts", "if (ok) b\n")
        const shown = yield* preview("file_edit", edit)
        put("a.ts", "if (!ok) b\n")
        const failed = yield* Effect.flip(run("file_edit", edit, { preview: shown }))
        assert.strictEqual(failed.message, "a.ts changed since it was shown; read it again.")
        assert.strictEqual(readFileSync(join(cwd, "a.ts"), "utf8"), "if (!ok) b\n")
        yield* run("file_edit", edit, { preview: yield* preview("file_edit", edit) })
        assert.strictEqual(readFileSync(join(cwd, "a.ts"), "utf8"), "if (!ok) c\n")
      }))
  })
})
