import { Redacted } from "effect"
import type { ConfigTable } from "./schema/Schema.ts"
import type { EnvironmentVariables } from "./load/EnvironmentOverrides.ts"

type ProviderTable = NonNullable<ConfigTable["providers"]>[string]

export interface Provider {
  readonly alias: string
  /** Whether it has a table of its own. */
  readonly configured: boolean
  readonly kind: NonNullable<ProviderTable["kind"]>
  /** From `api_key`, or the variable `api_key_env` names, when it is set. */
  readonly apiKey: Redacted.Redacted<string> | undefined
  /** The variable the key is expected in, for messages. */
  readonly apiKeyEnv: string | undefined
  readonly baseUrl: string | undefined
  readonly timeoutSecs: number | undefined
  readonly maxTokens: number | undefined
  /** In tokens. */
  readonly contextWindow: number
  /** Whether its models take images. */
  readonly vision: boolean
  readonly headers: ReadonlyMap<string, Redacted.Redacted<string>>
  /** What to try in turn when this provider fails: `"<alias>"` for the same model there, or `"<alias>/<model id>"`. */
  readonly fallback: ReadonlyArray<string>
  /** Per million tokens. */
  readonly prices: ProviderTable["prices"]
  /** Ids of models to choose from. */
  readonly models: ReadonlyArray<string>
}

/** Providers that exist without a table of their own; a table of theirs needs no kind. */
export const builtIn: Readonly<Record<string, { readonly kind: Provider["kind"] }>> = {
  anthropic: { kind: "anthropic" },
  openai: { kind: "openai-compatible" },
  offline: { kind: "offline" }
}

type Kinded = ProviderTable & Pick<Provider, "kind">

/** Whose models these are, as far as that can be told without asking. */
const vendorOf = (alias: string, { base_url, kind }: Kinded): keyof typeof windows => {
  if (kind === "anthropic") return "anthropic"
  return alias === "openai" && kind === "openai-compatible" && base_url === undefined ? "openai" : "other"
}

/** A usual variable is only looked at for the vendor's own address: its key must not reach another host by accident. */
const usualKey = (alias: string, table: Kinded): string | undefined => {
  if (table.base_url !== undefined) return undefined
  return { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY", other: undefined }[vendorOf(alias, table)]
}

const secret = (value: string | undefined): Redacted.Redacted<string> | undefined =>
  value === undefined || value.trim() === "" ? undefined : Redacted.make(value.trim())

const provider = (alias: string, table: Kinded, configured: boolean, environment: EnvironmentVariables): Provider => {
  const vendor = vendorOf(alias, table)
  const apiKeyEnv = table.api_key_env ?? (table.api_key === undefined ? usualKey(alias, table) : undefined)
  return {
    alias,
    configured,
    kind: table.kind,
    apiKey: secret(table.api_key) ?? secret(apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]),
    apiKeyEnv,
    baseUrl: table.base_url,
    timeoutSecs: table.timeout_secs,
    maxTokens: table.max_tokens,
    contextWindow: table.context_window ?? windows[vendor],
    vision: table.vision ?? (vendor === "anthropic" || vendor === "openai"),
    headers: new Map(Object.entries(table.headers ?? {}).map(([name, value]) => [name, Redacted.make(value)])),
    fallback: table.fallback ?? [],
    prices: table.prices,
    models: table.models ?? []
  }
}

export const providers = (
  tables: ConfigTable["providers"],
  environment: EnvironmentVariables
): ReadonlyMap<string, Provider> =>
  new Map(
    Object.entries<ProviderTable>({ ...builtIn, ...tables }).flatMap(([alias, table]) => {
      const kind = table.kind ?? builtIn[alias]?.kind
      return kind === undefined
        ? []
        : [[alias, provider(alias, { ...table, kind }, tables?.[alias] !== undefined, environment)]]
    })
  )

/** In tokens; for other servers what nearly all take. */
const windows = { anthropic: 200_000, openai: 128_000, other: 32_000 }

/** The model of a vendor that names none. */
export const usualModels: Readonly<Record<string, string>> & { readonly offline: string } = {
  anthropic: "claude-sonnet-4.6",
  openai: "gpt-5.2",
  offline: "builtin"
}

/** Whether its models are asked on this machine. */
export const isLocal = ({ baseUrl, kind }: Provider): boolean =>
  kind === "offline" ||
  (baseUrl !== undefined && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(baseUrl)?.hostname ?? ""))

/** The model of agents that name none: the first with a key at hand, else offline (spec §2). */
export const defaultModel = (known: ReadonlyMap<string, Provider>): string => {
  const [alias, model] = Object.entries(usualModels).find(([alias]) => known.get(alias)?.apiKey !== undefined) ??
    ["offline", usualModels.offline]
  return `${alias}/${model}`
}

/** Everything that must never appear in a log line. */
export const secretsOf = (known: ReadonlyMap<string, Provider>): ReadonlyArray<Redacted.Redacted<string>> =>
  Array.from(known.values()).flatMap((
    { apiKey, headers }
  ) => [...(apiKey === undefined ? [] : [apiKey]), ...headers.values()])

export interface Proxy {
  readonly HTTP_PROXY?: string
  readonly HTTPS_PROXY?: string
  readonly NO_PROXY?: string
}

const here = "localhost,127.0.0.1,[::1]"

/** Lower case wins, as with other programs. */
export const proxyOf = (environment: EnvironmentVariables): Proxy => {
  const value = (name: string) => environment[name.toLowerCase()] || environment[name]
  const [http, https, none] = [value("HTTP_PROXY"), value("HTTPS_PROXY"), value("NO_PROXY")]
  if (!http && !https) return {}
  return {
    ...(http ? { HTTP_PROXY: http } : {}),
    ...(https ? { HTTPS_PROXY: https } : {}),
    NO_PROXY: none ? `${none},${here}` : here
  }
}
