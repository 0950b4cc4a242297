import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const refused = Effect.fnUntraced(function*(config: string, params: Json) {
  const { greet } = yield* served({ config })
  const client = yield* greet()
  const { code, data, message } = yield* promise(() => client.failure("session/new", params))
  return { code, message, reason: data?.["reason"], field: data?.["field"] }
})

const two = "[agents.a]\n[agents.b]\nenabled = false\n[agents.c]\n"

describe("The agent of session/new", () => {
  for (const mode of ["chat", "acp"]) {
    it.live(`has to be named, there and enabled, in ${mode} mode`, () =>
      Effect.gen(function*() {
        const asked = { chat_mode: mode }
        for (const config of [two, `${two}[acp]\ndefault_agent = "a"\n`]) {
          for (const params of [asked, { ...asked, agent_alias: null }, { ...asked, agent_alias: " " }]) {
            assert.deepInclude(yield* refused(config, params), {
              code: -32602,
              reason: "agent_missing",
              field: "agent_alias"
            })
          }
        }
        assert.deepInclude(yield* refused(two, { ...asked, agent_alias: "b" }), {
          code: -32602,
          reason: "agent_disabled",
          field: "agent_alias",
          message: "Invalid params: agent \"b\" is disabled"
        })
        assert.deepInclude(yield* refused(two, { ...asked, agent_alias: "x" }), {
          code: -32602,
          reason: "agent_unknown",
          field: "agent_alias",
          message: "Invalid params: there is no agent \"x\"; the agents are a, c"
        })
      }))
  }
})
