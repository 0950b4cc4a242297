import { ModelFault, type ModelFaultReason } from "../ModelFault.ts"
import { beginning } from "../../domain/Cut.ts"

/** The model and server of a request, for messages. */
export interface ModelRequest {
  readonly alias: string
  readonly model: string
  /** Without credentials. */
  readonly baseUrl: string
  readonly apiKeyEnv: string | undefined
  readonly hasKey: boolean
  /** Removes keys from a text that came from outside. */
  readonly hide: (text: string) => string
}

export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const words = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

/** The sentence in an error body; providers share no shape for it. */
const sentenceIn = (value: unknown): string | undefined => {
  const error = field(value, "error")
  // OpenRouter nests the message of the model's own host one level deeper.
  const raw = words(field(field(error, "metadata"), "raw"))
  const said = words(field(error, "message")) ?? words(error) ?? words(field(value, "message")) ??
    words(field(value, "detail"))
  return said === undefined ? raw : raw === undefined ? said : `${said}: ${raw}`
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const plain = (body: string): string | undefined =>
  words(body.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ").replace(/\s+/g, " "))

/** The sentence in a raw body, which may be JSON, HTML or plain text. */
const sentenceOf = (body: string): string | undefined =>
  sentenceIn(parsed(body)) ?? plain(body.replace(/^[{}[\]\s]*$/, ""))

/** Wordings for a prompt that is too long; providers share no code for it. */
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
    "prompt token count",
    "maximum prompt length",
    "prompt exceeds max",
    "exceeded model token limit",
    "range of input length should be",
    "`inputs` (tokens )?\\+ `?max_new_tokens",
    "`inputs` must have less than",
    "inputs tokens \\+",
    "`inputs` tokens \\+",
    "exceeds? (the |its )?(model'?s? )?(maximum |max )?(input |prompt |token |context )+(limit|length|size)",
    "exceeds? the (available )?context",
    "input (length|tokens?) (and|exceed)",
    "(prompt|input|message|request) (is )?(too long|too large)",
    "too large for model",
    "greater than the context",
    "longer than the model",
    "request_too_large",
    "exceed_context_size"
  ].join("|"),
  "i"
)

/** Wordings for a lack of credit. Mere mentions of billing do not count: rate limits say how to pay for more. */
const noCredit =
  /insufficient[ _](quota|credit|balance|funds)|credit balance|exceeded your current quota|billing_(error|not_active|hard_limit)/i

interface RefusalMeaning {
  readonly reason: ModelFaultReason
  readonly says: string
  readonly advice?: string
  readonly transient?: boolean
}

const keyAdvice = ({ apiKeyEnv, hasKey }: ModelRequest): string =>
  apiKeyEnv !== undefined
    ? hasKey ? `check the key in ${apiKeyEnv}` : `set ${apiKeyEnv}`
    : hasKey
    ? "check api_key in the configuration"
    : "it wants a key: set api_key_env"

/**
 * What a refusal means and what people can do about it. `said` is its whole text: a status alone does not tell a lack
 * of credit from a limit.
 */
export const meaning = (asked: ModelRequest, status: number, said: string): RefusalMeaning => {
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

interface HttpRefusal {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Milliseconds since the epoch. */
  readonly now: number
}

const longest = 400

const short = (text: string) => text.length > longest ? `${beginning(text, longest)}…` : text

/** `retry-after-ms`, or `retry-after` in seconds or as a date; in milliseconds. */
export const retryAfter = (headers: HttpRefusal["headers"], now: number): number | undefined => {
  const exact = Number(headers["retry-after-ms"] ?? NaN)
  if (Number.isFinite(exact)) return Math.max(0, exact)
  const text = headers["retry-after"]?.trim() ?? ""
  const seconds = text === "" ? NaN : Number(text)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now
  return Number.isFinite(millis) ? Math.max(0, millis) : undefined
}

const told = (
  asked: ModelRequest,
  { advice, reason, says, transient = false }: RefusalMeaning,
  status: string,
  said: string | undefined,
  after?: number
) =>
  new ModelFault({
    reason,
    transient,
    message: `${asked.alias}: ${says}${status}${said === undefined ? "" : `: ${short(asked.hide(said))}`}${
      advice === undefined ? "" : ` — ${advice}`
    }`,
    ...(after === undefined ? {} : { retryAfter: after })
  })

/** The fault of a response with an error status. */
export const ofStatus = (asked: ModelRequest, { body, headers, now, status }: HttpRefusal): ModelFault => {
  const said = sentenceOf(body)
  return told(asked, meaning(asked, status, `${body} ${said ?? ""}`), ` (${status})`, said, retryAfter(headers, now))
}

/** Types of `error` events and the status each stands for. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  overloaded_error: 529,
  timeout_error: 504,
  context_length_exceeded: 400,
  exceed_context_size_error: 400
}

/** The fault of an error event in a stream that began with success. */
export const ofEvent = (asked: ModelRequest, value: unknown): ModelFault => {
  const error = field(value, "error") ?? value
  const code = [field(error, "code"), field(error, "type"), field(value, "code")]
    .map((code) => typeof code === "number" ? code : typeof code === "string" ? statuses[code] ?? Number(code) : NaN)
    .find((code) => code >= 300 && code < 600)
  const said = sentenceIn(value) ?? short(JSON.stringify(value) ?? "")
  return told(asked, meaning(asked, code ?? 500, JSON.stringify(value)), code === undefined ? "" : ` (${code})`, said)
}

const codeOf = (cause: unknown): string => {
  for (let error = cause, depth = 0; depth < 5 && error !== undefined; error = field(error, "cause"), depth++) {
    const code = field(error, "code")
    if (typeof code === "string") return code
  }
  return ""
}

/** The fault of a request that got no response. */
export const ofTransport = (asked: ModelRequest, cause: unknown): ModelFault => {
  const { baseUrl } = asked
  const code = codeOf(cause)
  const unreachable = (says: string, advice: string, transient: boolean) =>
    told(asked, { reason: "model_unreachable", says, advice, transient }, code === "" ? "" : ` (${code})`, undefined)
  if (code === "ECONNREFUSED") {
    return unreachable(`nothing answers at ${baseUrl}`, "is the server running, and base_url right?", false)
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return unreachable(
      `there is no host of the name in ${baseUrl}`,
      "check base_url and the network",
      code === "EAI_AGAIN"
    )
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER/.test(code)) {
    return unreachable(
      `the certificate of ${baseUrl} cannot be trusted`,
      "NODE_EXTRA_CA_CERTS names further authorities",
      false
    )
  }
  if (code === "EPROTO" || code.startsWith("HPE_")) {
    return unreachable(`${baseUrl} does not speak this protocol`, "http or https in base_url?", false)
  }
  return unreachable(`the connection to ${baseUrl} failed`, "check base_url and the network", true)
}

export const brokenOff = ({ alias }: ModelRequest, how: string): ModelFault =>
  new ModelFault({ reason: "model_broken_off", message: `${alias}: the answer broke off: ${how}`, transient: true })

export const tooSlow = ({ alias }: ModelRequest, what: string): ModelFault =>
  new ModelFault({ reason: "model_timeout", message: `${alias}: ${what}`, transient: false })

export const noApi = ({ alias, baseUrl }: ModelRequest): ModelFault =>
  new ModelFault({
    reason: "model_unreachable",
    message: `${alias}: ${baseUrl} answers, but not as a model's API — check base_url`,
    transient: false
  })
