import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "../support/Wire.ts"
import { promise, served } from "../support/ServedDaemon.ts"

const config = `[agents.a] # first
risk_profile = "careful"
model = "local/qwen"

[agents.b]
enabled = false

[acp]
default_agent = "a"

[risk_profiles.careful]
level = "readonly"

[providers.local]
kind = "openai-compatible"
api_key = "sk-very-secret"

[users.ann]
uid = 70001
permission_profiles = ["worker"]

[permission_profiles.worker]
allowed_agents = ["a", "*"]
grants = { Sessions = ["Create", "EXECUTE"] }
`

const staying = "the agent's folder, its sessions and its memory stay where they are"

const open = Effect.fnUntraced(function*(text = config) {
  const { folder, greet, openFor } = yield* served({ config: text })
  const client = yield* greet()
  const file = join(folder, "config.toml")
  const request = (method: string, params: Json = {}) => promise(() => client.request(`config/${method}`, params))
  const failure = (method: string, params: Json = {}) => promise(() => client.failure(`config/${method}`, params))
  /** Code, reason, field and index of a refusal. */
  const refusal = (method: string, params: Json) =>
    Effect.map(
      failure(method, params),
      ({ code, data }) => [code, data?.["reason"], data?.["field"], data?.["index"]].filter((one) => one !== undefined)
    )
  return {
    file,
    folder,
    greet,
    openFor,
    request,
    failure,
    refusal,
    text: () => readFileSync(file, "utf8"),
    write: (text: string) => writeFileSync(file, text)
  }
})

describe("config/get", () => {
  it.live("of what is not set is the value that counts then, as a text, or an empty one", () =>
    Effect.gen(function*() {
      const { request } = yield* open()
      const expected = {
        "acp.max_sessions": "10",
        "acp.session-timeout-secs": "3600",
        "acp.unstable": "false",
        "rpc.max_local_connections": "512",
        "memory.min_relevance_score": "0.4",
        "agents.a.enabled": "true",
        "agents.b.risk_profile": "default",
        "agents.b.model": "offline/builtin",
        "agents.nobody.enabled": "",
        "risk_profiles.default.level": "supervised",
        "risk_profiles.careful.always_ask": "",
        "runtime_profiles.default.max_tool_iterations": "50",
        "providers.local.context_window": "32000",
        "providers.anthropic.api_key": "",
        "policy.work_mode": "aw",
        "security.trust_daemon_uid": "true",
        "web_fetch.enabled": "",
        "acp": ""
      }
      for (const [prop, value] of Object.entries(expected)) {
        const found = yield* request("get", { prop })
        if (prop === "acp") continue
        assert.deepStrictEqual([prop, found["value"], found["populated"]], [prop, value, false])
      }
      assert.deepInclude(yield* request("get", { prop: "agents.b.enabled" }), { value: "false", populated: true })
      assert.deepInclude(yield* request("get", { prop: "providers.local.api_key" }), { value: "***MASKED***" })
    }))
})

describe("config/list", () => {
  it.live("has what begins with a text, which need not end where a key ends; nothing is an empty list", () =>
    Effect.gen(function*() {
      const { request } = yield* open()
      const paths = (prefix?: string) =>
        Effect.map(
          request("list", prefix === undefined ? {} : { prefix }),
          ({ entries }) => (entries as ReadonlyArray<Json>).map(({ path }) => path as string)
        )
      const acp = ["acp.default_agent", "acp.max_sessions", "acp.options", "acp.session_timeout_secs", "acp.unstable"]
      assert.deepStrictEqual(yield* paths("acp"), acp)
      assert.deepStrictEqual(yield* paths("acp."), acp)
      assert.deepStrictEqual(yield* paths("acp.max"), ["acp.max_sessions"])
      assert.deepStrictEqual(yield* paths("acp.session-t"), ["acp.session_timeout_secs"])
      assert.isTrue((yield* paths("prov")).every((path) => path.startsWith("providers.local.")))
      assert.deepStrictEqual(yield* paths("nonesuch"), [])
      assert.includeMembers([...yield* paths()], [...acp, "providers.local.kind", "agents.a.model"])
    }))
})

