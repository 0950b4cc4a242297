import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { complaint, machine } from "../support/Configured.ts"

const lines = (...lines: ReadonlyArray<string>) => lines.join("\n")

const files: ReadonlyArray<readonly [what: string, toml: string, message: string]> = [
  ["broken TOML", lines("[acp]", "max_sessions = ", ""), "config.toml:2:16: not valid TOML: Expected a value"],
  ["an unclosed table", lines("", "[acp"), "config.toml:2:5: not valid TOML: Expected ']'"],
  [
    "a key set twice",
    lines("[acp]", "max_sessions = 1", "max_sessions = 2"),
    "config.toml:3:17: not valid TOML: Cannot redefine existing key 'max_sessions'"
  ],
  [
    "an unknown key close to a known one",
    lines("[agents.main]", "enabled = true", "modle = \"a/b\""),
    "config.toml:3: agents.main.modle is not a known key; did you mean \"model\"?"
  ],
  [
    "an unknown table",
    lines("# hello", "[agent.main]", "model = \"a/b\""),
    "config.toml:2: agent is not a known key; did you mean \"agents\"?"
  ],
  [
    "an unknown key like no other",
    lines("[acp]", "zzz = 1"),
    "config.toml:2: acp.zzz is not a known key; allowed here: default_agent, max_sessions, options, session_timeout_secs, unstable"
  ],
  [
    "a hyphen for an underscore",
    lines("[acp]", "default-agent = \"x\""),
    "config.toml:2: acp.default-agent is not a known key; did you mean \"default_agent\"?"
  ],
  [
    "a wrong type",
    lines("[acp]", "", "max_sessions = \"ten\""),
    "config.toml:3: acp.max_sessions must be a whole number of at least 1, not \"ten\""
  ],
  [
    "a value out of range",
    "acp = { max_sessions = 0 }",
    "config.toml:1: acp.max_sessions must be a whole number of at least 1, not 0"
  ],
  [
    "a word that is not allowed",
    lines("[risk_profiles.default]", "level = \"yolo\""),
    "config.toml:2: risk_profiles.default.level must be one of readonly, supervised, full, not \"yolo\""
  ],
  [
    "a missing key",
    lines("[providers.x]", "base_url = \"http://x\""),
    "config.toml:1: providers.x.kind is missing; it must be one of anthropic, openai-compatible, offline"
  ],
  [
    "a value where a table belongs, without showing it",
    lines("[providers]", "x = \"sk-1\""),
    "config.toml:2: providers.x must be a table"
  ],
  [
    "a bad item of a list",
    lines("[risk_profiles.\"my own\"]", "always_ask = [\"a\", 1]"),
    "config.toml:2: risk_profiles.\"my own\".always_ask[1] must be a non-empty string, not 1"
  ],
  [
    "a model that is no reference",
    lines("[agents.a]", "model = \"sonnet\""),
    "config.toml:2: agents.a.model must be \"<provider alias>/<model id>\", for example \"anthropic/claude-sonnet-4.6\", not \"sonnet\""
  ],
  [
    "a provider that does not exist",
    lines("[agents.a]", "model = \"antropic/x\""),
    "config.toml:2: agents.a.model names no provider: \"antropic\"; did you mean \"anthropic\"?"
  ],
  [
    "a risk profile that does not exist",
    lines("[agents.a]", "risk_profile = \"strict\""),
    "config.toml:2: agents.a.risk_profile names no risk profile: \"strict\"; allowed here: default"
  ],
  [
    "two spellings that differ",
    lines("[autonomy]", "level = \"full\"", "[risk_profiles.default]", "level = \"readonly\""),
    "config.toml:2: autonomy.level is short for risk_profiles.default.level, and the two differ; keep one of them"
  ],
  [
    "a secret of a wrong type, without showing it",
    lines("[providers.x]", "kind = \"anthropic\"", "api_key = 123456"),
    "config.toml:3: providers.x.api_key must be a non-empty string"
  ],
  [
    "an MCP server that nothing leads to",
    lines("[mcp.servers.files]", "args = [\"x\"]"),
    "config.toml:1: mcp.servers.files needs either a command to start or a url to call"
  ],
  [
    "an MCP server that is both started and called",
    lines("[mcp.servers.files]", "command = \"x\"", "url = \"http://x\""),
    "config.toml:3: mcp.servers.files.url cannot stand next to a command; keep one of them"
  ],
  [
    "a folder for an MCP server that is elsewhere",
    lines("[mcp.servers.files]", "url = \"http://x\"", "writable = [\"~/x\"]"),
    "config.toml:3: mcp.servers.files.writable has no meaning for a server with a url"
  ],
  [
    "headers for an MCP server that is started",
    lines("[mcp.servers.files]", "command = \"x\"", "headers = { a = \"b\" }"),
    "config.toml:3: mcp.servers.files.headers has no meaning for a server with a command"
  ],
  [
    "a transport that does not fit",
    lines("[mcp.servers.files]", "command = \"x\"", "transport = \"http\""),
    "config.toml:3: mcp.servers.files.transport \"http\" does not fit a server with a command"
  ],
  [
    "a capability that MCP tools cannot have",
    lines("[mcp.servers.files]", "command = \"x\"", "tools = { \"get_*\" = \"read\" }"),
    "config.toml:3: mcp.servers.files.tools.\"get_*\" must be one of none, ro, rw, shell_rw, not \"read\""
  ],
  [
    "a time that is too long",
    lines("[mcp.servers.files]", "command = \"x\"", "tool_timeout_secs = 601"),
    "config.toml:3: mcp.servers.files.tool_timeout_secs must be a whole number from 1 to 600, not 601"
  ],
  [
    "two users of one id",
    lines("[users.ann]", "uid = 1", "[users.bob]", "principal_id = \"ann\""),
    "config.toml:4: users.bob.principal_id: users.ann and users.bob have the same principal id, \"ann\"; each needs its own"
  ],
  [
    "a user who is called as the id of one before",
    lines("[users.ann]", "principal_id = \"bob\"", "[users.bob]"),
    "config.toml:2: users.ann.principal_id: users.ann and users.bob have the same principal id, \"bob\"; each needs its own"
  ],
  [
    "two users with one id that is no name",
    lines("[users.ann]", "principal_id = \"x\"", "[users.bob]", "principal_id = \"x\""),
    "config.toml:4: users.bob.principal_id: users.ann and users.bob have the same principal id, \"x\"; each needs its own"
  ],
  [
    "two users of one uid",
    lines("[users.ann]", "uid = 7", "[users.cem]", "uid = 8", "[users.bob]", "uid = 7"),
    "config.toml:6: users.bob.uid: users.ann and users.bob have the same uid, 7"
  ],
  [
    "a secret without its quotes, without showing it",
    lines("[providers.q]", "kind = \"anthropic\"", "api_key = sk-forgotten-quotes"),
    "config.toml:3:30: not valid TOML: providers.q.api_key: this is no value; a string needs quotes"
  ],
  [
    "the end of a secret after an escape, without showing it",
    lines("[providers.q]", "api_key = \"ab\\qcd\""),
    "config.toml:2:16: not valid TOML: providers.q.api_key: Invalid escape"
  ],
  [
    "a secret that looks like a date, without showing it",
    "http_request.secrets.pin = 2024-99-99",
    "config.toml:1:38: not valid TOML: http_request.secrets.pin: Invalid date-time"
  ],
  [
    "a secret of digits without quotes, without showing it",
    lines("[http_request.secrets]", "pin = 98765432109876543210"),
    "config.toml:2:27: not valid TOML: http_request.secrets.pin: Integer out of range"
  ],
  [
    "a secret without quotes in a list over several lines, whose end looks like a key",
    lines("[mcp.servers.m]", "command = \"x\"", "args = [", "  sk-forgotten-quotes-0123456789==", "]"),
    "config.toml:4:35: not valid TOML: this is no value; a string needs quotes"
  ],
  [
    "arguments that are no list, without showing them",
    lines("[mcp.servers.m]", "command = \"x\"", "args = \"--pin=1234\""),
    "config.toml:3: mcp.servers.m.args must be a list of strings"
  ],
  [
    "a key in the form of one at a wrong place, without showing it",
    lines("[providers.q]", "kind = \"sk-ant-0123456789abcdefghij\""),
    "config.toml:2: providers.q.kind must be one of anthropic, openai-compatible, offline"
  ],
  [
    "a key in the form of one where the name of a provider belongs, without showing it",
    lines("[agents.a]", "model = \"sk-ant-0123456789abcdefghij/x\""),
    "config.toml:2: agents.a.model names no provider: \"[redacted: Anthropic key]\"; allowed here: anthropic, openai, offline"
  ],
  [
    "an environment value of an MCP server, without showing it",
    lines("[mcp.servers.files]", "command = \"x\"", "env = { A = 123456 }"),
    "config.toml:3: mcp.servers.files.env.A must be a string"
  ]
]

