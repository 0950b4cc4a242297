import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChatServer } from "../support/ChatServer.ts"
import type { SocketClient } from "../support/SocketClient.ts"
import type { Json } from "../support/Wire.ts"
import { promise, refusal, served } from "../support/ServedDaemon.ts"

const toolsOf = (client: SocketClient, params: Json = {}) =>
  Effect.map(promise(() => client.request("tools/list", params)), ({ tools }) => tools as ReadonlyArray<Json>)
const namesOf = (client: SocketClient, params: Json = {}) =>
  Effect.map(toolsOf(client, params), (tools) => tools.map(({ name }) => name as string))
const optionsOf = (client: SocketClient, domain: string, params: Json = {}) =>
  Effect.map(
    promise(() => client.request("tools/param-options", { domain, ...params })),
    ({ options }) => options.map(({ value }: Json) => value)
  )

const model = Effect.acquireRelease(
  Effect.sync(() => new ChatServer()),
  (server) => Effect.sync(() => server.close())
)

describe("The tools of an agent", () => {
  it.live("are what its model is offered in a new chat session, word for word, and no session is opened", () =>
    Effect.gen(function*() {
      const server = yield* model
      const config = yield* promise(() => server.config())
      for (
        const policy of [
          "",
          `[policy]\nwork_mode = "ro"\n[policy.rules]\ndeny = ["web_fetch"]\n`,
          `[risk_profiles.default]\nlevel = "readonly"\nexcluded_tools = ["glob_search"]\n`
        ]
      ) {
        const { greet } = yield* served({ config: config + policy })
        const client = yield* greet()
        const tools = yield* toolsOf(client)
        const status = yield* promise(() => client.request("status"))
        assert.strictEqual(status["active_sessions"], 0)
        assert.deepStrictEqual((yield* promise(() => client.request("session/list")))["sessions"], [])
        const session = yield* promise(() => client.session())
        yield* promise(() => client.prompt(session, "hello"))
        const offered = server.requests.at(-1)?.["tools"].map((tool: Json) => tool["function"])
        assert.deepStrictEqual(tools, offered)
        assert.include(tools.map(({ name }) => name), "memory_recall")
        assert.strictEqual(tools.some(({ name }) => name === "shell"), !policy.includes("readonly"))
        assert.strictEqual(tools.some(({ name }) => name === "file_write"), policy === "")
        assert.strictEqual(tools.some(({ name }) => name === "web_fetch"), !policy.includes("web_fetch"))
        assert.strictEqual(tools.some(({ name }) => name === "glob_search"), !policy.includes("glob_search"))
      }
    }))

  it.live("follow the rules of the folder it works in, and rules that cannot be read are told", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      assert.include(yield* namesOf(client), "shell")
      const rules = join(folder, "agents/default/workspace/.postern")
      mkdirSync(rules, { recursive: true })
      writeFileSync(join(rules, "rules.toml"), "[policy]\nwork_mode = \"chat\"\n")
      assert.notInclude(yield* namesOf(client), "shell")
      writeFileSync(join(rules, "rules.toml"), "[[")
      assert.deepStrictEqual(yield* refusal(client, "tools/list", {}), [-32603, "rules_invalid"])
    }))

  it.live("are those that the caller may use, of agents that it may use", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* served({
        config: `
[agents.own]
[agents.other]
[users.ann]
uid = 70001
permission_profiles = ["reads"]
[users.bob]
uid = 70002
[permission_profiles.reads]
allowed_agents = ["own"]
allowed_tools = ["file_read", "memory_recall"]
grants = { tools = ["read"] }
[permission_profiles.remembers]
allowed_agents = ["own"]
grants = { tools = ["read"], memory = ["read", "create"] }
[users.cem]
uid = 70003
permission_profiles = ["remembers"]
[users.dan]
uid = 70004
permission_profiles = ["remembers"]
`
      })
      const ann = yield* greet({}, yield* openFor(70001))
      const bob = yield* greet({}, yield* openFor(70002))
      const forbidden = [-32012, "forbidden"]
      assert.deepStrictEqual(yield* namesOf(ann, { agent: "own" }), ["file_read", "memory_recall"])
      assert.deepStrictEqual(yield* optionsOf(ann, "tool_names", { agent: "own" }), ["file_read", "memory_recall"])
      assert.deepStrictEqual(yield* optionsOf(ann, "agent_aliases"), ["own"])
      assert.deepStrictEqual(yield* optionsOf(yield* greet(), "agent_aliases"), ["own", "other"])
      assert.deepStrictEqual(yield* refusal(ann, "tools/list", { agent: "other" }), forbidden)
      for (const domain of ["tool_names", "memory_categories"]) {
        assert.deepStrictEqual(yield* refusal(ann, "tools/param-options", { domain, agent: "other" }), forbidden)
      }
      assert.deepStrictEqual(
        yield* refusal(ann, "tools/param-options", { domain: "memory_categories", agent: "own" }),
        forbidden
      )
      const everybody = yield* Effect.forEach([70003, 70004], (uid) =>
        Effect.flatMap(openFor(uid), (path) => greet({}, path)))
      for (const [index, one] of everybody.entries()) {
        const entry = { agent: "own", key: "k", content: "x", category: `of${index}` }
        yield* promise(() =>
          one.request("memory/store", entry)
        )
      }
      for (const [index, one] of everybody.entries()) {
        assert.deepStrictEqual(yield* optionsOf(one, "memory_categories", { agent: "own" }), [`of${index}`])
      }
      assert.deepStrictEqual(yield* refusal(bob, "tools/list", {}), forbidden)
      assert.deepStrictEqual(yield* refusal(bob, "tools/param-options", { domain: "agent_aliases" }), forbidden)
    }))

  it.live("have parameters that are chosen from what there is", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      assert.deepStrictEqual(yield* optionsOf(client, "memory_categories"), [])
      for (const [key, category] of [["a", "daily"], ["b", "core"], ["c", "daily"]]) {
        yield* promise(() => client.request("memory/store", { key, content: "x", category }))
      }
      assert.deepStrictEqual(yield* optionsOf(client, "memory_categories", { args: { any: [1] } }), ["core", "daily"])
      assert.deepStrictEqual(yield* optionsOf(client, "tool_names"), yield* namesOf(client))
      for (const domain of ["channel_refs", "peer_targets", "peer_groups"]) {
        assert.deepStrictEqual(yield* optionsOf(client, domain), [])
      }
      for (const domain of ["", "ToolNames", "constructor"]) {
        assert.deepStrictEqual(yield* refusal(client, "tools/param-options", { domain }), [-32602, "invalid_params"])
      }
    }))
})
