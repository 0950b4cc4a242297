import type { Path } from "../schema/Lookup.ts"
import { isTable, type Table } from "./TomlTable.ts"
import type { Assignment } from "./TomlKeys.ts"

export interface Reference {
  readonly at: Path
  /** The table whose keys are meant. */
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

const other = (value: unknown, from: string, to: string): unknown => {
  if (Array.isArray(value)) return value.includes(from) ? value.map((one) => one === from ? to : one) : undefined
  if (typeof value !== "string") return undefined
  return value === from ? to : value.startsWith(`${from}/`) ? to + value.slice(from.length) : undefined
}

const places = (value: unknown, at: Path, path: Path = []): ReadonlyArray<Assignment> => {
  const [key, ...rest] = at
  if (key === undefined) return [{ path, value }]
  if (!isTable(value)) return []
  const keys = key === "*" ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : []
  return keys.flatMap((one) => places(value[one], rest, [...path, one]))
}

/** What has to be set elsewhere when `from` in the table `of` is called `to`. */
export const following = (root: Table, of: Path, from: string, to: string): ReadonlyArray<Assignment> =>
  references.filter((one) => one.to === of.join(".")).flatMap(({ at }) =>
    places(root, at).flatMap(({ path, value }) => {
      const renamed = other(value, from, to)
      return renamed === undefined ? [] : [{ path, value: renamed }]
    })
  )
