import { actionTools } from "../../domain/CodeGates.ts"
import { isDomain, normalDomain } from "../../domain/EmergencyStop.ts"
import { builtInTools, isServerTool } from "../../domain/ToolName.ts"
import { builtIn } from "../Providers.ts"
import { dotted, type KeyPath } from "./KeyPath.ts"
import type { ConfigTable, GatewayTable, McpServerTable } from "./Schema.ts"
import { hint, nearest } from "./Suggestion.ts"

/** What must hold between keys of the configuration, beyond the type of each. */

export interface ConfigProblem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly problem: string
}

type OtpTable = NonNullable<NonNullable<ConfigTable["security"]>["otp"]>

const unknownReference = (
  path: KeyPath,
  what: string,
  name: string,
  known: Iterable<string>
): ConfigProblem | undefined => {
  const names = Array.from(new Set(known))
  return names.includes(name)
    ? undefined
    : { path, problem: `${dotted(path)} names no ${what}: "${name}"${hint(name, names)}` }
}

/** A server is started or called, not both, and each way has its own keys. */
const serverProblem = (name: string, server: McpServerTable): ConfigProblem | undefined => {
  const path = ["mcp", "servers", name]
  const problemAt = (key: string, problem: string): ConfigProblem => ({
    path: [...path, key],
    problem: `${dotted([...path, key])} ${problem}`
  })
  if (server.command === undefined && server.url === undefined) {
    return { path, problem: `${dotted(path)} needs either a command to start or a url to call` }
  }
  if (server.command !== undefined && server.url !== undefined) {
    return problemAt("url", "cannot stand next to a command; keep one of them")
  }
  const [own, foreign] = server.url === undefined
    ? ["command", ["headers"] as const] as const
    : ["url", ["args", "env", "cwd", "sandbox", "readable", "writable"] as const] as const
  const misplaced = foreign.find((key) => server[key] !== undefined)
  if (misplaced !== undefined) return problemAt(misplaced, `has no meaning for a server with a ${own}`)
  if (server.url !== undefined && server.network === false) {
    return problemAt("network", "cannot be false for a server with a url")
  }
  const isStdio = server.transport === "stdio"
  if (server.transport === undefined || isStdio === (server.command !== undefined)) return undefined
  return problemAt("transport", `${JSON.stringify(server.transport)} does not fit a server with a ${own}`)
}

/** What a permission profile can grant, also what this version does not have; letter case does not count (docs/users.md#grants). */
const resources: ReadonlyArray<string> = [
  "system",
  "sessions",
  "memory",
  "cron",
  "config",
  "agents",
  "cost",
  "skills",
  "personality",
  "logs",
  "tui",
  "files",
  "locales",
  "quickstart",
  "channels",
  "providers",
  "models",
  "peer_groups",
  "plugins",
  "tools",
  "sops",
  "canvas"
]

/** A misspelled resource would go unnoticed until a user needs the permission. */
const unknownResource = (alias: string, grants: Readonly<Record<string, unknown>> = {}): ConfigProblem | undefined => {
  const odd = Object.keys(grants).find((name) => !resources.includes(name.toLowerCase()))
  if (odd === undefined) return undefined
  const path = ["permission_profiles", alias, "grants", odd]
  const meant = nearest(odd.split(":", 1)[0] ?? "", resources)
  const better = meant === undefined ? "" : ` did you mean "${meant}"?`
  return { path, problem: `${dotted(path)} names no resource;${better} the resources are ${resources.join(", ")}` }
}

/** A user is recognised by its id and its uid, so no two users share one. */
const sharedIdentity = (users: NonNullable<ConfigTable["users"]>): ConfigProblem | undefined => {
  const named = (alias: string) => dotted(["users", alias])
  const ids = new Map<string, string>()
  const uids = new Map<number, string>()
  for (const [alias, { principal_id: id, uid }] of Object.entries(users)) {
    const sameId = ids.get(id ?? alias)
    const sameUid = uid === undefined ? undefined : uids.get(uid)
    if (sameId !== undefined) {
      const path = ["users", id === undefined ? sameId : alias, "principal_id"]
      const both = `${named(sameId)} and ${named(alias)} have the same principal id, ${JSON.stringify(id ?? alias)}`
      return { path, problem: `${dotted(path)}: ${both}; each needs its own` }
    }
    if (sameUid !== undefined && uid !== undefined) {
      const path = ["users", alias, "uid"]
      return { path, problem: `${dotted(path)}: ${named(sameUid)} and ${named(alias)} have the same uid, ${uid}` }
    }
    ids.set(id ?? alias, alias)
    if (uid !== undefined) uids.set(uid, alias)
  }
  return undefined
}

