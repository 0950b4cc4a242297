import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { openBoth, openClient, tempFile } from "./Samples.ts"

const open = Effect.gen(function*() {
  const file = yield* tempFile
  const connect = Effect.map(Layer.build(openClient(file)), (context) => Context.get(context, SqlClient.SqlClient))
  const sql = yield* connect
  yield* sql`CREATE TABLE parent (id INTEGER PRIMARY KEY)`
  yield* sql`CREATE TABLE child (
    id INTEGER PRIMARY KEY,
    parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED
  )`
  const parents = (client: SqlClient.SqlClient) =>
    Effect.map(client<{ id: number }>`SELECT id FROM parent ORDER BY id`, (rows) => rows.map(({ id }) => id))
  return { file, sql, connect, parents }
})

describe("the SQLite client", () => {
  it.effect("creates a private file in a private folder and sets WAL, NORMAL and foreign keys, and never waits inside SQLite", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const { sql } = yield* openBoth(file)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(`${file}-wal`).mode & 0o777, 0o600)
      assert.strictEqual(statSync(dirname(file)).mode & 0o777, 0o700)
      assert.deepStrictEqual(
        [
          yield* sql`PRAGMA journal_mode`.values,
          yield* sql`PRAGMA synchronous`.values,
          yield* sql`PRAGMA foreign_keys`.values,
          yield* sql`PRAGMA busy_timeout`.values
        ].flat(2),
        ["wal", 1, 1, 0]
      )
    }))

  it.effect("leaves the connection usable after a failed COMMIT, with what was committed before intact", () =>
    Effect.gen(function*() {
      const { sql, connect, parents } = yield* open
      yield* sql`INSERT INTO parent VALUES (1)`
      const failed = yield* Effect.flip(sql.withTransaction(Effect.andThen(
        sql`INSERT INTO parent VALUES (2)`,
        sql`INSERT INTO child VALUES (1, 99)`
      )))
      assert.strictEqual(failed.reason._tag, "ConstraintError")
      yield* sql`INSERT INTO parent VALUES (3)`
      yield* sql.withTransaction(sql`INSERT INTO parent VALUES (4)`)
      const other = yield* connect
      assert.deepStrictEqual(yield* parents(other), [1, 3, 4])
      yield* other`INSERT INTO parent VALUES (5)`
      assert.deepStrictEqual(yield* parents(sql), [1, 3, 4, 5])
    }))

  it.effect("rolls a transaction back when it fails and when it is interrupted", () =>
    Effect.gen(function*() {
      const { sql, parents } = yield* open
      const failing = Effect.andThen(sql`INSERT INTO parent VALUES (1)`, Effect.fail("no"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(failing))))
      const inside = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(sql.withTransaction(
        sql`INSERT INTO parent VALUES (2)`.pipe(
          Effect.andThen(Deferred.succeed(inside, undefined)),
          Effect.andThen(Effect.never)
        )
      ))
      yield* Deferred.await(inside)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* parents(sql), [])
      yield* sql.withTransaction(sql`INSERT INTO parent VALUES (3)`)
      assert.deepStrictEqual(yield* parents(sql), [3])
    }))

  it.effect("keeps other fibers' statements out of an open transaction", () =>
    Effect.gen(function*() {
      const { sql, parents } = yield* open
      const inside = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const transaction = yield* Effect.forkChild(sql.withTransaction(
        sql`INSERT INTO parent VALUES (1)`.pipe(
          Effect.andThen(Deferred.succeed(inside, undefined)),
          Effect.andThen(Deferred.await(goOn)),
          Effect.andThen(Effect.fail("no"))
        )
      ))
      yield* Deferred.await(inside)
      const outsider = yield* Effect.forkChild(sql`INSERT INTO parent VALUES (2)`)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.await(transaction)
      yield* Fiber.join(outsider)
      assert.deepStrictEqual(yield* parents(sql), [2])
    }))
})
