import { Result, Schema } from "effect"
import type { Provider } from "../config/Providers.ts"

/** Why there is no model behind a reference; `message` is a sentence for people. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  reason: Schema.Literals(["bad_reference", "unknown_provider", "no_key"]),
  message: Schema.String
}) {}

/** A model of a provider; written `"<provider alias>/<model id>"`. */
export interface Named {
  readonly provider: Provider
  readonly model: string
}

const authorises = (name: string) => /^(authorization|x-api-key|api-key)$/i.test(name)

/** What a provider lacks before it can be asked, in words. */
const lacking = ({ apiKey, apiKeyEnv, baseUrl, headers, kind }: Provider): string | undefined => {
  if (kind === "offline" || apiKey !== undefined || Array.from(headers.keys()).some(authorises)) return undefined
  if (apiKeyEnv !== undefined) return `set ${apiKeyEnv}`
  return baseUrl === undefined
    ? "set api_key_env to the variable that has it, or base_url to a server of your own"
    : undefined
}

/** Whether a provider can be asked with what is configured. */
export const isReady = (provider: Provider): boolean => lacking(provider) === undefined

export const resolve = (
  providers: ReadonlyMap<string, Provider>,
  reference: string
): Result.Result<Named, ModelUnavailable> => {
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
