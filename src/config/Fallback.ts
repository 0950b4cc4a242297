import { defaults as serverDefaults } from "../domain/McpServerConfig.ts"
import { defaults as policyDefaults } from "../domain/PolicySettings.ts"
import type { EnvironmentVariables } from "../platform/Environment.ts"
import { camelCased } from "./CamelCase.ts"
import { riskProfiles, runtimeProfiles } from "./Profiles.ts"
import { defaultModel, providers } from "./Providers.ts"
import type { KeyPath, Table } from "./schema/KeyPath.ts"
import type { ConfigTable } from "./schema/Schema.ts"
import { defaults } from "./Snapshot.ts"

/** A key of the file in an object whose keys are spelled in camel case, with its defaults filled in. */
const valueIn = (filled: object | undefined, key: string): unknown => {
  const [name = ""] = Object.keys(camelCased({ [key]: 0 }))
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

const entryFallback = (
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
      return valueIn(riskProfiles(table).get(alias), key)
    case "runtime_profiles":
      return valueIn(runtimeProfiles(table.runtime_profiles).get(alias), key)
    case "providers":
      return valueIn(providers(table.providers, environment).get(alias), key)
    default:
      return undefined
  }
}

const fixed: Readonly<Record<string, Readonly<Table>>> = {
  ...defaults,
  policy: { ...policyDefaults, ask_network_reads: true },
  security: { trust_daemon_uid: true }
}

const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value)

/** The value that holds where a path is not set; `undefined` where none does, for lists and tables, and for secrets. */
export const fallbackOf = (path: KeyPath, table: ConfigTable, environment: EnvironmentVariables): unknown => {
  const [of = "", second = "", third = "", key = ""] = path
  const found = path.length === 2 && of === "autonomy"
    ? entryFallback("risk_profiles", "default", second, table, environment)
    : path.length === 2
    ? Object.hasOwn(fixed, of) ? fixed[of]?.[second] : undefined
    : path.length === 3
    ? entryFallback(of, second, third, table, environment)
    : of === "mcp" && second === "servers" && path.length === 4 && table.mcp?.servers?.[third] !== undefined
    ? key === "enabled" ? true : valueIn(serverDefaults, key)
    : undefined
  return isScalar(found) ? found : undefined
}
