import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { newSession, openStore } from "./Samples.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const withDatabase = (file: string, use: (db: DatabaseSync) => void) => {
  const db = new DatabaseSync(file)
  use(db)
  db.close()
}

/** What stands in the way, and what the one warning says about it after the file's name. */
const obstacles: ReadonlyArray<readonly [string, (file: string) => void, RegExp]> = [
  ["is a folder", (file) => mkdirSync(file), / is a folder where a database file should be\. Move it away\.$/],
  ["is not a database", (file) => writeFileSync(file, "prose ".repeat(1000)), / is damaged or not a database\. /],
  [
    "is damaged inside",
    (file) => {
      withDatabase(file, (db) => db.exec("CREATE TABLE t (x); PRAGMA user_version = 1"))
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0xff, 100, 4096))
    },
    / is damaged or not a database\. /
  ],
  [
    "is of a newer version",
    (file) =>
      withDatabase(file, (db) => {
        db.exec("CREATE TABLE t (x); PRAGMA application_id = 0x506f7374; PRAGMA user_version = 99")
      }),
    / was written by a newer Postern \(format 99, this one knows \d+\)\. Update Postern, or set POSTERN_DATA_DIR\.$/
  ],
  [
    "is another program's",
    (file) => withDatabase(file, (db) => db.exec("CREATE TABLE bookmarks (x)")),
    / is a database of another program\. /
  ]
]

describe("a database file that", () => {
  it.effect.each(obstacles)(
    "%s is left alone: one warning, and sessions live in memory",
    ([_, prepare, sentence]) =>
      Effect.gen(function*() {
        const file = join(yield* temporaryFolder, "acp-sessions.db")
        prepare(file)
        const before = read(file)
        const failed = yield* Effect.flip(openStore(file))
        const warnings: Array<string> = []
        yield* Effect.gen(function*() {
          const store = yield* SessionStore
          assert.strictEqual(store.durability, "memory")
          yield* store.create(newSession("s"))
          assert.strictEqual((yield* store.list({ unprompted: true })).sessions.length, 1)
        }).pipe(Effect.provide(Layer.provide(
          SessionStore.layerOrMemory(file),
          Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])
        )))
        const consequence = "Sessions are kept in memory only until the database can be opened."
        assert.deepStrictEqual(warnings, [`${consequence} ${failed.message}`])
        assert.isTrue(failed.message.startsWith(file))
        assert.match(failed.message, sentence)
        assert.deepStrictEqual(read(file), before)
      })
  )
})

const read = (file: string) => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

it.effect("a path through a file is refused with a sentence", () =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, "sessions"), "")
    const file = join(folder, "sessions", "acp-sessions.db")
    const { message } = yield* Effect.flip(openStore(file))
    assert.strictEqual(message, `${file} cannot be created: a part of its path is a file, not a folder.`)
  }))

it.effect("a store that opens is durable and opens again with what it held", () =>
  Effect.gen(function*() {
    const file = join(yield* temporaryFolder, "new", "folders", "acp-sessions.db")
    const create = SessionStore.use((store) => Effect.as(store.create(newSession("s")), store.durability))
    assert.strictEqual(yield* Effect.provide(create, SessionStore.layerOrMemory(file)), "durable")
    const get = SessionStore.use((store) => store.get("s"))
    assert.strictEqual((yield* Effect.provide(get, SessionStore.layerOrMemory(file))).sessionId, "s")
  }))
