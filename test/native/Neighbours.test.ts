import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { promise, served, twin } from "../support/ServedDaemon.ts"

const config = `
[users.ann]
uid = 70001
permission_profiles = ["worker"]
[users.bob]
uid = 70002
permission_profiles = ["worker"]

[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = ["create", "read", "update", "delete", "execute"], system = ["read"], tui = ["read"], cost = ["read"], agents = ["read"] }
`

describe("The name of a client", () => {
  it.live("a connection is shown to its principal and the operator only", () =>
    Effect.gen(function*() {
      const { connect, greet, openFor } = yield* served({ config })
      const [hers, his] = [yield* openFor(70001), yield* openFor(70002)]
      const ann = yield* greet({ tui_id: "tui_00000a01" }, hers)
      const again = yield* greet({ tui_id: "tui_00000a01" }, hers)
      const bob = yield* greet({ tui_id: "tui_00000b01" }, his)
      const operator = yield* greet({ tui_id: "tui_00000c01" })
      const shown = (client: typeof ann) =>
        Effect.map(
          promise(() => client.request("tui/list")),
          ({ tuis }) => tuis.map(({ tui_id }: { tui_id: string }) => tui_id).sort()
        )
      assert.deepStrictEqual(yield* shown(bob), ["tui_00000b01"])
      assert.deepStrictEqual(yield* shown(ann), ["tui_00000a01", "tui_00000a01"])
      assert.strictEqual((yield* shown(operator)).length, 4)
      for (const path of [his, undefined]) {
        const thief = yield* connect(path)
        const refused = yield* promise(() => thief.failure("initialize", { tui_id: "tui_00000a01" }))
        assert.strictEqual(refused.code, -32010)
        assert.strictEqual((yield* promise(() => thief.failure("status"))).code, -32010)
      }
      assert.strictEqual((yield* promise(() => bob.failure("initialize", { tui_id: "tui_00000a01" }))).code, -32010)
      assert.deepStrictEqual(yield* shown(bob), ["tui_00000b01"], "it keeps the one it has")
      ann.close()
      assert.strictEqual((yield* promise(() => bob.failure("initialize", { tui_id: "tui_00000a01" }))).code, -32010)
      yield* promise(() => again.request("initialize", { tui_id: "tui_00000a02" }))
    }))

  it.live("that somebody took over puts away none of the sessions of who had it before", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({ config })
      const ann = yield* greet({ tui_id: "tui_00000a01" }, yield* openFor(70001))
      const idle = yield* promise(() => ann.session())
      yield* promise(() => ann.request("initialize", { tui_id: "tui_00000a02" }))
      const bob = yield* greet({ tui_id: "tui_00000a01" }, yield* openFor(70002))
      const first = yield* promise(() => bob.session())
      const second = yield* promise(() => bob.session())
      const { session_ids } = yield* promise(() => ann.request("status"))
      assert.deepStrictEqual(session_ids, [idle])
      assert.deepStrictEqual((yield* promise(() => bob.request("status")))["session_ids"], [second])
      assert.notStrictEqual(first, second)
    }))
})

