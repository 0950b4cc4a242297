import { Redacted } from "effect"
import type { ConfigTable } from "./schema/Schema.ts"
import type { EnvironmentVariables } from "../platform/Environment.ts"

type ProviderTable = NonNullable<ConfigTable["providers"]>[string]

export interface Provider {
  readonly alias: string
  /** Whether `config.toml` has a table for it. */
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
  /** Tried in turn when this provider fails: `"<alias>"` for the same model there, or `"<alias>/<model id>"`. */
  readonly fallback: ReadonlyArray<string>
  /** Per million tokens. */
  readonly prices: ProviderTable["prices"]
  /** Ids of the models that clients can choose. */
  readonly models: ReadonlyArray<string>
}

/** Providers that exist without a table; a table for one of them needs no kind. */
export const builtIn: Readonly<Record<string, { readonly kind: Provider["kind"] }>> = {
  anthropic: { kind: "anthropic" },
  openai: { kind: "openai-compatible" },
  offline: { kind: "offline" }
}

type KnownProvider = ProviderTable & Pick<Provider, "kind">

/** Whose models these are, as far as the table tells. */
const vendorOf = (alias: string, { base_url, kind }: KnownProvider): keyof typeof contextWindows => {
  if (kind === "anthropic") return "anthropic"
  return alias === "openai" && kind === "openai-compatible" && base_url === undefined ? "openai" : "other"
}

/** The vendor's usual variable is used only for the vendor's own address: the key must not reach another host by accident. */
const usualKeyVariable = (alias: string, table: KnownProvider): string | undefined => {
  if (table.base_url !== undefined) return undefined
  return { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY", other: undefined }[vendorOf(alias, table)]
}

const secret = (value: string | undefined): Redacted.Redacted<string> | undefined =>
  value === undefined || value.trim() === "" ? undefined : Redacted.make(value.trim())

const provider = (
  alias: string,
  table: KnownProvider,
  configured: boolean,
  environment: EnvironmentVariables
): Provider => {
  const vendor = vendorOf(alias, table)
  const apiKeyEnv = table.api_key_env ?? (table.api_key === undefined ? usualKeyVariable(alias, table) : undefined)
  return {
    alias,
    configured,
    kind: table.kind,
    apiKey: secret(table.api_key) ?? secret(apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]),
    apiKeyEnv,
    baseUrl: table.base_url,
    timeoutSecs: table.timeout_secs,
    maxTokens: table.max_tokens,
    contextWindow: table.context_window ?? contextWindows[vendor],
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

/** Tokens; for other servers a size that nearly all of them have. */
const contextWindows = { anthropic: 200_000, openai: 128_000, other: 32_000 }

/** The default model of each vendor. */
export const vendorModels: Readonly<Record<string, string>> & { readonly offline: string } = {
  anthropic: "claude-sonnet-4.6",
  openai: "gpt-5.2",
  offline: "builtin"
}

/** Whether its models run on this machine. */
export const isLocal = ({ baseUrl, kind }: Provider): boolean =>
  kind === "offline" ||
  (baseUrl !== undefined && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(baseUrl)?.hostname ?? ""))

/** The model of agents that name none: of the first vendor whose key is set, else offline (docs/models.md#choice-of-the-model). */
export const defaultModel = (known: ReadonlyMap<string, Provider>): string => {
  const [alias, model] = Object.entries(vendorModels).find(([alias]) => known.get(alias)?.apiKey !== undefined) ??
    ["offline", vendorModels.offline]
  return `${alias}/${model}`
}

/** Keys and headers: no log line may show them. */
export const secretsOf = (known: ReadonlyMap<string, Provider>): ReadonlyArray<Redacted.Redacted<string>> =>
  Array.from(known.values()).flatMap((
    { apiKey, headers }
  ) => [...(apiKey === undefined ? [] : [apiKey]), ...headers.values()])

export interface ProxyVariables {
  readonly HTTP_PROXY?: string
  readonly HTTPS_PROXY?: string
  readonly NO_PROXY?: string
}

const localHosts = "localhost,127.0.0.1,[::1]"

/** Lower case wins, as with other programs. */
export const proxyOf = (environment: EnvironmentVariables): ProxyVariables => {
  const value = (name: string) => environment[name.toLowerCase()] || environment[name]
  const [http, https, none] = [value("HTTP_PROXY"), value("HTTPS_PROXY"), value("NO_PROXY")]
  if (!http && !https) return {}
  return {
    ...(http ? { HTTP_PROXY: http } : {}),
    ...(https ? { HTTPS_PROXY: https } : {}),
    NO_PROXY: none ? `${none},${localHosts}` : localHosts
  }
}