/** The address that only this machine reaches, whatever it is called. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)

const gatewayProblem = (gateway: GatewayTable = {}): ConfigProblem | undefined => {
  const problemAt = (keys: KeyPath, problem: string): ConfigProblem => ({
    path: ["gateway", ...keys],
    problem: `${dotted(["gateway", ...keys])} ${problem}`
  })
  const { allow_public_bind, enabled, host = "127.0.0.1", tls } = gateway
  const missing = tls === undefined
    ? undefined
    : (["cert_path", "key_path"] as const).find((key) => tls[key] === undefined)
  if (missing !== undefined) return problemAt(["tls", missing], "is missing; TLS needs a certificate and its key")
  return enabled !== true || allow_public_bind === true || isLoopback(host) ? undefined : problemAt(
    ["allow_public_bind"],
    `must be true for gateway.host = ${JSON.stringify(host)}, which other machines can reach`
  )
}

/** A misspelled name would ask for no code. */
const otpProblem = ({ gated_actions = [], gated_domains = [] }: OtpTable = {}): ConfigProblem | undefined => {
  const known = [...builtInTools, ...Object.keys(actionTools)]
  const action = gated_actions.find((name) => !known.includes(name) && !isServerTool(name))
  if (action !== undefined) {
    const path = ["security", "otp", "gated_actions"]
    const listed = `the actions are ${Array.from(new Set(known)).join(", ")}, and SERVER__TOOL`
    return { path, problem: `${dotted(path)} names no action: "${action}"${hint(action, known)}; ${listed}` }
  }
  const domain = gated_domains.find((name) => !isDomain(normalDomain(name)))
  if (domain === undefined) return undefined
  const path = ["security", "otp", "gated_domains"]
  return { path, problem: `${dotted(path)}: ${JSON.stringify(domain)} is no name of a domain, such as example.com` }
}

/** `[autonomy]` is another name for `[risk_profiles.default]`: one key cannot have two values. */
const twoSpellings = ({ autonomy = {}, risk_profiles }: ConfigTable): ConfigProblem | undefined => {
  const other: Readonly<Record<string, unknown>> = risk_profiles?.["default"] ?? {}
  const key = Object.entries(autonomy).find(([name, value]) =>
    value !== undefined && other[name] !== undefined && JSON.stringify(other[name]) !== JSON.stringify(value)
  )?.[0]
  if (key === undefined) return undefined
  const path = ["autonomy", key]
  const problem = `${dotted(path)} is short for risk_profiles.default.${key}, and the two differ; keep one of them`
  return { path, problem }
}

/** The first reference that keeps Postern from starting, or keys that contradict each other. */
export const inconsistency = (table: ConfigTable): ConfigProblem | undefined => {
  const providers = [...Object.keys(table.providers ?? {}), ...Object.keys(builtIn)]
  const risks = [...Object.keys(table.risk_profiles ?? {}), "default"]
  const runtimes = [...Object.keys(table.runtime_profiles ?? {}), "default"]
  const twice = twoSpellings(table)
  if (twice !== undefined) return twice
  const chosen = table.acp?.default_agent?.trim() ?? ""
  const agents = Object.keys(table.agents ?? {})
  const known = agents.length === 0 ? ["default"] : agents
  if (chosen !== "" && !known.includes(chosen)) {
    const path = ["acp", "default_agent"]
    return { path, problem: `${dotted(path)} names no agent: "${chosen}"; the agents are ${known.join(", ")}` }
  }
  for (const [alias, agent] of Object.entries(table.agents ?? {})) {
    const at = (key: string) => ["agents", alias, key]
    const found = unknownReference(at("risk_profile"), "risk profile", agent.risk_profile ?? "default", risks) ??
      unknownReference(at("runtime_profile"), "runtime profile", agent.runtime_profile ?? "default", runtimes) ??
      unknownReference(at("model"), "provider", agent.model?.split("/", 1)[0] ?? "offline", providers)
    if (found !== undefined) return found
  }
  for (const [alias, provider] of Object.entries(table.providers ?? {})) {
    if (provider.kind === undefined && !Object.hasOwn(builtIn, alias)) {
      const path = ["providers", alias, "kind"]
      return { path, problem: `${dotted(path)} is missing; it must be one of anthropic, openai-compatible, offline` }
    }
    for (const name of provider.fallback ?? []) {
      const path = ["providers", alias, "fallback"]
      const found = unknownReference(path, "provider", name.split("/", 1)[0] ?? "", providers)
      if (found !== undefined) return found
    }
  }
  for (const [alias, { grants }] of Object.entries(table.permission_profiles ?? {})) {
    const found = unknownResource(alias, grants)
    if (found !== undefined) return found
  }
  for (const [name, server] of Object.entries(table.mcp?.servers ?? {})) {
    const found = serverProblem(name, server)
    if (found !== undefined) return found
  }
  const profiles = Object.keys(table.permission_profiles ?? {})
  for (
    const [alias, { permission_profiles: names = [], principal_id: id = alias }] of Object.entries(table.users ?? {})
  ) {
    if (id === "operator") {
      return { path: ["users", alias], problem: `${dotted(["users", alias])}: "operator" is whoever runs the daemon` }
    }
    if (id.startsWith("token:")) {
      return {
        path: ["users", alias],
        problem: `${dotted(["users", alias])}: "token:" begins the ids of paired clients`
      }
    }
    for (const name of names) {
      const found = unknownReference(["users", alias, "permission_profiles"], "permission profile", name, profiles)
      if (found !== undefined) return found
    }
  }
  return sharedIdentity(table.users ?? {}) ?? gatewayProblem(table.gateway) ?? otpProblem(table.security?.otp)
}
