import { type LogLevel, Redacted } from "effect"
import * as path from "node:path"
import { type CodeGates, usualActions } from "../domain/CodeGates.ts"
import { normalDomain } from "../domain/EmergencyStop.ts"
import { defaults as serverDefaults, type McpServerConfig } from "../domain/McpServerConfig.ts"
import type { EnvironmentVariables } from "../platform/Environment.ts"
import { type CamelCased, camelCased } from "./CamelCase.ts"
import { parseLogLevel } from "./LogLevels.ts"
import { nonBlank, type Paths } from "./Paths.ts"
import { type RiskProfile, riskProfiles, riskTables, type RuntimeProfile, runtimeProfiles } from "./Profiles.ts"
import { defaultModel, type Provider, providers, secretsOf } from "./Providers.ts"
import { danglingReferences } from "./schema/References.ts"
import type { ConfigTable, McpServerTable } from "./schema/Schema.ts"

/** Values of keys that are not set, in the spelling of the file. */
export const defaults = {
  acp: { max_sessions: 10, session_timeout_secs: 3600, unstable: false },
  rpc: { max_local_connections: 512, max_sessions: 64 },
  gateway: {
    enabled: false,
    host: "127.0.0.1",
    port: 42_617,
    path_prefix: "",
    allow_public_bind: false,
    require_pairing: true
  },
  memory: { auto_save: true, min_relevance_score: 0.4, conversation_retention_days: 30 },
  otp: { enabled: false, method: "totp", token_ttl_secs: 30, cache_valid_secs: 300, challenge_max_attempts: 3 },
  estop: { require_otp_to_resume: true }
} as const

export interface AgentSettings {
  readonly alias: string
  readonly enabled: boolean
  /** `"<provider alias>/<model id>"`; `defaultModel` where none is configured. */
  readonly model: string
  /** Absolute; created when it is first used. */
  readonly workspace: string
  /** Keys of `riskProfiles` and `runtimeProfiles`, checked. */
  readonly riskProfile: string
  readonly runtimeProfile: string
}

/** Where and for whom the daemon serves the network. */
export interface GatewaySettings {
  readonly enabled: boolean
  /** Without brackets. */
  readonly host: string
  readonly port: number
  /** Empty, or `/…` without a slash at its end. */
  readonly pathPrefix: string
  /** Absolute paths. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined
  readonly requirePairing: boolean
  readonly allowedOrigins: ReadonlyArray<string>
  readonly trustedProxies: ReadonlyArray<string>
}

export interface McpSettings {
  /** Those that are enabled. */
  readonly servers: ReadonlyArray<McpServerConfig>
  /** The limits of servers that clients configure; absent when clients may not bring any. */
  readonly clients: Pick<McpServerConfig, "sandbox" | "network" | "readable" | "writable"> | undefined
}

/** What is set under `[security.otp]`. See docs/one-time-codes.md. */
export interface OtpSettings {
  readonly gates: CodeGates
  readonly method: "totp"
  /** Seconds that one code counts for, where one is enrolled now. */
  readonly period: number
  readonly maxAttempts: number
  /** Seconds that an approval counts for in its session. */
  readonly cacheSecs: number
}

/** One reading of the configuration, defaults filled in. All of it can change while a daemon runs. */
interface WebSecret {
  readonly value: Redacted.Redacted<string>
  /** It is sent to no others. */
  readonly hosts: ReadonlyArray<string>
}

