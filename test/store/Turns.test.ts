import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { hostname } from "node:os"
import type { SessionRecord } from "../../src/store/SessionStore.ts"
import { agent, newSession, openBoth, openStore, tell, tempFile, toolCall, user } from "./Samples.ts"

const ended = { rows: [], context: "[]", outcome: "end_turn", title: null } as const

const open = Effect.gen(function*() {
  const file = yield* tempFile
  const both = yield* openBoth(file)
  yield* both.store.create(newSession("s"))
  return { file, ...both }
})

describe("a turn", () => {
  it.effect("is stored whole with its context, outcome and title, and the next one goes on after it", () =>
    Effect.gen(function*() {
      const { file, store, sql } = yield* open
      const first = yield* store.beginTurn("s", user("hi"))
      assert.deepInclude(first, { turn: 0, position: 1, context: null })
      yield* TestClock.adjust("2 seconds")
      const saved = yield* store.commitTurn("s", first.turn, {
        rows: [{ position: 1, entry: agent("hello") }, { position: 2, entry: toolCall("t", "completed") }],
        context: "[\"hi\"]",
        outcome: "cancelled",
        title: `${"x".repeat(199)}😀`
      })
      assert.deepInclude(saved, { title: "x".repeat(199), updatedAt: "1970-01-01T00:00:02.000Z" })
      const other = yield* openStore(file)
      assert.deepStrictEqual(tell(yield* other.transcript("s")), ["user: hi", "agent: hello", "tool t: completed"])
      assert.deepInclude(yield* other.beginTurn("s", user("next")), { turn: 1, position: 4, context: "[\"hi\"]" })
      assert.deepStrictEqual(yield* sql`SELECT status FROM turns ORDER BY turn`.values, [["cancelled"], ["running"]])
    }))

  it.effect("keeps the title it had when it ends without one, and an empty context is a context", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const end = (title: string | null, context: string) =>
        Effect.flatMap(
          store.beginTurn("s", user("hi")),
          ({ turn }) => store.commitTurn("s", turn, { ...ended, title, context })
        )
      yield* end("Greeting", "[1]")
      const kept: SessionRecord = yield* end(null, "[]")
      assert.strictEqual(kept.title, "Greeting")
      assert.strictEqual((yield* store.beginTurn("s", user("hi"))).context, "[]")
    }))

  it.effect("shows its checkpoints, the last one of a position counting", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const { turn } = yield* store.beginTurn("s", user("hi"))
      yield* store.checkpoint("s", turn, { rows: [{ position: 1, entry: agent("he") }], context: "[1]" })
      yield* store.checkpoint("s", turn, {
        rows: [{ position: 1, entry: agent("hello") }, { position: 2, entry: toolCall("t", "in_progress") }],
        context: "[1]"
      })
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi", "agent: hello", "tool t: in_progress"])
      yield* store.commitTurn("s", turn, { ...ended, rows: [{ position: 2, entry: toolCall("t", "completed") }] })
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi", "agent: hello", "tool t: completed"])
    }))

  it.effect("writes all of its end or nothing", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const first = yield* store.beginTurn("s", user("hi"))
      yield* store.commitTurn("s", first.turn, { ...ended, context: "[1]", title: "Old" })
      const second = yield* store.beginTurn("s", user("next"))
      const refused = yield* Effect.flip(store.commitTurn("s", second.turn, {
        rows: [{ position: second.position, entry: agent("new") }, { position: 0, entry: agent("of the first turn") }],
        context: "[2]",
        outcome: "end_turn",
        title: "New"
      }))
      assert.strictEqual(refused._tag, "StoreFailed")
      assert.strictEqual((yield* store.get("s")).title, "Old")
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi", "user: next", "Interrupted"])
      assert.strictEqual((yield* store.beginTurn("s", user("again"))).context, "[1]")
    }))

  it.effect("cannot be written to before it began, after it ended, or under another number", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const write = (turn: number) => Effect.flip(store.checkpoint("s", turn, { rows: [], context: "[]" }))
      assert.match((yield* write(0)).message, /taken/)
      const { turn } = yield* store.beginTurn("s", user("hi"))
      assert.match((yield* write(turn + 1)).message, /taken/)
      yield* store.commitTurn("s", turn, ended)
      assert.match((yield* write(turn)).message, /taken/)
      assert.strictEqual((yield* Effect.flip(store.commitTurn("s", turn, ended)))._tag, "TurnLost")
    }))

  it.effect("of a value JSON has no form for is refused by name, and the turn goes on", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const { turn, position } = yield* store.beginTurn("s", user("hi"))
      const call = toolCall("t", "completed")
      const entry = call._tag === "ToolCall" ? { ...call, call: { ...call.call, rawOutput: 1n } } : call
      const refused = yield* Effect.flip(store.checkpoint("s", turn, { rows: [{ position, entry }], context: "[]" }))
      assert.strictEqual(refused.message, "The ToolCall entry at position 1 cannot be written as JSON.")
      yield* store.commitTurn("s", turn, { ...ended, rows: [{ position, entry: agent("hello") }] })
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi", "agent: hello"])
    }))

  it.effect("survives any text a model can say", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const text = "\u0000 \ud800 \u2028 \"\\ 😀 \u001b[31m"
      const { turn, position } = yield* store.beginTurn("s", user(text))
      yield* store.commitTurn("s", turn, { ...ended, rows: [{ position, entry: agent(text) }] })
      assert.deepStrictEqual(yield* store.transcript("s"), [user(text), agent(text)])
    }))

  it.effect("with a row that no longer reads loses only that row", () => {
    const warnings: Array<unknown> = []
    return Effect.gen(function*() {
      const { store, sql } = yield* open
      const { turn } = yield* store.beginTurn("s", user("hi"))
      const rows = [1, 2, 3].map((position) => ({ position, entry: agent(String(position)) }))
      yield* store.commitTurn("s", turn, { ...ended, rows })
      yield* sql`UPDATE entries SET entry = ${"{\"_tag\":\"Future\"}"} WHERE position = 1`
      yield* sql`UPDATE entries SET entry = ${"{"} WHERE position = 2`
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi", "agent: 3"])
      assert.deepStrictEqual(warnings, [["2 rows of session s cannot be read and are left out"]])
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void warnings.push(message))])))
  })
})

