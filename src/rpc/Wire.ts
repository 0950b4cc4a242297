import { Cause, Schema, SchemaIssue } from "effect"
import { replacedIn } from "../domain/ProgramReplaced.ts"

const maxDepth = 1000

/**
 * Whether a JSON value is nested beyond 1000 levels: recursion over such a value, `JSON.stringify` included, may
 * overflow the stack.
 */
export const isTooDeep = (value: unknown): boolean => {
  let level: Array<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((node) => typeof node === "object" && node !== null ? Object.values(node) : [])
  }
  return false
}

/**
 * A request id as its JSON text: `7`, `"7"` and `12345678901234567890` stay three different ids and are echoed
 * unchanged.
 */
export type RequestId = string

/** An error as https://www.jsonrpc.org/specification#error_object has it; `data.reason` is a stable word. */
export class RpcFault extends Schema.TaggedError<RpcFault>()("RpcFault", {
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Unknown)
}) {}

const fault = (code: number, message: string, reason: string) => (data?: object, detail?: string) =>
  new RpcFault({ code, message: detail === undefined ? message : `${message}: ${detail}`, data: { reason, ...data } })

export const parseError = fault(-32700, "Parse error", "parse_error")
export const invalidRequest = fault(-32600, "Invalid Request", "invalid_request")
export const methodNotFound = fault(-32601, "Method not found", "method_not_found")
export const invalidParams = fault(-32602, "Invalid params", "invalid_params")
export const internalError = fault(-32603, "Internal error", "internal_error")
const requestCancelled = fault(-32800, "Request cancelled", "request_cancelled")

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names the first field that does not fit. */
export const invalidParamsFrom = (error: Schema.SchemaError): RpcFault => {
  const issue = formatIssue(error.issue).issues[0]
  const field = (issue?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".")
  return invalidParams(
    field === "" ? {} : { field },
    [field, issue?.message ?? "not readable"].filter((s) => s !== "").join(": ")
  )
}

export type Inbound =
  | { readonly _tag: "Request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: unknown }
  | { readonly _tag: "Response"; readonly id: RequestId; readonly result?: unknown; readonly error?: unknown }
  | { readonly _tag: "Malformed"; readonly id: RequestId; readonly fault: RpcFault }
  | { readonly _tag: "Dropped"; readonly why: string }

const nullId: RequestId = "null"

const malformed = (fault: RpcFault, id = nullId): Inbound => ({ _tag: "Malformed", id, fault })

const isRecord = (u: unknown): u is Record<string, unknown> => typeof u === "object" && u !== null && !Array.isArray(u)

/**
 * The JSON text of an id, or `undefined` for what cannot be one. Not exact for numbers beyond 2^53: see {@link
 * sourceOfId}.
 */
export const idText = (id: unknown): RequestId | undefined =>
  id === null || typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : undefined

/** The same for ids that differ only in their type: some programs send back numbers as text. */
export const comparable = (id: RequestId): string => {
  const text = id.startsWith("\"") ? String(JSON.parse(id)) : id
  const number = text.trim() === "" ? NaN : Number(text)
  return Number.isNaN(number) ? text : String(number)
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown

/** `JSON.parse` rounds big numbers; the text of the root's `id` does not. */
const sourceOfId = (line: string): RequestId | undefined => {
  const seen = new Map<unknown, string>()
  const root = parseWith(line, function(key, value, context) {
    if (key === "id" && typeof value === "number" && context?.source !== undefined) seen.set(this, context.source)
    return value
  })
  return seen.get(root)
}

const classify = (message: Record<string, unknown>, line: string, strict: boolean): Inbound => {
  const { error, jsonrpc, method, params, result } = message
  const id = typeof message["id"] === "number" && !Number.isSafeInteger(message["id"])
    ? sourceOfId(line)
    : idText(message["id"])
  const answers = result !== undefined || error !== undefined
  if (typeof method !== "string") {
    if (!answers) return malformed(invalidRequest(), strict ? nullId : id)
    // The member that does not apply may be null, as in older versions of JSON-RPC.
    const answer = isRecord(error) && (result === undefined || result === null)
      ? { error }
      : error === undefined || (error === null && result !== undefined)
      ? { result }
      : undefined
    return jsonrpc === "2.0" && id !== undefined && method === undefined && answer !== undefined
      ? { _tag: "Response", id, ...answer }
      : { _tag: "Dropped", why: "malformed response" }
  }
  if (answers) return malformed(invalidRequest(undefined, "both a method and a result or error"))
  if (jsonrpc !== "2.0") return malformed(invalidRequest(undefined, "jsonrpc must be \"2.0\""), id)
  if (params === null ? strict : params !== undefined && typeof params !== "object") {
    return malformed(invalidRequest(undefined, "params must be an object or an array"), id)
  }
  if (message["id"] === undefined) return { _tag: "Notification", method, params: params ?? undefined }
  return id === undefined
    ? malformed(invalidRequest(undefined, "id must be a string, a number or null"))
    : { _tag: "Request", id, method, params: params ?? undefined }
}

/**
 * One line is one message (docs/native-rpc.md#framing-and-limits). Arrays are refused: ACP v1 has no batches. `strict`:
 * see the options of a peer.
 */
export const read = (line: string, strict = false): Inbound => {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return malformed(parseError())
  }
  if (!isRecord(message)) return malformed(invalidRequest(undefined, "a message is one JSON object"))
  if (!isTooDeep(message)) return classify(message, line, strict)
  return typeof message["method"] === "string"
    ? malformed(
      invalidRequest({ reason: "nested_too_deeply" }, "nested more than 1000 levels deep"),
      idText(message["id"])
    )
    : { _tag: "Dropped", why: "nested too deeply" }
}

export const request = (id: string, method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"
export const notification = (method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", method, params }) + "\n"
/** A method that gives nothing answers with an empty object; `null` is a result of its own. */
export const success = (id: RequestId, result: unknown = {}) =>
  `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`
export const failure = (id: RequestId, { code, data, message }: RpcFault) =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}\n`

/** Typed faults keep their code; interruption is −32800; everything else stays private. */
export const faultOf = (cause: Cause.Cause<unknown>): RpcFault => {
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason) && reason.error instanceof RpcFault) return reason.error
  }
  const replaced = replacedIn(cause)
  if (replaced !== undefined) {
    return new RpcFault({ code: -32603, message: replaced.message, data: { reason: replaced.reason } })
  }
  return Cause.hasInterruptsOnly(cause) ? requestCancelled() : internalError()
}

/** The far side's `error` member, whatever it put there. */
export const faultFrom = (error: unknown): RpcFault => {
  const { code, data, message } = isRecord(error) ? error : {}
  return new RpcFault({
    code: typeof code === "number" && Number.isInteger(code) ? code : -32603,
    message: typeof message === "string" ? message : "Internal error",
    ...(data === undefined ? {} : { data })
  })
}
