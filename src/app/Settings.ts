import { Context, Effect, Layer, type LogLevel, Redacted } from "effect"
import * as path from "node:path"
import { ConfigInvalid, load } from "./ConfigFile.ts"
import { loose } from "./ConfigLoose.ts"
import type { ConfigTable } from "./ConfigSchema.ts"
import type { Environment } from "./Environment.ts"
import { defaults } from "./Defaults.ts"
import { logLevelWords, parseLogLevel } from "./LogLevels.ts"
import { mcpSecrets, type McpSettings, mcpSettings } from "./McpSettings.ts"
import { given, places } from "./Places.ts"
import { type RiskProfile, riskProfiles, type RuntimeProfile, runtimeProfiles } from "./Profiles.ts"
import { defaultModel, type Provider, providers, type Proxy, proxyOf, secretsOf } from "./Providers.ts"

export interface Agent {
  readonly alias: string
  readonly enabled: boolean
  /** `"<provider alias>/<model id>"`; where none is configured, `defaultModel`. */
  readonly model: string
  /** Absolute; made by whoever uses it first. */
  readonly workspace: string
  /** Keys of `riskProfiles` and `runtimeProfiles`, checked. */
  readonly riskProfile: string
  readonly runtimeProfile: string
}

/** Command-line flags that are stronger than everything else. */
export interface Flags {
  readonly configDir?: string | undefined
  readonly logLevel?: string | undefined
}

/** The configuration of this process (spec §2), read once: flags over environment over `config.toml` over defaults. */
export class Settings extends Context.Service<Settings, {
  /** Absolute; need not exist. */
  readonly configDir: string
  readonly configFile: string
  readonly dataDir: string
  /** `POSTERN_SOCKET`, when set. */
  readonly socket: string | undefined
  /** As asked for by flag, environment or file. */
  readonly logLevel: LogLevel.LogLevel | undefined
  /** Never empty. */
  readonly agents: ReadonlyMap<string, Agent>
  readonly providers: ReadonlyMap<string, Provider>
  readonly defaultModel: string
  /** The proxy variables of the environment; this machine itself is never asked through one. */
  readonly proxy: Proxy
  readonly acp: {
    readonly defaultAgent: string | undefined
    readonly maxSessions: number
    readonly sessionTimeoutSecs: number
    readonly unstable: boolean
  }
  readonly mcp: McpSettings
  /** As written under `[security.leak_detection]`. */
  readonly leakDetection: NonNullable<NonNullable<ConfigTable["security"]>["leak_detection"]>
  /** As written under `[web_fetch]` and `[http_request]`, without the secrets. */
  readonly web: {
    readonly fetch: NonNullable<ConfigTable["web_fetch"]>
    readonly request: NonNullable<ConfigTable["web_fetch"]>
  }
  /** `[http_request.secrets]` by name. */
  readonly webSecrets: ReadonlyMap<string, Redacted.Redacted<string>>
  readonly rpc: { readonly maxLocalConnections: number; readonly maxSessions: number }
  /** Of chat sessions (zeroclaw.md §5); 0 days keep everything. */
  readonly memory: {
    readonly autoSave: boolean
    readonly minRelevance: number
    readonly conversationRetentionDays: number
  }
  /** As written under `[policy]`. */
  readonly policy: NonNullable<ConfigTable["policy"]>
  readonly riskProfiles: ReadonlyMap<string, RiskProfile>
  readonly runtimeProfiles: ReadonlyMap<string, RuntimeProfile>
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** Sentences worth a warning in the log: tables that are accepted but have no effect in this version, and the like. */
  readonly notes: ReadonlyArray<string>
}>()("postern/app/Settings") {
  static readonly layer = (flags: Flags = {}, env: Environment = process.env): Layer.Layer<Settings, ConfigInvalid> =>
    Layer.effect(Settings, make(flags, env))
}

const levelFrom = (
  name: string,
  word: string | undefined
): Effect.Effect<LogLevel.LogLevel | undefined, ConfigInvalid> => {
  if (given(word) === undefined) return Effect.undefined
  const level = parseLogLevel(word ?? "")
  return level === undefined
    ? new ConfigInvalid({ message: `${name} must be one of ${logLevelWords.join(", ")}, not ${JSON.stringify(word)}` })
    : Effect.succeed(level)
}

const laterSecurity = ["otp", "estop", "audit", "prompt_guard"] as const

/** Tables of later features: accepted so that users' files keep working, not interpreted by this version. */
const ignoredTables = (table: ConfigTable): ReadonlyArray<string> => [
  ...(table.gateway === undefined ? [] : ["gateway"]),
  ...laterSecurity.filter((name) => table.security?.[name] !== undefined).map((name) => `security.${name}`)
]

