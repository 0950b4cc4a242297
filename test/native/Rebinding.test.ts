import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const open = (client: SocketClient, params: Json = {}) =>
  promise(() => client.request("session/new", { agent_alias: "default", session_id: "L", ...params }))
const refusal = (client: SocketClient, params: Json = {}) =>
  Effect.map(
    promise(() => client.failure("session/new", { agent_alias: "default", session_id: "L", ...params })),
    ({ code, data }) => [code, data?.["reason"], data?.["field"]]
  )

const config = "[agents.default]\n[agents.b]\n"

describe("A live session", () => {
  for (const mode of ["chat", "acp"]) {
    it.live(`in ${mode} mode is refused with another agent, folder or surface, as when it is stored`, () =>
      Effect.gen(function*() {
        const { greet, project } = yield* served({ config })
        const first = yield* greet()
        const second = yield* greet()
        const asked = { chat_mode: mode, cwd: project }
        yield* open(first, { ...asked, interaction_surface: "zerocode_code" })
        const refusals = Effect.gen(function*() {
          assert.deepStrictEqual(yield* refusal(second, { ...asked, agent_alias: "b" }), [
            -32602,
            "conflict",
            "agent_alias"
          ])
          assert.deepStrictEqual(yield* refusal(second, { ...asked, cwd: "/tmp" }), [-32602, "cwd_mismatch", "cwd"])
          assert.deepStrictEqual(yield* refusal(second, { ...asked, interaction_surface: "other" }), [
            -32602,
            "conflict",
            "interaction_surface"
          ])
        })
        yield* refusals
        assert.deepInclude(yield* open(second, { chat_mode: mode }), { session_id: "L", agent_alias: "default" })
        yield* promise(() => first.prompt("L", "say hi"))
        yield* promise(() => first.request("session/close", { session_id: "L" }))
        yield* refusals
      }))
  }

  it.live("is taken over by a client with the same environment, and refused to one with another", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({ config })
      const env = { NODE_ENV: "x", LANG: "C" }
      const first = yield* greet({ env })
      const same = yield* greet({ env: { LANG: "C", NODE_ENV: "x" } })
      const other = yield* greet({ env: { NODE_ENV: "y", LANG: "C" } })
      const none = yield* greet()
      yield* open(first)
      assert.deepStrictEqual(yield* refusal(other), [-32012, "forbidden", undefined])
      assert.deepStrictEqual(yield* refusal(none), [-32012, "forbidden", undefined])
      yield* open(same)
      assert.deepStrictEqual(yield* refusal(other), [-32012, "forbidden", undefined])
      // The client that has it open may greet again with another shell.
      yield* promise(() => same.request("initialize", { env: { NODE_ENV: "y", LANG: "C" } }))
      yield* open(same)
      yield* open(other)
      assert.deepStrictEqual(yield* refusal(first), [-32012, "forbidden", undefined])
    }))

  it.live("a session without clients accepts another environment", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({ config })
      const first = yield* greet({ env: { NODE_ENV: "x" } })
      const other = yield* greet({ env: { NODE_ENV: "y" } })
      yield* open(first)
      first.close()
      yield* promise(async () => {
        while ((await other.request("tui/list"))["tuis"].length > 1);
      })
      assert.deepInclude(yield* open(other), { session_id: "L" })
    }))

  it.live("of a user is not kept from the operator by an environment that users do not forward", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({
        config: `${config}
[users.ann]
uid = 70001
permission_profiles = ["worker"]
[permission_profiles.worker]
allowed_agents = ["default"]
grants = { sessions = ["create", "execute"] }
`
      })
      const ann = yield* greet({ env: { NODE_ENV: "x" } }, yield* openFor(70001))
      const operator = yield* greet()
      yield* open(ann, { cwd: "/tmp" })
      assert.deepInclude(yield* open(operator), { session_id: "L" })
    }))
})
