import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { hostname } from "node:os"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { newSession, openBoth, openStore, tempFile, user } from "./Samples.ts"

const ids = (page: { readonly sessions: ReadonlyArray<{ readonly sessionId: string }> }) =>
  page.sessions.map(({ sessionId }) => sessionId)

const open = Effect.flatMap(tempFile, openStore)

const fill = Effect.fnUntraced(function*(store: SessionStore["Service"], count: number) {
  for (let n = 0; n < count; n++) {
    yield* store.create(newSession(`s${n}`, n % 2 === 0 ? "/even" : "/odd"))
    if (n % 3 === 2) yield* TestClock.adjust("1 second")
  }
})

describe("stored sessions", () => {
  it.effect("are what they were created as, also for another connection", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const store = yield* openStore(file)
      const made = yield* store.create({ ...newSession("s", "/ä"), additionalDirectories: ["/b", "/c"] })
      assert.deepStrictEqual(made, {
        sessionId: "s",
        agent: "main",
        cwd: "/ä",
        additionalDirectories: ["/b", "/c"],
        title: null,
        usage: null,
        surface: null,
        owner: null,
        excludesMemory: false,
        createdAt: "1970-01-01T00:00:00.000Z",
        updatedAt: "1970-01-01T00:00:00.000Z",
        killedAt: null
      })
      yield* store.setRoots("s", "/d", ["/e"])
      const other = yield* openStore(file)
      assert.deepStrictEqual(yield* other.get("s"), { ...made, cwd: "/d", additionalDirectories: ["/e"] })
      assert.strictEqual((yield* Effect.flip(store.get("t")))._tag, "SessionMissing")
      assert.strictEqual((yield* Effect.flip(store.create(newSession("s"))))._tag, "StoreFailed")
    }))

  it.effect("are listed page by page, newest first, each once", () =>
    Effect.gen(function*() {
      const store = yield* open
      yield* fill(store, 10)
      const seen: Array<string> = []
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page = yield* store.list({
          unprompted: true,
          limit: 4,
          ...(cursor === undefined ? {} : { cursor })
        })
        assert.isAtMost(page.sessions.length, 4)
        seen.push(...ids(page))
        cursor = page.nextCursor
      }
      assert.deepStrictEqual(seen, ["s9", "s6", "s7", "s8", "s3", "s4", "s5", "s0", "s1", "s2"])
      assert.strictEqual((yield* store.list({ unprompted: true, limit: 10 })).nextCursor, null)
    }))

  it.effect("are filtered by their exact folder", () =>
    Effect.gen(function*() {
      const store = yield* open
      yield* fill(store, 6)
      const first = yield* store.list({ unprompted: true, cwd: "/odd", limit: 2 })
      assert.deepStrictEqual(ids(first), ["s3", "s5"])
      const rest = yield* store.list({ unprompted: true, cwd: "/odd", limit: 2, cursor: first.nextCursor ?? "" })
      assert.deepStrictEqual(ids(rest), ["s1"])
      assert.deepStrictEqual(ids(yield* store.list({ unprompted: true, cwd: "/od" })), [])
    }))

  it.effect("are listed once they have had a prompt, also one that was cut off, and found by their id before", () =>
    Effect.gen(function*() {
      const store = yield* open
      yield* fill(store, 5)
      yield* store.rename("s4", "Named")
      for (const id of ["s1", "s3"]) yield* store.beginTurn(id, user("hi"))
      assert.deepStrictEqual(ids(yield* store.list({})), ["s1", "s3"])
      const first = yield* store.list({ limit: 1 })
      assert.deepStrictEqual(ids(yield* store.list({ limit: 1, cursor: first.nextCursor ?? "" })), ["s3"])
      assert.deepStrictEqual((yield* store.overview({ limit: 9 })).map(({ sessionId }) => sessionId), ["s1", "s3"])
      assert.strictEqual((yield* store.overview({ limit: 9, unprompted: true })).length, 5)
      assert.strictEqual((yield* store.get("s4")).title, "Named")
    }))

  it.effect("are removed when they have had no prompt for 30 days and this process does not have them open", () =>
    Effect.gen(function*() {
      const file = yield* tempFile
      const store = yield* openStore(file)
      for (const id of ["prompted", "open", "closed", "killed"]) yield* store.create(newSession(id))
      yield* store.beginTurn("prompted", user("hi"))
      yield* store.kill("killed")
      const day = 24 * 60 * 60 * 1000
      const live = new Set(["open"])
      assert.strictEqual(yield* store.removeUnprompted(live, 30 * day), 0)
      assert.strictEqual(yield* store.removeUnprompted(live, 30 * day + 1), 2)
      const left = yield* store.list({ unprompted: true, killed: true })
      assert.deepStrictEqual(ids(left).toSorted(), ["open", "prompted"])
      assert.strictEqual(yield* store.removeUnprompted(new Set(), 30 * day + 1), 1)
    }))

  it.effect("stay while another process may have them open: one of this host that runs, or of another that gave a sign", () =>
    Effect.gen(function*() {
      const { store, sql } = yield* openBoth(yield* tempFile)
      const day = 24 * 60 * 60 * 1000
      const openers: Record<string, object> = {
        here: { owner: "a", pid: process.ppid, host: hostname(), at: 0 },
        ended: { owner: "b", pid: 2 ** 30, host: hostname(), at: 40 * day },
        restarted: { owner: "c", pid: process.pid, host: hostname(), at: 40 * day },
        elsewhere: { owner: "d", pid: 1, host: "another", at: 10 * day },
        silent: { owner: "e", pid: 1, host: "another", at: day }
      }
      for (const [id, one] of Object.entries(openers)) {
        yield* store.create(newSession(id))
        yield* sql`UPDATE sessions SET openers = ${JSON.stringify([one])} WHERE session_id = ${id}`
      }
      yield* store.create(newSession("unreadable"))
      yield* sql`UPDATE sessions SET openers = '[{"pid":"x"}]' WHERE session_id = 'unreadable'`
      assert.strictEqual(yield* store.removeUnprompted(new Set(), 40 * day), 4)
      assert.deepStrictEqual(ids(yield* store.list({ unprompted: true })), ["elsewhere", "here"])
    }))

  it.effect("move to the top when a turn begins", () =>
    Effect.gen(function*() {
      const store = yield* open
      yield* fill(store, 4)
      yield* TestClock.adjust("1 minute")
      yield* store.beginTurn("s1", user("hi"))
      assert.deepStrictEqual(ids(yield* store.list({ unprompted: true })), ["s1", "s3", "s0", "s2"])
    }))

  it.effect("refuse every cursor they did not make", () =>
    Effect.gen(function*() {
      const store = yield* open
      yield* fill(store, 3)
      const { nextCursor } = yield* store.list({ unprompted: true, limit: 1 })
      const made = nextCursor ?? ""
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const bad = [
        "",
        "0",
        "zz zz",
        `${made}=`,
        `${made} `,
        made.slice(1),
        encode(["yesterday", "s"]),
        encode(["1970-01-01", "s"]),
        encode(["1970-01-01T00:00:00.000Z", ""]),
        encode(["1970-01-01T00:00:00.000Z", 1]),
        encode(["1970-01-01T00:00:00.000Z"]),
        encode({ updatedAt: "1970-01-01T00:00:00.000Z" })
      ]
      for (const cursor of bad) {
        assert.strictEqual((yield* Effect.flip(store.list({ unprompted: true, cursor })))._tag, "BadCursor", cursor)
      }
    }))

  it.effect("stay readable when killed, are left out of the list and begin no turn", () =>
    Effect.gen(function*() {
      const store = yield* open
      yield* fill(store, 2)
      yield* store.beginTurn("s0", user("hi"))
      yield* TestClock.adjust("1 second")
      yield* store.kill("s0")
      const { killedAt } = yield* store.get("s0")
      assert.strictEqual(killedAt, "1970-01-01T00:00:01.000Z")
      yield* TestClock.adjust("1 second")
      yield* store.kill("s0")
      assert.strictEqual((yield* store.get("s0")).killedAt, killedAt)
      assert.deepStrictEqual(ids(yield* store.list({ unprompted: true })), ["s1"])
      assert.deepStrictEqual(ids(yield* store.list({ unprompted: true, killed: true })), ["s0", "s1"])
      assert.strictEqual((yield* store.transcript("s0")).length, 1)
      assert.strictEqual((yield* Effect.flip(store.beginTurn("s0", user("again"))))._tag, "SessionMissing")
      assert.strictEqual((yield* Effect.flip(store.kill("absent")))._tag, "SessionMissing")
    }))

  it.effect("leave nothing behind when removed", () =>
    Effect.gen(function*() {
      const store = yield* open
      yield* fill(store, 2)
      const { turn } = yield* store.beginTurn("s0", user("hi"))
      yield* store.policy.setSetting("s0", "network", "off", "client")
      yield* store.policy.addRule("s0", { id: "r1", list: "deny", rule: "shell(rm **)", reason: null })
      assert.isTrue(yield* store.remove("s0"))
      assert.isFalse(yield* store.remove("s0"))
      assert.deepStrictEqual(yield* store.transcript("s0"), [])
      assert.strictEqual((yield* store.policy.settings("s0")).size, 0)
      assert.deepStrictEqual(yield* store.policy.rules("s0"), [])
      const end = { rows: [], context: "[]", outcome: "end_turn", title: null } as const
      assert.strictEqual((yield* Effect.flip(store.checkpoint("s0", turn, end)))._tag, "TurnLost")
      assert.strictEqual((yield* Effect.flip(store.commitTurn("s0", turn, end)))._tag, "TurnLost")
      yield* store.create(newSession("s0"))
      assert.deepInclude(yield* store.beginTurn("s0", user("new")), { turn: 0, position: 1, context: null })
    }))

  it.effect("remember their policy: the last value of each knob, rules until they are removed, and the trail of decisions", () =>
    Effect.gen(function*() {
      const store = yield* open
      const { policy } = store
      yield* fill(store, 2)
      yield* policy.setSetting("s0", "network", "off", "client")
      yield* policy.setSetting("s0", "network", "on", "client")
      yield* policy.setSetting("s0", "sandbox", "read-only", "user")
      assert.deepStrictEqual([...yield* policy.settings("s0")], [["network", "on"], ["sandbox", "read-only"]])
      const rule = { id: "r1", list: "deny", rule: "shell(rm **)", reason: null } as const
      yield* policy.addRule("s0", rule)
      yield* policy.addRule("s0", rule)
      assert.deepStrictEqual(yield* policy.rules("s0"), [rule])
      assert.deepStrictEqual(yield* policy.rules("s1"), [])
      assert.isTrue(yield* policy.removeRule("s0", "r1"))
      assert.isFalse(yield* policy.removeRule("s0", "r1"))
      const decision = {
        callId: "c1",
        tool: "shell",
        outcome: "ask",
        gate: "policy",
        code: "POLICY_ASK",
        reason: "r",
        rule: null,
        knobs: "h",
        shapes: [{ category: "fs-wipe", part: "rm -rf x" }]
      } as const
      const { turn } = yield* store.beginTurn("s0", user("hi"))
      const at = "2026-01-01T00:00:00.000Z"
      const audit = [
        { _tag: "Decided", decision, at },
        { _tag: "Asked", id: "a1", callId: "c1", at },
        { _tag: "Asked", id: "a2", callId: "c1", at },
        { _tag: "Answered", id: "a1", answer: "AllowOnce", at }
      ] as const
      yield* store.checkpoint("s0", turn, { rows: [], audit, context: "[]" })
      const { approvals, decisions } = yield* policy.trail("s0")
      assert.deepStrictEqual(decisions, [{ ...decision, shapes: [...decision.shapes], at }])
      assert.deepStrictEqual(approvals.map(({ answer, id }) => [id, answer]), [["a1", "AllowOnce"], ["a2", null]])
      assert.strictEqual(
        (yield* Effect.flip(policy.setSetting("absent", "network", "off", "client")))._tag,
        "StoreFailed"
      )
    }))

  it.effect("live in memory with the same behaviour where no file is wanted", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      assert.strictEqual(store.durability, "memory")
      yield* fill(store, 3)
      const { turn, position } = yield* store.beginTurn("s0", user("hi"))
      const rows = [{ position, entry: user("more") }]
      yield* store.commitTurn("s0", turn, { rows, context: "[1]", outcome: "end_turn", title: "T" })
      assert.strictEqual((yield* store.transcript("s0")).length, 2)
      assert.strictEqual((yield* store.beginTurn("s0", user("next"))).context, "[1]")
      assert.deepStrictEqual(ids(yield* store.list({ unprompted: true, limit: 1 })), ["s0"])
    }).pipe(Effect.provide(SessionStore.layerMemory)))
})
