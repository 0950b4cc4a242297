import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ModelCatalog } from "../../src/model/ModelCatalog.ts"
import { Server, signal, status as answer } from "../model/Server.ts"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

/** The top-level keys of the configuration, as the README and the reference list them. */
const keys = [
  "acp",
  "agents",
  "autonomy",
  "gateway",
  "http_request",
  "log_level",
  "mcp",
  "memory",
  "permission_profiles",
  "policy",
  "providers",
  "risk_profiles",
  "rpc",
  "runtime_profiles",
  "security",
  "users",
  "web_fetch"
]

const keyed = "[providers.anthropic]\napi_key = \"sk-1\"\n"

describe("config/status", () => {
  it.live("follows the file: nothing, a provider without a key, a key without an agent, and enough", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      const says = (config: string) => {
        writeFileSync(join(folder, "config.toml"), config)
        return promise(() => client.request("config/status"))
      }
      const nothing = yield* says("")
      assert.deepInclude(nothing, { needs_quickstart: true, has_partial_state: false, missing: ["providers"] })
      assert.match(nothing["reason"], /no real model is configured.*works with the offline model/)
      const keyless = yield* says("[agents.a]\nmodel = \"openai/gpt-5.2\"\n")
      assert.deepInclude(keyless, { needs_quickstart: true, has_partial_state: true, missing: ["providers"] })
      assert.match(keyless["reason"], /agent "a": Provider "openai" has no key: set OPENAI_API_KEY/)
      const unused = yield* says(`${keyed}[agents.a]\nmodel = "offline/builtin"\n[agents.b]\nenabled = false\n`)
      assert.deepInclude(unused, { needs_quickstart: true, has_partial_state: true, missing: ["agents"] })
      assert.match(unused["reason"], /no enabled agent uses a model of anthropic/)
      assert.deepStrictEqual(yield* says(keyed), {
        needs_quickstart: false,
        reason: "agent \"default\" uses anthropic/claude-sonnet-4.6",
        has_partial_state: false,
        missing: []
      })
    }))
})

describe("config/sections and config/templates", () => {
  it.live("know every table of the configuration, and say something about each", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({ config: "[agents.a]\n[acp]\n" })
      const client = yield* greet()
      const { sections } = yield* promise(() => client.request("config/sections"))
      assert.deepStrictEqual(sections.map(({ key }: Json) => key).sort(), keys)
      assert.isTrue(sections.every(({ group, help, label }: Json) => group !== "" && help !== "" && label !== ""))
      const by = new Map<string, Json>(sections.map((section: Json) => [section["key"], section]))
      assert.deepInclude(by.get("agents"), {
        completed: true,
        ready: true,
        is_quickstart: true,
        shape: "one_tier_alias_map"
      })
      assert.deepInclude(by.get("providers"), { completed: false, ready: false, has_picker: true })
      assert.deepInclude(by.get("acp"), { completed: true, is_quickstart: false, shape: "direct_form" })
      const { templates } = yield* promise(() => client.request("config/templates"))
      assert.deepStrictEqual(
        templates.filter(({ description, kind }: Json) => kind !== "Map" || description === ""),
        []
      )
      const types = Object.fromEntries(templates.map(({ path, value_type }: Json) => [path, value_type]))
      assert.deepInclude(types, {
        agents: "object",
        "providers.*.headers": "string",
        "mcp.servers": "object",
        "mcp.servers.*.tools": "enum",
        "permission_profiles.*.grants": "string_array",
        "security.audit": "any"
      })
    }))
})