export interface Snapshot {
  /** By flag, environment or file. */
  readonly logLevel: LogLevel.LogLevel | undefined
  /** Never empty. */
  readonly agents: ReadonlyMap<string, AgentSettings>
  readonly providers: ReadonlyMap<string, Provider>
  readonly defaultModel: string
  readonly acp: {
    readonly defaultAgent: string | undefined
    readonly maxSessions: number
    /** Ids of the options that clients are offered; absent: all. */
    readonly options: ReadonlyArray<string> | undefined
    readonly sessionTimeoutSecs: number
    readonly unstable: boolean
  }
  readonly mcp: McpSettings
  /** What is set under `[security.leak_detection]`. */
  readonly leakDetection: CamelCased<NonNullable<NonNullable<ConfigTable["security"]>["leak_detection"]>>
  readonly otp: OtpSettings
  /** Whether lifting an emergency stop takes a one-time code. */
  readonly resumeTakesCode: boolean
  /** What is set under `[web_fetch]` and `[http_request]`, without the secrets. */
  readonly web: {
    readonly fetch: CamelCased<NonNullable<ConfigTable["web_fetch"]>>
    readonly request: CamelCased<NonNullable<ConfigTable["web_fetch"]>>
  }
  /** `[http_request.secrets]` by name, with the `secret_hosts` of each. */
  readonly webSecrets: ReadonlyMap<string, WebSecret>
  readonly rpc: { readonly maxSessions: number }
  readonly gateway: GatewaySettings
  /** Of chat sessions (docs/configuration.md#memory); 0 days keep everything. */
  readonly memory: {
    readonly autoSave: boolean
    readonly minRelevance: number
    readonly conversationRetentionDays: number
  }
  /** What is set under `[policy]`. */
  readonly policy: NonNullable<ConfigTable["policy"]>
  readonly riskProfiles: ReadonlyMap<string, RiskProfile>
  readonly runtimeProfiles: ReadonlyMap<string, RuntimeProfile>
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** Warnings for the log, such as tables that are accepted but have no effect in this version. */
  readonly notes: ReadonlyArray<string>
  /** File and environment together. */
  readonly table: ConfigTable
}

/** What a snapshot depends on besides the table; it stays the same while a process runs. */
interface SnapshotContext extends Pick<Paths, "absolute" | "configDir"> {
  readonly environment: EnvironmentVariables
  /** Takes precedence over the table's. */
  readonly logLevel: LogLevel.LogLevel | undefined
}

type Absolute = (path: string) => string

type McpTable = NonNullable<ConfigTable["mcp"]>

const confinement = (
  { network, readable, sandbox, writable }: NonNullable<McpTable["clients"]>,
  absolute: Absolute
) => ({
  sandbox,
  network: network ?? serverDefaults.network,
  readable: (readable ?? serverDefaults.readable).map(absolute),
  writable: (writable ?? serverDefaults.writable).map(absolute)
})

const transportOf = (server: McpServerTable, absolute: Absolute): McpServerConfig["transport"] =>
  server.command === undefined
    ? { _tag: "Http", url: server.url ?? "", headers: server.headers ?? {}, sse: server.transport === "sse" }
    : {
      _tag: "Stdio",
      command: server.command,
      args: server.args ?? [],
      env: server.env ?? {},
      cwd: server.cwd?.startsWith("~") === true ? absolute(server.cwd) : server.cwd
    }

/** `absolute` resolves `~`, and against the configuration folder. */
const mcpSettings = ({ clients = {}, servers = {} }: McpTable = {}, absolute: Absolute): McpSettings => ({
  servers: Object.entries(servers).filter(([, { enabled }]) => enabled !== false).map((
    [name, server]
  ): McpServerConfig => ({
    name,
    transport: transportOf(server, absolute),
    initTimeoutSecs: server.init_timeout_secs ?? serverDefaults.initTimeoutSecs,
    toolTimeoutSecs: server.tool_timeout_secs ?? serverDefaults.toolTimeoutSecs,
    ...confinement(server, absolute),
    capability: server.capability ?? serverDefaults.capability,
    tools: Object.entries(server.tools ?? {}),
    readOnlyHints: server.read_only_hints ?? serverDefaults.readOnlyHints
  })),
  clients: clients.enabled === false ? undefined : confinement(clients, absolute)
})

/** Shorter values, such as `1` and `true`, are no secrets; hiding them would blank them out everywhere. */
const minSecretLength = 8

const mcpSecrets = (servers: ReadonlyArray<McpServerConfig>): ReadonlyArray<Redacted.Redacted<string>> =>
  servers.flatMap(({ transport }) => Object.values(transport._tag === "Http" ? transport.headers : transport.env))
    .filter((value) => value.length >= minSecretLength).map((value) => Redacted.make(value))

