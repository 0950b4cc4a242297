import { renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Agents } from "../../../src/session/lifecycle/Agents.ts"
import { SessionManager } from "../../../src/session/lifecycle/SessionManager.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { make, newSession, prompt, tagOf } from "../../support/SessionHarness.ts"
import { stuck } from "../../support/ScriptedLoop.ts"

const run = (
  name: string,
  body: (
    harness: ReturnType<typeof make>
  ) => Effect.Effect<void, unknown, SessionManager | SessionStore | Agents | SqlClient.SqlClient>,
  variables = {}
) =>
  it.effect(name, () => {
    const harness = make(variables)
    return Effect.provide(body(harness), harness.layer)
  })

const setup = { additionalDirectories: [] }
const same = Effect.succeed

/** A session in each state of docs/sessions.md#states. */
const inState = (state: "idle" | "running" | "stored" | "killed" | "absent") =>
  Effect.gen(function*() {
    const sessions = yield* SessionManager
    if (state === "absent") return "no-such-session"
    const { sessionId } = yield* newSession()
    if (state === "running") yield* prompt(sessionId, "work")
    if (state === "stored") yield* sessions.close(sessionId)
    if (state === "killed") yield* sessions.kill(sessionId)
    return sessionId
  })

describe("The state table", () => {
  const operations = {
    prompt: (id: string) => prompt(id, "hello"),
    close: (id: string) => Effect.flatMap(SessionManager, (sessions) => sessions.close(id)),
    activate: (id: string) => Effect.flatMap(SessionManager, (sessions) => sessions.activate(id, setup, same)),
    kill: (id: string) => Effect.flatMap(SessionManager, (sessions) => sessions.kill(id)),
    remove: (id: string) => Effect.flatMap(SessionManager, (sessions) => sessions.remove(id))
  }
  const table: ReadonlyArray<
    [keyof typeof operations, Record<"idle" | "running" | "stored" | "killed" | "absent", string>]
  > = [
    ["prompt", {
      idle: "ok",
      running: "TurnRunning",
      stored: "SessionMissing",
      killed: "SessionMissing",
      absent: "SessionMissing"
    }],
    ["close", {
      idle: "ok",
      running: "ok",
      stored: "SessionMissing",
      killed: "SessionMissing",
      absent: "SessionMissing"
    }],
    ["activate", { idle: "ok", running: "ok", stored: "ok", killed: "SessionMissing", absent: "SessionMissing" }],
    ["kill", { idle: "ok", running: "ok", stored: "ok", killed: "ok", absent: "SessionMissing" }],
    ["remove", { idle: "ok", running: "ok", stored: "ok", killed: "ok", absent: "ok" }]
  ]
  for (const [operation, row] of table) {
    for (const state of ["idle", "running", "stored", "killed", "absent"] as const) {
      run(`${operation} on a session that is ${state} gives ${row[state]}`, () =>
        Effect.gen(function*() {
          const id = yield* inState(state)
          const result: Effect.Effect<string, never, SessionManager | SessionStore> = tagOf(
            operations[operation](id) as Effect.Effect<unknown, { _tag: string }, SessionManager>
          )
          assert.strictEqual(yield* result, row[state])
        }))
    }
  }
})