const variables: ReadonlyArray<readonly [variable: string, value: string, message: string]> = [
  [
    "POSTERN_acp__defualt_agent",
    "x",
    "POSTERN_acp__defualt_agent: acp.defualt_agent is not a known key; did you mean \"default_agent\"?"
  ],
  ["POSTERN_ACP__DEFAULT_AGENT", "x", "POSTERN_ACP__DEFAULT_AGENT: ACP is not a known key; did you mean \"acp\"?"],
  ["POSTERN_acp__max_sessions__x", "1", "POSTERN_acp__max_sessions__x: acp.max_sessions.x is not a known key"],
  [
    "POSTERN_acp__default_agent",
    "nobody",
    "POSTERN_acp__default_agent: acp.default_agent names no agent: \"nobody\"; the agents are default"
  ],
  ["POSTERN_agents____model", "x", "POSTERN_agents____model: agents.\"\" is not a known key"],
  [
    "POSTERN_acp",
    "1",
    "POSTERN_acp: acp is a table; name one of its keys: default_agent, max_sessions, options, session_timeout_secs, unstable"
  ],
  [
    "POSTERN_acp__max_sessions",
    "many",
    "POSTERN_acp__max_sessions: acp.max_sessions must be a whole number of at least 1, not \"many\""
  ],
  [
    "POSTERN_agents__main__enabled",
    "yes",
    "POSTERN_agents__main__enabled: agents.main.enabled must be true or false, not \"yes\""
  ],
  [
    "POSTERN_providers__x__headers__Authorization",
    "",
    "POSTERN_providers__x__headers__Authorization: providers.x.kind is missing; it must be one of anthropic, openai-compatible, offline"
  ],
  [
    "POSTERN_LOG_LEVEL",
    "loud",
    "POSTERN_LOG_LEVEL must be one of all, trace, debug, info, warn, error, fatal, none, not \"loud\""
  ]
]

