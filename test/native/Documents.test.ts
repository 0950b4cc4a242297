import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SessionManagers } from "../../src/session/lifecycle/SessionManager.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const config = `
[users.ann]
uid = 70001
permission_profiles = ["worker"]
[users.bob]
uid = 70002
permission_profiles = ["worker"]
[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = ["create", "read", "update", "delete", "execute"] }
`

describe("session/list", () => {
  it.live("has killed sessions on request, for their owner and the operator", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({ config })
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      const operator = yield* greet()
      const chat = yield* promise(() => ann.session({ cwd: "/tmp" }))
      const acp = yield* promise(() => ann.session({ cwd: "/tmp", chat_mode: "acp" }))
      for (const session_id of [chat, acp]) yield* promise(() => ann.request("session/kill", { session_id }))
      const list = (client: typeof ann, method = "session/list", params: Json = {}) =>
        Effect.map(
          promise(() => client.request(method, { include_killed: true, include_unprompted: true, ...params })),
          ({ sessions }) => sessions.map(({ killed_at, session_id }: Json) => [session_id, typeof killed_at])
        )
      const both = [[chat, "string"], [acp, "string"]]
      assert.sameDeepMembers(yield* list(ann), both)
      assert.sameDeepMembers(yield* list(operator), both)
      assert.deepStrictEqual(yield* list(ann, "session/list-acp"), [[acp, "string"]])
      assert.deepStrictEqual(yield* list(bob), [])
      assert.deepStrictEqual(yield* list(ann, "session/list", { include_killed: false }), [])
    }))

  it.live("leaves out sessions without a prompt, of both modes, until they have one", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const open = (params: Json = {}) => promise(() => client.session({ keep_siblings: true, ...params }))
      const [chat, acp] = [yield* open(), yield* open({ chat_mode: "acp" })]
      const listed = (method: string, params: Json = {}) =>
        Effect.map(
          promise(() => client.request(method, params)),
          ({ sessions }) => sessions.map(({ session_id }: Json) => session_id).toSorted()
        )
      for (const method of ["session/list", "session/list-acp"]) {
        assert.deepStrictEqual(yield* listed(method), [])
        assert.deepStrictEqual(yield* listed(method, { query: acp, running: null }), [])
      }
      const everything = { include_unprompted: true }
      assert.deepStrictEqual(yield* listed("session/list", everything), [chat, acp].toSorted())
      assert.deepStrictEqual(yield* listed("session/list-acp", everything), [acp])
      yield* promise(() => client.request("session/close", { session_id: acp }))
      assert.strictEqual(yield* open({ chat_mode: "acp", session_id: acp }), acp)
      yield* promise(() => client.prompt(acp, "say hi"))
      assert.deepStrictEqual(yield* listed("session/list"), [acp])
      assert.deepStrictEqual(yield* listed("session/list-acp"), [acp])
    }))

  it.live("goes on where the page before ended, over both modes", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      for (const chat_mode of ["chat", "acp", "chat", "acp", "chat"]) {
        yield* promise(() => client.session({ chat_mode, keep_siblings: true }))
      }
      const page = (params: Json) =>
        promise(() => client.request("session/list", { include_unprompted: true, ...params }))
      const all = (yield* page({})).sessions
      assert.lengthOf(all, 5)
      const pages = yield* Effect.forEach([0, 2, 4, 6], (offset) => page({ limit: 2, offset }))
      assert.deepStrictEqual(pages.map(({ sessions }) => sessions.length), [2, 2, 1, 0])
      assert.deepStrictEqual(pages.flatMap(({ sessions }) => sessions), all)
    }))
})

describe("session/messages with entries", () => {
  it.live("gives the transcript as it is stored, from the end on in parts of some megabytes, to who may see it", () =>
    Effect.gen(function*() {
      const { context, greet, openFor } = yield* served({ config })
      const ann = yield* greet({}, yield* openFor(70001))
      const session_id = yield* promise(() => ann.session({ cwd: "/tmp" }))
      for (const letter of ["a", "b"]) {
        yield* promise(() => ann.prompt(session_id, `say ${letter.repeat(1_500_000)}`))
      }
      const read = (params: Json = {}) =>
        promise(async () => {
          const found = await ann.request("session/messages", { session_id, entries: true, ...params })
          if (!("entries" in found)) throw new Error("no entries")
          return found
        })
      // What was said twice over, and the note that the model has a summary of it.
      const last = yield* read()
      assert.deepInclude(last, { total: 5, start: 2, has_older: true })
      assert.deepInclude(last["session"], { sessionId: session_id, mode: "chat", cwd: "/tmp", killedAt: null })
      const first = yield* read({ before_index: last["start"] })
      assert.deepInclude(first, { total: 5, start: 0, has_older: false })
      const stored = yield* Context.get(context, SessionManagers).chat.store.transcript(session_id)
      assert.deepStrictEqual([...first["entries"], ...last["entries"]], stored)
      const bob = yield* greet({}, yield* openFor(70002))
      for (const params of [{ entries: true }, { decisions: true }]) {
        const refused = yield* promise(() => bob.failure("session/messages", { session_id, ...params }))
        assert.strictEqual(refused.code, -32000)
      }
      assert.deepInclude(yield* promise(() => ann.request("session/messages", { session_id, decisions: true })), {
        decisions: [],
        approvals: []
      })
    }))
})
