import { Schema } from "effect"
import { isIP } from "node:net"
import { capabilities } from "../../domain/Capability.ts"
import { domainCategories } from "../../domain/CodeGates.ts"
import { type PolicySetting, sessionOptionIds, settingValues } from "../../domain/PolicySettings.ts"

// The `description` of a type completes the error message "<key> must be …".
const string = Schema.String.annotate({ description: "a string" })
const text = Schema.NonEmptyString.annotate({ description: "a non-empty string" })
const path = Schema.NonEmptyString.annotate({ description: "a path" })
const bool = Schema.Boolean.annotate({ description: "true or false" })
const integerFrom = (least: number) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(least)).annotate({
    description: `a whole number of at least ${least}`
  })
const nonNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  description: "a number of at least 0"
})
const fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
  description: "a number from 0 to 1"
})
const address = Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/)).annotate({
  description: "an http or https address"
})
const textList = Schema.Array(text).annotate({ description: "a list of strings" })
const pathList = Schema.Array(path).annotate({ description: "a list of paths" })
const oneOf = <const L extends ReadonlyArray<string>>(...words: L) =>
  Schema.Literals(words).annotate({ description: `one of ${words.join(", ")}` })

const optional = Schema.optionalKey

const map = <S extends Schema.Constraint>(value: S) => optional(Schema.Record(Schema.String, value))

/** Tables that users' files have for other versions: accepted with any content, without effect. */
const uninterpreted = optional(Schema.Record(Schema.String, Schema.Unknown))

const Agent = Schema.Struct({
  enabled: optional(bool),
  model: optional(
    Schema.String.check(Schema.isPattern(/^[^/\s]+\/\S+$/)).annotate({
      description: "\"<provider alias>/<model id>\", for example \"anthropic/claude-sonnet-4.6\""
    })
  ),
  workspace: optional(path),
  risk_profile: optional(text),
  runtime_profile: optional(text)
})

/** A rule, or a table with the rule, its reason and its own examples: docs/policy.md#rule-syntax. */
const rules = optional(
  Schema.Array(Schema.Union([
    text,
    Schema.Struct({
      rule: text,
      reason: optional(text),
      guard: optional(bool),
      match: optional(textList),
      notMatch: optional(textList)
    })
  ])).annotate({ description: "a list of rules" })
)

const policySetting = <K extends PolicySetting>(name: K) => optional(oneOf(...settingValues[name]))

const capabilityList = Schema.Array(oneOf(...capabilities)).annotate({ description: "a list of capabilities" })

/** The user's own policy: the six settings, rules and flags (docs/policy.md#settings). */
const Policy = Schema.Struct({
  work_mode: policySetting("work_mode"),
  network: policySetting("network"),
  user_rules: policySetting("user_rules"),
  tool_approval: policySetting("tool_approval"),
  approval_response: policySetting("approval_response"),
  sandbox: policySetting("sandbox"),
  guard_allow: optional(bool),
  ask_network_reads: optional(bool),
  whitelist: optional(capabilityList),
  blacklist: optional(capabilityList),
  shell_test_commands: optional(textList),
  shell_test_network: optional(bool),
  allow_partial_sandbox: optional(bool),
  rules: optional(Schema.Struct({ deny: rules, ask: rules, allow: rules }))
})

const Provider = Schema.Struct({
  kind: optional(oneOf("anthropic", "openai-compatible", "offline")),
  api_key: optional(text),
  api_key_env: optional(text),
  base_url: optional(address),
  timeout_secs: optional(integerFrom(1)),
  max_tokens: optional(integerFrom(1)),
  context_window: optional(integerFrom(1)),
  vision: optional(bool),
  headers: map(string),
  fallback: optional(textList),
  models: optional(textList),
  prices: optional(Schema.Struct({
    input: optional(nonNegative),
    output: optional(nonNegative),
    cache_read: optional(nonNegative),
    cache_write: optional(nonNegative)
  }))
})

const level = optional(oneOf("readonly", "supervised", "full"))

