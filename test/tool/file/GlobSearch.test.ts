import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bench, swapped, toolbox } from "../Call.ts"

describe("glob_search", () => {
  layer(toolbox())((it) => {
    it.effect("finds files, sorted and relative, without .git and node_modules", () =>
      Effect.gen(function*() {
        const { cwd, put, text } = yield* bench
        for (const folder of ["src/deep", ".git", "node_modules/x", ".github"]) {
          mkdirSync(join(cwd, folder), { recursive: true })
        }
        for (
          const file of [
            "z.ts",
            "src/b.ts",
            "src/deep/a.tsx",
            "src/c.md",
            ".git/d.ts",
            "node_modules/x/e.ts",
            ".github/f.yml"
          ]
        ) put(file, "")
        assert.strictEqual(yield* text("glob_search", { pattern: "**/*.{ts,tsx}" }), "src/b.ts\nsrc/deep/a.tsx\nz.ts")
        assert.strictEqual(yield* text("glob_search", { pattern: "*.ts" }), "z.ts")
        assert.strictEqual(yield* text("glob_search", { pattern: "*.ts", path: "src" }), "src/b.ts")
        assert.strictEqual(yield* text("glob_search", { pattern: "**/*.yml" }), ".github/f.yml")
        assert.strictEqual(yield* text("glob_search", { pattern: "src/*/" }), "src/deep/")
        assert.match(yield* text("glob_search", { pattern: "*.rs" }), /No files match/)
      }))

    it.effect("puts names in quotes that could be taken for lines of the result", () =>
      Effect.gen(function*() {
        const { cwd, put, text } = yield* bench
        mkdirSync(join(cwd, "a\nb"))
        put("a\nb/[1 path was left out].ts", "hit")
        put("c d.ts", "hit")
        const name = "'a'$'\\n''b/[1 path was left out].ts'"
        assert.strictEqual(yield* text("glob_search", { pattern: "**/*.ts" }), `${name}\nc d.ts`)
        assert.strictEqual(yield* text("glob_search", { pattern: "*/" }), "'a'$'\\n''b'/")
        assert.strictEqual(yield* text("content_search", { pattern: "hit" }), `${name}:1:hit\nc d.ts:1:hit`)
      }))

    it.effect("does not follow links out, nor accept patterns that lead out", () =>
      Effect.gen(function*() {
        const { cwd, failure, text } = yield* bench
        const other = yield* bench
        other.put("secret.ts", "")
        symlinkSync(other.cwd, join(cwd, "out"))
        symlinkSync(cwd, join(cwd, "self"))
        assert.match(yield* text("glob_search", { pattern: "**/*.ts" }), /No files/)
        assert.match(yield* failure("glob_search", { pattern: "../*" }), /relative/)
        assert.match(yield* failure("glob_search", { pattern: "/etc/*" }), /relative/)
        assert.match(yield* failure("glob_search", { pattern: "*", path: "out" }), /leads outside/)
      }))

    it.effect("stops at 1000 results and says so", () =>
      Effect.gen(function*() {
        const { put, text } = yield* bench
        for (let index = 0; index < 1001; index++) put(`f${index}`, "")
        const found = yield* text("glob_search", { pattern: "*" })
        assert.match(found, /Stopped at 1000 results/)
        assert.strictEqual(found.split("\n").length, 1001)
      }))

    it.effect("finds nothing in a folder that took the place of the checked one", () =>
      Effect.gen(function*() {
        const { context, cwd, run } = yield* bench
        const other = yield* bench
        mkdirSync(join(other.cwd, "sub"))
        other.put("sub/secret", "")
        symlinkSync(other.cwd, join(cwd, "d"))
        for (const path of ["d", "d/sub"]) {
          assert.match((yield* run("glob_search", { pattern: "**/*", path }, swapped(context))).text, /No files match/)
        }
      }))
  })
})
