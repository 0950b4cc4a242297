import { ModelFault, type ModelFaultReason } from "../ModelFault.ts"
import type { Lack } from "../ResponseParts.ts"
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

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Where the sentence of an error may be, the likeliest first; providers share no shape for it. */
const places = [
  "error",
  "message",
  "error_description",
  "detail",
  "msg",
  "error_message",
  "error_msg",
  "errorMessage",
  "Message",
  "errors",
  "status_msg",
  "base_resp",
  "response",
  "title"
]

const deepest = 6

/** The sentence in an error body, which may be text, or JSON within text, or a list. */
const sentenceIn = (value: unknown, depth = 0): string | undefined => {
  if (depth > deepest || value === null || (typeof value !== "object" && typeof value !== "string")) return undefined
  if (typeof value === "string") {
    const text = words(value)
    return text !== undefined && /^["{[]/.test(text) ? sentenceIn(parsed(text), depth + 1) ?? text : text
  }
  const firstOf = (values: ReadonlyArray<unknown>): string | undefined => {
    for (const one of values) {
      const found = sentenceIn(one, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (Array.isArray(value)) return firstOf(value)
  // OAuth's word and its sentence; OpenRouter nests the message of the model's own host one level deeper.
  const code = words(field(value, "error_description")) === undefined ? undefined : words(field(value, "error"))
  const said = firstOf((code === undefined ? places : places.slice(1)).map((name) => field(value, name)))
  const raw = words(field(field(value, "metadata"), "raw"))
  const own = code === undefined ? said : `${code}: ${said}`
  return own === undefined ? raw : raw === undefined || own.includes(raw) ? own : `${own}: ${raw}`
}

const plain = (body: string): string | undefined =>
  words(body.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ").replace(/\s+/g, " "))

/** The sentence in a raw body, which may be JSON, an event with JSON, HTML or plain text. */
const sentenceOf = (body: string): string | undefined =>
  sentenceIn(parsed(body)) ?? sentenceIn(parsed(/^data:\s*(.*)$/m.exec(body)?.[1] ?? "")) ??
    plain(body.replace(/^[{}[\]\s]*$|^\s*null\s*$/, ""))

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
  // Gemini says of a limit a minute that the quota is exceeded, and when it may be asked again.
  if ((noCredit.test(said) && !(status === 429 && waitIn(said) !== undefined)) || status === 402) {
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

const units: Readonly<Record<string, number>> = { ms: 1, mi: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A time as providers write it: `1.2s`, `6m0s`, `20 seconds`; in milliseconds. */
const millisIn = (text: string): number | undefined => {
  const found = Array.from(text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[smh])/gi))
  return found.length === 0
    ? undefined
    : found.reduce((sum, [, count, unit = "s"]) => {
      const short = unit.toLowerCase()
      return sum + Number(count) * (units[short] ?? units[short.slice(0, 2)] ?? 0)
    }, 0)
}

const waitWords =
  /(?:try again|retry|wait|available|reset)[^.\d]{0,40}?\b(?:in|after|for|about)\s+(?:approximately |about |another )?((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|[smh])\b[\s,]*(?:and )?|\d+(?:\.\d+)?(?:ms|[smh])(?=\d))+)/i

/** The pause that a body asks for, in words or in a field of its own; in milliseconds. */
export const waitIn = (body: string): number | undefined => {
  const [, delay] = /"retryDelay"\s*:\s*"([^"]+)"/.exec(body) ?? []
  if (delay !== undefined) return millisIn(delay)
  const [, seconds] = /"retry_?after(?:_seconds)?"\s*:\s*"?(\d+(?:\.\d+)?)/i.exec(body) ?? []
  if (seconds !== undefined) return Number(seconds) * 1000
  const [, said] = waitWords.exec(body) ?? []
  return said === undefined ? undefined : millisIn(said)
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date, or what the body says; in milliseconds. */
export const retryAfter = (headers: HttpRefusal["headers"], now: number, body = ""): number | undefined => {
  const exact = Number(headers["retry-after-ms"] ?? NaN)
  if (Number.isFinite(exact)) return Math.max(0, exact)
  const text = headers["retry-after"]?.trim() ?? ""
  const seconds = text === "" ? NaN : Number(text)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now
  return Number.isFinite(millis) ? Math.max(0, millis) : waitIn(body)
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
  return told(
    asked,
    meaning(asked, status, `${body} ${said ?? ""}`),
    ` (${status})`,
    said,
    retryAfter(headers, now, body)
  )
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
  const body = JSON.stringify(value) ?? ""
  const said = sentenceIn(value) ?? short(body)
  return told(
    asked,
    meaning(asked, code ?? 500, `${body} ${said}`),
    code === undefined ? "" : ` (${code})`,
    said,
    waitIn(`${body} ${said}`)
  )
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

/**
 * The fault of a response that is no answer. `aside`: what came in its place, which may say why. An answer that ends
 * and has nothing in it is asked for once more.
 */
export const ofLack = (asked: ModelRequest, { kind, says }: Lack, aside: unknown): ModelFault => {
  if (kind === "all" && sentenceIn(aside) !== undefined) return ofEvent(asked, aside)
  if (kind !== "answer") return brokenOff(asked, says)
  const { message, reason } = brokenOff(asked, says)
  return new ModelFault({ reason, message, transient: true, tries: 2 })
}

export const tooSlow = ({ alias }: ModelRequest, what: string): ModelFault =>
  new ModelFault({ reason: "model_timeout", message: `${alias}: ${what}`, transient: false })

export const noApi = ({ alias, baseUrl }: ModelRequest): ModelFault =>
  new ModelFault({
    reason: "model_unreachable",
    message: `${alias}: ${baseUrl} answers, but not as a model's API — check base_url`,
    transient: false
  })
