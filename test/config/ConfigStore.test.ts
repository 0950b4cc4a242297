import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isWritable } from "../../src/config/schema/KeyPath.ts"
import { ConfigStore } from "../../src/config/edit/ConfigStore.ts"
import { Environment, type EnvironmentVariables } from "../../src/platform/Environment.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const toml = `# mine
[agents.main]            # the main one
model = "local/qwen"
risk_profile = "careful"

[providers.local]
kind = "openai-compatible"
api_key = "sk-very-secret"
api_key_env = "LOCAL_KEY"
headers = { Authorization = "Bearer 1" }

[risk_profiles.careful]
level = "readonly"

[acp] # protocol
max_sessions = 3
`

const open = Effect.fnUntraced(function*(text: string | undefined = toml, environment: EnvironmentVariables = {}) {
  const folder = join(yield* temporaryFolder, "config")
  const file = join(folder, "config.toml")
  if (text !== undefined && text !== "") {
    mkdirSync(folder)
    writeFileSync(file, text, { mode: 0o640 })
  }
  const written: Array<string> = []
  const gone = { now: false }
  const another = Effect.map(
    Layer.build(
      ConfigStore.layerFile(file, {
        adopt: Effect.sync(() => void written.push(readFileSync(file, "utf8"))),
        isGone: () => gone.now
      }).pipe(Layer.provide(Layer.succeed(Environment, environment)))
    ),
    (context) => ConfigStore.pipe(Effect.provide(context), Effect.runSync)
  )
  const store = yield* another
  const text_ = () => readFileSync(file, "utf8")
  const set = (path: string, value: unknown) => store.set([{ path, value }])
  const refusal = (path: string, value: unknown) => Effect.map(Effect.flip(set(path, value)), ({ message }) => message)
  return { store, written, gone, file, folder, text: text_, set, refusal, another }
})

describe("ConfigStore reads", () => {
  it.effect("values of file and environment without any secret", () =>
    Effect.gen(function*() {
      const { store } = yield* open(toml, {
        POSTERN_acp__max_sessions: "7",
        POSTERN_providers__local__headers: "{ X = \"hush\" }"
      })
      assert.deepStrictEqual(yield* store.get("acp.max-sessions"), {
        path: "acp.max_sessions",
        populated: true,
        isSecret: false,
        value: 7
      })
      assert.deepStrictEqual(yield* store.get("providers.local.api_key"), {
        path: "providers.local.api_key",
        populated: true,
        isSecret: true
      })
      assert.deepStrictEqual(yield* store.get("providers.local"), {
        path: "providers.local",
        populated: true,
        isSecret: false,
        value: {
          kind: "openai-compatible",
          api_key: "***MASKED***",
          api_key_env: "LOCAL_KEY",
          headers: { X: "***MASKED***" }
        }
      })
      assert.deepStrictEqual(yield* store.get("acp.default_agent"), {
        path: "acp.default_agent",
        populated: false,
        isSecret: false
      })
      const everything = JSON.stringify([yield* store.document, yield* store.list()])
      for (const secret of ["very-secret", "hush", "Bearer"]) assert.notInclude(everything, secret)
      assert.include(everything, "LOCAL_KEY")
    }))

  it.effect("and hides a key in api_key_env and a login in an address", () =>
    Effect.gen(function*() {
      const { store } = yield* open(
        toml.replace("LOCAL_KEY", "sk-oops-1234").replace("headers", "base_url = \"http://me:pw@host/v1\"\nheaders")
      )
      const everything = JSON.stringify([yield* store.document, yield* store.list()])
      for (const secret of ["sk-oops", "me:pw"]) assert.notInclude(everything, secret)
    }))

  it.effect("arguments of MCP servers with their secrets masked, and refuses the mask as a value", () =>
    Effect.gen(function*() {
      const long = "qP7vX1mN8bT4wR6yL2zK9sD3fG5hJ0cV"
      const given: ReadonlyArray<readonly [string, string]> = [
        ["-y", "-y"],
        ["@scope/server-filesystem@1.2.3", "@scope/server-filesystem@1.2.3"],
        ["/home/me/projects/some-folder-of-mine/2024", "/home/me/projects/some-folder-of-mine/2024"],
        ["--max-tokens=5", "--max-tokens=5"],
        ["--token-file=/run/x", "--token-file=/run/x"],
        ["--api-key", "--api-key"],
        ["short", "***MASKED***"],
        ["--token=short", "--token=***MASKED***"],
        ["--header", "--header"],
        ["Authorization: Bearer abc", "Authorization: ***MASKED***"],
        ["--header=X-Api-Key:abc", "--header=X-Api-Key:***MASKED***"],
        ["-e", "-e"],
        ["GITHUB_TOKEN=abc", "GITHUB_TOKEN=***MASKED***"],
        ["-u", "-u"],
        ["me:pw", "***MASKED***"],
        ["ghp_0123456789abcdefghijABCDEFGHIJ012345", "***MASKED***"],
        [long, "***MASKED***"],
        ["postgres://me:pw@host/db", "***MASKED***"],
        ["https://host/sse?token=abc", "***MASKED***"],
        ["--auth", "--auth"],
        ["--verbose", "--verbose"]
      ]
      const args = given.map(([one]) => one)
      const seen = given.map(([, one]) => one)
      const { refusal, store } = yield* open(`[mcp.servers.m]\ncommand = "x"\nargs = ${JSON.stringify(args)}\n`)
      assert.deepStrictEqual((yield* store.get("mcp.servers.m.args")).value, seen)
      assert.deepStrictEqual((yield* store.get("mcp.servers.m")).value, { command: "x", args: seen })
      assert.deepStrictEqual(yield* store.document, { mcp: { servers: { m: { command: "x", args: seen } } } })
      const listed = (yield* store.list()).find(({ path }) => path === "mcp.servers.m.args")
      assert.deepStrictEqual(listed?.value, seen)
      assert.strictEqual(
        yield* refusal("mcp.servers.m.args", seen),
        "mcp.servers.m.args: the mask of a secret is not a value"
      )
      assert.strictEqual(
        yield* refusal("mcp.servers.m.args", ["--token=***MASKED***"]),
        "mcp.servers.m.args: the mask of a secret is not a value"
      )
    }))

  it.effect("keys that are set and keys that could be, with their kinds", () =>
    Effect.gen(function*() {
      const { store } = yield* open(toml, { POSTERN_acp__max_sessions: "7" })
      const found = new Map((yield* store.list()).map((field) => [field.path, field]))
      assert.deepInclude(found.get("acp.max_sessions"), {
        kind: "integer",
        value: 7,
        populated: true,
        isEnvOverridden: true,
        category: "acp"
      })
      assert.deepInclude(found.get("acp.unstable"), { kind: "bool", populated: false, isEnvOverridden: false })
      assert.deepInclude(found.get("agents.main.risk_profile"), {
        kind: "alias_ref",
        aliasSource: "risk_profiles",
        value: "careful"
      })
      assert.deepInclude(found.get("risk_profiles.careful.level"), {
        kind: "enum",
        enumVariants: ["readonly", "supervised", "full"]
      })
      assert.deepInclude(found.get("risk_profiles.careful.always_ask"), { kind: "string_array", populated: false })
      assert.deepInclude(found.get("providers.local.prices.input"), { kind: "float", populated: false })
      assert.deepInclude(found.get("providers.local.headers.Authorization"), { isSecret: true, populated: true })
      assert.deepStrictEqual((yield* store.list("acp")).map(({ path }) => path), [
        "acp.default_agent",
        "acp.max_sessions",
        "acp.options",
        "acp.session_timeout_secs",
        "acp.unstable"
      ])
      assert.deepStrictEqual(yield* store.keys("providers"), ["local"])
      assert.deepStrictEqual(store.overriding("acp"), ["POSTERN_acp__max_sessions"])
    }))

  it.effect("and suggests the right key for a misspelled one", () =>
    Effect.gen(function*() {
      const { store } = yield* open()
      const why = (path: string) => Effect.map(Effect.flip(store.get(path)), ({ message }) => message)
      assert.strictEqual(
        yield* why("acp.max_session"),
        "acp.max_session is not a known key; did you mean \"max_sessions\"?"
      )
      assert.strictEqual(yield* why("agents..main"), "\"agents..main\" is not a path such as \"acp.max_sessions\"")
      assert.strictEqual(yield* why("policy.rules.deny.0"), "policy.rules.deny is a list; name the whole of it")
      assert.strictEqual(yield* why("agents.__proto__.model"), "agents.__proto__.model cannot be used as a key")
      const long = "a.".repeat(40_000)
      assert.strictEqual(yield* why(long), `"${long.slice(0, 100)}" is not a path such as "acp.max_sessions"`)
      assert.strictEqual(yield* why(""), "\"\" is not a path such as \"acp.max_sessions\"")
    }))
})

describe("ConfigStore.set", () => {
  it.effect("parses strings as the type of the key, and keeps comments, order and file mode", () =>
    Effect.gen(function*() {
      const { file, set, text } = yield* open()
      yield* set("acp.max_sessions", "12")
      yield* set("acp.unstable", "true")
      yield* set("risk_profiles.careful.always_ask", "shell, file_write")
      yield* set("agents.main.model", "local/other")
      const expected = toml.replace("max_sessions = 3\n", "max_sessions = 12\nunstable = true\n").replace(
        "local/qwen",
        "local/other"
      )
        .replace("level = \"readonly\"\n", "level = \"readonly\"\nalways_ask = [ \"shell\", \"file_write\" ]\n")
      assert.strictEqual(text(), expected)
      assert.strictEqual(statSync(file).mode & 0o777, 0o640)
    }))

  it.effect("converts numbers and booleans where strings belong, in lists and tables as well", () =>
    Effect.gen(function*() {
      const { set, store } = yield* open()
      yield* set("agents.main.workspace", 12)
      yield* set("risk_profiles.careful.allowed_commands", [7, true, "ls"])
      yield* set("providers.local.headers", { A: 1 })
      yield* set("acp", { max_sessions: 4, default_agent: "main" })
      assert.strictEqual((yield* store.get("agents.main.workspace")).value, "12")
      assert.deepStrictEqual((yield* store.get("risk_profiles.careful.allowed_commands")).value, ["7", "true", "ls"])
      assert.deepStrictEqual((yield* store.get("acp")).value, { max_sessions: 4, default_agent: "main" })
    }))

  it.effect("creates a private file in a private folder", () =>
    Effect.gen(function*() {
      const { file, folder, set, text } = yield* open("")
      yield* set("acp.max_sessions", 3)
      assert.strictEqual(text(), "[acp]\nmax_sessions = 3\n")
      assert.deepStrictEqual([file, folder].map((path) => statSync(path).mode & 0o777), [0o600, 0o700])
      assert.deepStrictEqual(readdirSync(folder).sort(), [".config.lock", "config.toml"])
    }))

  it.effect("writes to the target of a symbolic link", () =>
    Effect.gen(function*() {
      const { file, folder, set } = yield* open("")
      mkdirSync(folder)
      writeFileSync(join(folder, "dotfile"), "log_level = \"info\"\n")
      symlinkSync("dotfile", file)
      yield* set("log_level", "debug")
      assert.strictEqual(readFileSync(join(folder, "dotfile"), "utf8"), "log_level = \"debug\"\n")
    }))

  it.effect("refuses a change that would keep Postern from starting", () =>
    Effect.gen(function*() {
      const { refusal, text } = yield* open()
      assert.strictEqual(
        yield* refusal("acp.max_sessions", 0),
        "acp.max_sessions must be a whole number of at least 1, not 0"
      )
      assert.strictEqual(
        yield* refusal("acp.max_sessions", "many"),
        "acp.max_sessions must be a whole number of at least 1, not \"many\""
      )
      assert.strictEqual(
        yield* refusal("agents.main.risk_profile", "none"),
        "agents.main.risk_profile names no risk profile: \"none\"; allowed here: careful, default"
      )
      assert.strictEqual(
        yield* refusal("providers.new.base_url", "http://x"),
        "providers.new.kind is missing; it must be one of anthropic, openai-compatible, offline"
      )
      assert.strictEqual(yield* refusal("acp", "x"), "acp must be a table")
      assert.strictEqual(
        yield* refusal("agents.main.model", null),
        "agents.main.model: null is no value here; delete the key instead"
      )
      assert.strictEqual(
        yield* refusal("agents.main", { modle: "local/x" }),
        "agents.main.modle is not a known key; did you mean \"model\"?"
      )
      assert.strictEqual(
        yield* refusal("agents.a/b.model", "local/x"),
        "\"agents.a/b.model\" is not a path such as \"acp.max_sessions\""
      )
      assert.strictEqual(
        yield* refusal("agents.\"../x\".model", "local/x"),
        "agents.\"../x\".model: \"../x\" cannot be used as a name"
      )
      assert.strictEqual(text(), toml)
    }))

  it.effect("refuses a mask or an empty string as a secret, and shows no secret in an error", () =>
    Effect.gen(function*() {
      const { refusal, text } = yield* open()
      assert.strictEqual(
        yield* refusal("providers.local.api_key", "***MASKED***"),
        "providers.local.api_key: the mask of a secret is not a value"
      )
      assert.strictEqual(
        yield* refusal("providers.local", { kind: "offline", headers: { A: "***MASKED***" } }),
        "providers.local: the mask of a secret is not a value"
      )
      assert.strictEqual(
        yield* refusal("providers.local.api_key", ""),
        "providers.local.api_key: a secret cannot be empty; delete the key instead"
      )
      assert.strictEqual(
        yield* refusal("providers.local.headers.A", ""),
        "providers.local.headers.A: a secret cannot be empty; delete the key instead"
      )
      assert.strictEqual(
        yield* refusal("providers.local.headers", { A: "Bearer 1", B: " " }),
        "providers.local.headers: a secret cannot be empty; delete the key instead"
      )
      assert.notInclude(yield* refusal("providers.local.headers", ["sk-1"]), "sk-1")
      assert.strictEqual(text(), toml)
    }))

  it.effect("validates the new value even where a variable overrides it", () =>
    Effect.gen(function*() {
      const { refusal, set, store, text } = yield* open(toml, { POSTERN_acp__max_sessions: "7" })
      assert.strictEqual(
        yield* refusal("acp.max_sessions", 0),
        "acp.max_sessions must be a whole number of at least 1, not 0"
      )
      yield* set("acp.max_sessions", 5)
      assert.include(text(), "max_sessions = 5")
      assert.strictEqual((yield* store.get("acp.max_sessions")).value, 7)
    }))

  it.effect("does not copy the environment into the file", () =>
    Effect.gen(function*() {
      const { set, text } = yield* open(toml, {
        POSTERN_agents__extra__workspace: "/x",
        POSTERN_providers__local__api_key: "sk-env"
      })
      yield* set("acp.max_sessions", 4)
      assert.strictEqual(text(), toml.replace("= 3", "= 4"))
    }))

  it.effect("can repair a file that Postern refuses", () =>
    Effect.gen(function*() {
      const { set, store, text } = yield* open(toml.replace("= 3", "= 0"))
      assert.match((yield* Effect.flip(store.validate)).message, /config\.toml:16: acp\.max_sessions must be/)
      yield* set("acp.max_sessions", 3)
      assert.strictEqual(text(), toml)
      yield* store.validate
    }))

  it.effect("puts a comment above its line", () =>
    Effect.gen(function*() {
      const { store, text } = yield* open()
      yield* store.set([{ path: "acp.max_sessions", value: 4, comment: "as many as\nthe machine takes" }])
      assert.include(text(), "[acp] # protocol\n# as many as\n# the machine takes\nmax_sessions = 4\n")
      const refused = yield* Effect.flip(store.set([{ path: "providers.local.headers.B", value: "x", comment: "why" }]))
      assert.include(refused.message, "no line of its own")
    }))
})

describe("ConfigStore.set after the file of a running daemon was removed", () => {
  it.effect("does not create a file with only the new value", () =>
    Effect.gen(function*() {
      const { file, gone, refusal, store } = yield* open()
      rmSync(file)
      gone.now = true
      assert.match(yield* refusal("acp.max_sessions", 9), /config\.toml is gone, or empty; put it back/)
      assert.strictEqual((yield* Effect.flip(store.remove("acp.max_sessions")))._tag, "ConfigFailed")
      assert.isFalse(existsSync(file))
    }))
})

describe("ConfigStore.set with several entries", () => {
  it.effect("writes one change, in which the last value of a path wins", () =>
    Effect.gen(function*() {
      const { store, text, written } = yield* open()
      const paths = yield* store.set([
        { path: "providers.near.base_url", value: "http://x" },
        { path: "acp.max_sessions", value: 0 },
        { path: "providers.near.kind", value: "openai-compatible" },
        { path: "acp.max_sessions", value: 9 }
      ])
      assert.deepStrictEqual(paths, [
        "providers.near.base_url",
        "acp.max_sessions",
        "providers.near.kind",
        "acp.max_sessions"
      ])
      assert.strictEqual(
        text(),
        `${toml.replace("= 3", "= 9")}\n[providers.near]\nbase_url = "http://x"\nkind = "openai-compatible"\n`
      )
      assert.deepStrictEqual(written, [text()])
    }))

  it.effect("names the wrong entry, and changes nothing", () =>
    Effect.gen(function*() {
      const { store, text } = yield* open()
      const fault = (...values: ReadonlyArray<readonly [string, unknown]>) =>
        Effect.map(Effect.flip(store.set(values.map(([path, value]) => ({ path, value })))), (error) =>
          error._tag === "ConfigRefused" ? [error.reason, error.index] : [error._tag])
      const good = ["acp.max_sessions", 5] as const
      assert.deepStrictEqual(yield* fault(good, ["acp.nothing", 1]), ["unknown", 1])
      assert.deepStrictEqual(yield* fault(good, good, ["agents.main.model", "no slash"]), ["invalid", 2])
      assert.deepStrictEqual(yield* fault(["acp.max_sessions", "x"], good, ["acp.max_sessions", "y"]), ["invalid", 2])
      assert.deepStrictEqual(yield* fault(good, ["providers.default.kind", "offline"]), ["reserved", 1])
      assert.deepStrictEqual(yield* fault(good, ["providers", { default: { kind: "offline" } }]), ["reserved", 1])
      assert.deepStrictEqual(yield* fault(), ["invalid", undefined])
      assert.deepStrictEqual(
        yield* fault(...Array.from({ length: 257 }, () =>
          good)),
        ["invalid", undefined]
      )
      assert.strictEqual(text(), toml)
      yield* store.set(Array.from({ length: 256 }, (_, n) => ({ path: "acp.max_sessions", value: n + 1 })))
      assert.strictEqual(text(), toml.replace("= 3", "= 256"))
    }))

  it.effect("is refused as a whole when the caller may not write one of the paths", () =>
    Effect.gen(function*() {
      const { store, text } = yield* open()
      const mayWrite = isWritable(["acp.*", "agents.main.model"])
      const entries = [{ path: "acp.max-sessions", value: 4 }, { path: "providers.local.kind", value: "offline" }]
      const refused = yield* Effect.flip(store.set(entries, mayWrite))
      assert.deepInclude(refused, { _tag: "ConfigRefused", reason: "forbidden", index: 1 })
      assert.deepInclude(yield* Effect.flip(store.set([{ path: "acp", value: {} }], mayWrite)), {
        reason: "forbidden",
        index: 0
      })
      assert.deepInclude(yield* Effect.flip(store.remove("agents.main", mayWrite)), { reason: "forbidden" })
      assert.strictEqual(text(), toml)
      yield* store.set([{ path: "acp.max-sessions", value: 4 }], mayWrite)
      assert.strictEqual(text(), toml.replace("= 3", "= 4"))
    }))
})

describe("ConfigStore removes keys and manages aliases:", () => {
  it.effect("a key is removed, and a missing one reported", () =>
    Effect.gen(function*() {
      const { store, text } = yield* open()
      assert.isTrue((yield* store.remove("acp.max_sessions")).deleted)
      assert.isFalse((yield* store.remove("acp.max_sessions")).deleted)
      assert.strictEqual(text(), toml.replace("max_sessions = 3\n", ""))
    }))

  it.effect("an entry that others refer to stays", () =>
    Effect.gen(function*() {
      const { store, text } = yield* open()
      const refused = yield* Effect.flip(store.removeKey("risk_profiles", "careful"))
      assert.include(refused.message, "agents.main.risk_profile names no risk profile: \"careful\"")
      assert.strictEqual(text(), toml)
      assert.isTrue((yield* store.removeKey("agents", "main")).deleted)
      assert.isTrue((yield* store.removeKey("risk_profiles", "careful")).deleted)
      assert.isFalse((yield* store.removeKey("risk_profiles", "careful")).deleted)
    }))

  it.effect("an alias is created once and renamed with every reference to it", () =>
    Effect.gen(function*() {
      const { store, text } = yield* open(toml.replace("[acp]", "[acp]\ndefault_agent = \"main\""))
      assert.isTrue(yield* store.createKey("agents", "second"))
      assert.isFalse(yield* store.createKey("agents", "second"))
      assert.deepStrictEqual(yield* store.renameKey("agents", "main", "first"), {
        rewritten: ["acp.default_agent"],
        warnings: [
          "the agent's own folder is now agents/first/workspace; what was in agents/main/workspace stays there"
        ]
      })
      assert.deepStrictEqual((yield* store.renameKey("providers", "local", "near")).rewritten, ["agents.first.model"])
      assert.deepStrictEqual((yield* store.renameKey("risk_profiles", "careful", "strict")).rewritten, [
        "agents.first.risk_profile"
      ])
      assert.include(
        text(),
        "[agents.first]            # the main one\nmodel = \"near/qwen\"\nrisk_profile = \"strict\"\n"
      )
      assert.deepInclude(yield* Effect.flip(store.renameKey("agents", "first", "second")), { reason: "exists" })
      assert.deepInclude(yield* Effect.flip(store.renameKey("agents", "gone", "x")), { reason: "missing" })
      assert.deepInclude(yield* Effect.flip(store.renameKey("providers", "near", "far", isWritable(["providers.*"]))), {
        reason: "forbidden"
      })
      assert.deepInclude(yield* Effect.flip(store.createKey("acp", "x")), { reason: "invalid" })
      assert.deepInclude(yield* Effect.flip(store.createKey("agents", "a b")), { reason: "invalid" })
    }))
})

describe("concurrent writers of config.toml", () => {
  it.live("lose no change", () =>
    Effect.gen(function*() {
      const { another, store, text } = yield* open("")
      const other = yield* another
      yield* Effect.forEach(Array.from({ length: 20 }, (_, n) => n), (n) =>
        (n % 2 === 0 ? store : other).set([{ path: `agents.a${n}.model`, value: "offline/x" }]), {
        concurrency: "unbounded"
      })
      assert.strictEqual(text().match(/^\[agents\.a\d+\]$/gm)?.length, 20)
    }))

  it.effect("report a file that cannot be written", () =>
    Effect.gen(function*() {
      const file = "/dev/null/x/config.toml"
      const context = yield* Layer.build(ConfigStore.layerFile(file))
      const error = yield* Effect.flip(
        ConfigStore.use(({ set }) => set([{ path: "acp.max_sessions", value: 5 }])).pipe(Effect.provide(context))
      )
      assert.strictEqual(error._tag, "ConfigFailed")
    }))
})
