import { Redacted } from "effect"
import type { ConfigTable } from "./ConfigSchema.ts"
import type { Environment } from "./Environment.ts"

type ProviderTable = NonNullable<ConfigTable["providers"]>[string]

export interface Provider {
  readonly alias: string
  readonly kind: ProviderTable["kind"]
  /** From `api_key`, or the variable `api_key_env` names, when it is set. */
  readonly apiKey: Redacted.Redacted<string> | undefined
  /** The variable the key is expected in, for messages. */
  readonly apiKeyEnv: string | undefined
  readonly baseUrl: string | undefined
  readonly timeoutSecs: number | undefined
  readonly maxTokens: number | undefined
  readonly contextWindow: number | undefined
  readonly vision: boolean | undefined
  readonly headers: ReadonlyMap<string, Redacted.Redacted<string>>
  /** Aliases to try in turn when this provider fails. */
  readonly fallback: ReadonlyArray<string>
  /** Per million tokens. */
  readonly prices: ProviderTable["prices"]
}

/** Providers that exist without a table of their own. */
export const builtIn: Readonly<Record<string, ProviderTable>> = {
  anthropic: { kind: "anthropic" },
  openai: { kind: "openai-compatible" },
  offline: { kind: "offline" }
}

/** A usual variable is only looked at for the vendor's own address: its key must not reach another host by accident. */
const usualKey = (alias: string, { base_url, kind }: ProviderTable): string | undefined => {
  if (base_url !== undefined) return undefined
  if (kind === "anthropic") return "ANTHROPIC_API_KEY"
  return alias === "openai" && kind === "openai-compatible" ? "OPENAI_API_KEY" : undefined
}

const secret = (value: string | undefined): Redacted.Redacted<string> | undefined =>
  value === undefined || value.trim() === "" ? undefined : Redacted.make(value.trim())

const provider = (alias: string, table: ProviderTable, environment: Environment): Provider => {
  const apiKeyEnv = table.api_key_env ?? (table.api_key === undefined ? usualKey(alias, table) : undefined)
  return {
    alias,
    kind: table.kind,
    apiKey: secret(table.api_key) ?? secret(apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]),
    apiKeyEnv,
    baseUrl: table.base_url,
    timeoutSecs: table.timeout_secs,
    maxTokens: table.max_tokens,
    contextWindow: table.context_window,
    vision: table.vision,
    headers: new Map(Object.entries(table.headers ?? {}).map(([name, value]) => [name, Redacted.make(value)])),
    fallback: table.fallback ?? [],
    prices: table.prices
  }
}

export const providers = (tables: ConfigTable["providers"], environment: Environment): ReadonlyMap<string, Provider> =>
  new Map(Object.entries({ ...builtIn, ...tables }).map(([alias, table]) => [alias, provider(alias, table, environment)]))

const usualModels = { anthropic: "claude-sonnet-4.6", openai: "gpt-5.2", offline: "builtin" }

/** Models for an agent that names none, best first: those with a key at hand, then offline. */
export const defaultModels = (known: ReadonlyMap<string, Provider>): ReadonlyArray<string> =>
  Object.entries(usualModels).flatMap(([alias, model]) => {
    const provider = known.get(alias)
    return provider?.kind === "offline" || provider?.apiKey !== undefined ? [`${alias}/${model}`] : []
  })

/** Everything that must never appear in a log line. */
export const secretsOf = (known: ReadonlyMap<string, Provider>): ReadonlyArray<Redacted.Redacted<string>> =>
  Array.from(known.values()).flatMap(({ apiKey, headers }) => [...(apiKey === undefined ? [] : [apiKey]), ...headers.values()])
