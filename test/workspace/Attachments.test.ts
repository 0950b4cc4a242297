import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Attachments from "../../src/workspace/Attachments.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const hello = Buffer.from("hello")
const helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

describe("Attachments", () => {
  it.effect("stores bytes under their hash, once", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      const first = yield* Attachments.store(cwd, hello, { filename: "../../Greeting.TXT" })
      assert.deepStrictEqual(first, {
        name: `${helloHash}.txt`,
        path: join(cwd, "uploads", `${helloHash}.txt`),
        sha256: helloHash,
        bytes: 5,
        deduplicated: false
      })
      assert.isTrue((yield* Attachments.store(cwd, hello, { filename: "b.txt" })).deduplicated)
      assert.deepStrictEqual(readdirSync(join(cwd, "uploads")), [`${helloHash}.txt`])
      assert.isTrue((yield* Attachments.load(cwd, first.name)).equals(hello))
    }))

  it.effect("rewrites a stored file that was changed to the same length, and does not hand a changed one out", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      const { name, path } = yield* Attachments.store(cwd, hello)
      writeFileSync(path, "HELLO")
      assert.strictEqual((yield* Effect.flip(Attachments.load(cwd, name))).reason, "tampered")
      assert.isFalse((yield* Attachments.store(cwd, hello)).deduplicated)
      assert.strictEqual(readFileSync(path, "utf8"), "hello")
    }))

  it.effect("refuses an uploads folder that is a link, also a dangling one, or a file", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      for (const name of ["a", "b", "c", "elsewhere"]) mkdirSync(join(cwd, name))
      symlinkSync(join(cwd, "elsewhere"), join(cwd, "a/uploads"))
      symlinkSync(join(cwd, "nowhere"), join(cwd, "b/uploads"))
      writeFileSync(join(cwd, "c/uploads"), "")
      for (const name of ["a", "b", "c"]) {
        assert.strictEqual((yield* Effect.flip(Attachments.store(join(cwd, name), hello))).reason, "folder")
      }
      assert.deepStrictEqual(readdirSync(join(cwd, "elsewhere")), [])
      writeFileSync(join(cwd, "elsewhere", helloHash), "hello")
      yield* Effect.flip(Attachments.load(join(cwd, "a"), helloHash))
    }))

  it.effect("does not bring a deleted folder back", () =>
    Effect.gen(function*() {
      const cwd = join(yield* temporaryFolder, "gone")
      assert.strictEqual((yield* Effect.flip(Attachments.store(cwd, hello))).reason, "folder")
      assert.isFalse(existsSync(cwd))
    }))

  it.effect("writes what was replaced by a link, a folder or a pipe in its place again, and through none of them", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      const victim = join(cwd, "victim")
      writeFileSync(victim, "v")
      const plants: ReadonlyArray<(path: string) => void> = [
        (path) => symlinkSync(victim, path),
        (path) => symlinkSync(join(cwd, "nowhere"), path),
        (path) => linkSync(victim, path),
        (path) => mkdirSync(path),
        (path) => cpSync(join(cwd, "kept"), path, { recursive: true }),
        (path) => execFileSync("mkfifo", [path]),
        (path) => writeFileSync(path, "HELLO", { mode: 0o400 })
      ]
      mkdirSync(join(cwd, "kept"))
      writeFileSync(join(cwd, "kept", "mine"), "mine")
      for (const plant of plants) {
        const { path } = yield* Attachments.store(cwd, hello)
        rmSync(path)
        plant(path)
        const again = yield* Attachments.store(cwd, hello)
        assert.deepStrictEqual([again.path, again.deduplicated], [path, false])
        assert.deepStrictEqual([lstatSync(path).isFile(), readFileSync(path, "utf8")], [true, "hello"])
        assert.deepStrictEqual([readFileSync(victim, "utf8"), existsSync(join(cwd, "nowhere"))], ["v", false])
      }
      const aside = readdirSync(join(cwd, "uploads")).filter((name) => name !== helloHash)
      const kept = aside.flatMap((name) => readdirSync(join(cwd, "uploads", name)))
      assert.deepStrictEqual(kept, ["mine"], "what was in a folder is moved aside")
    }))

  it.effect.each(["../x", "passwd", `${helloHash}/../x`, `${helloHash}.TXT`, ""])(
    "does not load %j",
    (name) =>
      Effect.gen(function*() {
        const cwd = yield* temporaryFolder
        assert.strictEqual((yield* Effect.flip(Attachments.load(cwd, name))).reason, "missing")
      })
  )

  it.effect("accepts exactly 10 MiB", () =>
    Effect.gen(function*() {
      const cwd = yield* temporaryFolder
      const bytes = Buffer.alloc(Attachments.maxBytes)
      const decoded = yield* Attachments.decodeBase64(bytes.toString("base64"))
      assert.strictEqual((yield* Attachments.store(cwd, decoded)).bytes, Attachments.maxBytes)
      const more = Buffer.alloc(Attachments.maxBytes + 1)
      assert.strictEqual((yield* Effect.flip(Attachments.decodeBase64(more.toString("base64")))).reason, "large")
      assert.strictEqual((yield* Effect.flip(Attachments.store(cwd, more))).reason, "large")
    }))

  it.effect.each(["aGVsbG8", "aGVs bG8=", "aGVsbG8=\n", "aGVsbG9=", "a-_=", "====", "aGVsbG8=x"])(
    "refuses %j as base64",
    (text) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Effect.flip(Attachments.decodeBase64(text))).reason, "encoding")
      })
  )

  it("derives a safe extension from the name, else from the type", () => {
    const cases: ReadonlyArray<readonly [Attachments.AttachmentHints, string | undefined]> = [
      [{ filename: "a.PNG" }, "png"],
      [{ filename: "a.tar.gz" }, "gz"],
      [{ filename: "noext", mimeType: "image/jpeg; q=1" }, "jpg"],
      [{ filename: "evil.p/hp", mimeType: "IMAGE/PNG" }, "png"],
      [{ filename: `x.${"a".repeat(17)}` }, undefined],
      [{ filename: "x.ä" }, undefined],
      [{ mimeType: "constructor" }, undefined],
      [{}, undefined]
    ]
    for (const [hints, expected] of cases) {
      assert.strictEqual(Attachments.extensionFor(hints), expected, JSON.stringify(hints))
    }
  })
})