const gatewaySettings = (table: ConfigTable["gateway"] = {}, absolute: Absolute): GatewaySettings => ({
  enabled: table.enabled ?? defaults.gateway.enabled,
  host: (table.host ?? defaults.gateway.host).replace(/^\[(.*)\]$/, "$1"),
  port: table.port ?? defaults.gateway.port,
  pathPrefix: (table.path_prefix ?? defaults.gateway.path_prefix).replace(/\/$/, ""),
  tls: table.tls?.cert_path === undefined || table.tls.key_path === undefined
    ? undefined
    : { certificate: absolute(table.tls.cert_path), key: absolute(table.tls.key_path) },
  requirePairing: table.require_pairing ?? defaults.gateway.require_pairing,
  allowedOrigins: table.allowed_origins ?? [],
  trustedProxies: table.trusted_proxies ?? []
})

const otpSettings = (table: NonNullable<ConfigTable["security"]>["otp"] = {}): OtpSettings => ({
  gates: {
    enabled: table.enabled ?? defaults.otp.enabled,
    actions: table.gated_actions ?? usualActions,
    domains: (table.gated_domains ?? []).map(normalDomain),
    categories: table.gated_domain_categories ?? []
  },
  method: table.method ?? defaults.otp.method,
  period: table.token_ttl_secs ?? defaults.otp.token_ttl_secs,
  maxAttempts: table.challenge_max_attempts ?? defaults.otp.challenge_max_attempts,
  cacheSecs: table.cache_valid_secs ?? defaults.otp.cache_valid_secs
})

const ignoredSecurity = ["audit", "prompt_guard"] as const

/** Tables of later features: accepted so that users' files keep working, not interpreted by this version. */
const ignoredTables = (table: ConfigTable): ReadonlyArray<string> => [
  ...ignoredSecurity.filter((name) => table.security?.[name] !== undefined).map((name) => `security.${name}`)
]

/** Keys of a risk profile that are checked and do nothing yet. */
const ignoredLimits = ["delegation_policy"] as const

/** Models that cannot call tools by their provider's own means are asked as if they could. */
const withoutDispatcher = (table: ConfigTable): ReadonlyArray<string> =>
  Object.entries(table.runtime_profiles ?? {}).flatMap(([alias, { tool_dispatcher }]) =>
    tool_dispatcher === "xml"
      ? [
        `runtime_profiles.${alias}.tool_dispatcher = "xml" has no effect in this version: tools are called as the provider does`
      ]
      : []
  )

/** The cost of models without prices does not count towards a limit. */
const uncounted = (table: ConfigTable, agents: ReadonlyMap<string, AgentSettings>): ReadonlyArray<string> =>
  Array.from(agents.values()).flatMap(({ alias, enabled, model, riskProfile }) => {
    const provider = model.split("/", 1)[0]!
    return !enabled || riskTables(table)[riskProfile]?.max_cost_per_day_cents === undefined ||
        table.providers?.[provider]?.prices !== undefined
      ? []
      : [
        `risk_profiles.${riskProfile}.max_cost_per_day_cents does not count what agent ${alias} asks ${model}: providers.${provider}.prices is missing`
      ]
  })

/** A secret that may be sent nowhere, and hosts of a secret that there is not. */
const secretsWithoutHosts = ({ http_request }: ConfigTable): ReadonlyArray<string> => {
  const { secret_hosts: hosts = {}, secrets = {} } = http_request ?? {}
  const isBound = (name: string) => Object.hasOwn(hosts, name) && (hosts[name] ?? []).length > 0
  return [
    ...Object.keys(secrets).filter((name) => !isBound(name)).map((name) =>
      `http_request.secrets.${name} is sent to no host until http_request.secret_hosts.${name} lists some, as in ["api.example.com"]`
    ),
    ...Object.keys(hosts).filter((name) => !Object.hasOwn(secrets, name)).map((name) =>
      `http_request.secret_hosts.${name} has no effect: there is no http_request.secrets.${name}`
    )
  ]
}