describe("Tables of aliases", () => {
  it.live("are listed, and get, lose and rename aliases, in the file as well", () =>
    Effect.gen(function*() {
      const { request, text } = yield* open()
      assert.deepStrictEqual(yield* request("map-keys", { path: "agents" }), { path: "agents", keys: ["a", "b"] })
      assert.deepStrictEqual(yield* request("map-keys", { path: "mcp.servers" }), { path: "mcp.servers", keys: [] })
      const made = { path: "agents", key: "c" }
      assert.deepStrictEqual(yield* request("map-key-create", made), { ...made, created: true })
      assert.deepStrictEqual(yield* request("map-key-create", made), { ...made, created: false })
      assert.deepStrictEqual((yield* request("map-keys", { path: "agents" }))["keys"], ["a", "b", "c"])
      assert.deepStrictEqual(yield* request("map-key-delete", made), { ...made, deleted: true, warnings: [staying] })
      assert.deepStrictEqual(yield* request("map-key-delete", made), { ...made, deleted: false })
      assert.deepStrictEqual(text(), config)
    }))

  it.live("take what names an alias along when it is renamed, and say what stays behind", () =>
    Effect.gen(function*() {
      const { request, text } = yield* open()
      assert.deepStrictEqual(yield* request("map-key-rename", { path: "risk_profiles", from: "careful", to: "shy" }), {
        path: "risk_profiles",
        from: "careful",
        to: "shy",
        renamed: true,
        rewritten: ["agents.a.risk_profile"],
        warnings: []
      })
      const agent = yield* request("map-key-rename", { path: "agents", from: "a", to: "main" })
      assert.sameMembers(agent["rewritten"], ["acp.default_agent", "permission_profiles.worker.allowed_agents"])
      assert.deepStrictEqual(agent["warnings"], [
        "the agent's own folder is now agents/main/workspace; what was in agents/a/workspace stays there"
      ])
      const expected = config.replace("agents.a]", "agents.main]").replaceAll("careful", "shy")
        .replace("default_agent = \"a\"", "default_agent = \"main\"").replace("[\"a\", \"*\"]", "[\"main\", \"*\"]")
      assert.strictEqual(text(), expected)
    }))

  it.live("warn of what names an alias that is deleted, or keep it where nothing could start then", () =>
    Effect.gen(function*() {
      const { refusal, request, text } = yield* open(config.replace("[\"a\", \"*\"]", "[\"a\", \"b\"]"))
      assert.deepStrictEqual(yield* refusal("map-key-delete", { path: "risk_profiles", key: "careful" }), [
        -32602,
        "invalid",
        "path"
      ])
      assert.deepStrictEqual(yield* refusal("map-key-delete", { path: "providers", key: "local" }), [
        -32602,
        "invalid",
        "path"
      ])
      assert.deepStrictEqual(yield* refusal("delete", { prop: "permission_profiles.worker" }), [
        -32602,
        "invalid",
        "prop"
      ])
      assert.include(text(), "[permission_profiles.worker]")
      assert.deepStrictEqual(yield* refusal("map-key-delete", { path: "agents", key: "a" }), [
        -32602,
        "invalid",
        "path"
      ])
      assert.include(text(), "[agents.a]")
      assert.deepStrictEqual(yield* request("delete", { prop: "acp.default_agent" }), {
        prop: "acp.default_agent",
        deleted: true
      })
      assert.deepStrictEqual(yield* request("map-key-delete", { path: "agents", key: "a" }), {
        path: "agents",
        key: "a",
        deleted: true,
        warnings: [
          "permission_profiles.worker.allowed_agents names no agent: \"a\"; did you mean \"b\"?",
          staying
        ]
      })
      assert.deepStrictEqual(yield* request("delete", { prop: "acp.default_agent" }), {
        prop: "acp.default_agent",
        deleted: false
      })
    }))

  it.live("refuse bad names by the parameter that has them", () =>
    Effect.gen(function*() {
      const { refusal } = yield* open()
      const refusals: ReadonlyArray<[string, Json, ReadonlyArray<unknown>]> = [
        ["map-keys", { path: "nonesuch" }, ["unknown", "path"]],
        ["map-keys", { path: "acp" }, ["invalid", "path"]],
        ["map-key-create", { path: "acp", key: "x" }, ["invalid", "path"]],
        ["map-key-create", { path: "agents", key: "../x" }, ["invalid", "key"]],
        ["map-key-create", { path: "providers", key: "default" }, ["reserved", "key"]],
        ["map-key-rename", { path: "agents", from: "no", to: "x" }, ["missing", "from"]],
        ["map-key-rename", { path: "agents", from: "a", to: "b" }, ["exists", "to"]],
        ["map-key-rename", { path: "agents", from: "a", to: "a b" }, ["invalid", "to"]],
        ["map-key-rename", { path: "nonesuch", from: "a", to: "b" }, ["unknown", "path"]],
        ["delete", { prop: "nonesuch" }, ["unknown", "prop"]],
        ["set-many", { sets: [] }, ["invalid", "sets"]],
        ["set-many", { sets: [{ prop: "acp.max_sessions", value: 3 }, { value: 6 }] }, [
          "invalid_params",
          "sets.1.prop",
          1
        ]],
        ["set-many", { sets: [7] }, ["invalid_params", "sets.0", 0]]
      ]
      for (const [method, params, [reason, ...where]] of refusals) {
        assert.deepStrictEqual([method, params, ...yield* refusal(method, params)], [
          method,
          params,
          -32602,
          reason,
          ...where
        ])
      }
    }))
})

