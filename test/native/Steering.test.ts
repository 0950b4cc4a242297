import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const reader = `
[agents.default]
[users.ann]
uid = 70001
permission_profiles = ["reader"]
[permission_profiles.reader]
allowed_agents = ["default"]
grants = { sessions = ["create", "read"] }
`

describe("session/steer", () => {
  it.live("reaches a turn from any connection of its owner, and is shown where it was heard", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const [client, other] = [yield* greet(), yield* greet()]
      const session_id = yield* promise(() => client.session())
      const turn = client.prompt(session_id, "say begun\nwait 0.5\nsay first")
      yield* promise(() => client.update("agent_message_chunk"))
      const steer = (params: Json) => promise(() => other.request("session/steer", params))
      assert.deepStrictEqual(yield* steer({ session_id, content: "say second" }), { session_id, accepted: true })
      assert.deepInclude(yield* promise(() => turn), { stop_reason: "end_turn", content: "second" })
      assert.deepStrictEqual(client.updates("user_message").map(({ sessionId, text }) => [sessionId, text]), [
        [session_id, "say second"]
      ])
      assert.strictEqual(client.updates("turn_complete").length, 1)
      const { messages } = yield* promise(() => other.messagePage({ session_id }))
      assert.deepStrictEqual(messages.map(({ content, role }: Json) => `${role}: ${content}`), [
        "user: say begun\nwait 0.5\nsay first",
        "assistant: begun\n\nfirst",
        "user: say second",
        "assistant: second"
      ])
      assert.include(client.messages[0]!.result?.["capabilities"], "session/steer")
    }))

  it.live("without a turn, of no session, with no words, or beyond 32 messages is refused by a word", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      const session_id = yield* promise(() => client.session())
      const refused = Effect.fnUntraced(function*(params: Json) {
        const { code, data } = yield* promise(() => client.failure("session/steer", params))
        return [code, data?.["reason"]]
      })
      const content = "say more"
      assert.deepStrictEqual(yield* refused({ session_id, content }), [-32000, "no_active_turn"])
      assert.deepStrictEqual(yield* refused({ session_id: "none", content }), [-32000, "not_found"])
      yield* promise(() => client.prompt(session_id, "say hi"))
      yield* promise(() => client.request("session/close", { session_id }))
      assert.deepStrictEqual(yield* refused({ session_id, content }), [-32000, "no_active_turn"])
      const before = client.messages.length
      const turn = client.prompt(session_id, "say begun\nwait 60")
      yield* promise(() => client.update("agent_message_chunk", before))
      for (const bad of ["", " \n", undefined, null, 7, ["say x"], { text: "say x" }]) {
        const [code] = yield* refused({ session_id, ...(bad === undefined ? {} : { content: bad }) })
        assert.strictEqual(code, -32602, JSON.stringify(bad))
      }
      for (let n = 0; n < 32; n++) {
        const answer = yield* promise(() => client.request("session/steer", { sessionId: session_id, content }))
        assert.isTrue(answer["accepted"])
      }
      assert.deepStrictEqual(yield* refused({ session_id, content }), [-32002, "queue_full"])
      yield* promise(() => client.request("session/cancel", { session_id }))
      assert.deepInclude(yield* promise(() => turn), { stop_reason: "cancelled" })
      assert.deepStrictEqual(yield* refused({ session_id, content }), [-32000, "no_active_turn"])
      const { messages } = yield* promise(() => client.messagePage({ session_id, cursor: "" }))
      assert.strictEqual(messages.filter((message: Json) => message["content"] === content).length, 32)
    }))

  it.live("needs sessions:execute", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({ config: reader })
      const ann = yield* greet({}, yield* openFor(70001))
      const session_id = yield* promise(() => ann.session({ cwd: "/tmp" }))
      const { code, data } = yield* promise(() => ann.failure("session/steer", { session_id, content: "x" }))
      assert.deepStrictEqual([code, data?.["need"]], [-32012, "sessions:execute"])
    }))
})
