import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
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

  it.live("is written in place where it has several names", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "config.toml")
      writeFileSync(file, "a longer text than the next one")
      linkSync(file, `${file}.other`)
      yield* replaceFile(file, "two", 0o600, "a longer text than the next one")
      assert.strictEqual(readFileSync(`${file}.other`, "utf8"), "two")
      assert.strictEqual((yield* Effect.flip(replaceFile(file, "three", 0o600, "one")))._tag, "FileChanged")
      assert.strictEqual(readFileSync(file, "utf8"), "two")
    }))

  it.live.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
    "is written in place where it is a mount of its own, also in a folder that is read-only",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const [file, source] = [join(folder, "config.toml"), join(folder, "source")]
        for (const path of [file, source]) writeFileSync(path, "one")
        const module = join(import.meta.dirname, "../../src/platform/ReplaceFile.ts")
        const program = `import { Effect } from "effect"; import { replaceFile } from ${JSON.stringify(module)};
          const [text, before] = process.argv.slice(1);
          await Effect.runPromise(replaceFile(${JSON.stringify(file)}, text, 0o600, before))`
        const node = `"$1" --input-type=module-typescript -e "$2"`
        const script = `set -e; mount --bind "$3/source" "$3/config.toml"; ${node} two one
          mount --bind "$3" "$3"; mount -o remount,ro,bind "$3"; mount --bind "$3/source" "$3/config.toml"; mount -o remount,rw,bind "$3/config.toml"
          ${node} three two`
        execFileSync("unshare", ["-m", "sh", "-c", script, "sh", process.execPath, program, folder], {
          cwd: import.meta.dirname
        })
        assert.deepStrictEqual([readFileSync(source, "utf8"), readFileSync(file, "utf8")], ["three", "one"])
        assert.sameMembers(readdirSync(folder), ["config.toml", "source"])
      })
  )

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