const RiskProfile = Schema.Struct({
  level,
  workspace_only: optional(bool),
  allowed_commands: optional(textList),
  forbidden_commands: optional(textList),
  forbidden_paths: optional(textList),
  allowed_roots: optional(textList),
  visible_paths: optional(textList),
  max_actions_per_hour: optional(integerFrom(0)),
  max_cost_per_day_cents: optional(integerFrom(0)),
  require_approval_for_medium_risk: optional(bool),
  block_high_risk_commands: optional(bool),
  shell_env_passthrough: optional(textList),
  shell_timeout_secs: optional(integerFrom(1)),
  auto_approve: optional(textList),
  always_ask: optional(textList),
  allowed_tools: optional(textList),
  excluded_tools: optional(textList),
  approval_route: optional(Schema.Struct({
    approver_channel: optional(text),
    on_no_approver: optional(oneOf("deny", "inherit-originator")),
    timeout_secs: optional(integerFrom(1))
  })),
  delegation_policy: uninterpreted,
  sandbox_enabled: optional(bool),
  sandbox_backend: optional(oneOf(
    "auto",
    "bubblewrap",
    "bwrap",
    "landlock",
    "seatbelt",
    "sandboxexec",
    "sandbox-exec",
    "firejail",
    "docker",
    "none"
  )),
  sandbox_docker_image: optional(text),
  firejail_args: optional(textList)
})

const RuntimeProfile = Schema.Struct({
  agentic: optional(bool),
  max_tool_iterations: optional(integerFrom(0)),
  max_history_messages: optional(integerFrom(1)),
  max_context_tokens: optional(integerFrom(1)),
  max_tool_result_chars: optional(integerFrom(1)),
  max_system_prompt_chars: optional(integerFrom(0)),
  keep_tool_context_turns: optional(integerFrom(0)),
  max_actions_per_hour: optional(integerFrom(0)),
  shell_timeout_secs: optional(integerFrom(1)),
  parallel_tools: optional(bool),
  compact_context: optional(bool),
  tool_dispatcher: optional(oneOf("auto", "native", "xml"))
})

/** What a tool of an MCP server may do. Plan files and tests have capabilities of their own, which no server gets. */
const capability = oneOf("none", "ro", "rw", "shell_rw")

const confinement = {
  sandbox: policySetting("sandbox"),
  network: optional(bool),
  readable: optional(pathList),
  writable: optional(pathList)
}

const seconds = (most: number) =>
  optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })).annotate({
      description: `a whole number from 1 to ${most}`
    })
  )

const McpServer = Schema.Struct({
  enabled: optional(bool),
  command: optional(text),
  args: optional(Schema.Array(string).annotate({ description: "a list of strings" })),
  env: map(string),
  cwd: optional(path),
  url: optional(address),
  headers: map(string),
  transport: optional(oneOf("stdio", "http", "sse")),
  init_timeout_secs: seconds(600),
  tool_timeout_secs: seconds(600),
  ...confinement,
  capability: optional(capability),
  tools: map(capability),
  read_only_hints: optional(bool)
})
export type McpServerTable = typeof McpServer.Type

const verbs = Schema.Array(
  Schema.String.check(Schema.isPattern(/^(create|read|update|delete|execute)$/i)).annotate({
    description: "one of create, read, update, delete, execute"
  })
)

// Who may call the daemon, and what that allows: docs/users.md#grants.
const User = Schema.Struct({
  uid: optional(integerFrom(0)),
  principal_id: optional(text),
  permission_profiles: optional(textList)
})
const PermissionProfile = Schema.Struct({
  admin: optional(bool),
  allowed_agents: optional(textList),
  config_write_paths: optional(textList),
  allowed_tools: optional(textList),
  allowed_channels: optional(textList),
  grants: map(verbs.annotate({ description: "a list of create, read, update, delete and execute" }))
})

/** What a web tool may access (docs/tools.md#web-tools). */
const web = {
  enabled: optional(bool),
  allowed_domains: optional(textList),
  blocked_domains: optional(textList),
  allow_private_hosts: optional(bool),
  timeout_secs: optional(integerFrom(1)),
  max_response_size: optional(integerFrom(1))
}

