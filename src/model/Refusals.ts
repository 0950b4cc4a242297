import type { Asked } from "./Asked.ts"
import type { Reason } from "./ModelFault.ts"

/** What a provider's refusal means to people, and what they can do about it. */

/** Providers say it in many ways; none of them has a code of its own that all share. */
const overflow = new RegExp(
  [
    "context[ _]length",
    "context[ _]window",
    "context[ _]size",
    "context[ _]limit",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many (input )?tokens",
    "maximum (number of |allowed )?(input )?tokens",
    "reduce the length",
    "input token count",
    "request_too_large",
    "exceed_context_size"
  ].join("|"),
  "i"
)

/** Mere talk of billing is no lack of credit: rate limits say how to pay for more. */
const noCredit =
  /insufficient[ _](quota|credit|balance|funds)|credit balance|exceeded your current quota|billing_(error|not_active|hard_limit)/i

export interface Meaning {
  readonly reason: Reason
  readonly says: string
  readonly advice?: string
  readonly transient?: boolean
}

const keyAdvice = ({ apiKeyEnv, hasKey }: Asked): string =>
  apiKeyEnv !== undefined
    ? hasKey ? `check the key in ${apiKeyEnv}` : `set ${apiKeyEnv}`
    : hasKey
    ? "check api_key in the configuration"
    : "it wants a key: set api_key_env"

/** `said` is all the words of the refusal: a status alone does not tell a lack of credit from a limit. */
export const meaning = (asked: Asked, status: number, said: string): Meaning => {
  const { baseUrl, model } = asked
  if (noCredit.test(said) || status === 402) {
    return { reason: "model_no_credit", says: "the account has no credit left", advice: "see its billing page" }
  }
  if (status === 413 || ((status === 400 || status === 422 || status === 500) && overflow.test(said))) {
    return {
      reason: "context_overflow",
      says: `the conversation is longer than ${model} takes`,
      advice: "compact it, or start a new session"
    }
  }
  switch (status) {
    case 401:
    case 403:
      return { reason: "model_key_refused", says: "the key was refused", advice: keyAdvice(asked) }
    case 404:
    case 405:
      return {
        reason: "model_unknown",
        says: `there is no model "${model}" at ${baseUrl}`,
        advice: "check the model's name, and base_url"
      }
    case 408:
    case 409:
    case 425:
      return { reason: "model_busy", says: "the request was not taken", transient: true }
    case 429:
      return { reason: "model_busy", says: "too many requests, or tokens, for now", transient: true }
  }
  if (status >= 500) {
    return {
      reason: "model_busy",
      says: status === 529 || status === 503 ? "the model is overloaded" : "the provider has trouble",
      transient: true
    }
  }
  if (status >= 300 && status < 400) {
    return {
      reason: "model_unreachable",
      says: `${baseUrl} sends requests elsewhere`,
      advice: "put the final address into base_url"
    }
  }
  return { reason: "model_rejected_request", says: "the request was rejected" }
}