describe("A reference to nothing", () => {
  it.live("is not set", () =>
    Effect.gen(function*() {
      const { refusal, request, text } = yield* open()
      const bad: ReadonlyArray<[string, unknown]> = [
        ["acp.default_agent", "nobody"],
        ["permission_profiles.worker.allowed_agents", ["a", "nobody"]],
        ["agents.a.risk_profile", "nonesuch"],
        ["agents.a.runtime_profile", "nonesuch"],
        ["agents.a.model", "nonesuch/x"],
        ["providers.local.fallback", ["nonesuch"]],
        ["users.ann.permission_profiles", ["nonesuch"]]
      ]
      for (const [prop, value] of bad) {
        assert.deepStrictEqual([prop, ...yield* refusal("set", { prop, value })], [prop, -32602, "invalid", "prop"])
        const sets = [{ prop: "acp.unstable", value: true }, { prop, value }]
        assert.deepStrictEqual([prop, ...yield* refusal("set-many", { sets })], [
          prop,
          -32602,
          "invalid",
          "sets.1",
          1
        ])
      }
      assert.deepStrictEqual(yield* refusal("set", { prop: "agents", value: { z: {} } }), [-32602, "invalid", "prop"])
      assert.strictEqual(text(), config)
      yield* request("set-many", {
        sets: [{ prop: "acp.default_agent", value: "new" }, { prop: "agents.new", value: {} }]
      })
      assert.include(text(), "default_agent = \"new\"")
    }))

  it.live("that is there already is reported, and keeps nothing else from being changed", () =>
    Effect.gen(function*() {
      const { request, write } = yield* open(config.replace("[\"a\", \"*\"]", "[\"gone\"]"))
      assert.deepStrictEqual(yield* request("validate"), {
        valid: true,
        warnings: ["permission_profiles.worker.allowed_agents names no agent: \"gone\"; allowed here: a, b"]
      })
      assert.deepInclude(yield* request("set", { prop: "acp.max_sessions", value: 4 }), { set: true })
      assert.deepStrictEqual(yield* request("map-key-delete", { path: "agents", key: "b" }), {
        path: "agents",
        key: "b",
        deleted: true,
        warnings: [staying]
      })
      write(config)
      assert.deepStrictEqual(yield* request("validate"), { valid: true })
      write("[acp]\nmax_sessions = 0\n")
      const { error, valid } = yield* request("validate")
      assert.strictEqual(valid, false)
      assert.match(error, /config\.toml:2: acp\.max_sessions must be/)
    }))
})