const notesOn = (
  table: ConfigTable,
  agents: ReadonlyMap<string, AgentSettings>
): ReadonlyArray<string> => [
  ...uncounted(table, agents),
  ...ignoredTables(table).map((name) => `[${name}] has no effect in this version`),
  ...Object.entries(riskTables(table)).flatMap(([alias, profile]) =>
    ignoredLimits.filter((key) => profile[key] !== undefined).map((key) =>
      `${
        alias === "default" && table.autonomy?.[key] !== undefined ? "autonomy" : `risk_profiles.${alias}`
      }.${key} has no effect in this version`
    )
  ),
  ...Object.entries(table.permission_profiles ?? {}).flatMap(([alias, { allowed_channels }]) =>
    allowed_channels === undefined
      ? []
      : [`permission_profiles.${alias}.allowed_channels has no effect: this version has no channels`]
  ),
  ...withoutDispatcher(table),
  ...secretsWithoutHosts(table),
  ...danglingReferences(table).map(({ problem }) => problem)
]

const agentsOf = (
  table: ConfigTable,
  { absolute, configDir }: SnapshotContext,
  usual: string
): ReadonlyMap<string, AgentSettings> => {
  const agents = Object.entries(table.agents ?? {})
  if (agents.length === 0) agents.push(["default", {}])
  return new Map(agents.map(([alias, agent]): [string, AgentSettings] => [alias, {
    alias,
    enabled: agent.enabled ?? true,
    model: agent.model ?? usual,
    workspace: absolute(configDir, agent.workspace ?? path.join("agents", alias, "workspace")),
    riskProfile: agent.risk_profile ?? "default",
    runtimeProfile: agent.runtime_profile ?? "default"
  }]))
}

/** Fills in the defaults of a validated table. */
export const snapshot = (table: ConfigTable, context: SnapshotContext): Snapshot => {
  const known = providers(table.providers, context.environment)
  const usual = defaultModel(known)
  const agents = agentsOf(table, context, usual)
  const mcp = mcpSettings(table.mcp, (text) => context.absolute(context.configDir, text))
  const { secret_hosts = {}, secrets = {}, ...request } = table.http_request ?? {}
  const webSecrets = new Map(
    Object.entries(secrets).map(([name, value]) => [
      name,
      { value: Redacted.make(value), hosts: Object.hasOwn(secret_hosts, name) ? secret_hosts[name] ?? [] : [] }
    ])
  )
  const defaultAgent = nonBlank(table.acp?.default_agent)?.trim()
  return {
    table,
    logLevel: context.logLevel ?? parseLogLevel(table.log_level ?? ""),
    agents,
    providers: known,
    defaultModel: usual,
    acp: {
      defaultAgent,
      maxSessions: table.acp?.max_sessions ?? defaults.acp.max_sessions,
      options: table.acp?.options,
      sessionTimeoutSecs: table.acp?.session_timeout_secs ?? defaults.acp.session_timeout_secs,
      unstable: table.acp?.unstable ?? defaults.acp.unstable
    },
    mcp,
    leakDetection: camelCased(table.security?.leak_detection ?? {}),
    otp: otpSettings(table.security?.otp),
    resumeTakesCode: table.security?.estop?.enabled === true &&
      (table.security.estop.require_otp_to_resume ?? defaults.estop.require_otp_to_resume),
    web: { fetch: camelCased(table.web_fetch ?? {}), request: camelCased(request) },
    webSecrets,
    gateway: gatewaySettings(table.gateway, (text) => context.absolute(context.configDir, text)),
    rpc: { maxSessions: table.rpc?.max_sessions ?? defaults.rpc.max_sessions },
    memory: {
      autoSave: table.memory?.auto_save ?? defaults.memory.auto_save,
      minRelevance: table.memory?.min_relevance_score ?? defaults.memory.min_relevance_score,
      conversationRetentionDays: table.memory?.conversation_retention_days ??
        defaults.memory.conversation_retention_days
    },
    policy: table.policy ?? {},
    riskProfiles: riskProfiles(table),
    runtimeProfiles: runtimeProfiles(table.runtime_profiles),
    secrets: [
      ...secretsOf(known),
      ...mcpSecrets(mcp.servers),
      ...Array.from(webSecrets.values(), ({ value }) => value)
    ],
    notes: notesOn(table, agents)
  }
}
