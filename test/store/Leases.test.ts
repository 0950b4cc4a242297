import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseSync } from "node:sqlite"
import type { SessionStore, TurnLost } from "../../src/store/SessionStore.ts"
import { agent, newSession, openBoth, openStore, tell, tempFile, user } from "./Samples.ts"

const ended = { rows: [], context: "[]", outcome: "failed", title: null } as const

const open = Effect.gen(function*() {
  const file = yield* tempFile
  const { store, sql } = yield* openBoth(file)
  yield* store.create(newSession("s"))
  const { turn } = yield* store.beginTurn("s", user("hi"))
  return { file, store, sql, turn, other: yield* openStore(file) }
})

/** What another process can do to a session whose turn runs here. */
const ways: ReadonlyArray<
  readonly [TurnLost["reason"], (opened: Effect.Success<typeof open>) => Effect.Effect<unknown, unknown>]
> = [
  [
    "session_taken_over",
    ({ other, sql }) => Effect.andThen(sql`UPDATE turns SET lease = lease - 30001`, other.beginTurn("s", user("mine")))
  ],
  ["session_deleted", ({ other }) => other.remove("s")],
  ["session_killed", ({ other }) => other.kill("s")]
]

const lossOf = (store: SessionStore["Service"], turn: number) =>
  Effect.forkChild(Effect.flip(store.untilLost("s", turn)), { startImmediately: true })

describe("a turn whose session went to another process", () => {
  for (const [reason, happens] of ways) {
    it.effect(`is told so when its lease is renewed: ${reason}`, () =>
      Effect.gen(function*() {
        const opened = yield* open
        const { store, turn } = opened
        const lost = yield* lossOf(store, turn)
        yield* TestClock.adjust("5 seconds")
        assert.isUndefined(lost.pollUnsafe())
        yield* happens(opened)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(lost)).reason, reason)
      }))

    it.effect(`is told so by its next checkpoint, with or without rows: ${reason}`, () =>
      Effect.gen(function*() {
        const opened = yield* open
        const { store, turn } = opened
        yield* store.checkpoint("s", turn, { rows: [], context: "[]" })
        const lost = yield* lossOf(store, turn)
        yield* happens(opened)
        const rows = [{ position: 1, entry: agent("late") }]
        for (const late of [[], rows]) {
          assert.deepInclude(yield* Effect.flip(store.checkpoint("s", turn, { rows: late, context: "[]" })), {
            _tag: "TurnLost",
            reason
          })
        }
        assert.strictEqual((yield* Fiber.join(lost)).reason, reason)
        assert.notInclude(tell(yield* store.transcript("s")), "agent: late")
      }))
  }

  it.effect("is told so while nothing can be written", () =>
    Effect.gen(function*() {
      const opened = yield* open
      const { file, store, turn } = opened
      yield* opened.other.remove("s")
      const third = yield* Effect.acquireRelease(Effect.sync(() => new DatabaseSync(file)), (db) =>
        Effect.sync(() => db.close()))
      third.exec("BEGIN IMMEDIATE")
      const rows = [{ position: 1, entry: agent("late") }]
      assert.strictEqual((yield* Effect.flip(store.checkpoint("s", turn, { rows, context: "[]" })))._tag, "TurnLost")
    }))

  it.effect("is still kept to be read when the session was killed", () =>
    Effect.gen(function*() {
      const { store, turn, other } = yield* open
      yield* other.kill("s")
      yield* store.commitTurn("s", turn, { ...ended, rows: [{ position: 1, entry: agent("so far") }] })
      assert.deepStrictEqual(tell(yield* other.transcript("s")), ["user: hi", "agent: so far"])
    }))
})
