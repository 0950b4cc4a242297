import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "../../src/platform/ReplaceFile.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

describe("A file that is replaced", () => {
  it.live("has its new text and its old mode, and leaves no draft", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "config.toml")
      yield* replaceFile(file, "one", 0o600)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      chmodSync(file, 0o640)
      yield* replaceFile(file, "two", 0o600, "one")
      assert.deepStrictEqual([readFileSync(file, "utf8"), statSync(file).mode & 0o777], ["two", 0o640])
      assert.deepStrictEqual(readdirSync(join(file, "..")), ["config.toml"])
    }))

  it.live("a file that another process changed meanwhile stays", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "config.toml")
      writeFileSync(file, "by hand")
      const error = yield* Effect.flip(replaceFile(file, "two", 0o600, "one"))
      assert.deepStrictEqual([error._tag, error.message], [
        "FileChanged",
        `${file} was changed meanwhile; try again`
      ])
      assert.strictEqual((yield* Effect.flip(replaceFile(file, "two", 0o600, "")))._tag, "FileChanged")
      assert.strictEqual(readFileSync(file, "utf8"), "by hand")
      assert.deepStrictEqual(readdirSync(join(file, "..")), ["config.toml"])
    }))

  it.live("takes away what killed writers left, and nothing else", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [old, young] = [Date.now() - 120_000, Date.now()]
      const kept = [`.config.toml.7.${young}`, `.config.toml.7.${old}.bak`, `.other.toml.7.${old}`, "config.toml"]
      for (const name of [...kept, `.config.toml.7.${old}`]) writeFileSync(join(folder, name), "")
      yield* replaceFile(join(folder, "config.toml"), "one", 0o600)
      assert.sameMembers(readdirSync(folder), kept)
    }))
})
