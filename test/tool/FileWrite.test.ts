import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, toolbox } from "./Call.ts"

const tenMiB = 10 * 1024 * 1024

describe("file_write", () => {
  layer(toolbox())((it) => {
    it.effect("creates a file with its folders, and replaces it", () =>
      Effect.gen(function*() {
        const { cwd, run } = yield* bench
        const path = join(cwd, "a/b.txt")
        const created = yield* run("file_write", { path: "a/b.txt", content: "é" })
        assert.strictEqual(created.text, "Wrote 2 bytes to a/b.txt.")
        assert.deepStrictEqual(created.content, [{ type: "diff", path, oldText: null, newText: "é" }])
        const replaced = yield* run("file_write", { path, content: "new" })
        assert.deepStrictEqual(replaced.content, [{ type: "diff", path, oldText: "é", newText: "new" }])
        assert.strictEqual(readFileSync(path, "utf8"), "new")
      }))

    it.effect("writes bytes, and refuses bad base64 before anything happens", () =>
      Effect.gen(function*() {
        const { cwd, failure, text } = yield* bench
        yield* text("file_write", { path: "a.bin", content: "AAH/", encoding: "base64" })
        assert.deepStrictEqual([...readFileSync(join(cwd, "a.bin"))], [0, 1, 255])
        assert.match(yield* failure("file_write", { path: "b.bin", content: "!", encoding: "base64" }), /not valid base64/)
        assert.deepStrictEqual(readdirSync(cwd), ["a.bin"])
      }))

    it.effect("never writes outside: directly, through links, through a linked folder, dangling", () =>
      Effect.gen(function*() {
        const { cwd, failure } = yield* bench
        const other = yield* bench
        writeFileSync(join(other.cwd, "victim"), "v")
        symlinkSync(join(other.cwd, "victim"), join(cwd, "file-link"))
        symlinkSync(other.cwd, join(cwd, "folder-link"))
        symlinkSync(join(other.cwd, "new"), join(cwd, "dangling"))
        const paths = [
          "../x", join(other.cwd, "x"), "file-link", "folder-link/x", "folder-link/a/b", "folder-link/victim", "dangling", "a/../../x", "a\0"
        ]
        for (const path of paths) {
          assert.match(yield* failure("file_write", { path, content: "x" }), /was refused/, path)
          assert.match(yield* failure("file_edit", { path, old_string: "v", new_string: "x" }), /was refused/, path)
        }
        assert.deepStrictEqual(readdirSync(other.cwd), ["victim"])
        assert.strictEqual(readFileSync(join(other.cwd, "victim"), "utf8"), "v")
      }))

    it.effect("refuses more than 10 MiB, a folder, and a path through a file", () =>
      Effect.gen(function*() {
        const { cwd, failure, put } = yield* bench
        mkdirSync(join(cwd, "src"))
        put("file", "x")
        assert.match(yield* failure("file_write", { path: "a", content: "x".repeat(tenMiB + 1) }), /limit/)
        assert.match(yield* failure("file_write", { path: "src", content: "x" }), /it is a folder/)
        assert.match(yield* failure("file_write", { path: "file/x", content: "x" }), /is a file, not a folder/)
      }))

    it.effect("previews the diff without writing", () =>
      Effect.gen(function*() {
        const { cwd, preview } = yield* bench
        const path = join(cwd, "new.txt")
        assert.deepStrictEqual(yield* preview("file_write", { path: "new.txt", content: "n" }), {
          title: "Write new.txt",
          locations: [{ path }],
          content: [{ type: "diff", path, oldText: null, newText: "n" }],
          rawInput: { path: "new.txt", newText: "n" }
        })
        assert.deepStrictEqual(readdirSync(cwd), [])
      }))

    it.effect("goes through the client where it writes files itself", () =>
      Effect.gen(function*() {
        const { cwd, run } = yield* bench
        const written: Array<readonly [string, string]> = []
        yield* run("file_write", { path: "a.txt", content: "x" }, {
          editor: { write: (path, content) => Effect.sync(() => void written.push([path, content])) }
        })
        assert.deepStrictEqual(written, [[join(cwd, "a.txt"), "x"]])
        assert.deepStrictEqual(readdirSync(cwd), [])
      }))
  })
})