describe("A broken file", () => {
  for (const broken of ["[acp\n", "[acp]\nmax_sessions = 0\n"]) {
    it.live(`does not fail other requests: ${JSON.stringify(broken)}`, () =>
      Effect.gen(function*() {
        const { failure, folder, text, write } = yield* open()
        write(broken)
        const asked: ReadonlyArray<[string, Json]> = [
          ["get", {}],
          ["get", { prop: "acp.unstable" }],
          ["list", {}],
          ["map-keys", { path: "agents" }],
          ["set", { prop: "log_level", value: "debug" }],
          ["set-many", { sets: [{ prop: "log_level", value: "debug" }] }],
          ["map-key-create", { path: "agents", key: "x" }]
        ]
        for (const [method, params] of asked) {
          const { code, data, message } = yield* failure(method, params)
          assert.deepStrictEqual([method, code, data], [method, -32603, { reason: "config_invalid" }])
          assert.match(message, /^config\.toml:/)
          assert.notInclude(message, folder)
        }
        assert.strictEqual(text(), broken)
      }))
  }

  it.live("can be repaired by setting the wrong value, and a second wrong value is refused", () =>
    Effect.gen(function*() {
      const { refusal, request, write } = yield* open()
      write("[acp]\nmax_sessions = 0\n")
      assert.deepStrictEqual(yield* refusal("set", { prop: "acp.max_sessions", value: 0 }), [
        -32602,
        "invalid",
        "prop"
      ])
      yield* request("set", { prop: "acp.max_sessions", value: 5 })
      assert.deepInclude(yield* request("get", { prop: "acp.max_sessions" }), { value: "5" })
    }))
})

describe("Grants", () => {
  it.live("are read in any letter case", () =>
    Effect.gen(function*() {
      const { greet, openFor } = yield* open()
      const ann = yield* greet({}, yield* openFor(70001))
      const session = yield* promise(() => ann.session({ agent_alias: "a", cwd: "/tmp" }))
      assert.include(
        (yield* promise(() => ann.failure("session/kill", { session_id: session }))).message,
        "sessions:delete"
      )
    }))

  it.live("on something that is no resource are refused, with the word that was meant", () =>
    Effect.gen(function*() {
      const { failure } = yield* open()
      const said = (grants: Json) =>
        Effect.map(
          failure("set", { prop: "permission_profiles.worker.grants", value: grants }),
          ({ code, message }) => `${code} ${message}`
        )
      const all =
        "the resources are system, sessions, memory, cron, config, agents, cost, skills, personality, logs, tui, files, " +
        "locales, quickstart, channels, providers, models, peer_groups, plugins, tools, sops, canvas"
      assert.strictEqual(
        yield* said({ "config:update": ["read"] }),
        `-32602 Invalid params: permission_profiles.worker.grants."config:update" names no resource; did you mean "config"? ${all}`
      )
      assert.strictEqual(
        yield* said({ sesions: ["read"] }),
        `-32602 Invalid params: permission_profiles.worker.grants.sesions names no resource; did you mean "sessions"? ${all}`
      )
      assert.strictEqual(
        yield* said({ nonesuch: ["read"] }),
        `-32602 Invalid params: permission_profiles.worker.grants.nonesuch names no resource; ${all}`
      )
      assert.include(
        yield* said({ config: ["wrote"] }),
        "must be one of create, read, update, delete, execute, not \"wrote\""
      )
    }))
})
