import { mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ToolFailed } from "../../../src/tool/Tool.ts"
import { bench, toolbox } from "../Call.ts"

const tenMiB = 10 * 1024 * 1024

describe("file_read", () => {
  layer(toolbox())((it) => {
    it.effect("numbers the lines and says how many there are", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        put("a.txt", "one\ntwo\n")
        assert.strictEqual(yield* text("file_read", { path: "a.txt" }), "1: one\n2: two\n[2 lines]")
        put("b.txt", "")
        assert.strictEqual(yield* text("file_read", { path: "b.txt" }), "[The file is empty.]")
      }))

    it.effect("shows a range, says where it goes on, and names an offset beyond the end", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        put("a.txt", "1\n2\n3\n4\n5")
        assert.strictEqual(
          yield* text("file_read", { path: "a.txt", offset: 2, limit: 2 }),
          "2: 2\n3: 3\n[Lines 2-3 of 5. Continue with offset 4.]"
        )
        assert.strictEqual(
          yield* text("file_read", { path: "a.txt", offset: 4, limit: null }),
          "4: 4\n5: 5\n[Lines 4-5 of 5.]"
        )
        assert.match(yield* text("file_read", { path: "a.txt", offset: 6 }), /beyond the end.*5 lines/)
      }))

    it.effect("hides line ends and byte order mark of a Windows file", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        put("a.txt", "\uFEFFone\r\ntwo\r\n")
        assert.strictEqual(yield* text("file_read", { path: "a.txt" }), "1: one\n2: two\n[2 lines]")
      }))

    it.effect("gives a long file in parts that lose nothing, and cuts an endless line", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        put("long.txt", Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join("\n"))
        let offset = 1
        let seen = 0
        for (;;) {
          const part = yield* text("file_read", { path: "long.txt", offset })
          const lines = part.split("\n").filter((line) => /^\d+: line/.test(line))
          assert.strictEqual(lines[0], `${offset}: line ${offset}`)
          seen += lines.length
          const next = /Continue with offset (\d+)/.exec(part)?.[1]
          if (next === undefined) break
          offset = Number(next)
        }
        assert.strictEqual(seen, 20_000)
        put("minified.js", "x".repeat(1_000_000))
        const cut = yield* text("file_read", { path: "minified.js" })
        assert.isBelow(cut.length, 50_000)
        assert.match(cut, /line cut, 1000003 characters/)
      }))

    it.effect("cuts no character in half", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        for (const start of ["", "x"]) {
          put("emoji.txt", start + "😀".repeat(40_000))
          const shown = yield* text("file_read", { path: "emoji.txt" })
          assert.isTrue(shown.isWellFormed())
          assert.include(shown, "😀… [line cut")
        }
      }))

    it.effect("refuses binary files as text and gives them in base64", () =>
      Effect.gen(function*() {
        const { failure, put, text } = yield* bench
        put("image.png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]))
        put("koi8.txt", Buffer.from([0xd4, 0xc5, 0xcb, 0xd3, 0xd4]))
        assert.match(yield* failure("file_read", { path: "image.png" }), /binary/)
        assert.match(yield* failure("file_read", { path: "koi8.txt" }), /encoding other than UTF-8/)
        assert.strictEqual(yield* text("file_read", { path: "koi8.txt", encoding: "base64" }), "1MXL09Q=")
      }))

    it.effect("names what is wrong with the target", () =>
      Effect.gen(function*() {
        const { cwd, failure, put } = yield* bench
        mkdirSync(join(cwd, "src"))
        put("huge", "")
        truncateSync(join(cwd, "huge"), tenMiB + 1)
        symlinkSync("/etc/passwd", join(cwd, "link"))
        assert.match(yield* failure("file_read", { path: "nothing.txt" }), /Cannot read nothing.txt: it does not exist/)
        assert.match(yield* failure("file_read", { path: "src" }), /folder.*file_list/)
        assert.match(yield* failure("file_read", { path: "huge" }), /10485761 bytes.*limit/)
        assert.match(yield* failure("file_read", { path: "../x" }), /refused/)
        assert.match(yield* failure("file_read", { path: "/etc/passwd" }), /outside the folders/)
        assert.match(yield* failure("file_read", { path: "link" }), /leads outside/)
        assert.match(yield* failure("file_read", { path: "huge", offset: 0 }), /offset/)
      }))

    it.effect("prefers the client's unsaved buffer, and the disk where the client has none; a refusal is one", () =>
      Effect.gen(function*() {
        const { put, run } = yield* bench
        put("a.txt", "disk")
        const unsaved = { client: { editor: { read: () => Effect.succeed("unsaved") } } }
        assert.match((yield* run("file_read", { path: "a.txt" }, unsaved)).text, /1: unsaved/)
        const without = { client: { editor: { read: () => Effect.undefined } } }
        assert.match((yield* run("file_read", { path: "a.txt" }, without)).text, /1: disk/)
        const refusing = { client: { editor: { read: () => Effect.fail(new ToolFailed({ message: "no" })) } } }
        assert.match((yield* Effect.flip(run("file_read", { path: "a.txt" }, refusing))).message, /a\.txt: no/)
      }))

    it.effect("previews with the place it looks at", () =>
      Effect.gen(function*() {
        const { cwd, preview } = yield* bench
        assert.deepStrictEqual(yield* preview("file_read", { path: "src/a.ts", offset: 7 }), {
          title: "Read src/a.ts",
          locations: [{ path: join(cwd, "src/a.ts"), line: 7 }]
        })
        assert.deepStrictEqual(yield* preview("file_read", { path: "/etc/passwd" }), { title: "Read /etc/passwd" })
      }))

    it.effect("reads the file that was shown or none", () =>
      Effect.gen(function*() {
        const { cwd, preview, put, run } = yield* bench
        put("plain", "p")
        put("private", "s")
        symlinkSync("plain", join(cwd, "link"))
        const shown = yield* preview("file_read", { path: "link" })
        rmSync(join(cwd, "link"))
        symlinkSync("private", join(cwd, "link"))
        const failed = yield* Effect.flip(run("file_read", { path: "link" }, { preview: shown }))
        assert.strictEqual(failed.message, "link is another file now than the one that was shown.")
      }))
  })
})
