import { isTable, type KeyAssignment, type KeyPath, type Table } from "./KeyPath.ts"
import type { ConfigTable } from "./Schema.ts"
import { hint } from "./Suggestion.ts"

/** Keys whose values name keys of another table. */

export interface Reference {
  /** With `*` for any alias. */
  readonly at: KeyPath
  /** The table whose keys are named. */
  readonly to: string
}

/** Keys whose values name keys of another table; a model names its provider before the first `/`. */
export const references: ReadonlyArray<Reference> = [
  { at: ["acp", "default_agent"], to: "agents" },
  { at: ["agents", "*", "risk_profile"], to: "risk_profiles" },
  { at: ["agents", "*", "runtime_profile"], to: "runtime_profiles" },
  { at: ["agents", "*", "model"], to: "providers" },
  { at: ["providers", "*", "fallback"], to: "providers" },
  { at: ["users", "*", "permission_profiles"], to: "permission_profiles" },
  { at: ["permission_profiles", "*", "allowed_agents"], to: "agents" }
]

const renamed = (value: unknown, from: string, to: string): unknown => {
  if (Array.isArray(value)) return value.includes(from) ? value.map((one) => one === from ? to : one) : undefined
  if (typeof value !== "string") return undefined
  return value === from ? to : value.startsWith(`${from}/`) ? to + value.slice(from.length) : undefined
}

const valuesAt = (value: unknown, at: KeyPath, path: KeyPath = []): ReadonlyArray<KeyAssignment> => {
  const [key, ...rest] = at
  if (key === undefined) return [{ path, value }]
  if (!isTable(value)) return []
  const keys = key === "*" ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : []
  return keys.flatMap((one) => valuesAt(value[one], rest, [...path, one]))
}

/** What has to be set elsewhere when the alias `from` of `table` becomes `to`. */
export const referencesTo = (root: Table, table: KeyPath, from: string, to: string): ReadonlyArray<KeyAssignment> =>
  references.filter((one) => one.to === table.join(".")).flatMap(({ at }) =>
    valuesAt(root, at).flatMap(({ path, value }) => {
      const other = renamed(value, from, to)
      return other === undefined ? [] : [{ path, value: other }]
    })
  )

/** A reference that leads nowhere and does not keep Postern from starting. */
export interface DanglingReference {
  readonly path: ReadonlyArray<string>
  /** The alias that it names. */
  readonly name: string
  /** The named entry exists and is disabled, perhaps for a while. */
  readonly isDisabled: boolean
  readonly problem: string
}

export const isSameReference = (a: DanglingReference) => (b: DanglingReference): boolean =>
  a.path.join("\n") === b.path.join("\n") && a.name === b.name

/** Of a table that `inconsistency` accepts. */
export const danglingReferences = (table: ConfigTable): ReadonlyArray<DanglingReference> => {
  const agents = Object.keys(table.agents ?? {}).length === 0 ? { default: {} } : table.agents ?? {}
  const names = Object.keys(agents)
  const chosen = table.acp?.default_agent?.trim() ?? ""
  const byDefault = chosen === "" || agents[chosen]?.enabled !== false ? [] : [{
    path: ["acp", "default_agent"],
    name: chosen,
    isDisabled: true,
    problem: `acp.default_agent names no enabled agent: "${chosen}"; the agents are ${names.join(", ")}`
  }]
  const allowed = Object.entries(table.permission_profiles ?? {}).flatMap(([alias, { allowed_agents = [] }]) =>
    allowed_agents.filter((name) => name !== "*" && !names.includes(name)).map((name) => ({
      path: ["permission_profiles", alias, "allowed_agents"],
      name,
      isDisabled: false,
      problem: `permission_profiles.${alias}.allowed_agents names no agent: "${name}"${hint(name, names)}`
    }))
  )
  return [...byDefault, ...allowed]
}
