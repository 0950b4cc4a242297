import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SessionManagers } from "../../src/session/lifecycle/SessionManager.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const page = (client: SocketClient, params: Json) => promise(() => client.messagePage(params))

/** Every page from the newest to the oldest, in the order in which they were given. */
const pages = Effect.fnUntraced(function*(client: SocketClient, params: Json) {
  const all: Array<Json> = []
  for (let cursor: unknown = null; cursor !== undefined;) {
    const next = yield* page(client, { ...params, cursor })
    all.push(next)
    cursor = next["next_cursor"]
  }
  return all
})

const contents = (page: Json): ReadonlyArray<string> => page["messages"].map(({ content }: Json) => content)

describe("Pages of messages by a cursor", () => {
  it.live("go from the newest back to the first, and an index stays what it was while the session grows", () =>
    Effect.gen(function*() {
      const { greet, project } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session({ cwd: project }))
      const before = Date.now()
      for (const word of ["a", "b", "c"]) yield* promise(() => client.prompt(session_id, `say ${word}`))
      const first = yield* page(client, { sessionId: session_id, cursor: "", limit: 2, sessionKeys: ["any"] })
      assert.deepStrictEqual(contents(first), ["say c", "c"])
      const { has_older, start, total } = first
      assert.deepStrictEqual({ has_older, start, total }, { has_older: true, start: 4, total: 6 })
      const at = Date.parse(first["messages"][0]?.created_at ?? "")
      assert.isTrue(at >= before && at <= Date.now())
      yield* promise(() => client.prompt(session_id, "say d"))
      const second = yield* page(client, { session_id, cursor: first["next_cursor"], maxBytes: 100_000 })
      assert.deepStrictEqual(contents(second), ["say a", "a", "say b", "b"])
      assert.deepStrictEqual([second["start"], second["total"], second["has_older"]], [0, 8, false])
      assert.isFalse("next_cursor" in second)
      assert.deepStrictEqual(contents(yield* page(client, { session_id, limit: 1, before_index: 5 })), ["say c"])
    }))

  it.live("without a cursor, have at most 1 MiB of the newest messages and say where the older ones begin", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      for (const word of ["a", "b", "c"]) yield* promise(() => client.prompt(session_id, `say ${word.repeat(400_000)}`))
      const newest = yield* page(client, { session_id })
      assert.deepStrictEqual(contents(newest).map((text) => text.at(-1)), ["c", "c"])
      assert.deepStrictEqual([newest["total"], newest["start"], newest["has_older"]], [6, 4, true])
      const older = yield* page(client, { session_id, before_index: 4 })
      assert.deepStrictEqual([contents(older).map((text) => text.at(-1)), older["start"]], [["b", "b"], 2])
      const next = yield* page(client, { session_id, cursor: newest["next_cursor"], limit: 1 })
      assert.deepStrictEqual(contents(next).map((text) => text.at(-1)), ["b"])
    }))

  it.live("keep to max_bytes; one message is sent whatever it takes, and 10,000 are all told once", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      const { chat: { store } } = Context.get(context as Context.Context<SessionManagers>, SessionManagers)
      const { turn } = yield* store.beginTurn(session_id, {
        _tag: "User",
        messageId: "u",
        content: [{ type: "text", text: "x".repeat(50_000) }]
      })
      const told = Array.from({ length: 9_999 }, (_, at) => `Message ${at + 1}, with "quotes" and é.`)
      yield* store.commitTurn(session_id, turn, {
        rows: told.map((text, at) => ({ position: at + 1, entry: { _tag: "Agent", messageId: `${at}`, text } })),
        context: "[]",
        outcome: "end_turn",
        title: null
      })
      const small = yield* pages(client, { session_id, max_bytes: 40_000 })
      assert.isAbove(small.length, 20)
      for (const one of small.slice(0, -1)) {
        assert.isAtMost(Buffer.byteLength(JSON.stringify(one["messages"])), 40_000)
        assert.strictEqual(one["total"], 10_000)
      }
      assert.deepStrictEqual(small.at(-1)!["messages"].length, 1)
      assert.deepStrictEqual(small.toReversed().flatMap(contents).slice(1), told)
      assert.deepStrictEqual(
        small.map(({ start }) => start),
        small.map((_, at) => small.slice(at + 1).reduce((sum, { messages }) => sum + messages.length, 0))
      )
      const usual = yield* page(client, { session_id, cursor: null })
      assert.strictEqual(usual["messages"].length, 1000)
      assert.lengthOf((yield* page(client, { session_id, cursor: null, max_bytes: 1 }))["messages"], 1)
    }))

  it.live("are of one session: another's cursor, and what is none, are refused", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const open = promise(async () => {
        const id = await client.session({ keep_siblings: true })
        await client.prompt(id, "say hi")
        return id
      })
      const [one, other] = [yield* open, yield* open]
      const { next_cursor } = yield* page(client, { session_id: one, cursor: "", limit: 1 })
      const forged = (...parts: ReadonlyArray<unknown>) => Buffer.from(JSON.stringify(parts)).toString("base64url")
      const refused = [
        [other, next_cursor],
        [one, "nonsense"],
        [one, "   "],
        [one, `${next_cursor}=`],
        [one, forged(one, 3)],
        [one, forged(one, 0)],
        [one, forged(one, -1)],
        [one, forged(one, 0.5)],
        [one, forged(one, "1")],
        [one, forged(one, 1, 2)]
      ]
      for (const [session_id, cursor] of refused) {
        const { code, data } = yield* promise(() => client.failure("session/messages", { session_id, cursor }))
        assert.deepStrictEqual([code, data?.["reason"]], [-32602, "invalid_cursor"], `${cursor}`)
      }
      for (const wrong of [{ cursor: 7 }, { cursor: "", max_bytes: 0 }, { cursor: "", max_bytes: "1" }, { limit: 0 }]) {
        const { code } = yield* promise(() => client.failure("session/messages", { session_id: one, ...wrong }))
        assert.strictEqual(code, -32602)
      }
      assert.deepStrictEqual(contents(yield* page(client, { session_id: one, cursor: next_cursor })), ["say hi"])
    }))

  it.live("are found by the keys of ZeroClaw's store as well", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      for (const id of ["plain", "gw_odd"]) {
        yield* promise(() => client.session({ session_id: id, keep_siblings: true }))
        yield* promise(() => client.prompt(id, `say ${id}`))
      }
      const found = Effect.fnUntraced(function*(session_id: string) {
        const { messages, session_id: asked } = yield* page(client, { session_id, cursor: "" })
        return [asked, messages.at(-1)?.content]
      })
      for (const name of ["plain", "rpc_plain", "gw_plain"]) assert.deepStrictEqual(yield* found(name), [name, "plain"])
      for (const name of ["gw_odd", "odd"]) assert.deepStrictEqual(yield* found(name), [name, "gw_odd"])
      const { data, code } = yield* promise(() => client.failure("session/messages", { session_id: "rpc_none" }))
      assert.deepStrictEqual([code, data?.["session_id"]], [-32000, "rpc_none"])
    }))
})
