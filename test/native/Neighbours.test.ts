import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { promise, served } from "./Served.ts"

const config = `
[users.ann]
uid = 70001
permission_profiles = ["worker"]
[users.bob]
uid = 70002
permission_profiles = ["worker"]

[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = ["create", "read", "update", "execute"], system = ["read"], tui = ["read"] }
`

describe("The name of a client", () => {
  it.live("is shown to its own principal and the operator, and is nobody else's while it is connected", () =>
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
