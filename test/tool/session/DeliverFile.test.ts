import { readFileSync, symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, toolbox } from "../Call.ts"

describe("deliver_file", () => {
  layer(toolbox())((it) => {
    it.effect("copies into uploads and links to the copy by its content", () =>
      Effect.gen(function*() {
        const { cwd, put, run } = yield* bench
        put("report.md", "hello")
        const output = yield* run("deliver_file", { path: "report.md", title: "The report" })
        const name = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.md"
        const uri = `attachment://deliver/${name}`
        assert.strictEqual(output.text, `Delivered report.md (5 bytes) as ${uri}.`)
        assert.strictEqual(output.title, "The report")
        assert.deepStrictEqual(output.content?.[1], {
          type: "content",
          content: {
            type: "resource_link",
            uri,
            name: "report.md",
            title: "The report",
            mimeType: "text/markdown",
            size: 5
          }
        })
        assert.deepStrictEqual(output.rawOutput, {
          delivered: true,
          uri,
          path: join(cwd, "report.md"),
          filename: "report.md",
          title: "The report",
          mimeType: "text/markdown",
          bytes: 5
        })
        assert.strictEqual(readFileSync(join(cwd, "uploads", name), "utf8"), "hello")
      }))

    it.effect("refuses what is outside, too large, missing, or has nowhere to go", () =>
      Effect.gen(function*() {
        const { cwd, failure, put } = yield* bench
        const other = yield* bench
        put("big", "")
        truncateSync(join(cwd, "big"), 10 * 1024 * 1024 + 1)
        assert.match(yield* failure("deliver_file", { path: "/etc/passwd" }), /outside/)
        assert.match(yield* failure("deliver_file", { path: "big" }), /limit/)
        assert.match(yield* failure("deliver_file", { path: "none" }), /does not exist/)
        put("a.txt", "a")
        symlinkSync(other.cwd, join(cwd, "uploads"))
        assert.match(yield* failure("deliver_file", { path: "a.txt" }), /uploads.*link/)
      }))
  })
})
