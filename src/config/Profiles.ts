import type { AutonomyLevel } from "../domain/PolicySettings.ts"
import { type CamelCased, camelCased } from "./CamelCase.ts"
import type { ConfigTable } from "./schema/Schema.ts"

type RiskTable = NonNullable<ConfigTable["risk_profiles"]>[string]
type RuntimeTable = NonNullable<ConfigTable["runtime_profiles"]>[string]

export type RiskProfile = CamelCased<RiskTable> & { readonly level: AutonomyLevel }

const runtimeDefaults = {
  maxToolIterations: 50,
  maxToolResultChars: 50_000,
  /** 0 is no limit. */
  maxSystemPromptChars: 0,
  keepToolContextTurns: 2,
  parallelTools: false,
  /** Whether old messages are summarised before they are left out. */
  compactContext: true,
  /** Whether the model has tools. */
  agentic: true
}

/** The limits of an agent's turns, defaults filled in. */
export type RuntimeProfile = Readonly<typeof runtimeDefaults> & {
  readonly maxHistoryMessages: number
  /** The model's own context window when absent. */
  readonly maxContextTokens: number | undefined
  readonly maxActionsPerHour: number | undefined
  /** Of a command that asks for none. */
  readonly shellTimeoutSecs: number | undefined
}

const runtime = (table: RuntimeTable): RuntimeProfile => {
  const settings = camelCased(table)
  const maxToolIterations = settings.maxToolIterations || runtimeDefaults.maxToolIterations
  return {
    ...runtimeDefaults,
    maxHistoryMessages: Math.max(50, 2 * maxToolIterations + 2),
    maxContextTokens: undefined,
    maxActionsPerHour: undefined,
    shellTimeoutSecs: undefined,
    ...settings,
    maxToolIterations
  }
}

/** `default` always exists. */
export const runtimeProfiles = (tables: ConfigTable["runtime_profiles"]): ReadonlyMap<string, RuntimeProfile> =>
  new Map(Object.entries({ default: {}, ...tables }).map(([alias, table]) => [alias, runtime(table)]))

/** `default` always exists; `[autonomy]` is another name for it. */
export const riskTables = (
  { autonomy, risk_profiles }: Pick<ConfigTable, "autonomy" | "risk_profiles">
): NonNullable<ConfigTable["risk_profiles"]> => ({
  ...risk_profiles,
  default: { ...autonomy, ...risk_profiles?.["default"] }
})

export const riskProfiles = (
  table: Pick<ConfigTable, "autonomy" | "risk_profiles">
): ReadonlyMap<string, RiskProfile> =>
  new Map(
    Object.entries(riskTables(table)).map(([alias, profile]) => [
      alias,
      { ...camelCased(profile), level: profile.level ?? "supervised" }
    ])
  )
