import { Effect } from "effect"
import * as Wire from "../../rpc/Wire.ts"
import type { AgentUnresolved } from "../../session/lifecycle/Agents.ts"
import type { SessionFault } from "../../session/lifecycle/SessionFault.ts"

/** Errors of the native protocol; `data.reason` is a stable word. See docs/native-rpc.md#errors. */

const fault = (code: number, message: string, reason: string, data: object = {}) =>
  new Wire.RpcFault({ code, message, data: { reason, ...data } })

export const notFound = (sessionId: string) =>
  fault(-32000, `Session not found: ${sessionId}`, "not_found", { session_id: sessionId })
export const noTurn = (sessionId: string) =>
  fault(-32000, `No turn of session ${sessionId} is running`, "no_active_turn", { session_id: sessionId })
export const limit = (limit: number) =>
  fault(-32001, `${limit} sessions are active, which is the limit; close one, or raise rpc.max_sessions`, "capacity", {
    limit
  })
export const busy = (sessionId: string) =>
  fault(-32002, "A turn of this session is running; wait for it or cancel it", "session_busy", {
    session_id: sessionId
  })
export const queueFull = (sessionId: string) =>
  fault(-32002, "Too many calls wait for this session; try again later", "queue_full", { session_id: sessionId })
export const steeringFull = (sessionId: string, limit: number) =>
  fault(-32002, `${limit} messages wait for this turn, which is the limit; try again later`, "queue_full", {
    session_id: sessionId,
    limit
  })
export const queueTimeout = (sessionId: string, seconds: number) =>
  fault(-32002, `Other calls kept this session for ${seconds} s; try again later`, "queue_timeout", {
    session_id: sessionId
  })
export const tooManyTurns = (limit: number) =>
  fault(-32002, `This connection has ${limit} prompts running, which is the limit`, "too_many_prompts", { limit })
export const tooManySubscriptions = (limit: number) =>
  fault(-32002, `This connection has ${limit} subscriptions, which is the limit`, "too_many_subscriptions", { limit })
export const notOwned = (sessionId: string) =>
  fault(-32003, "This session belongs to another principal", "unowned", { session_id: sessionId })
/** The client wants to change something that changed since it read it. */
export const stale = (message: string, data: object = {}) => fault(-32005, message, "conflict", data)
export const notInitialized = () => fault(-32010, "initialize comes first", "not_initialized")
export const notAuthenticated = (message: string) => fault(-32010, message, "not_authenticated")
export const versionMismatch = (client: number) =>
  fault(-32011, `This daemon speaks protocol version 1, and the client asked for ${client}`, "version_mismatch", {
    server: 1,
    client
  })
export const forbidden = (message: string, data: object = {}) => fault(-32012, message, "forbidden", data)
export const missingGrant = (principal: string, need: string, method: string) =>
  forbidden(`Principal "${principal}" has no grant ${need}, which ${method} needs`, { need, method })
export const disabled = (message: string, reason: string) => fault(-32603, message, reason)
export const unavailable = (message: string) => fault(-32603, message, "store_failed")
export const pathMissing = (message: string) => fault(4001, message, "not_found")
export const pathDenied = (message: string) => fault(4002, message, "forbidden")
export const badPath = (message: string) => fault(4003, message, "invalid")
export const invalid = (message: string, field: string, reason = "invalid_params", data: object = {}) =>
  Wire.invalidParams({ reason, field, ...data }, message)

/** `field`: the parameter that names the agent. */
export const unresolved = ({ message, reason }: AgentUnresolved, field: string) =>
  reason === "agent_unusable" ? fault(-32603, message, reason) : invalid(message, field, reason)

export const toRpcError = (error: SessionFault): Wire.RpcFault => {
  switch (error._tag) {
    case "SessionMissing":
      return notFound(error.sessionId)
    case "TurnRunning":
      return busy(error.sessionId)
    case "SessionLimit":
      return limit(error.limit)
    case "AgentUnresolved":
      return unresolved(error, "agent_alias")
    case "DirectoryRefused":
      return error.reason === "forbidden"
        ? forbidden(error.message, { field: error.field })
        : invalid(error.message, error.field, error.reason)
    case "PromptInvalid":
      return invalid(error.message, error.field, error.reason)
    case "BadCursor":
      return invalid("this cursor is not one of ours", "cursor", "invalid_cursor")
    case "SettingRefused":
      return invalid(error.message, "value", error.reason)
    case "RuleRefused":
      return invalid(error.message, "rule", "rule_refused")
    case "StoreFailed":
      return fault(-32603, error.shown ?? error.message, "store_failed")
    case "TurnFailed":
      return fault(-32603, `turn failed: ${error.message}`, error.reason)
  }
}

/** Maps domain errors to errors of the protocol; a failure of a store is also logged with its cause. */
export const mapRpcErrors = <A, R>(
  effect: Effect.Effect<A, SessionFault | Wire.RpcFault, R>
): Effect.Effect<A, Wire.RpcFault, R> =>
  effect.pipe(
    Effect.tapError((error) =>
      error._tag === "StoreFailed" ? Effect.logError(error.message, error.cause) : Effect.void
    ),
    Effect.mapError((error) => error._tag === "RpcFault" ? error : toRpcError(error))
  )
