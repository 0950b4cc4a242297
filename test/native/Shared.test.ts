import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { SessionStore } from "../../src/store/SessionStore.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

/** A daemon that has room for one session, and somebody else with the same database. */
const shared = Effect.gen(function*() {
  const { folder, greet } = yield* served({ config: "[rpc]\nmax_sessions = 1\n" })
  const client = yield* greet()
  const fails = (method: string, params: Json) =>
    Effect.map(promise(() => client.failure(method, params)), ({ code }) => code)
  const open = promise(() => client.session({ keep_siblings: true }))
  const sessionId = yield* open
  yield* promise(() => client.prompt(sessionId, "say before"))
  yield* promise(() => client.request("events/subscribe"))
  const file = join(folder, "data", "sessions", "chat-sessions.db")
  const other = Context.get(yield* Layer.build(SessionStore.layerOrMemory(file)), SessionStore)
  const left = () =>
    client.messages.flatMap(({ params }) => {
      const { session_id, type } = (params?.["event"] ?? {}) as Json
      return session_id === sessionId ? [type as string] : []
    })
  return { client, fails, left, open, other, sessionId }
})

/** Each on its own is enough to notice. */
const operations: ReadonlyArray<readonly [method: string, params: Json]> = [
  ["session/prompt", { prompt: "say after" }],
  ["session/state", {}],
  ["session/configure", { overrides: {} }],
  ["session/close", {}],
  ["session/steer", { content: "x" }]
]

describe("A session that another process", () => {
  for (const how of ["remove", "kill"] as const) {
    for (const [method, params] of operations) {
      it.live(`did ${how} is gone for ${method}, and its place is free`, () =>
        Effect.gen(function*() {
          const { client, fails, left, open, other, sessionId } = yield* shared
          assert.strictEqual(yield* fails("session/new", { agent_alias: "default", keep_siblings: true }), -32001)
          yield* other[how](sessionId)
          assert.strictEqual(yield* fails(method, { session_id: sessionId, ...params }), -32000)
          assert.notInclude((yield* promise(() => client.request("status")))["session_ids"], sessionId)
          const next = yield* open
          assert.strictEqual((yield* promise(() => client.prompt(next, "say hello")))["content"], "hello")
          assert.deepStrictEqual(left(), [how === "kill" ? "session_killed" : "session_deleted"])
        }))
    }
  }

  it.live("killed can still be read, and not be opened", () =>
    Effect.gen(function*() {
      const { client, fails, open, other, sessionId } = yield* shared
      yield* other.kill(sessionId)
      const { messages } = yield* promise(() => client.messagePage({ session_id: sessionId }))
      assert.strictEqual(messages.length, 2)
      assert.strictEqual(yield* fails("session/new", { agent_alias: "default", session_id: sessionId }), -32000)
      yield* open
    }))

  it.live("deleted leaves its id to a new one", () =>
    Effect.gen(function*() {
      const { client, other, sessionId } = yield* shared
      yield* other.remove(sessionId)
      const again = yield* promise(() =>
        client.request("session/new", { agent_alias: "default", session_id: sessionId })
      )
      assert.deepStrictEqual([again["session_id"], again["message_count"]], [sessionId, 0])
      assert.strictEqual((yield* promise(() => client.prompt(sessionId, "say hello")))["content"], "hello")
    }))
})