describe("A turn", () => {
  run("ends once, with the reason the model gave, and is stored", ({ script }) =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { sessionId } = yield* newSession()
      const { end } = yield* prompt(sessionId, "one")
      yield* script.end("max_tokens")
      assert.deepStrictEqual(yield* end, { stopReason: "max_tokens", text: "said one" })
      assert.deepStrictEqual((yield* store.transcript(sessionId)).map(({ _tag }) => _tag), ["User", "Agent"])
      assert.strictEqual((yield* store.get(sessionId)).title, "one")
    }))

  run(
    "that is cancelled keeps what was said, ends as cancelled, and does not harm the next one",
    ({ script }) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        const session = yield* newSession()
        const { end } = yield* prompt(session.sessionId, "one")
        yield* session.cancel
        assert.deepStrictEqual(yield* end, { stopReason: "cancelled", text: "said one" })
        yield* session.cancel
        const next = yield* prompt(session.sessionId, "two")
        yield* script.end()
        assert.strictEqual((yield* next.end).stopReason, "end_turn")
        assert.deepStrictEqual(script.started.map(({ context }) => context), [null, `["one"]`])
        assert.lengthOf(yield* store.transcript(session.sessionId), 4)
      })
  )

  run(
    "that does not end within 5 s of being cancelled is left behind, and the session goes on",
    ({ script }) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        const session = yield* newSession()
        const heard: Array<string> = []
        session.attach({
          publish: (event) => Effect.sync(() => event._tag === "Delta" && heard.push(event.text)),
          ask: () => Effect.never,
          choose: () => Effect.never
        })
        const first = yield* prompt(session.sessionId, stuck)
        const cancelling = yield* Effect.forkChild(session.cancel, { startImmediately: true })
        const second = yield* prompt(session.sessionId, "two")
        yield* TestClock.adjust("4999 millis")
        assert.isUndefined(cancelling.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(cancelling)
        assert.deepStrictEqual(yield* first.end, { stopReason: "cancelled", text: "said stuck" })
        // What is left behind is neither heard nor saved.
        yield* script.started[0]!.writer.delta("Agent", "late")
        yield* script.end()
        assert.strictEqual((yield* second.end).text, "said two")
        assert.deepStrictEqual(
          (yield* store.transcript(session.sessionId)).map((entry) => entry._tag === "Agent" ? entry.text : entry._tag),
          ["User", "said stuck", "User", "said two"]
        )
        assert.deepStrictEqual(heard, ["said stuck", "said two"])
      })
  )

  run("that does not end holds up the end of its session for 5 s at most", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionManager
      const { sessionId } = yield* newSession()
      yield* prompt(sessionId, stuck)
      const closing = yield* Effect.forkChild(sessions.close(sessionId), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(closing)
      assert.strictEqual(yield* tagOf(prompt(sessionId, "two")), "SessionMissing")
    }))

  run(
    "waits for one that is being cancelled, and can itself be cancelled before it begins",
    ({ script }) =>
      Effect.gen(function*() {
        const session = yield* newSession()
        const first = yield* prompt(session.sessionId, "one")
        const cancelling = yield* Effect.forkChild(session.cancel, { startImmediately: true })
        const second = yield* prompt(session.sessionId, "two")
        assert.strictEqual(yield* tagOf(prompt(session.sessionId, "three")), "TurnRunning")
        yield* session.cancel
        yield* Fiber.join(cancelling)
        assert.strictEqual((yield* first.end).stopReason, "cancelled")
        assert.strictEqual((yield* second.end).stopReason, "cancelled")
        const last = yield* prompt(session.sessionId, "four")
        yield* script.end()
        assert.strictEqual((yield* last.end).stopReason, "end_turn")
      })
  )

  run("that fails ends with the model's message and keeps what was said", ({ script }) =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { sessionId } = yield* newSession()
      const { end } = yield* prompt(sessionId, "one")
      yield* script.fail("The model is overloaded")
      const error = yield* Effect.flip(end)
      assert.deepInclude(error, { _tag: "TurnFailed", message: "The model is overloaded" })
      assert.deepInclude((yield* store.transcript(sessionId))[1], { _tag: "Agent", text: "said one" })
    }))

  run(
    "whose beginning cannot be stored never starts, and the session stays usable",
    ({ broken, script }) =>
      Effect.gen(function*() {
        const { sessionId } = yield* newSession()
        broken.add("beginTurn")
        const { end } = yield* prompt(sessionId, "one")
        assert.strictEqual(yield* tagOf(end), "StoreFailed")
        assert.lengthOf(script.started, 0)
        broken.clear()
        const next = yield* prompt(sessionId, "two")
        yield* script.end()
        assert.strictEqual((yield* next.end).stopReason, "end_turn")
      })
  )

  run(
    "whose end does not fit on the disk is an error, and shows as interrupted afterwards",
    ({ script }) =>
      Effect.gen(function*() {
        const store = yield* SessionStore
        const sql = yield* SqlClient.SqlClient
        const { sessionId } = yield* newSession()
        const { end } = yield* prompt(sessionId, "one")
        const pages = (yield* sql<{ page_count: number }>`PRAGMA page_count`)[0]!.page_count
        yield* sql`PRAGMA max_page_count = ${sql.literal(String(pages))}`
        yield* script.started[0]!.writer.delta("Agent", "x".repeat(100_000))
        yield* script.end()
        const fault = yield* Effect.flip(end)
        assert.strictEqual(fault._tag, "StoreFailed")
        assert.match((fault as { message: string }).message, /full/i)
        yield* sql`PRAGMA max_page_count = 100000`
        const next = yield* prompt(sessionId, "two")
        yield* script.end()
        assert.strictEqual((yield* next.end).stopReason, "end_turn")
        assert.deepStrictEqual((yield* store.transcript(sessionId)).map(({ _tag }) => _tag), [
          "User",
          "Interrupted",
          "User",
          "Agent"
        ])
      })
  )

  run("goes on when nobody waits for it any more", ({ script }) =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { sessionId } = yield* newSession()
      const { end } = yield* prompt(sessionId, "one")
      const waiting = yield* Effect.forkChild(end, { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* script.end()
      yield* end
      assert.lengthOf(yield* store.transcript(sessionId), 2)
    }))

  run("is saved while it runs", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { sessionId } = yield* newSession()
      yield* prompt(sessionId, "one")
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude((yield* store.transcript(sessionId))[1], { _tag: "Agent", text: "said one" })
    }))
})