/** Where a secret may be sent to; without a scheme over https only. */
const secretHost = Schema.String.check(
  Schema.isPattern(/^(https?:\/\/)?((\*\.[^\s*/:?#@.[\]]+\.)?[^\s*/:?#@[\]]+|\[[\da-fA-F:.]+\])(:\d{1,5})?$/)
).annotate({ description: "a host, such as api.example.com, *.example.com or http://localhost:8080" })
const secretHosts = Schema.Array(secretHost).annotate({ description: "a list of hosts" })

/** The daemon over the network (docs/gateway.md#configuration). */
const Gateway = Schema.Struct({
  enabled: optional(bool),
  host: optional(text),
  port: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })).annotate({
      description: "a whole number from 1 to 65535"
    })
  ),
  path_prefix: optional(
    Schema.String.check(Schema.isPattern(/^(\/[A-Za-z0-9._~-]+)*\/?$/)).annotate({
      description: "a path that begins with /, such as \"/postern\""
    })
  ),
  tls: optional(Schema.Struct({ cert_path: optional(path), key_path: optional(path) })),
  allow_public_bind: optional(bool),
  require_pairing: optional(bool),
  allowed_origins: optional(
    Schema.Array(Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/i))).annotate({
      description: "a list of origins, such as \"https://app.example.com\""
    })
  ),
  trusted_proxies: optional(
    Schema.Array(
      Schema.String.check(Schema.makeFilter((address) => isIP(address) !== 0))
    ).annotate({ description: "a list of IP addresses" })
  )
})
export type GatewayTable = typeof Gateway.Type

/** `config.toml` (docs/configuration.md#keys). Decoding, environment overrides, listings and error messages all derive from it. */
export const ConfigTable = Schema.Struct({
  log_level: optional(oneOf("trace", "debug", "info", "warn", "error", "fatal", "none")),
  agents: map(Agent),
  providers: map(Provider),
  acp: optional(Schema.Struct({
    default_agent: optional(Schema.String.annotate({ description: "the alias of an agent" })),
    max_sessions: optional(integerFrom(1)),
    options: optional(
      Schema.Array(oneOf(...sessionOptionIds)).annotate({ description: `a list of ${sessionOptionIds.join(", ")}` })
    ),
    session_timeout_secs: optional(integerFrom(1)),
    unstable: optional(bool)
  })),
  risk_profiles: map(RiskProfile),
  runtime_profiles: map(RuntimeProfile),
  autonomy: optional(RiskProfile),
  policy: optional(Policy),
  mcp: optional(Schema.Struct({
    servers: map(McpServer),
    clients: optional(Schema.Struct({ enabled: optional(bool), ...confinement }))
  })),
  memory: optional(Schema.Struct({
    auto_save: optional(bool),
    min_relevance_score: optional(fraction),
    conversation_retention_days: optional(integerFrom(0))
  })),
  web_fetch: optional(Schema.Struct(web)),
  http_request: optional(Schema.Struct({ ...web, secrets: map(text), secret_hosts: map(secretHosts) })),
  rpc: optional(
    Schema.Struct({ max_local_connections: optional(integerFrom(1)), max_sessions: optional(integerFrom(1)) })
  ),
  gateway: optional(Gateway),
  security: optional(Schema.Struct({
    trust_daemon_uid: optional(bool),
    leak_detection: optional(Schema.Struct({
      enabled: optional(bool),
      sensitivity: optional(fraction),
      high_entropy_tokens: optional(bool)
    })),
    otp: optional(Schema.Struct({
      enabled: optional(bool),
      method: optional(oneOf("totp")),
      token_ttl_secs: optional(integerFrom(1)),
      cache_valid_secs: optional(integerFrom(0)),
      gated_actions: optional(textList),
      gated_domains: optional(textList),
      gated_domain_categories: optional(
        Schema.Array(Schema.Literals(domainCategories)).annotate({
          description: `a list of ${domainCategories.join(", ")}`
        })
      ),
      challenge_max_attempts: optional(integerFrom(1))
    })),
    estop: optional(Schema.Struct({ enabled: optional(bool), require_otp_to_resume: optional(bool) })),
    audit: uninterpreted,
    prompt_guard: uninterpreted
  })),
  users: map(User),
  permission_profiles: map(PermissionProfile)
})
export type ConfigTable = typeof ConfigTable.Type
