import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { settings } from "../support/Configured.ts"

describe("settings without a file", () => {
  it.effect(
    "have one agent and the offline model, and create nothing",
    Effect.fnUntraced(function*() {
      const { configDir, home, settings: found } = yield* settings({})
      assert.strictEqual(found.configDir, `${home}/.postern`)
      assert.strictEqual(found.dataDir, `${configDir}/data`)
      assert.deepStrictEqual(Array.from(found.agents.values()), [{
        alias: "default",
        enabled: true,
        model: "offline/builtin",
        workspace: `${configDir}/agents/default/workspace`,
        riskProfile: "default",
        runtimeProfile: "default"
      }])
      assert.strictEqual(found.defaultModel, "offline/builtin")
      assert.deepStrictEqual(found.acp, {
        defaultAgent: undefined,
        maxSessions: 10,
        options: undefined,
        sessionTimeoutSecs: 3600,
        unstable: false
      })
      assert.strictEqual(found.riskProfiles.get("default")?.level, "supervised")
      assert.strictEqual(found.runtimeProfiles.get("default")?.maxToolIterations, 50)
      assert.deepStrictEqual(found.notes, [])
    })
  )

  it.effect(
    "prefer a vendor's model whose key is set",
    Effect.fnUntraced(function*() {
      const { settings: found } = yield* settings({ env: { ANTHROPIC_API_KEY: "sk-ant-1", OPENAI_API_KEY: "" } })
      assert.strictEqual(found.defaultModel, "anthropic/claude-sonnet-4.6")
      assert.strictEqual(found.agents.get("default")?.model, found.defaultModel)
      const key = found.providers.get("anthropic")?.apiKey
      assert.strictEqual(key && Redacted.value(key), "sk-ant-1")
      assert.notInclude(JSON.stringify(Array.from(found.providers)), "sk-ant-1")
    })
  )
})

