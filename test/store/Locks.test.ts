import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseSync } from "node:sqlite"
import { agent, newSession, openStore, tell, tempFile, user } from "./Samples.ts"

/** A store with one session, and a connection of another program that holds the write lock. */
const locked = Effect.gen(function*() {
  const file = yield* tempFile
  const store = yield* openStore(file)
  yield* store.create(newSession("s"))
  const { turn, position } = yield* store.beginTurn("s", user("hi"))
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(file)),
    (db) => Effect.sync(() => db.close())
  )
  other.exec("BEGIN EXCLUSIVE")
  const end = {
    rows: [{ position, entry: agent("hello") }],
    context: "[\"hi\"]",
    outcome: "end_turn",
    title: "Hi"
  } as const
  return { file, store, turn, end, unlock: Effect.sync(() => other.exec("ROLLBACK")) }
})

const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("while another program holds the write lock", () => {
  it.effect("a finished turn waits for its commit and everything that only reads goes on", () =>
    Effect.gen(function*() {
      const { store, turn, end, unlock } = yield* locked
      const committing = yield* start(store.commitTurn("s", turn, end))
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual((yield* store.list({ unprompted: true })).sessions.length, 1)
      assert.strictEqual((yield* store.get("s")).title, null)
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi"])
      assert.isUndefined(committing.pollUnsafe())
      yield* unlock
      yield* TestClock.adjust("100 millis")
      assert.strictEqual((yield* Fiber.join(committing)).title, "Hi")
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi", "agent: hello"])
      assert.strictEqual((yield* store.beginTurn("s", user("next"))).context, "[\"hi\"]")
    }))

  it.effect("a write gives up after 5 seconds and says why, to a client without naming the file", () =>
    Effect.gen(function*() {
      const { file, store } = yield* locked
      const writes = yield* Effect.forEach(
        [
          store.create(newSession("t")),
          store.kill("s"),
          store.remove("s"),
          store.rename("s", "x"),
          store.beginTurn("s", user("hi"))
        ],
        (write) => start(Effect.flip(write))
      )
      yield* TestClock.adjust("5500 millis")
      for (const write of writes) {
        assert.deepInclude(yield* Fiber.join(write), {
          message: `${file} is locked by another program. Close that program, or wait and try again.`,
          shown: "The database is locked by another program. Close that program, or wait and try again."
        })
      }
    }))

  it.effect("the end of a turn gives up after 20 seconds", () =>
    Effect.gen(function*() {
      const { end, store, turn } = yield* locked
      const committing = yield* start(Effect.flip(store.commitTurn("s", turn, end)))
      yield* TestClock.adjust("19 seconds")
      assert.isUndefined(committing.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(committing))._tag, "StoreFailed")
    }))

  it.effect("a write that waits can be interrupted and leaves nothing", () =>
    Effect.gen(function*() {
      const { store, turn, end, unlock } = yield* locked
      const creating = yield* start(store.create(newSession("t")))
      const saving = yield* start(store.checkpoint("s", turn, end))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interruptAll([creating, saving])
      yield* unlock
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* store.list({ unprompted: true })).sessions.length, 1)
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi"])
      yield* store.commitTurn("s", turn, end)
      assert.strictEqual((yield* store.beginTurn("s", user("next"))).context, "[\"hi\"]")
    }))
})