describe("a running turn", () => {
  it.effect("keeps every other store out, however long it is silent", () =>
    Effect.gen(function*() {
      const { file, store } = yield* open
      const other = yield* openStore(file)
      const { turn } = yield* store.beginTurn("s", user("hi"))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Effect.flip(store.beginTurn("s", user("x"))))._tag, "TurnRunning")
      assert.strictEqual((yield* Effect.flip(other.beginTurn("s", user("x"))))._tag, "TurnRunning")
      assert.deepStrictEqual(tell(yield* other.transcript("s")), ["user: hi"])
      yield* store.commitTurn("s", turn, ended)
      assert.deepInclude(yield* other.beginTurn("s", user("x")), { turn: 1, position: 2 })
    }))

  it.effect("is cut off when its store closes", () =>
    Effect.gen(function*() {
      const { file, store } = yield* open
      const scope = yield* Scope.make()
      const closing = yield* Scope.provide(openStore(file), scope)
      const { turn } = yield* closing.beginTurn("s", user("hi"))
      yield* closing.checkpoint("s", turn, {
        rows: [{ position: 1, entry: toolCall("t", "in_progress") }, { position: 2, entry: toolCall("u", "pending") }],
        context: "[\"saved\"]"
      })
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      const cutOff = ["user: hi", "tool t: failed", "tool u: failed", "Interrupted"]
      const read = yield* store.transcript("s")
      assert.deepStrictEqual(tell(read), cutOff)
      assert.deepStrictEqual(yield* store.transcript("s"), read)
      assert.deepInclude(yield* store.beginTurn("s", user("next")), { turn: 1, position: 5, context: "[\"saved\"]" })
      assert.deepStrictEqual(yield* store.transcript("s"), [...read, user("next")])
    }))

  it.effect("is taken over when its lease ran out, and its first owner then writes nothing more", () =>
    Effect.gen(function*() {
      const { file, store, sql } = yield* open
      const other = yield* openStore(file)
      const { turn } = yield* store.beginTurn("s", user("hi"))
      yield* sql`UPDATE turns SET lease = lease - 30001`
      const taken = yield* other.beginTurn("s", user("mine"))
      const late = { rows: [{ position: 1, entry: agent("late") }], context: "[\"late\"]" }
      const refused = yield* Effect.flip(store.checkpoint("s", turn, late))
      assert.match(refused.message, /another process has taken this session over/)
      assert.strictEqual((yield* Effect.flip(store.commitTurn("s", turn, { ...ended, ...late })))._tag, "TurnLost")
      yield* other.commitTurn("s", taken.turn, { ...ended, context: "[\"mine\"]" })
      assert.deepStrictEqual(tell(yield* store.transcript("s")), ["user: hi", "Interrupted", "user: mine"])
      assert.strictEqual((yield* store.beginTurn("s", user("back"))).context, "[\"mine\"]")
    }))
})

