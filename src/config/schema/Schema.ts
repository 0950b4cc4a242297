import { Schema } from "effect"
import { flag, map, optional, path, text, texts, whole, word } from "./Atoms.ts"
import { knob, Policy } from "./PolicySchema.ts"
import { PermissionProfile, User } from "./PrincipalSchema.ts"
import { Provider } from "./ProviderSchema.ts"

/** Known to users' files and kept as they are; this version does not interpret what is in them. */
const opaque = optional(Schema.Record(Schema.String, Schema.Unknown))

const Agent = Schema.Struct({
  enabled: optional(flag),
  model: optional(
    Schema.String.check(Schema.isPattern(/^[^/\s]+\/\S+$/)).annotate({
      description: "\"<provider alias>/<model id>\", for example \"anthropic/claude-sonnet-4.6\""
    })
  ),
  workspace: optional(path),
  risk_profile: optional(text),
  runtime_profile: optional(text)
})

const level = optional(word("readonly", "supervised", "full"))

const RiskProfile = Schema.Struct({
  level,
  workspace_only: optional(flag),
  allowed_commands: optional(texts),
  forbidden_commands: optional(texts),
  forbidden_paths: optional(texts),
  allowed_roots: optional(texts),
  max_actions_per_hour: optional(whole(0)),
  max_cost_per_day_cents: optional(whole(0)),
  require_approval_for_medium_risk: optional(flag),
  block_high_risk_commands: optional(flag),
  shell_env_passthrough: optional(texts),
  shell_timeout_secs: optional(whole(1)),
  auto_approve: optional(texts),
  always_ask: optional(texts),
  allowed_tools: optional(texts),
  excluded_tools: optional(texts),
  approval_route: optional(Schema.Struct({
    approver_channel: optional(text),
    on_no_approver: optional(word("deny", "inherit-originator")),
    timeout_secs: optional(whole(1))
  })),
  delegation_policy: opaque,
  sandbox_enabled: optional(flag),
  sandbox_backend: optional(word(
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
  firejail_args: optional(texts)
})

const RuntimeProfile = Schema.Struct({
  agentic: optional(flag),
  max_tool_iterations: optional(whole(0)),
  max_history_messages: optional(whole(1)),
  max_context_tokens: optional(whole(1)),
  max_tool_result_chars: optional(whole(1)),
  max_system_prompt_chars: optional(whole(0)),
  keep_tool_context_turns: optional(whole(0)),
  max_actions_per_hour: optional(whole(0)),
  shell_timeout_secs: optional(whole(1)),
  parallel_tools: optional(flag),
  compact_context: optional(flag),
  tool_dispatcher: optional(word("auto", "native", "xml"))
})

const texted = map(Schema.String.annotate({ description: "a text" }))

/** What a tool of an MCP server may do; the plan and tests are no business of theirs. */
const capability = word("none", "ro", "rw", "shell_rw")

const confinement = {
  sandbox: knob("sandbox"),
  network: optional(flag),
  readable: optional(Schema.Array(path).annotate({ description: "a list of paths" })),
  writable: optional(Schema.Array(path).annotate({ description: "a list of paths" }))
}

const seconds = (most: number) =>
  optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })).annotate({
      description: `a whole number from 1 to ${most}`
    })
  )

const McpServer = Schema.Struct({
  enabled: optional(flag),
  command: optional(text),
  args: optional(Schema.Array(Schema.String).annotate({ description: "a list of texts" })),
  env: texted,
  cwd: optional(path),
  url: optional(
    Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/)).annotate({ description: "an http or https address" })
  ),
  headers: texted,
  transport: optional(word("stdio", "http", "sse")),
  init_timeout_secs: seconds(600),
  tool_timeout_secs: seconds(600),
  ...confinement,
  capability: optional(capability),
  tools: map(capability),
  read_only_hints: optional(flag)
})
export type McpServer = typeof McpServer.Type

/** What the web tools may reach (zeroclaw §4.1). */
const web = {
  enabled: optional(flag),
  allowed_domains: optional(texts),
  blocked_domains: optional(texts),
  allow_private_hosts: optional(flag),
  timeout_secs: optional(whole(1)),
  max_response_size: optional(whole(1))
}

/** `config.toml` (spec §2). The one truth about keys: decoding, environment paths and error texts all come from here. */
export const ConfigTable = Schema.Struct({
  log_level: optional(word("trace", "debug", "info", "warn", "error", "fatal", "none")),
  agents: map(Agent),
  providers: map(Provider),
  acp: optional(Schema.Struct({
    default_agent: optional(Schema.String.annotate({ description: "the alias of an agent" })),
    max_sessions: optional(whole(1)),
    session_timeout_secs: optional(whole(1)),
    unstable: optional(flag)
  })),
  risk_profiles: map(RiskProfile),
  runtime_profiles: map(RuntimeProfile),
  autonomy: optional(Schema.Struct({ level })),
  policy: optional(Policy),
  mcp: optional(Schema.Struct({
    servers: map(McpServer),
    clients: optional(Schema.Struct({ enabled: optional(flag), ...confinement }))
  })),
  memory: optional(Schema.Struct({
    auto_save: optional(flag),
    min_relevance_score: optional(
      Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
        description: "a number from 0 to 1"
      })
    ),
    conversation_retention_days: optional(whole(0))
  })),
  web_fetch: optional(Schema.Struct(web)),
  http_request: optional(Schema.Struct({ ...web, secrets: map(text) })),
  rpc: optional(Schema.Struct({ max_local_connections: optional(whole(1)), max_sessions: optional(whole(1)) })),
  gateway: opaque,
  security: optional(Schema.Struct({
    trust_daemon_uid: optional(flag),
    leak_detection: optional(Schema.Struct({
      enabled: optional(flag),
      sensitivity: optional(
        Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
          description: "a number from 0 to 1"
        })
      ),
      high_entropy_tokens: optional(flag)
    })),
    otp: opaque,
    estop: opaque,
    audit: opaque,
    prompt_guard: opaque
  })),
  users: map(User),
  permission_profiles: map(PermissionProfile)
})
export type ConfigTable = typeof ConfigTable.Type