describe("Ending a session", () => {
  run("by close cancels the turn and keeps the history", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionManager
      const store = yield* SessionStore
      const { sessionId } = yield* newSession()
      const { end } = yield* prompt(sessionId, "one")
      yield* sessions.close(sessionId)
      assert.strictEqual((yield* end).stopReason, "cancelled")
      assert.lengthOf(yield* store.transcript(sessionId), 2)
      assert.strictEqual(yield* tagOf(sessions.activate(sessionId, setup, same)), "ok")
    }))

  run("by stop waits for the turn and takes no new one meanwhile", ({ script }) =>
    Effect.gen(function*() {
      const sessions = yield* SessionManager
      const { sessionId } = yield* newSession()
      const { end } = yield* prompt(sessionId, "one")
      const stopping = yield* Effect.forkChild(sessions.stop(sessionId), { startImmediately: true })
      assert.isUndefined(stopping.pollUnsafe())
      assert.strictEqual(yield* tagOf(prompt(sessionId, "two")), "TurnRunning")
      yield* script.end()
      yield* Fiber.join(stopping)
      assert.strictEqual((yield* end).stopReason, "end_turn")
      assert.strictEqual(yield* tagOf(prompt(sessionId, "three")), "SessionMissing")
    }))

  run("by a stop that is withdrawn leaves the session as it was", ({ script }) =>
    Effect.gen(function*() {
      const sessions = yield* SessionManager
      const { sessionId } = yield* newSession()
      const { end } = yield* prompt(sessionId, "one")
      const stopping = yield* Effect.forkChild(sessions.stop(sessionId), { startImmediately: true })
      yield* Fiber.interrupt(stopping)
      yield* script.end()
      yield* end
      const next = yield* prompt(sessionId, "two")
      yield* script.end()
      assert.strictEqual((yield* next.end).stopReason, "end_turn")
    }))

  run("without being asked records the turn as interrupted, with one marker", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionManager
      const store = yield* SessionStore
      const { sessionId } = yield* newSession()
      const { end } = yield* prompt(sessionId, "one")
      yield* sessions.release(sessionId)
      assert.strictEqual((yield* end).stopReason, "cancelled")
      assert.deepStrictEqual((yield* store.transcript(sessionId)).map(({ _tag }) => _tag), [
        "User",
        "Agent",
        "Interrupted"
      ])
    }))

  for (const operation of ["kill", "remove"] as const) {
    run(
      `by ${operation} leaves an idle session active when the database refuses`,
      ({ broken, script }) =>
        Effect.gen(function*() {
          const sessions = yield* SessionManager
          const { sessionId } = yield* newSession()
          broken.add(operation)
          assert.strictEqual(
            yield* tagOf(Effect.asVoid<unknown, { _tag: string }, never>(sessions[operation](sessionId))),
            "StoreFailed"
          )
          const { end } = yield* prompt(sessionId, "still here")
          yield* script.end()
          assert.strictEqual((yield* end).stopReason, "end_turn")
        })
    )
  }
})

