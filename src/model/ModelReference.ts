import { Result, Schema } from "effect"
import { defaultModel, type Provider, providers } from "../config/Providers.ts"
import type { ConfigTable } from "../config/schema/Schema.ts"
import type { EnvironmentVariables } from "../platform/Environment.ts"

/** Why a reference names no usable model; `message` is a sentence for people. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  reason: Schema.Literals(["bad_reference", "unknown_provider", "no_key"]),
  message: Schema.String
}) {}

/** A model of a provider, written `"<provider alias>/<model id>"`. */
export interface NamedModel {
  readonly provider: Provider
  readonly model: string
}

const authorises = (name: string) => /^(authorization|x-api-key|api-key)$/i.test(name)

/** What the configuration of a provider lacks, in words. */
const lacking = ({ apiKey, apiKeyEnv, baseUrl, headers, kind }: Provider): string | undefined => {
  if (kind === "offline" || apiKey !== undefined || Array.from(headers.keys()).some(authorises)) return undefined
  if (apiKeyEnv !== undefined) return `set ${apiKeyEnv}`
  return baseUrl === undefined
    ? "set api_key_env to the variable that has it, or base_url to a server of your own"
    : undefined
}

/** Whether the configuration of a provider is complete. */
export const isReady = (provider: Provider): boolean => lacking(provider) === undefined

export const resolveModel = (
  providers: ReadonlyMap<string, Provider>,
  reference: string
): Result.Result<NamedModel, ModelUnavailable> => {
  const unavailable = (reason: ModelUnavailable["reason"], message: string) =>
    Result.fail(new ModelUnavailable({ model: reference, reason, message }))
  const slash = reference.indexOf("/")
  const [alias, model] = [reference.slice(0, Math.max(0, slash)), reference.slice(slash + 1)]
  if (alias === "" || model === "") {
    return unavailable("bad_reference", `A model is named "<provider alias>/<model id>", not "${reference}"`)
  }
  const provider = providers.get(alias)
  if (provider === undefined) {
    return unavailable(
      "unknown_provider",
      `There is no provider "${alias}"; the providers are ${Array.from(providers.keys()).join(", ")}`
    )
  }
  const missing = lacking(provider)
  return missing === undefined
    ? Result.succeed({ provider, model })
    : unavailable("no_key", `Provider "${alias}" has no key: ${missing}`)
}

interface Readiness {
  /** No enabled agent has a usable model other than the offline one. */
  readonly needsQuickstart: boolean
  /** One or two sentences for people. */
  readonly reason: string
  /** Providers or agents are configured, but not enough for a model. */
  readonly hasPartialState: boolean
  /** Sections to fill in. */
  readonly missing: ReadonlyArray<"agents" | "providers">
}

const isReal = (provider: Provider) => provider.kind !== "offline" && isReady(provider)

/** Models of enabled agents, by alias. */
export const agentModels = (table: ConfigTable, known: ReadonlyMap<string, Provider>): ReadonlyMap<string, string> => {
  const agents = Object.entries(table.agents ?? {})
  const all: typeof agents = agents.length === 0 ? [["default", {}]] : agents
  return new Map(
    all.flatMap(([alias, { enabled, model }]) => enabled === false ? [] : [[alias, model ?? defaultModel(known)]])
  )
}

const works = "everything works with the offline model, which follows scripts and thinks nothing up"

/** Whether a real model is configured, and what is missing if not: the result of `config/status`. */
export const readiness = (table: ConfigTable, environment: EnvironmentVariables): Readiness => {
  const known = providers(table.providers, environment)
  const used = Array.from(
    agentModels(table, known),
    ([alias, model]) => ({ alias, model, found: resolveModel(known, model) })
  )
  const real = used.find(({ found }) => Result.isSuccess(found) && isReal(found.success.provider))
  if (real !== undefined) {
    const reason = `agent ${JSON.stringify(real.alias)} uses ${real.model}`
    return { needsQuickstart: false, reason, hasPartialState: false, missing: [] }
  }
  const hasPartialState = Object.keys({ ...table.providers, ...table.agents }).length > 0
  const not = { needsQuickstart: true, hasPartialState }
  const broken = used.flatMap(({ alias, found }) =>
    Result.isFailure(found) ? [`agent ${JSON.stringify(alias)}: ${found.failure.message}`] : []
  )
  const ready = Array.from(known.values()).filter(isReal).map(({ alias }) => alias)
  if (ready.length > 0) {
    const reason = `no enabled agent uses a model of ${ready.join(" or ")}; without one, ${works}`
    return { ...not, reason: [...broken, reason].join("; "), missing: ["agents"] }
  }
  const reason =
    `no real model is configured: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or a provider and an agent's model; until then, ${works}`
  return { ...not, reason: [...broken, reason].join("; "), missing: ["providers"] }
}
