import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { SessionStore } from "../../src/store/SessionStore.ts"
import { agent, newSession, openBoth, tell, tempFile, toolCall, user } from "./Samples.ts"

type Store = SessionStore["Service"]

const open = Effect.gen(function*() {
  const both = yield* openBoth(yield* tempFile)
  yield* both.store.create(newSession("s"))
  return both
})

const ended = { context: "[]", outcome: "end_turn", title: null } as const
const thought = { _tag: "Thought", messageId: "t", text: "hm" } as const

/** Each row as `first index: what`, newest first. */
const shown = Effect.fnUntraced(function*(store: Store, before?: number) {
  const { rows, total } = yield* store.shownBefore("s", before)
  const told = (yield* Stream.runCollect(rows)).map(({ count, entry, index }) =>
    `${index}+${count} ${entry === undefined ? "unreadable" : tell([entry])[0]}`
  )
  return { total, told }
})

describe("a transcript by messages", () => {
  it.effect("counts a call twice and what people do not read not at all; a page may begin within a call", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      assert.deepStrictEqual(yield* shown(store), { total: 0, told: [] })
      const { turn } = yield* store.beginTurn("s", user("hi"))
      const rows = [thought, toolCall("a", "completed"), thought, agent("done")]
      yield* store.commitTurn("s", turn, {
        ...ended,
        rows: rows.map((entry, at) => ({ position: at + 1, entry }))
      })
      const told = ["3+1 agent: done", "1+2 tool a: completed", "0+1 user: hi"]
      assert.deepStrictEqual(yield* shown(store), { total: 4, told })
      assert.deepStrictEqual(yield* shown(store, 4), { total: 4, told })
      assert.deepStrictEqual(yield* shown(store, 3), { total: 4, told: told.slice(1) })
      assert.deepStrictEqual(yield* shown(store, 2), { total: 4, told: told.slice(1) })
      assert.deepStrictEqual(yield* shown(store, 1), { total: 4, told: told.slice(2) })
    }))

  it.effect("ends at the first call that is open, so that its result finds its place when it comes", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const { turn } = yield* store.beginTurn("s", user("hi"))
      const save = (first: "in_progress" | "completed") =>
        store.checkpoint("s", turn, {
          rows: [{ position: 1, entry: toolCall("a", first) }, { position: 2, entry: toolCall("b", "completed") }],
          context: "[]"
        })
      yield* save("in_progress")
      assert.deepStrictEqual(yield* shown(store), { total: 2, told: ["1+2 tool a: in_progress", "0+1 user: hi"] })
      yield* save("completed")
      assert.deepStrictEqual(yield* shown(store), {
        total: 5,
        told: ["3+2 tool b: completed", "1+2 tool a: completed", "0+1 user: hi"]
      })
    }))

  it.effect("of a turn that was cut off ends with its mark, at the same index before it is recovered and after", () =>
    Effect.gen(function*() {
      const { sql, store } = yield* open
      const { turn } = yield* store.beginTurn("s", user("hi"))
      yield* store.checkpoint("s", turn, { rows: [{ position: 1, entry: toolCall("a", "pending") }], context: "[]" })
      yield* sql`UPDATE turns SET owner = 'gone', pid = 2147483646, lease = -100000`
      const told = ["3+1 Interrupted", "1+2 tool a: failed", "0+1 user: hi"]
      assert.deepStrictEqual(yield* shown(store), { total: 4, told })
      assert.deepStrictEqual(yield* shown(store, 3), { total: 4, told: told.slice(1) })
      yield* store.beginTurn("s", user("again"))
      assert.deepStrictEqual(yield* shown(store), { total: 5, told: ["4+1 user: again", ...told] })
    }))

  it.effect("is read only as far as it is taken, and a row that cannot be read keeps its place", () =>
    Effect.gen(function*() {
      const { sql, store } = yield* open
      const { turn } = yield* store.beginTurn("s", user("hi"))
      const rows = Array.from({ length: 9_999 }, (_, at) => ({ position: at + 1, entry: agent(`${at + 1}`) }))
      yield* store.commitTurn("s", turn, { ...ended, rows })
      const { rows: newest, total } = yield* store.shownBefore("s")
      assert.strictEqual(total, 10_000)
      const told: Array<string> = []
      yield* Stream.runForEach(Stream.take(newest, 30), ({ entry, index }) =>
        Effect.gen(function*() {
          if (told.length === 0) {
            yield* sql`UPDATE entries SET entry = '{"_tag":"Agent"}' WHERE position = 9975`
          }
          told.push(`${index} ${entry === undefined ? "unreadable" : tell([entry])[0]}`)
        }))
      assert.deepStrictEqual(
        told,
        Array.from({ length: 30 }, (_, at) => 9_999 - at).map((index) =>
          `${index} ${index === 9_975 ? "unreadable" : `agent: ${index}`}`
        )
      )
      assert.deepStrictEqual((yield* shown(store, 2)).told, ["1+1 agent: 1", "0+1 user: hi"])
    }))
})

describe("what reads many entries", () => {
  /** How often the loop turned while an effect ran. */
  const turnsDuring = Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const result = yield* effect
    clearInterval(timer)
    return { result, turns }
  })

  it.live("lets others run meanwhile: the whole transcript, the last plan and a search", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      const { turn } = yield* store.beginTurn("s", user("hi"))
      const plan = { _tag: "Plan", entries: [{ content: "only", priority: "medium", status: "pending" }] } as const
      const filler = { ...thought, text: "lorem ipsum ".repeat(800) }
      const rows = Array.from({ length: 4000 }, (_, at) => ({ position: at + 2, entry: filler }))
      yield* store.commitTurn("s", turn, {
        ...ended,
        rows: [{ position: 1, entry: plan }, ...rows, { position: 5000, entry: agent("the needle") }]
      })
      const whole = yield* turnsDuring(store.transcript("s"))
      assert.strictEqual(whole.result.length, 4003)
      assert.isAbove(whole.turns, 1)
      const last = yield* turnsDuring(store.lastPlan("s"))
      assert.deepStrictEqual(last.result, plan.entries)
      assert.isAbove(last.turns, 1)
      const search = (query: string) => store.overview({ limit: 10, query })
      const found = yield* turnsDuring(search("NEEDLE"))
      assert.deepStrictEqual(found.result.map(({ messages, sessionId }) => [sessionId, messages]), [["s", 2]])
      assert.isAbove(found.turns, 1)
      assert.deepStrictEqual(yield* search("no such text"), [])
    }))

  it.effect("a search finds texts of titles and of entries, newest session first, up to its limit", () =>
    Effect.gen(function*() {
      const { store } = yield* open
      for (const id of ["a", "b", "c"]) {
        yield* store.create(newSession(id))
        yield* store.rename(id, id === "c" ? "100% needle" : "other")
        const { position, turn } = yield* store.beginTurn(id, user("hi"))
        const entry = agent(id === "a" ? "a 100% needle in here" : "100 needles")
        yield* store.commitTurn(id, turn, { ...ended, rows: [{ position, entry }] })
      }
      const found = (query: string, limit = 10) =>
        Effect.map(store.overview({ limit, query }), (rows) => rows.map(({ sessionId }) => sessionId).sort())
      assert.deepStrictEqual(yield* found("100% NEEDLE"), ["a", "c"])
      assert.strictEqual((yield* found("needle", 2)).length, 2)
      assert.deepStrictEqual(yield* found("needle"), ["a", "b", "c"])
    }))
})