describe("config/catalog", () => {
  it.live("has the kinds of providers, and their models from the configuration", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({
        config: `[agents.a]
model = "near/qwen"
[providers.near]
kind = "openai-compatible"
base_url = "http://127.0.0.1:9"
models = ["llama", "qwen"]
prices = { input = 1, output = 2 }
[providers.openai]
base_url = "https://example.com/v1"
`
      })
      const client = yield* greet()
      const { model_providers } = yield* promise(() => client.request("config/catalog"))
      assert.deepStrictEqual(model_providers.map(({ local, name }: Json) => [name, local]), [
        ["anthropic", false],
        ["openai-compatible", false],
        ["offline", true]
      ])
      const models = (params: Json) => promise(() => client.request("config/catalog-models", params))
      assert.deepStrictEqual(yield* models({ model_provider: "near" }), {
        model_provider: "near",
        models: ["qwen", "llama"],
        pricing: { qwen: { input: 1, output: 2 }, llama: { input: 1, output: 2 } },
        local: true,
        live: false
      })
      assert.deepStrictEqual(yield* models({ provider: "anthropic" }), {
        model_provider: "anthropic",
        models: ["claude-sonnet-4.6"],
        local: false,
        live: false
      })
      assert.deepInclude(yield* models({ model_provider: "openai" }), { models: [], local: false })
      assert.deepInclude(yield* models({ model_provider: "openai-compatible" }), {
        models: ["qwen", "llama"],
        local: false
      })
      assert.deepInclude(yield* models({ model_provider: "offline" }), { models: ["builtin"], local: true })
      for (const params of [{}, { model_provider: "nobody" }]) {
        const refused = yield* promise(() => client.failure("config/catalog-models", params))
        assert.deepStrictEqual([refused.code, refused.data?.["field"]], [-32602, "model_provider"])
      }
    }))

  it.live("is live once the server has told its models", () =>
    Effect.gen(function*() {
      const server = yield* Server.make(answer(200, { data: [{ id: "one" }, { id: "two" }] }))
      const { context, greet } = yield* served({
        config: `[providers.near]\nkind = "openai-compatible"\nbase_url = "${server.url}"\nmodels = ["two"]\n`
      })
      const client = yield* greet()
      const more = signal()
      yield* Context.get(context, ModelCatalog).onChange(Effect.asVoid(Deferred.succeed(more, undefined)))
      const ask = promise(() => client.request("config/catalog-models", { model_provider: "near" }))
      yield* ask
      yield* Deferred.await(more)
      assert.deepInclude(yield* ask, { models: ["two", "one"], live: true })
    }))
})

describe("config/resolve-alias-source", () => {
  it.live("has the aliases that can be named, nothing for what does not exist here, and refuses other words", () =>
    Effect.gen(function*() {
      const { greet } = yield* served({
        config: "[agents.a]\n[risk_profiles.strict]\n[providers.near]\nkind = \"offline\"\n"
      })
      const client = yield* greet()
      const values = (source: string) =>
        Effect.map(promise(() => client.request("config/resolve-alias-source", { source })), ({ values }) => values)
      assert.deepStrictEqual(yield* values("agents"), ["a"])
      assert.deepStrictEqual(yield* values("risk_profiles"), ["strict", "default"])
      assert.deepStrictEqual(yield* values("runtime_profiles"), ["default"])
      assert.deepStrictEqual(yield* values("model_providers"), ["near", "anthropic", "openai", "offline"])
      for (
        const source of [
          "tts_providers",
          "transcription_providers",
          "channels",
          "skill_bundles",
          "knowledge_bundles",
          "mcp_bundles"
        ]
      ) {
        assert.deepStrictEqual(yield* values(source), [])
      }
      // What a listing names as a source can be asked for.
      const { entries } = yield* promise(() => client.request("config/list"))
      for (const { alias_source } of entries) if (alias_source !== undefined) yield* values(alias_source)
      const refused = yield* promise(() => client.failure("config/resolve-alias-source", { source: "toString" }))
      assert.strictEqual(refused.code, -32602)
    }))
})

describe("A secret whose quotes were forgotten", () => {
  it.live("is in no answer, no event and no line of the log", () =>
    Effect.gen(function*() {
      const { folder, greet } = yield* served()
      const client = yield* greet()
      yield* promise(() => client.request("logs/subscribe", {}))
      writeFileSync(join(folder, "config.toml"), "[providers.q]\nkind = \"anthropic\"\napi_key = sk-forgotten\n")
      const params: Record<string, Json> = {
        "config/validate": {},
        "config/get": { prop: "acp.max_sessions" },
        "config/list": {},
        "config/set": { prop: "acp.max_sessions", value: 3 },
        "config/status": {},
        "session/new": { agent_alias: "default" },
        "status": {},
        "logs/query": {}
      }
      for (const [method, asked] of Object.entries(params)) {
        yield* Effect.ignore(Effect.tryPromise(() => client.request(method, asked)))
      }
      const valid = yield* promise(() => client.request("config/validate"))
      assert.deepInclude(valid, {
        valid: false,
        error:
          `${folder}/config.toml:3:23: not valid TOML: providers.q.api_key: this is no value; a string needs quotes`
      })
      const heard = JSON.stringify(client.messages)
      assert.include(heard, "providers.q.api_key: this is no value")
      assert.include(heard, "logs/event")
      assert.notInclude(heard, "sk-forgotten")
    }))
})
