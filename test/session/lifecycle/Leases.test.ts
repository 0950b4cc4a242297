import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layer as engine } from "../../../src/app/EngineLayer.ts"
import type { Attachment, PermissionAnswer } from "../../../src/session/lifecycle/Attachment.ts"
import type { SessionEvent } from "../../../src/domain/SessionEvent.ts"
import { openStore, tell, tempFile, user } from "../../store/Samples.ts"
import { make, newSession, prompt } from "../../support/SessionHarness.ts"

const reasonOf = <A, E>(end: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(end), (error) => (error as { reason?: string }).reason)

/** A session with the real turn loop, watched by `attachment`, and the store of another process on the same file. */
const open = Effect.fnUntraced(function*(
  watch: (host: {
    readonly takeOver: Effect.Effect<void>
    readonly stored: Effect.Effect<ReadonlyArray<string>>
  }) => Partial<Attachment>
) {
  const file = yield* tempFile
  const other = yield* openStore(file)
  const harness = make(undefined, { engine, file })
  const body = Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const session = yield* newSession(harness.folder())
    const { sessionId, workspace } = session
    const takeOver = Effect.orDie(Effect.asVoid(Effect.andThen(
      sql`UPDATE turns SET lease = lease - 30001`,
      other.beginTurn(sessionId, user("mine"))
    )))
    session.attach({
      publish: () => Effect.void,
      ask: () => Effect.never,
      choose: () => Effect.never,
      ...watch({ takeOver, stored: Effect.map(Effect.orDie(other.transcript(sessionId)), tell) })
    })
    return { sessionId, other, prompt, made: () => existsSync(join(workspace.cwd, "made.txt")) }
  })
  return { harness, body }
})

const allow: PermissionAnswer = { _tag: "AllowOnce" }
const command = "run echo made > made.txt"

describe("A turn whose session another process has taken over", () => {
  it.effect("sends no permission request", () =>
    Effect.gen(function*() {
      let asked = false
      const { harness, body } = yield* open(({ takeOver }) => ({
        publish: (event: SessionEvent) => event._tag === "ToolCallStarted" ? takeOver : Effect.void,
        ask: () => {
          asked = true
          return Effect.succeed(allow)
        }
      }))
      yield* Effect.gen(function*() {
        const { made, other, sessionId } = yield* body
        const { end } = yield* prompt(sessionId, command)
        assert.strictEqual(yield* reasonOf(end), "session_taken_over")
        assert.isFalse(asked || made())
        assert.deepStrictEqual(tell(yield* other.transcript(sessionId)), [
          `user: ${command}`,
          "Interrupted",
          "user: mine"
        ])
      }).pipe(Effect.provide(harness.layer))
    }))

  it.effect("does not run a call that is allowed afterwards", () =>
    Effect.gen(function*() {
      const { harness, body } = yield* open(({ takeOver }) => ({ ask: () => Effect.as(takeOver, allow) }))
      yield* Effect.gen(function*() {
        const { made, sessionId } = yield* body
        const { end } = yield* prompt(sessionId, command)
        assert.strictEqual(yield* reasonOf(end), "session_taken_over")
        assert.isFalse(made())
      }).pipe(Effect.provide(harness.layer))
    }))
})

describe("A turn whose session another process has deleted", () => {
  it.effect("ends, withdraws its question and names the cause", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      let withdrawn = false
      const { harness, body } = yield* open(() => ({
        ask: () =>
          Effect.andThen(Deferred.succeed(asked, undefined), Effect.never).pipe(Effect.onInterrupt(() =>
            Effect.sync(() => {
              withdrawn = true
            })
          ))
      }))
      yield* Effect.gen(function*() {
        const { made, other, sessionId } = yield* body
        const { end } = yield* prompt(sessionId, command)
        yield* Deferred.await(asked)
        yield* other.remove(sessionId)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* reasonOf(end), "session_deleted")
        assert.isTrue(withdrawn)
        assert.isFalse(made())
      }).pipe(Effect.provide(harness.layer))
    }))
})

describe("A tool call", () => {
  it.effect("is stored before it runs", () =>
    Effect.gen(function*() {
      let seen: ReadonlyArray<string> = []
      const { harness, body } = yield* open(({ stored }) => ({
        choose: () =>
          Effect.map(stored, (lines) => {
            seen = lines
            return { _tag: "Answered" as const, text: "yes" }
          })
      }))
      yield* Effect.gen(function*() {
        const { sessionId } = yield* body
        const { end } = yield* prompt(sessionId, `call ask_user {"question":"Go on?"}`)
        yield* end
        assert.match(seen.at(-1) ?? "", /: in_progress$/)
      }).pipe(Effect.provide(harness.layer))
    }))
})

describe("A turn that ends while another program holds the write lock", () => {
  it.effect("is recorded whole when the lock is gone, a checkpoint that waited included", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const { layer, script } = make(undefined, { file })
      yield* Effect.gen(function*() {
        const { sessionId } = yield* newSession()
        const other = yield* openStore(file)
        const { end } = yield* prompt(sessionId, "one")
        yield* TestClock.adjust("100 millis")
        const lock = yield* Effect.acquireRelease(Effect.sync(() => new DatabaseSync(file)), (db) =>
          Effect.sync(() => db.close()))
        lock.exec("BEGIN EXCLUSIVE")
        yield* script.started[0]!.writer.delta("Agent", " and")
        yield* TestClock.adjust("3 seconds")
        yield* script.started[0]!.writer.delta("Agent", " done")
        yield* script.end()
        yield* TestClock.adjust("15 seconds")
        const during = tell(yield* other.transcript(sessionId))
        lock.exec("ROLLBACK")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(during, ["user: one", "agent: said one"])
        assert.deepStrictEqual(yield* end, { stopReason: "end_turn", text: "said one and done" })
        assert.deepStrictEqual(tell(yield* other.transcript(sessionId)), ["user: one", "agent: said one and done"])
      }).pipe(Effect.provide(layer))
    }))
})
