import { dotted } from "../schema/Lookup.ts"
import type { ConfigTable, McpServer } from "../schema/Schema.ts"
import { confused } from "./Users.ts"
import { resources } from "../schema/PrincipalSchema.ts"
import { hint, nearest } from "./Suggestion.ts"
import { builtIn } from "../Providers.ts"

/** Something wrong at one place of the configuration. */
export interface Fault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly problem: string
}

const dangling = (
  path: ReadonlyArray<string>,
  what: string,
  name: string,
  known: Iterable<string>
): Fault | undefined => {
  const names = Array.from(new Set(known))
  return names.includes(name)
    ? undefined
    : { path, problem: `${dotted(path)} names no ${what}: "${name}"${hint(name, names)}` }
}

/** A server is started or called, not both, and each way has its own keys. */
const unreachable = (name: string, server: McpServer): Fault | undefined => {
  const path = ["mcp", "servers", name]
  const fault = (key: string, problem: string): Fault => ({
    path: [...path, key],
    problem: `${dotted([...path, key])} ${problem}`
  })
  if (server.command === undefined && server.url === undefined) {
    return { path, problem: `${dotted(path)} needs either a command to start or a url to call` }
  }
  if (server.command !== undefined && server.url !== undefined) {
    return fault("url", "cannot stand next to a command; keep one of them")
  }
  const [own, foreign] = server.url === undefined
    ? ["command", ["headers"] as const] as const
    : ["url", ["args", "env", "cwd", "sandbox", "readable", "writable"] as const] as const
  const misplaced = foreign.find((key) => server[key] !== undefined)
  if (misplaced !== undefined) return fault(misplaced, `has no meaning for a server with a ${own}`)
  if (server.url !== undefined && server.network === false) {
    return fault("network", "cannot be false for a server with a url")
  }
  const started = server.transport === "stdio"
  if (server.transport === undefined || started === (server.command !== undefined)) return undefined
  return fault("transport", `${JSON.stringify(server.transport)} does not fit a server with a ${own}`)
}

/** A misspelled permission would only be missed when somebody needs it. */
const ungrantable = (alias: string, grants: Readonly<Record<string, unknown>> = {}): Fault | undefined => {
  const odd = Object.keys(grants).find((name) => !resources.includes(name.toLowerCase()))
  if (odd === undefined) return undefined
  const path = ["permission_profiles", alias, "grants", odd]
  const meant = nearest(odd.split(":", 1)[0] ?? "", resources)
  const better = meant === undefined ? "" : ` did you mean "${meant}"?`
  return { path, problem: `${dotted(path)} names no resource;${better} the resources are ${resources.join(", ")}` }
}

/** References between tables that lead nowhere, and keys that say the same thing differently. */
export const contradiction = (table: ConfigTable): Fault | undefined => {
  const providers = [...Object.keys(table.providers ?? {}), ...Object.keys(builtIn)]
  const risks = [...Object.keys(table.risk_profiles ?? {}), "default"]
  const runtimes = [...Object.keys(table.runtime_profiles ?? {}), "default"]
  const level = table.risk_profiles?.["default"]?.level
  if (level !== undefined && table.autonomy?.level !== undefined && table.autonomy.level !== level) {
    const problem = "autonomy.level is short for risk_profiles.default.level, and the two differ; keep one of them"
    return { path: ["autonomy", "level"], problem }
  }
  for (const [alias, agent] of Object.entries(table.agents ?? {})) {
    const at = (key: string) => ["agents", alias, key]
    const fault = dangling(at("risk_profile"), "risk profile", agent.risk_profile ?? "default", risks) ??
      dangling(at("runtime_profile"), "runtime profile", agent.runtime_profile ?? "default", runtimes) ??
      dangling(at("model"), "provider", agent.model?.split("/", 1)[0] ?? "offline", providers)
    if (fault !== undefined) return fault
  }
  for (const [alias, provider] of Object.entries(table.providers ?? {})) {
    if (provider.kind === undefined && !Object.hasOwn(builtIn, alias)) {
      const path = ["providers", alias, "kind"]
      return { path, problem: `${dotted(path)} is missing; it must be one of anthropic, openai-compatible, offline` }
    }
    for (const name of provider.fallback ?? []) {
      const fault = dangling(["providers", alias, "fallback"], "provider", name.split("/", 1)[0] ?? "", providers)
      if (fault !== undefined) return fault
    }
  }
  for (const [alias, { grants }] of Object.entries(table.permission_profiles ?? {})) {
    const fault = ungrantable(alias, grants)
    if (fault !== undefined) return fault
  }
  for (const [name, server] of Object.entries(table.mcp?.servers ?? {})) {
    const fault = unreachable(name, server)
    if (fault !== undefined) return fault
  }
  for (
    const [alias, { permission_profiles: names = [], principal_id: id = alias }] of Object.entries(table.users ?? {})
  ) {
    if (id === "operator") {
      return { path: ["users", alias], problem: `${dotted(["users", alias])}: "operator" is whoever runs the daemon` }
    }
    for (const name of names) {
      const fault = dangling(
        ["users", alias, "permission_profiles"],
        "permission profile",
        name,
        Object.keys(table.permission_profiles ?? {})
      )
      if (fault !== undefined) return fault
    }
  }
  return confused(table.users ?? {})
}
