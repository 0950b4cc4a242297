import { defaults as servers } from "../domain/McpServerConfig.ts"
import { defaults as knobs } from "../domain/PolicySettings.ts"
import { camel } from "./Camel.ts"
import type { Path } from "./schema/Lookup.ts"
import type { ConfigTable } from "./schema/Schema.ts"
import { defaults } from "./Defaults.ts"
import type { EnvironmentVariables } from "./load/EnvironmentOverrides.ts"
import { riskProfiles, runtimeProfiles } from "./Profiles.ts"
import { defaultModel, providers } from "./Providers.ts"

type Table = Readonly<Record<string, unknown>>

/** A knob as code spells it, of what knows it so. */
const knobOf = (filled: object | undefined, key: string): unknown => {
  const [name = ""] = Object.keys(camel({ [key]: 0 }))
  return filled !== undefined && Object.hasOwn(filled, name) ? (filled as Table)[name] : undefined
}

const agent = (alias: string, table: ConfigTable, environment: EnvironmentVariables): Table => ({
  enabled: true,
  model: defaultModel(providers(table.providers, environment)),
  workspace: `agents/${alias}/workspace`,
  risk_profile: "default",
  runtime_profile: "default"
})

const hasAgent = (alias: string, { agents = {} }: ConfigTable) =>
  Object.hasOwn(agents, alias) || (alias === "default" && Object.keys(agents).length === 0)

const ofAlias = (
  of: string,
  alias: string,
  key: string,
  table: ConfigTable,
  environment: EnvironmentVariables
): unknown => {
  switch (of) {
    case "agents":
      return hasAgent(alias, table) ? agent(alias, table, environment)[key] : undefined
    case "risk_profiles":
      return knobOf(riskProfiles(table.risk_profiles, table.autonomy?.level).get(alias), key)
    case "runtime_profiles":
      return knobOf(runtimeProfiles(table.runtime_profiles).get(alias), key)
    case "providers":
      return knobOf(providers(table.providers, environment).get(alias), key)
    default:
      return undefined
  }
}

const fixed: Table = {
  ...defaults,
  policy: knobs,
  security: { trust_daemon_uid: true },
  autonomy: { level: "supervised" }
}

/** Values that are read as one: a list or a table has none. */
const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value)

/** What counts at a place where nothing is set; `undefined` where nothing does. Secrets have no such value. */
export const fallbackOf = (path: Path, table: ConfigTable, environment: EnvironmentVariables): unknown => {
  const [of = "", second = "", third = "", key = ""] = path
  const found = path.length === 2
    ? Object.hasOwn(fixed, of) ? (fixed[of] as Table)[second] : undefined
    : path.length === 3
    ? ofAlias(of, second, third, table, environment)
    : of === "mcp" && second === "servers" && path.length === 4 && table.mcp?.servers?.[third] !== undefined
    ? key === "enabled" ? true : knobOf(servers, key)
    : undefined
  return isPlain(found) ? found : undefined
}
