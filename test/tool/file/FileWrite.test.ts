import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, toolbox } from "../Call.ts"

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
        assert.match(
          yield* failure("file_write", { path: "b.bin", content: "!", encoding: "base64" }),
          /not valid base64/
        )
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
          "../x",
          join(other.cwd, "x"),
          "file-link",
          "folder-link/x",
          "folder-link/a/b",
          "folder-link/victim",
          "dangling",
          "a/../../x",
          "a\0"
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
        const { version: _, ...shown } = yield* preview("file_write", { path: "new.txt", content: "n" })
        assert.deepStrictEqual(shown, {
          title: "Write new.txt",
          locations: [{ path }],
          content: [{ type: "diff", path, oldText: null, newText: "n" }],
          rawInput: { path: "new.txt", newText: "n" }
        })
        assert.deepStrictEqual(readdirSync(cwd), [])
      }))

    it.effect("writes to the file that was shown or to none", () =>
      Effect.gen(function*() {
        const { cwd, preview, put, run } = yield* bench
        for (const folder of ["docs", "hooks"]) mkdirSync(join(cwd, folder))
        put("docs/old", "1")
        put("hooks/old", "1")
        symlinkSync("docs", join(cwd, "d"))
        const file = { path: "d/run.sh", content: "x" }
        const edit = { path: "d/old", old_string: "1", new_string: "2" }
        const shown = { file_write: yield* preview("file_write", file), file_edit: yield* preview("file_edit", edit) }
        rmSync(join(cwd, "d"))
        symlinkSync("hooks", join(cwd, "d"))
        const written = yield* Effect.flip(run("file_write", file, { preview: shown.file_write }))
        assert.strictEqual(written.message, "d/run.sh is another file now than the one that was shown.")
        assert.match(
          (yield* Effect.flip(run("file_edit", edit, { preview: shown.file_edit }))).message,
          /d\/old is another file now/
        )
        assert.deepStrictEqual(readdirSync(join(cwd, "hooks")), ["old"])
        assert.strictEqual(readFileSync(join(cwd, "hooks/old"), "utf8"), "1")
        assert.deepStrictEqual(readdirSync(join(cwd, "docs")), ["old"])
      }))

    it.effect("writes nowhere when the preview found no file to show", () =>
      Effect.gen(function*() {
        const { cwd, preview, run } = yield* bench
        symlinkSync("/etc", join(cwd, "d"))
        const shown = yield* preview("file_write", { path: "d/a", content: "x" })
        rmSync(join(cwd, "d"))
        const failed = yield* Effect.flip(run("file_write", { path: "d/a", content: "x" }, { preview: shown }))
        assert.match(failed.message, /another file now/)
        assert.deepStrictEqual(readdirSync(cwd), [])
      }))

    it.effect("does not replace what is not what was shown: changed, created, gone, binary", () =>
      Effect.gen(function*() {
        const { cwd, preview, put, run } = yield* bench
        const cases: ReadonlyArray<readonly [string | Uint8Array | null, string | Uint8Array | null]> = [
          ["old", "changed"],
          [null, "created"],
          ["old", null],
          [Uint8Array.of(0, 1), Uint8Array.of(0, 2)],
          [null, Uint8Array.of(0)]
        ]
        for (const [index, [before, after]] of cases.entries()) {
          const path = `${index}`
          if (before !== null) put(path, before)
          const shown = yield* preview("file_write", { path, content: "new" })
          if (after === null) rmSync(join(cwd, path))
          else put(path, after)
          const failed = yield* Effect.flip(run("file_write", { path, content: "new" }, { preview: shown }))
          assert.strictEqual(failed.message, `${path} changed since it was shown; read it again.`)
          if (after === null) assert.isFalse(existsSync(join(cwd, path)))
          else assert.deepStrictEqual(readFileSync(join(cwd, path)), Buffer.from(after))
        }
        put("same", "old")
        const shown = yield* preview("file_write", { path: "same", content: "new" })
        put("same", "old")
        yield* run("file_write", { path: "same", content: "new" }, { preview: shown })
        assert.strictEqual(readFileSync(join(cwd, "same"), "utf8"), "new")
      }))

    it.effect("does not bring the session's folder back after it was deleted", () =>
      Effect.gen(function*() {
        const { cwd, failure } = yield* bench
        rmSync(cwd, { recursive: true })
        for (const path of ["n.txt", "a/b/n.txt"]) {
          assert.strictEqual(
            yield* failure("file_write", { path, content: "x" }),
            `Cannot write ${path}: the folder ${cwd} is gone.`
          )
        }
        assert.isFalse(existsSync(cwd))
      }))

    it.effect("goes through the client where it writes files itself", () =>
      Effect.gen(function*() {
        const { cwd, run } = yield* bench
        const written: Array<readonly [string, string]> = []
        yield* run("file_write", { path: "a.txt", content: "x" }, {
          client: { editor: { write: (path, content) => Effect.sync(() => written.push([path, content]) > 0) } }
        })
        assert.deepStrictEqual(written, [[join(cwd, "a.txt"), "x"]])
        assert.deepStrictEqual(readdirSync(cwd), [])
      }))
  })
})