describe("the owner of a running turn", () => {
  const claimedBy = (columns: { readonly pid: number; readonly host: string }) =>
    Effect.gen(function*() {
      const { file, store, sql } = yield* open
      yield* store.beginTurn("s", user("hi"))
      yield* sql`UPDATE turns SET ${sql.update({ owner: "somebody", ...columns })}`
      const other = yield* openStore(file)
      return yield* Effect.match(other.beginTurn("s", user("next")), {
        onFailure: (error) => error._tag,
        onSuccess: () => "begun"
      })
    })

  it.effect("is dead when it had this process's id before this process did", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* claimedBy({ pid: process.pid, host: hostname() }), "begun")
    }))

  it.effect("is alive while another process of its id is, and dead when there is none", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* claimedBy({ pid: process.ppid, host: hostname() }), "TurnRunning")
      assert.strictEqual(yield* claimedBy({ pid: 2 ** 30, host: hostname() }), "begun")
    }))

  it.effect("on another host is alive while its lease holds, whatever runs here", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* claimedBy({ pid: 2 ** 30, host: "elsewhere" }), "TurnRunning")
    }))
})

describe("a full disk", () => {
  const filled = Effect.gen(function*() {
    const opened = yield* open
    const { store, sql } = opened
    const first = yield* store.beginTurn("s", user("hi"))
    yield* store.commitTurn("s", first.turn, { ...ended, context: "[1]" })
    const { turn, position } = yield* store.beginTurn("s", user("next"))
    yield* store.checkpoint("s", turn, { rows: [{ position, entry: agent("so far") }], context: "[1,2]" })
    yield* sql`PRAGMA max_page_count = 1`
    const end = {
      rows: Array.from({ length: 20 }, (_, n) => ({ position: position + n, entry: agent("x".repeat(10_000)) })),
      context: "[1,2,3]",
      outcome: "end_turn",
      title: "Too much"
    } as const
    const failed = yield* Effect.flip(store.commitTurn("s", turn, end))
    return { ...opened, turn, end, failed, free: sql`PRAGMA max_page_count = 4294967294` }
  })

  it.effect("fails the commit with a sentence, loses nothing saved, and the session goes on once there is space", () =>
    Effect.gen(function*() {
      const { file, store, failed, free } = yield* filled
      assert.strictEqual(failed._tag, "StoreFailed")
      assert.strictEqual(
        failed._tag === "StoreFailed" && failed.message,
        `The disk is full: ${file} could not be written. Free some space and try again.`
      )
      const saved = ["user: hi", "user: next", "agent: so far", "Interrupted"]
      assert.deepStrictEqual(tell(yield* store.transcript("s")), saved)
      yield* free
      assert.deepInclude(yield* store.beginTurn("s", user("again")), { turn: 2, context: "[1,2]" })
      assert.deepStrictEqual(tell(yield* store.transcript("s")), [...saved, "user: again"])
      assert.strictEqual((yield* store.get("s")).title, null)
    }))

  it.effect("lets the same commit be tried again", () =>
    Effect.gen(function*() {
      const { store, turn, end, free } = yield* filled
      yield* free
      assert.strictEqual((yield* store.commitTurn("s", turn, end)).title, "Too much")
      assert.strictEqual((yield* store.transcript("s")).length, 22)
      assert.strictEqual((yield* store.beginTurn("s", user("again"))).context, "[1,2,3]")
    }))
})

it.effect("a database that became read-only says so", () =>
  Effect.gen(function*() {
    const { file, store, sql } = yield* open
    yield* sql`PRAGMA query_only = 1`
    const failed = yield* Effect.flip(store.create(newSession("t")))
    const sentence = `${file} cannot be written. Make the file and its folder writable for this user.`
    assert.strictEqual(failed.message, sentence)
    assert.strictEqual((yield* store.get("s")).sessionId, "s")
  }))