describe("an invalid configuration is reported on one line", () => {
  it.effect.each(files)(
    "for %s",
    ([, toml, message]) => Effect.map(complaint({ toml }), (found) => assert.strictEqual(found, message))
  )

  it.effect.each(variables)(
    "for the variable %s",
    ([variable, value, message]) =>
      Effect.map(complaint({ env: { [variable]: value } }), (found) => assert.strictEqual(found, message))
  )

  it.effect("names the variable when its value is at fault", () =>
    Effect.map(
      complaint({ toml: "[acp]\nmax_sessions = 3", env: { POSTERN_acp__max_sessions: "-1" } }),
      (found) =>
        assert.strictEqual(
          found,
          "POSTERN_acp__max_sessions: acp.max_sessions must be a whole number of at least 1, not -1"
        )
    ))

  it.effect("names the file when another key of it is at fault", () =>
    Effect.map(
      complaint({ toml: "[acp]\nmax_sessions = \"x\"", env: { POSTERN_acp__unstable: "true" } }),
      (found) => assert.match(found, /^config\.toml:2: acp\.max_sessions /)
    ))

  it.effect("for a flag", () =>
    Effect.map(
      complaint({ flags: { logLevel: "loud" } }),
      (found) => assert.match(found, /^--log-level must be one of all, trace, /)
    ))

  it.effect(
    "for a file that cannot be read",
    Effect.fnUntraced(function*() {
      const { file, layer } = yield* machine({})
      yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeDirectory(file, { recursive: true })).pipe(
        Effect.provide(NodeServices.layer)
      )
      const error = yield* Effect.flip(Layer.build(layer))
      assert.strictEqual(error.message, `${file}: cannot be read: it is a folder, not a file`)
    })
  )
})
