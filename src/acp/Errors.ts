import { Effect } from "effect"
import * as Wire from "../rpc/Wire.ts"
import type { SessionFault } from "../session/lifecycle/SessionFault.ts"
import { AcpConnection, type DialectName } from "./AcpConnection.ts"

/**
 * Domain errors as JSON-RPC errors. Codes depend on the dialect, `data.reason` does not. See
 * docs/agent-client-protocol.md#errors.
 */

const codes = {
  notFound: { acp: -32002, zeroclaw: -32000 },
  busy: { acp: 1001, zeroclaw: -32002 },
  authRequired: { acp: -32000, zeroclaw: -32010 },
  limit: { acp: 1002, zeroclaw: -32001 }
}

/** Clients look for the first words. */
export const authRequired = (dialect: DialectName, message: string) =>
  new Wire.RpcFault({
    code: codes.authRequired[dialect],
    message: `Authentication required: ${message}. \`postern setup\` asks for a key and stores it.`,
    data: { reason: "auth_required" }
  })

export const notFound = (dialect: DialectName, sessionId: string) =>
  new Wire.RpcFault({
    code: codes.notFound[dialect],
    message: `Session not found: ${sessionId}`,
    data: { reason: "session_not_found", sessionId }
  })

export const toRpcError = (dialect: DialectName) => (error: SessionFault): Wire.RpcFault => {
  switch (error._tag) {
    case "SessionMissing":
      return notFound(dialect, error.sessionId)
    case "TurnRunning":
      return new Wire.RpcFault({
        code: codes.busy[dialect],
        message: "A turn of this session is running; wait for it or cancel it",
        data: { reason: "session_busy", sessionId: error.sessionId }
      })
    case "SessionLimit":
      return new Wire.RpcFault({
        code: codes.limit[dialect],
        message: `${error.limit} sessions are active; close one, or raise acp.max_sessions`,
        data: { reason: "session_limit", limit: error.limit }
      })
    case "AgentUnresolved":
      if (error.reason === "agent_unusable") {
        return new Wire.RpcFault({ code: -32603, message: error.message, data: { reason: error.reason } })
      }
      return Wire.invalidParams({ reason: error.reason, field: "agentAlias" }, error.message)
    case "DirectoryRefused":
      return Wire.invalidParams({ reason: error.reason, field: error.field }, error.message)
    case "BadCursor":
      return Wire.invalidParams({ reason: "invalid_cursor", field: "cursor" }, "this cursor is not one of ours")
    case "PromptInvalid":
      return Wire.invalidParams({ reason: error.reason, field: error.field }, error.message)
    case "SettingRefused":
      return Wire.invalidParams({
        reason: error.reason,
        field: error.reason === "unknown_option" ? "configId" : "value"
      }, error.message)
    case "RuleRefused":
      return Wire.invalidParams({ reason: "rule_refused", field: error.field }, error.message)
    case "StoreFailed":
      return new Wire.RpcFault({ code: -32603, message: error.message, data: { reason: "store_failed" } })
    case "TurnFailed":
      if (error.needsKey === true) return authRequired(dialect, error.message)
      return new Wire.RpcFault({
        code: -32603,
        message: `Agent turn failed: ${error.message}`,
        data: { reason: error.reason }
      })
  }
}

/**
 * Maps domain errors to JSON-RPC errors of the connection's dialect; a failure of the store is also logged with its
 * cause.
 */
export const mapRpcErrors = Effect.fnUntraced(
  function*<A, R>(effect: Effect.Effect<A, SessionFault | Wire.RpcFault, R>) {
    const { dialect } = yield* AcpConnection
    const logged = Effect.tapError(
      effect,
      (error) => error._tag === "StoreFailed" ? Effect.logError(error.message, error.cause) : Effect.void
    )
    return yield* Effect.mapError(logged, (error) => error._tag === "RpcFault" ? error : toRpcError(dialect)(error))
  }
)
