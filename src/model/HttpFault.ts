import type { Asked } from "./Asked.ts"
import { field, sentenceIn, sentenceOf } from "./ErrorBody.ts"
import { ModelFault } from "./ModelFault.ts"
import { type Meaning, meaning } from "./Refusals.ts"

/** The faults of a request over HTTP: a refusal, or none at all, in a sentence that a person can act on. */

export interface Refusal {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Milliseconds since the epoch. */
  readonly now: number
}

const longest = 400

const short = (text: string) => text.length > longest ? `${text.slice(0, longest)}…` : text

/** `retry-after-ms`, or `retry-after` in seconds or as a date; in milliseconds. */
export const retryAfter = (headers: Refusal["headers"], now: number): number | undefined => {
  const exact = Number(headers["retry-after-ms"] ?? NaN)
  if (Number.isFinite(exact)) return Math.max(0, exact)
  const text = headers["retry-after"]?.trim() ?? ""
  const seconds = text === "" ? NaN : Number(text)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now
  return Number.isFinite(millis) ? Math.max(0, millis) : undefined
}

const told = (
  asked: Asked,
  { advice, reason, says, transient = false }: Meaning,
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

/** An answer with a status that is none of success. */
export const ofStatus = (asked: Asked, { body, headers, now, status }: Refusal): ModelFault => {
  const said = sentenceOf(body)
  return told(asked, meaning(asked, status, `${body} ${said ?? ""}`), ` (${status})`, said, retryAfter(headers, now))
}

/** Kinds of `error` events that stand for a status. */
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

/** An error inside a stream that had begun with success. */
export const ofEvent = (asked: Asked, value: unknown): ModelFault => {
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

/** No answer at all. */
export const ofTransport = (asked: Asked, cause: unknown): ModelFault => {
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

export const brokenOff = ({ alias }: Asked, how: string): ModelFault =>
  new ModelFault({ reason: "model_broken_off", message: `${alias}: the answer broke off: ${how}`, transient: true })

export const tooSlow = ({ alias }: Asked, what: string): ModelFault =>
  new ModelFault({ reason: "model_timeout", message: `${alias}: ${what}`, transient: false })

export const noApi = ({ alias, baseUrl }: Asked): ModelFault =>
  new ModelFault({
    reason: "model_unreachable",
    message: `${alias}: ${baseUrl} answers, but not as a model's API — check base_url`,
    transient: false
  })