/** Keys of a risk profile that are checked and do nothing yet. */
const ignoredLimits = ["delegation_policy"] as const

/** What nobody knows the price of cannot be counted. */
const uncounted = (table: ConfigTable, agents: ReadonlyMap<string, Agent>): ReadonlyArray<string> =>
  Array.from(agents.values()).flatMap(({ alias, enabled, model, riskProfile }) => {
    const provider = model.split("/", 1)[0]!
    return !enabled || table.risk_profiles?.[riskProfile]?.max_cost_per_day_cents === undefined ||
        table.providers?.[provider]?.prices !== undefined
      ? []
      : [
        `risk_profiles.${riskProfile}.max_cost_per_day_cents does not count what agent ${alias} asks ${model}: providers.${provider}.prices is missing`
      ]
  })

const notesOn = (
  table: ConfigTable,
  agents: ReadonlyMap<string, Agent>
): ReadonlyArray<string> => [
  ...uncounted(table, agents),
  ...ignoredTables(table).map((name) => `[${name}] has no effect in this version`),
  ...Object.entries(table.risk_profiles ?? {}).flatMap(([alias, profile]) =>
    ignoredLimits.filter((key) => profile[key] !== undefined).map((key) =>
      `risk_profiles.${alias}.${key} has no effect in this version`
    )
  ),
  ...Object.entries(table.permission_profiles ?? {}).flatMap(([alias, { allowed_channels }]) =>
    allowed_channels === undefined
      ? []
      : [`permission_profiles.${alias}.allowed_channels has no effect: this version has no channels`]
  ),
  ...loose(table).map(({ problem }) => problem)
]

const make = Effect.fnUntraced(function*(flags: Flags, environment: Environment) {
  const { absolute, configDir, configFile, dataDir, socket } = places(flags.configDir, environment)
  const logLevel = (yield* levelFrom("--log-level", flags.logLevel)) ??
    (yield* levelFrom("POSTERN_LOG_LEVEL", environment["POSTERN_LOG_LEVEL"]))
  const table = yield* load(configFile, environment)
  const agents = Object.entries(table.agents ?? {})
  if (agents.length === 0) agents.push(["default", {}])
  const known = providers(table.providers, environment)
  const usual = defaultModel(known)
  const all = new Map(agents.map(([alias, agent]): [string, Agent] => [alias, {
    alias,
    enabled: agent.enabled ?? true,
    model: agent.model ?? usual,
    workspace: absolute(configDir, agent.workspace ?? path.join("agents", alias, "workspace")),
    riskProfile: agent.risk_profile ?? "default",
    runtimeProfile: agent.runtime_profile ?? "default"
  }]))
  const mcp = mcpSettings(table.mcp, (text) => absolute(configDir, text))
  const { secrets = {}, ...request } = table.http_request ?? {}
  const webSecrets = new Map(Object.entries(secrets).map(([name, value]) => [name, Redacted.make(value)]))
  const defaultAgent = given(table.acp?.default_agent)?.trim()
  return Settings.of({
    configDir,
    configFile,
    dataDir,
    socket,
    logLevel: logLevel ?? (yield* levelFrom("log_level", table.log_level)),
    agents: all,
    providers: known,
    defaultModel: usual,
    proxy: proxyOf(environment),
    acp: {
      defaultAgent,
      maxSessions: table.acp?.max_sessions ?? defaults.acp.max_sessions,
      sessionTimeoutSecs: table.acp?.session_timeout_secs ?? defaults.acp.session_timeout_secs,
      unstable: table.acp?.unstable ?? defaults.acp.unstable
    },
    mcp,
    leakDetection: table.security?.leak_detection ?? {},
    web: { fetch: table.web_fetch ?? {}, request },
    webSecrets,
    rpc: {
      maxLocalConnections: table.rpc?.max_local_connections ?? defaults.rpc.max_local_connections,
      maxSessions: table.rpc?.max_sessions ?? defaults.rpc.max_sessions
    },
    memory: {
      autoSave: table.memory?.auto_save ?? defaults.memory.auto_save,
      minRelevance: table.memory?.min_relevance_score ?? defaults.memory.min_relevance_score,
      conversationRetentionDays: table.memory?.conversation_retention_days ??
        defaults.memory.conversation_retention_days
    },
    policy: table.policy ?? {},
    riskProfiles: riskProfiles(table.risk_profiles, table.autonomy?.level),
    runtimeProfiles: runtimeProfiles(table.runtime_profiles),
    secrets: [...secretsOf(known), ...mcpSecrets(mcp.servers), ...webSecrets.values()],
    notes: notesOn(table, all)
  })
})
