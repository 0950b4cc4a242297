import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, refusal, served } from "../support/ServedDaemon.ts"
import { temporaryHome } from "../support/TemporaryFolder.ts"

/** A daemon one of whose databases is a folder. */
const daemon = Effect.fnUntraced(function*(mode: "acp" | "chat") {
  const folder = yield* temporaryHome
  mkdirSync(join(folder, "data", "sessions", `${mode}-sessions.db`), { recursive: true })
  const { greet } = yield* served({ folder })
  return yield* greet()
})

const failure = (client: SocketClient, method: string, params: Json = {}) =>
  Effect.map(refusal(client, method, params), (refused) => [method, ...refused])

const aboutOne = [
  "session/prompt",
  "session/messages",
  "session/state",
  "session/delete",
  "session/kill",
  "session/close",
  "session/rename",
  "session/git_branch"
]

describe("A database that another program keeps", () => {
  it.effect("is an internal error after 5 s, which does not tell where the file is, and the session stays", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(join(folder, "data", "sessions", "chat-sessions.db"))),
        (db) => Effect.sync(() => db.close())
      )
      other.exec("BEGIN EXCLUSIVE")
      const killing = yield* Effect.forkChild(promise(() => client.failure("session/kill", { session_id })))
      const watcher = yield* greet()
      while (killing.pollUnsafe() === undefined) {
        yield* promise(() => watcher.request("health"))
        const now = yield* Clock.currentTimeMillis
        assert.isAtMost(now, 6000)
        yield* TestClock.adjust("100 millis")
      }
      const { code, data, message } = yield* Fiber.join(killing)
      assert.deepStrictEqual([code, data?.["reason"]], [-32603, "store_failed"])
      assert.strictEqual(
        message,
        "The database is locked by another program. Close that program, or wait and try again."
      )
      other.exec("ROLLBACK")
      assert.deepInclude(yield* promise(() => client.request("session/kill", { session_id })), { killed: true })
    }))
})

describe("Without its store", () => {
  for (const mode of ["acp", "chat"] as const) {
    it.live(`a daemon does not know what ${mode} sessions there are, and says so instead of "none" and "not found"`, () =>
      Effect.gen(function*() {
        const client = yield* daemon(mode)
        const live = yield* promise(() => client.session())
        yield* promise(() => client.prompt(live, "say hi"))
        for (const method of aboutOne) {
          const asked = { session_id: "elsewhere", prompt: "say hi", name: "x" }
          assert.deepStrictEqual(yield* failure(client, method, asked), [method, -32603, "store_failed"])
        }
        assert.deepStrictEqual(yield* failure(client, "session/list"), ["session/list", -32603, "store_failed"])
        assert.deepStrictEqual(
          (yield* promise(() => client.request("session/list", { running: true })))["sessions"],
          []
        )
      }))
  }

  it.live("of ACP sessions, session/list-acp and new ACP sessions fail, and chat sessions do all they can", () =>
    Effect.gen(function*() {
      const client = yield* daemon("acp")
      assert.deepStrictEqual(yield* failure(client, "session/list-acp"), ["session/list-acp", -32603, "store_failed"])
      const asked = { agent_alias: "default", chat_mode: "acp" }
      assert.deepStrictEqual(yield* failure(client, "session/new", asked), ["session/new", -32603, "store_failed"])
      const kept = yield* promise(() => client.session())
      yield* promise(() => client.prompt(kept, "say hi"))
      yield* promise(() => client.request("session/close", { session_id: kept }))
      assert.deepInclude(yield* promise(() => client.prompt(kept, "say again")), { content: "again" })
      assert.deepInclude(yield* promise(() => client.request("session/kill", { session_id: kept })), { killed: true })
      assert.strictEqual((yield* failure(client, "session/prompt", { session_id: kept, prompt: "say no" }))[1], -32000)
    }))

  it.live("of chat sessions, those of this process go on, also when they were closed, and by their other keys", () =>
    Effect.gen(function*() {
      const client = yield* daemon("chat")
      const one = yield* promise(() => client.session())
      yield* promise(() => client.prompt(one, "say first"))
      yield* promise(() => client.request("session/close", { session_id: one }))
      const { messages } = yield* promise(() => client.messagePage({ session_id: `rpc_${one}` }))
      assert.deepStrictEqual(messages.map(({ content }: Json) => content), ["say first", "first"])
      assert.deepInclude(yield* promise(() => client.prompt(one, "say second")), { content: "second" })
      assert.deepInclude(yield* promise(() => client.request("session/delete", { session_id: one })), { deleted: true })
      assert.deepStrictEqual((yield* promise(() => client.request("session/list-acp")))["sessions"], [])
    }))
})