describe("settings from several sources", () => {
  const toml = `
log_level = "error"
[agents.main]
model = "local/qwen"
workspace = "~/work"
[agents.old]
enabled = false
workspace = "elsewhere"
[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:11434/v1"
headers = { Authorization = "Bearer 1" }
context_window = 8192
[acp]
default_agent = "main"
max_sessions = 3
[runtime_profiles.default]
max_tool_iterations = 40
parallel_tools = true
`

  it.effect(
    "have the values of the file",
    Effect.fnUntraced(function*() {
      const { configDir, home, settings: found } = yield* settings({ toml })
      assert.strictEqual(found.logLevel, "Error")
      assert.deepInclude(found.agents.get("main"), { model: "local/qwen", workspace: `${home}/work`, enabled: true })
      assert.deepInclude(found.agents.get("old"), { workspace: `${configDir}/elsewhere`, enabled: false })
      assert.deepInclude(found.acp, { defaultAgent: "main", maxSessions: 3, sessionTimeoutSecs: 3600 })
      assert.deepInclude(found.providers.get("local"), {
        kind: "openai-compatible",
        contextWindow: 8192,
        apiKey: undefined
      })
      assert.deepInclude(found.runtimeProfiles.get("default"), {
        maxToolIterations: 40,
        maxHistoryMessages: 82,
        parallelTools: true
      })
      assert.deepStrictEqual(Array.from(found.providers.keys()).sort(), ["anthropic", "local", "offline", "openai"])
    })
  )

  it.effect(
    "prefer the environment to the file, and flags to the environment",
    Effect.fnUntraced(function*() {
      const env = {
        POSTERN_acp__max_sessions: "7",
        POSTERN_acp__unstable: "true",
        POSTERN_agents__main__model: "offline/builtin",
        POSTERN_agents__extra__workspace: "/tmp/extra",
        POSTERN_risk_profiles__default__always_ask: "shell, file_write",
        POSTERN_LOG_LEVEL: "debug",
        POSTERN_SOCKET: "/run/p.sock",
        POSTERN_DATA_DIR: "~/data"
      }
      const { home, settings: found } = yield* settings({ toml, env })
      assert.deepInclude(found.acp, { defaultAgent: "main", maxSessions: 7, unstable: true })
      assert.deepInclude(found.agents.get("main"), { model: "offline/builtin", workspace: `${home}/work` })
      assert.strictEqual(found.agents.get("extra")?.workspace, "/tmp/extra")
      assert.deepStrictEqual(found.riskProfiles.get("default")?.alwaysAsk, ["shell", "file_write"])
      assert.strictEqual(found.logLevel, "Debug")
      assert.strictEqual(found.socket, "/run/p.sock")
      assert.strictEqual(found.dataDir, `${home}/data`)
      const spaced = yield* settings({ toml, env: { ...env, POSTERN_SOCKET: "  /run/p.sock\t" } })
      assert.strictEqual(spaced.settings.socket, "/run/p.sock")
      const blank = yield* settings({ toml, env: { ...env, POSTERN_SOCKET: " \t" } })
      assert.isUndefined(blank.settings.socket)
      const flagged = yield* settings({ toml, env, flags: { logLevel: "TRACE" } })
      assert.strictEqual(flagged.settings.logLevel, "Trace")
    })
  )

  it.effect(
    "find the configuration folder by flag, then by environment",
    Effect.fnUntraced(function*() {
      const { configDir } = yield* settings({ toml: "[acp]\nmax_sessions = 2\n" })
      const byEnv = yield* settings({ env: { POSTERN_CONFIG_DIR: configDir } })
      assert.strictEqual(byEnv.settings.acp.maxSessions, 2)
      const byFlag = yield* settings({ env: { POSTERN_CONFIG_DIR: "/nowhere" }, flags: { configDir } })
      assert.strictEqual(byFlag.settings.acp.maxSessions, 2)
    })
  )

  it.effect(
    "take autonomy.level for the default risk profile, unless a source of higher precedence sets that",
    Effect.fnUntraced(function*() {
      const level = Effect.fnUntraced(function*(toml: string, env = {}) {
        const { settings: found } = yield* settings({ toml, env })
        return found.riskProfiles.get("default")?.level
      })
      assert.strictEqual(yield* level("[autonomy]\nlevel = \"readonly\""), "readonly")
      assert.strictEqual(
        yield* level("[risk_profiles.default]\nlevel = \"readonly\"", { POSTERN_autonomy__level: "full" }),
        "full"
      )
      assert.strictEqual(
        yield* level("[autonomy]\nlevel = \"full\"", { POSTERN_risk_profiles__default__level: "readonly" }),
        "readonly"
      )
    })
  )

  it.effect(
    "have the limits of the web tools, with their secrets apart",
    Effect.fnUntraced(function*() {
      const { settings: found } = yield* settings({
        toml:
          "[web_fetch]\nblocked_domains = [\"a.test\"]\n[http_request]\nallow_private_hosts = true\n[http_request.secrets]\nci = \"Bearer x1\"\nold = \"Bearer x2\"\n" +
          "[http_request.secret_hosts]\nci = [\"api.test\"]\ngone = [\"b.test\"]"
      })
      assert.deepStrictEqual(found.web, {
        fetch: { blockedDomains: ["a.test"] },
        request: { allowPrivateHosts: true }
      })
      assert.include(found.secrets.map((secret) => Redacted.value(secret)), "Bearer x1")
      assert.deepStrictEqual(Array.from(found.webSecrets, ([name, { hosts }]) => [name, hosts]), [
        ["ci", ["api.test"]],
        ["old", []]
      ])
      assert.deepStrictEqual(found.notes, [
        "http_request.secrets.old is sent to no host until http_request.secret_hosts.old lists some, as in [\"api.example.com\"]",
        "http_request.secret_hosts.gone has no effect: there is no http_request.secrets.gone"
      ])
      for (const host of ["*", "*.com", "a.test/path", "a b", "http://*", "me@a.test"]) {
        const { message } = yield* Effect.flip(
          settings({ toml: `[http_request.secret_hosts]\nci = ["${host}"]` })
        )
        assert.match(message, /http_request.secret_hosts.ci.* must be a host, such as/, host)
      }
      const wrong = yield* Effect.flip(settings({ toml: "[http_request.secrets]\nci = [\"Bearer x1\"]" }))
      assert.match(wrong.message, /http_request.secrets.ci must be/)
      assert.notInclude(wrong.message, "x1")
    })
  )

  it.effect(
    "accept tables of other versions and note that they have no effect",
    Effect.fnUntraced(function*() {
      const { settings: found } = yield* settings({
        toml:
          "[security.audit]\nenabled = true\n[agents.a]\nenabled = false\n[agents.b]\n[acp]\ndefault_agent = \"a\"\n[permission_profiles.p]\nallowed_channels = [\"x\"]",
        env: { POSTERN_gateway__port: "8080" }
      })
      assert.deepStrictEqual(found.notes, [
        "[security.audit] has no effect in this version",
        "permission_profiles.p.allowed_channels has no effect: this version has no channels",
        "acp.default_agent names no enabled agent: \"a\"; the agents are a, b"
      ])
    })
  )

  it.effect(
    "need no kind for a built-in provider",
    Effect.fnUntraced(function*() {
      const { settings: found } = yield* settings({
        toml: "[providers.anthropic]\napi_key = \"sk-ant-2\"",
        env: { POSTERN_providers__openai__max_tokens: "1000" }
      })
      assert.deepInclude(found.providers.get("anthropic"), { kind: "anthropic", configured: true })
      assert.deepInclude(found.providers.get("openai"), { kind: "openai-compatible", maxTokens: 1000 })
      assert.deepStrictEqual(found.secrets.map(Redacted.value), ["sk-ant-2"])
    })
  )

  it.effect(
    "do not send a vendor's key to another address",
    Effect.fnUntraced(function*() {
      const { settings: found } = yield* settings({
        toml:
          "[providers.anthropic]\nkind = \"anthropic\"\nbase_url = \"http://proxy.local\"\n[providers.mine]\nkind = \"anthropic\"\napi_key_env = \"MINE\"",
        env: { ANTHROPIC_API_KEY: "sk-ant-1", MINE: "sk-mine" }
      })
      assert.strictEqual(found.providers.get("anthropic")?.apiKey, undefined)
      assert.deepStrictEqual(found.secrets.map(Redacted.value), ["sk-mine"])
    })
  )
})