describe("Several sessions", () => {
  run(
    "are limited in number: those that run or were used within the last minute count, others make room",
    ({ script }) =>
      Effect.gen(function*() {
        const sessions = yield* SessionManager
        const used = Effect.gen(function*() {
          const { sessionId } = yield* newSession()
          const { end } = yield* prompt(sessionId, "work")
          yield* script.end()
          yield* end
          return sessionId
        })
        const active = () => sessions.active().map(({ sessionId }) => sessionId)
        const first = yield* used
        yield* TestClock.adjust("20 seconds")
        const second = yield* used
        assert.strictEqual(yield* tagOf(newSession()), "SessionLimit")
        yield* TestClock.adjust("45 seconds")
        const { sessionId: third } = yield* newSession()
        assert.deepStrictEqual(active(), [second, third])
        // Nobody has prompted the third.
        yield* sessions.activate(first, setup, same)
        assert.deepStrictEqual(active(), [second, first])
        yield* prompt(second, "work")
        assert.strictEqual(yield* tagOf(newSession()), "SessionLimit")
        yield* sessions.close(second)
        yield* newSession()
      }),
    { POSTERN_acp__max_sessions: "2" }
  )

  for (const how of ["remove", "kill"] as const) {
    run(`that another process did ${how} give their place back with the next operation`, () =>
      Effect.gen(function*() {
        const sessions = yield* SessionManager
        const store = yield* SessionStore
        const operations = [
          (id: string) => sessions.within(id, same),
          (id: string) => sessions.activate(id, setup, same),
          sessions.close
        ]
        for (const operation of operations) {
          const { sessionId } = yield* newSession()
          yield* store[how](sessionId)
          assert.strictEqual(sessions.active().length, 1)
          assert.strictEqual(yield* tagOf(operation(sessionId)), "SessionMissing")
          assert.deepStrictEqual(sessions.active(), [])
        }
        yield* newSession()
      }), { POSTERN_acp__max_sessions: "1" })
  }

  run("that are idle too long are put away, a running one never", ({ script }) =>
    Effect.gen(function*() {
      const idle = yield* newSession()
      const busy = yield* newSession()
      const { end } = yield* prompt(busy.sessionId, "long work")
      yield* TestClock.adjust("90 minutes")
      assert.strictEqual(yield* tagOf(prompt(idle.sessionId, "anyone?")), "SessionMissing")
      yield* script.end()
      assert.strictEqual((yield* end).stopReason, "end_turn")
    }))

  run("keep to their folder: loading with another one is refused", ({ folder }) =>
    Effect.gen(function*() {
      const sessions = yield* SessionManager
      const cwd = folder()
      const { sessionId } = yield* newSession(cwd)
      yield* sessions.close(sessionId)
      assert.strictEqual(
        yield* tagOf(sessions.activate(sessionId, { cwd: folder(), additionalDirectories: [] }, same)),
        "DirectoryRefused"
      )
      assert.strictEqual(
        yield* tagOf(sessions.activate(sessionId, { cwd: `${cwd}/`, additionalDirectories: [] }, same)),
        "ok"
      )
    }))

  run("take another folder when theirs is gone, stored or live, and keep it", ({ folder }) =>
    Effect.gen(function*() {
      const sessions = yield* SessionManager
      const load = (cwd?: string) => sessions.activate(sessionId, { cwd, additionalDirectories: [] }, same)
      const cwd = folder()
      const { sessionId } = yield* newSession(cwd)
      renameSync(cwd, `${cwd}-b`)
      assert.strictEqual(yield* tagOf(load(join(cwd, "absent"))), "DirectoryRefused")
      assert.strictEqual((yield* load(`${cwd}-b`)).workspace.cwd, `${cwd}-b`)
      yield* sessions.close(sessionId)
      renameSync(`${cwd}-b`, `${cwd}-c`)
      const refused = yield* Effect.flip(load())
      assert.match("message" in refused ? refused.message : "", /if it was moved, load the session with the new folder/)
      const moved = yield* load(`${cwd}-c`)
      assert.deepStrictEqual([moved.workspace.cwd, moved.record().cwd], [`${cwd}-c`, `${cwd}-c`])
      yield* sessions.close(sessionId)
      assert.strictEqual((yield* load()).workspace.cwd, `${cwd}-c`)
      assert.strictEqual(yield* tagOf(load(folder())), "DirectoryRefused")
    }))
})
