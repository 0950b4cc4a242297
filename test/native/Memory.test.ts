import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const guests = `
[agents.main]
[agents.other]
[acp]
default_agent = "main"
[users.guest]
uid = 4242
permission_profiles = ["guest"]
[permission_profiles.guest]
allowed_agents = ["other"]
[permission_profiles.guest.grants]
memory = ["read"]
`

const open = Effect.fnUntraced(function*(config = "") {
  const daemon = yield* served({ config })
  const client = yield* daemon.greet()
  const request = (method: string, params: Json = {}) => promise(() => client.request(`memory/${method}`, params))
  const refusal = (method: string, params: Json) =>
    Effect.map(promise(() => client.failure(`memory/${method}`, params)), ({ code, data }) => [code, data?.["reason"]])
  return { ...daemon, client, request, refusal }
})

describe("The memory over the socket", () => {
  it.live("is stored, found, read and deleted, and says the truth about it", () =>
    Effect.gen(function*() {
      const { request } = yield* open()
      assert.deepStrictEqual(yield* request("get", { key: "colour" }), { entry: null })
      assert.deepStrictEqual(yield* request("store", { key: "colour", content: "The sky is blue" }), {
        key: "colour",
        stored: true
      })
      yield* request("store", { key: "long", content: "é".repeat(150), category: "daily", sessionId: "s1" })
      const { entry } = yield* request("get", { key: "colour" })
      assert.deepInclude(entry, {
        key: "colour",
        content: "The sky is blue",
        category: "user",
        session_id: null,
        namespace: "default",
        agent_alias: "default",
        score: null
      })
      const { count, entries } = yield* request("list", { session_id: "s1" })
      assert.deepStrictEqual([count, entries[0].content], [1, `${"é".repeat(100)}…`])
      assert.strictEqual((yield* request("get", { key: "long" }))["entry"].content.length, 150)
      const found = yield* request("search", { query: "what colour is the sky?", since: "2020-01-01T00:00:00+02:00" })
      assert.deepStrictEqual([found["count"], found["entries"][0].key, found["entries"][0].score], [1, "colour", 1])
      assert.deepStrictEqual(yield* request("search", { query: "sky", until: "2020-01-01T00:00:00Z" }), {
        entries: [],
        count: 0
      })
      assert.deepStrictEqual(yield* request("delete", { key: "colour" }), { key: "colour", deleted: true })
      assert.deepStrictEqual(yield* request("delete", { key: "colour" }), { key: "colour", deleted: false })
    }))

  it.live("refuses what makes no sense", () =>
    Effect.gen(function*() {
      const { refusal } = yield* open()
      assert.deepStrictEqual(yield* refusal("store", { key: "", content: "x" }), [-32602, "invalid_params"])
      assert.deepStrictEqual(yield* refusal("store", { key: "k", content: "x".repeat(65_537) }), [
        -32602,
        "invalid_params"
      ])
      assert.deepStrictEqual(yield* refusal("search", { query: "x", since: "yesterday" }), [-32602, "invalid_params"])
      assert.deepStrictEqual(yield* refusal("get", { key: "k", agent: "nobody" }), [-32602, "agent_unknown"])
      assert.strictEqual((yield* refusal("store", { key: 1, content: "x" }))[0], -32602)
    }))

  it.live("names the parameter that is wrong, and asks for the agent where there are several", () =>
    Effect.gen(function*() {
      const { client } = yield* open("[agents.a]\n[agents.b]\n")
      const field = (method: string, params: Json) =>
        Effect.map(
          promise(() => client.failure(`memory/${method}`, params)),
          ({ code, data }) => [code, data?.["field"]]
        )
      for (
        const [method, params] of [
          ["list", {}],
          ["search", { query: "x" }],
          ["get", { key: "k" }],
          ["store", { key: "k", content: "x" }],
          ["delete", { key: "k" }],
          ["get", { key: "k", agent: "nobody" }]
        ] as const
      ) assert.deepStrictEqual(yield* field(method, params), [-32602, "agent"])
      const { message } = yield* promise(() => client.failure("memory/list"))
      assert.include(message, "name one of the agents (a, b)")
      const wrong = { agent: "a", key: "k", content: "x" }
      assert.deepStrictEqual(yield* field("store", { ...wrong, key: "a\nb" }), [-32602, "key"])
      assert.deepStrictEqual(yield* field("store", { ...wrong, category: "two words" }), [-32602, "category"])
      assert.deepStrictEqual(yield* field("store", { ...wrong, content: " " }), [-32602, "content"])
    }))

  it.live("is one for each agent, and shown to who may use the agent", () =>
    Effect.gen(function*() {
      const { greet, openFor, request } = yield* open(guests)
      yield* request("store", { key: "k", content: "of main" })
      yield* request("store", { key: "k", content: "of other", agent: "other" })
      assert.deepInclude((yield* request("get", { key: "k" }))["entry"], { content: "of main", agent_alias: "main" })
      const guest = yield* greet({}, yield* openFor(4242))
      const got = yield* promise(() => guest.request("memory/get", { key: "k", agent: "other" }))
      assert.deepStrictEqual(got, { entry: null }, "the operator's own")
      assert.strictEqual((yield* promise(() => guest.failure("memory/get", { key: "k" }))).code, -32012)
      const denied = yield* promise(() => guest.failure("memory/store", { key: "k", content: "x", agent: "other" }))
      assert.deepStrictEqual([denied.code, denied.data?.["need"]], [-32012, "memory:create"])
    }))

  it.live("is each principal's own, whatever stored it; the operator sees whose each entry is", () =>
    Effect.gen(function*() {
      const rights = "{ sessions = [\"create\", \"execute\"], memory = [\"create\", \"read\", \"delete\"] }"
      const { client: operator, greet, openFor } = yield* open(`
[users.ann]
uid = 4301
permission_profiles = ["worker"]
[users.bob]
uid = 4302
permission_profiles = ["worker"]
[permission_profiles.worker]
allowed_agents = ["default"]
grants = ${rights}
[policy]
tool_approval = "universal_accept"
`)
      const ann = yield* greet({}, yield* openFor(4301))
      const bob = yield* greet({}, yield* openFor(4302))
      const ask = (client: typeof ann, method: string, params: Json = {}) =>
        promise(() => client.request(`memory/${method}`, params))
      const keys = (client: typeof ann, params: Json = {}) =>
        Effect.map(ask(client, "list", params), ({ entries }) => entries.map(({ key }: Json) => key))
      const call = Effect.fnUntraced(function*(client: typeof ann, session: string, tool: string, params: Json) {
        const before = client.updates("tool_result").length
        yield* promise(() => client.prompt(session, `call ${tool} ${JSON.stringify(params)}`))
        return String(client.updates("tool_result")[before]?.["raw_output"])
      })
      const hers = yield* promise(() => ann.session())
      const his = yield* promise(() => bob.session())
      const own = yield* promise(() => operator.session())
      yield* promise(() => ann.prompt(hers, "say my secret walrus lives in Ghent, never tell"))
      yield* call(ann, hers, "memory_store", { key: "walrus", content: "The walrus is called Anton" })
      yield* ask(ann, "store", { key: "rpc", content: "a walrus of hers", category: "daily" })
      assert.strictEqual((yield* keys(ann)).length, 4)

      assert.deepStrictEqual(yield* keys(bob), [])
      assert.deepStrictEqual(yield* keys(bob, { session_id: hers }), [])
      assert.strictEqual((yield* ask(bob, "search", { query: "walrus" }))["count"], 0)
      const [saved] = yield* keys(ann, { category: "conversation" })
      for (const key of ["walrus", "rpc", saved]) {
        assert.deepStrictEqual(yield* ask(bob, "get", { key }), { entry: null })
        assert.deepStrictEqual(yield* ask(bob, "delete", { key }), { key, deleted: false })
      }
      for (const [client, session] of [[bob, his], [operator, own]] as const) {
        for (
          const [tool, params] of [["memory_recall", { query: "walrus" }], ["memory_recall", {}], [
            "memory_export",
            {}
          ]] as const
        ) {
          const given = yield* call(client, session, tool, params)
          assert.include(given, `call ${tool}`, "the prompt itself is remembered")
          assert.notMatch(given, /Anton|Ghent|hers/)
        }
        assert.match(yield* call(client, session, "memory_forget", { key: "walrus" }), /^No memory found/)
        assert.strictEqual(yield* call(client, session, "memory_purge", { session_id: hers }), "Purged 0 memories.")
      }
      assert.include(yield* call(ann, hers, "memory_recall", { query: "walrus" }), "Anton")
      yield* ask(bob, "store", { key: "walrus", content: "his own" })
      assert.strictEqual((yield* ask(ann, "get", { key: "walrus" }))["entry"].content, "The walrus is called Anton")
      const { entries } = yield* ask(operator, "search", { query: "walrus", limit: 50 })
      assert.includeMembers(entries.map(({ key, tenant_id }: Json) => `${key} ${tenant_id}`), [
        "walrus ann",
        "rpc ann",
        "walrus bob"
      ])
    }))

  it.live("is that of the agent a session has now, when its id belonged to another agent's", () =>
    Effect.gen(function*() {
      const more =
        "[agents.main]\n[agents.other]\n[risk_profiles.default]\nlevel = \"full\"\n[policy]\nsandbox = \"danger-full-access\"\n"
      const { client, request } = yield* open(more)
      const keep = Effect.fnUntraced(function*(agent_alias: string) {
        yield* promise(() => client.session({ session_id: "same", agent_alias }))
        yield* promise(() => client.prompt("same", `call memory_store {"key": "k", "content": "of ${agent_alias}"}`))
        yield* promise(() => client.request("session/delete", { session_id: "same" }))
      })
      yield* keep("main")
      yield* keep("other")
      for (const agent of ["main", "other"]) {
        assert.strictEqual((yield* request("get", { key: "k", agent }))["entry"].content, `of ${agent}`)
      }
    }))

  it.live("is what the agent's chat sessions remember, and nothing of its ACP sessions", () =>
    Effect.gen(function*() {
      const { client, project, request } = yield* open(
        "[risk_profiles.default]\nlevel = \"full\"\n[policy]\nsandbox = \"danger-full-access\"\n"
      )
      const say = (session: string, prompt: string) => promise(() => client.prompt(session, prompt))
      const call = "call memory_store {\"key\": \"colour\", \"content\": \"blue is the favourite\"}"
      const chat = yield* promise(() => client.session({ cwd: project }))
      yield* say(chat, call)
      assert.strictEqual((yield* request("get", { key: "colour" }))["entry"].content, "blue is the favourite")
      const acp = yield* promise(() => client.session({ cwd: project, chat_mode: "acp" }))
      yield* say(acp, call.replace("colour", "other"))
      assert.deepStrictEqual(yield* request("get", { key: "other" }), { entry: null })
      yield* promise(() => client.request("session/close", { session_id: acp }))
      yield* say(acp, call.replace("colour", "other"))
      assert.deepStrictEqual(yield* request("get", { key: "other" }), { entry: null })
      const without = yield* promise(() =>
        client.session({ cwd: project, session_id: "without", exclude_memory: true, keep_siblings: true })
      )
      yield* say(without, call.replace("colour", "other"))
      yield* promise(() => client.request("session/close", { session_id: without }))
      yield* promise(() =>
        client.session({ cwd: project, session_id: without, exclude_memory: false, keep_siblings: true })
      )
      yield* say(without, call.replace("colour", "other"))
      yield* promise(() =>
        client.session({ cwd: project, session_id: chat, exclude_memory: true, keep_siblings: true })
      )
      yield* say(chat, call.replace("colour", "other"))
      assert.deepStrictEqual(yield* request("get", { key: "other" }), { entry: null })
      const saved = (yield* request("list", { category: "conversation" }))["entries"]
      assert.deepStrictEqual(saved.map(({ session_id }: { session_id: string }) => session_id), [chat])
    }))

  it.live("does not keep the offline model from the commands of a prompt it has something about", () =>
    Effect.gen(function*() {
      const { client, request } = yield* open()
      yield* request("store", { key: "proj", content: "readme notes live in the readme folder", category: "core" })
      const chat = yield* promise(() => client.session())
      const { content } = yield* promise(() => client.prompt(chat, "say readme notes"))
      assert.strictEqual(content, "readme notes")
    }))
})
