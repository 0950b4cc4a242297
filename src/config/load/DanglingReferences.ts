import type { ConfigTable } from "../schema/Schema.ts"
import { hint } from "./Suggestion.ts"

/** A reference that leads nowhere and keeps nothing from starting. */
export interface Loose {
  readonly path: ReadonlyArray<string>
  /** What was named. */
  readonly name: string
  /** It is there and disabled, which somebody may want for a while. */
  readonly isDisabled: boolean
  readonly problem: string
}

export const sameLoose = (a: Loose) => (b: Loose): boolean =>
  a.path.join("\n") === b.path.join("\n") && a.name === b.name

/** Every one of them; those that nothing can start with are no part of a configuration that was read. */
export const loose = (table: ConfigTable): ReadonlyArray<Loose> => {
  const agents = Object.keys(table.agents ?? {}).length === 0 ? { default: {} } : table.agents ?? {}
  const names = Object.keys(agents)
  const usual = table.acp?.default_agent?.trim() ?? ""
  const byDefault = usual === "" || agents[usual] !== undefined && agents[usual].enabled !== false ? [] : [{
    path: ["acp", "default_agent"],
    name: usual,
    isDisabled: agents[usual] !== undefined,
    problem: `acp.default_agent names no enabled agent: "${usual}"; the agents are ${names.join(", ")}`
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
