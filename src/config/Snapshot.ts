import { type LogLevel, Redacted } from "effect"
import * as path from "node:path"
import { loose } from "./load/DanglingReferences.ts"
import type { ConfigTable } from "./schema/Schema.ts"
import { defaults } from "./Defaults.ts"
import type { EnvironmentVariables } from "./load/EnvironmentOverrides.ts"
import { parseLogLevel } from "./LogLevels.ts"
import { mcpSecrets, type McpSettings, mcpSettings } from "./McpSettings.ts"
import { given, type Places } from "./Paths.ts"
import { type RiskProfile, riskProfiles, type RuntimeProfile, runtimeProfiles } from "./Profiles.ts"
import { defaultModel, type Provider, providers, secretsOf } from "./Providers.ts"

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

/** What one reading of the configuration says (spec §2), defaults filled in; everything in it can change while a daemon runs. */
export interface Snapshot {
  /** As asked for by flag, environment or file. */
  readonly logLevel: LogLevel.LogLevel | undefined
  /** Never empty. */
  readonly agents: ReadonlyMap<string, Agent>
  readonly providers: ReadonlyMap<string, Provider>
  readonly defaultModel: string
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
  readonly rpc: { readonly maxSessions: number }
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
  /** What was read: file and environment together. */
  readonly table: ConfigTable
}

/** What counts besides the table; it stays the same while a process runs. */
export interface Origin extends Pick<Places, "absolute" | "configDir"> {
  readonly environment: EnvironmentVariables
  /** Stronger than the table's. */
  readonly logLevel: LogLevel.LogLevel | undefined
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

const agentsOf = (
  table: ConfigTable,
  { absolute, configDir }: Origin,
  usual: string
): ReadonlyMap<string, Agent> => {
  const agents = Object.entries(table.agents ?? {})
  if (agents.length === 0) agents.push(["default", {}])
  return new Map(agents.map(([alias, agent]): [string, Agent] => [alias, {
    alias,
    enabled: agent.enabled ?? true,
    model: agent.model ?? usual,
    workspace: absolute(configDir, agent.workspace ?? path.join("agents", alias, "workspace")),
    riskProfile: agent.risk_profile ?? "default",
    runtimeProfile: agent.runtime_profile ?? "default"
  }]))
}

/** A validated table as the rest of the program wants it. */
export const snapshot = (table: ConfigTable, origin: Origin): Snapshot => {
  const known = providers(table.providers, origin.environment)
  const usual = defaultModel(known)
  const agents = agentsOf(table, origin, usual)
  const mcp = mcpSettings(table.mcp, (text) => origin.absolute(origin.configDir, text))
  const { secrets = {}, ...request } = table.http_request ?? {}
  const webSecrets = new Map(Object.entries(secrets).map(([name, value]) => [name, Redacted.make(value)]))
  const defaultAgent = given(table.acp?.default_agent)?.trim()
  return {
    table,
    logLevel: origin.logLevel ?? parseLogLevel(table.log_level ?? ""),
    agents,
    providers: known,
    defaultModel: usual,
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
    rpc: { maxSessions: table.rpc?.max_sessions ?? defaults.rpc.max_sessions },
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
    notes: notesOn(table, agents)
  }
}