describe("The id of a session", () => {
  it.live("a session of another principal is refused in the other mode too", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({ config })
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      for (const [session_id, chat_mode, other] of [["one", "acp", "chat"], ["two", "chat", "acp"]] as const) {
        yield* promise(() => ann.session({ session_id, chat_mode }))
        yield* promise(() => ann.prompt(session_id, "say hers"))
        for (const close of [true, false]) {
          const refused = yield* promise(() =>
            bob.failure("session/new", { agent_alias: "default", session_id, chat_mode: other })
          )
          assert.strictEqual(refused.code, -32003)
          if (close) yield* promise(() => ann.request("session/close", { session_id }))
        }
        assert.deepInclude(yield* promise(() => ann.prompt(session_id, "say on")), { content: "on" })
      }
    }))

  it.live("that two people had before leaves each of them their own", () =>
    Effect.gen(function*() {
      const { context, greet, openFor } = yield* served({ config })
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      const session_id = "same"
      const words = (client: typeof ann) =>
        Effect.map(promise(() => client.messagePage({ session_id })), ({ messages }) =>
          messages.map(({ content }: { content: string }) => content))
      yield* promise(() =>
        ann.session({ session_id, chat_mode: "acp" })
      )
      yield* promise(() => ann.prompt(session_id, "say hers"))
      yield* promise(() => ann.request("session/close", { session_id }))
      yield* twin(context, session_id, "bob")
      yield* promise(() => bob.prompt(session_id, "say his"))
      assert.deepStrictEqual(yield* words(bob), ["say his", "his"])
      assert.deepStrictEqual(yield* words(ann), ["say hers", "hers"])
      assert.strictEqual((yield* promise(() => ann.request("session/state", { session_id })))["state"], "idle")
      assert.strictEqual(
        (yield* promise(() => ann.failure("session/prompt", { session_id, prompt: "say x" }))).code,
        -32602
      )
      assert.strictEqual((yield* promise(() => ann.failure("session/close", { session_id }))).code, -32000)
      yield* promise(() => ann.request("session/rename", { session_id, name: "hers" }))
      assert.deepStrictEqual((yield* promise(() => bob.request("status")))["session_ids"], [session_id])
      yield* promise(() => bob.request("session/close", { session_id }))
      assert.deepInclude(yield* promise(() => ann.prompt(session_id, "say on")), { content: "on" })
      yield* promise(() => ann.request("session/close", { session_id }))
      yield* promise(() => bob.prompt(session_id, "say on"))
      assert.isTrue((yield* promise(() => ann.request("session/delete", { session_id })))["deleted"])
      assert.deepStrictEqual((yield* promise(() => bob.request("status")))["session_ids"], [session_id])
      assert.deepStrictEqual(yield* words(bob), ["say his", "his", "say on", "on"])
      const [named] = (yield* promise(() => bob.request("session/list")))["sessions"]
      assert.isDefined(named)
      assert.notStrictEqual(named?.name, "hers")
    }))

  it.live("that is a tombstone in one mode leads to the session of the other", () =>
    Effect.gen(function*() {
      const { context, greet } = yield* served({ config })
      const client = yield* greet()
      const session_id = "same"
      yield* promise(() => client.session({ session_id, chat_mode: "acp" }))
      yield* promise(() => client.prompt(session_id, "say kept"))
      yield* promise(() => client.request("session/close", { session_id }))
      yield* twin(context, session_id)
      yield* promise(() => client.session({ session_id }))
      yield* promise(() => client.request("session/kill", { session_id }))
      const { total } = yield* promise(() => client.messagePage({ session_id }))
      assert.strictEqual(total, 2)
      assert.deepInclude(yield* promise(() => client.prompt(session_id, "say on")), { content: "on" })
      assert.isTrue((yield* promise(() => client.request("session/delete", { session_id })))["deleted"])
      const { total: rest } = yield* promise(() => client.messagePage({ session_id }))
      assert.strictEqual(rest, 0, "the tombstone is still there")
    }))
})

describe("What agents cost and do", () => {
  it.live("is told of the caller's own sessions, and of everybody's to the operator", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({
        config: `${config}
[agents.default]
model = "here/m"
[providers.here]
kind = "offline"
prices = { input = 1000000, output = 1000000 }
`
      })
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      const operator = yield* greet()
      const session = yield* promise(() => ann.session())
      yield* promise(() => ann.prompt(session, "say a few words"))
      const of = Effect.fnUntraced(function*(client: typeof ann) {
        const costs = yield* promise(() => client.request("cost/query"))
        const { agents } = yield* promise(() => client.request("agents/status"))
        return { costs, live: agents[0]?.live_sessions, stored: agents[0]?.persisted_sessions }
      })
      const hers = yield* of(ann)
      assert.isAbove(hers.costs["daily_cost_usd"], 0)
      assert.deepStrictEqual(hers.costs["by_agent"], { default: hers.costs["daily_cost_usd"] })
      assert.deepStrictEqual([hers.live, hers.stored], [1, 1])
      assert.deepStrictEqual(yield* of(bob), {
        costs: {
          session_cost_usd: 0,
          daily_cost_usd: 0,
          monthly_cost_usd: 0,
          total_tokens: 0,
          request_count: 0,
          by_model: {},
          by_agent: {}
        },
        live: 0,
        stored: 0
      })
      assert.deepStrictEqual(yield* of(operator), hers)
      // The operator's turn in her session is spent by her session.
      yield* promise(() => operator.prompt(session, "say more"))
      assert.deepStrictEqual((yield* of(operator)).costs, (yield* of(ann)).costs)
    }))
})
