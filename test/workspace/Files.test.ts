import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FileFault } from "../../src/workspace/Files.ts"
import * as Files from "../../src/workspace/Files.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const failure = <A>(effect: Effect.Effect<A, FileFault>) => Effect.map(Effect.flip(effect), (fault) => fault.reason)

describe("Files", () => {
  it.effect("reads a file up to the limit and not beyond", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const path = join(folder, "big")
      writeFileSync(path, "")
      truncateSync(path, Files.maxBytes)
      assert.strictEqual((yield* Files.read(path)).bytes.length, Files.maxBytes)
      truncateSync(path, Files.maxBytes + 1)
      assert.strictEqual(yield* failure(Files.read(path)), "large")
    }))

  it.effect.skipIf(process.platform !== "linux")(
    "reads no further than the limit where the size is not announced",
    () =>
      Effect.gen(function*() {
        const path = `/proc/${process.pid}/status`
        assert.isAbove((yield* Files.read(path)).bytes.length, 100)
        assert.strictEqual(yield* failure(Files.read(path, 100)), "large")
      })
  )

  it.effect("refuses what is not a regular file without waiting for it", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      execFileSync("mkfifo", [join(folder, "pipe")])
      assert.strictEqual(yield* failure(Files.read(join(folder, "pipe"))), "special")
      assert.strictEqual(yield* failure(Files.read("/dev/zero")), "special")
      assert.strictEqual(yield* failure(Files.read(folder)), "folder")
      assert.strictEqual(yield* failure(Files.read(join(folder, "nothing"))), "missing")
      assert.strictEqual(yield* failure(Files.write(join(folder, "pipe"), Buffer.from("x"))), "special")
      assert.strictEqual(yield* failure(Files.write(folder, Buffer.from("x"))), "folder")
    }))

  it.effect("notices a link that was put in place after the check, as the file and as its folder", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "outside"))
      writeFileSync(join(folder, "outside/secret"), "s")
      symlinkSync(join(folder, "outside/secret"), join(folder, "file"))
      symlinkSync(join(folder, "outside"), join(folder, "swapped"))
      assert.strictEqual(yield* failure(Files.read(join(folder, "file"))), "link")
      assert.strictEqual(yield* failure(Files.read(join(folder, "swapped/secret"))), "changed")
      assert.strictEqual(yield* failure(Files.write(join(folder, "file"), Buffer.from("x"))), "link")
      yield* Effect.flip(Files.write(join(folder, "swapped/secret"), Buffer.from("x")))
      yield* Effect.flip(Files.write(join(folder, "swapped/deep/new"), Buffer.from("x")))
      assert.deepStrictEqual(readdirSync(join(folder, "outside")), ["secret"])
      assert.strictEqual(readFileSync(join(folder, "outside/secret"), "utf8"), "s")
    }))

  it.effect("replaces a file as a whole, keeps its mode and leaves no temporary file", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const path = join(folder, "script.sh")
      writeFileSync(path, "old")
      chmodSync(path, 0o750)
      yield* Files.write(path, Buffer.from("new"))
      assert.strictEqual(readFileSync(path, "utf8"), "new")
      assert.strictEqual(statSync(path).mode & 0o777, 0o750)
      assert.deepStrictEqual(readdirSync(folder), ["script.sh"])
    }))

  it.effect("creates missing folders", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      yield* Files.write(join(folder, "a/b/c.txt"), Buffer.from("c"))
      assert.strictEqual(readFileSync(join(folder, "a/b/c.txt"), "utf8"), "c")
      assert.strictEqual(yield* failure(Files.write(join(folder, "a/b/c.txt/d"), Buffer.from("d"))), "missing")
      assert.isTrue(existsSync(join(folder, "a/b/c.txt")))
    }))
})
