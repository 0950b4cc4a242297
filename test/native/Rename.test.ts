import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"
import { temporaryHome } from "../support/TemporaryFolder.ts"

const rename = (client: SocketClient, session_id: string, name: string) =>
  promise(() => client.request("session/rename", { session_id, name }))

const nameOf = (client: SocketClient, session_id: string) =>
  Effect.map(
    promise(() => client.request("session/list", { include_unprompted: true })),
    ({ sessions }) => (sessions as ReadonlyArray<Json>).find((one) => one["session_id"] === session_id)?.["name"]
  )

describe("session/rename", () => {
  it.live("gives an active or stored session a name that stays, also over its next turn and the next process", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      const [chat, acp] = yield* Effect.scoped(Effect.gen(function*() {
        const { greet } = yield* served({ folder })
        const client = yield* greet()
        const chat = yield* promise(() => client.session())
        const acp = yield* promise(() => client.session({ chat_mode: "acp" }))
        assert.deepStrictEqual(yield* rename(client, chat, "  The plan "), { session_id: chat, name: "The plan" })
        yield* promise(() => client.prompt(chat, "say something else"))
        assert.strictEqual(yield* nameOf(client, chat), "The plan")
        yield* promise(() => client.request("session/close", { session_id: acp }))
        assert.deepStrictEqual(yield* rename(client, acp, "é".repeat(200)), { session_id: acp, name: "é".repeat(200) })
        return [chat, acp] as const
      }))
      const { greet } = yield* served({ folder })
      const client = yield* greet()
      assert.strictEqual(yield* nameOf(client, chat), "The plan")
      assert.strictEqual(yield* nameOf(client, acp), "é".repeat(200))
      yield* promise(() => client.prompt(chat, "say again"))
      assert.strictEqual(yield* nameOf(client, chat), "The plan")
    }))

  it.live("refuses names of no or more than 200 characters, and sessions there are not or that belong to others", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({
        config: `[agents.default]
[users.ann]
uid = 70001
permission_profiles = ["worker"]
[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = ["create", "update"] }
`
      })
      const client = yield* greet()
      const ann = yield* greet({}, yield* openFor(70001))
      const session_id = yield* promise(() => client.session())
      const failure = (by: SocketClient, params: Json) =>
        Effect.map(
          promise(() => by.failure("session/rename", { session_id, ...params })),
          ({ code, data }) => [code, data?.["field"]]
        )
      for (const name of ["", " \n", "x".repeat(201), 7, undefined]) {
        assert.deepStrictEqual(yield* failure(client, { name }), [-32602, "name"])
      }
      assert.deepStrictEqual(yield* failure(client, { session_id: "none", name: "x" }), [-32000, undefined])
      assert.deepStrictEqual(yield* failure(ann, { name: "mine" }), [-32000, undefined])
      assert.isUndefined(yield* nameOf(client, session_id))
    }))
})
