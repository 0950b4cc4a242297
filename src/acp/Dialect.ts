import { Result } from "effect"
import type { Admit } from "../rpc/Options.ts"
import * as Wire from "../rpc/Wire.ts"
import type { AcpConnectionState } from "./AcpConnection.ts"

/**
 * Makes incoming messages canonical: both dialects accept liberal spellings, and the first unambiguous sign of a
 * ZeroClaw client switches the connection's dialect, which changes only what goes out. See
 * docs/agent-client-protocol.md#signs-of-the-dialect.
 */

type Params = Record<string, unknown>

const isRecord = (u: unknown): u is Params => typeof u === "object" && u !== null && !Array.isArray(u)

const signMethods = new Set(["session/stop", "session/event", "session/update"])
const signKeys = ["agentAlias", "agent_alias", "agent", "workspaceDir", "workspace_dir", "session_id"]

const isUntyped = (part: unknown): part is Params =>
  isRecord(part) && part["type"] === undefined && typeof part["text"] === "string"

const asksForDialect = (params: Params): boolean => {
  const capabilities = params["clientCapabilities"]
  const meta = isRecord(capabilities) ? capabilities["_meta"] : undefined
  const own = isRecord(meta) ? meta["zeroclaw"] : undefined
  return isRecord(own) && own["dialect"] === true
}

/** Blank text counts as absent. */
const isGiven = (value: unknown): boolean => value !== undefined && !(typeof value === "string" && value.trim() === "")

const isSign = (method: string, params: Params): boolean => {
  if (method !== "initialize" && !method.startsWith("session/")) return false
  if (signMethods.has(method) || signKeys.some((key) => isGiven(params[key]))) return true
  if (method === "initialize") return params["protocolVersion"] === undefined || asksForDialect(params)
  const prompt = params["prompt"]
  return method === "session/prompt" &&
    (typeof prompt === "string" || (Array.isArray(prompt) && prompt.some(isUntyped)))
}

/** The first value that is present: blank text and `null` count as absent. */
const firstOf = (params: Params, keys: ReadonlyArray<string>): unknown =>
  keys.map((key) => params[key]).find((value) =>
    value !== undefined && value !== null && !(typeof value === "string" && value.trim() === "")
  )

const zeroClawMeta = (params: Params): Params => {
  const meta = params["_meta"]
  const own = isRecord(meta) ? meta["zeroclaw"] : undefined
  return isRecord(own) ? own : {}
}

const blocksOf = (prompt: unknown): unknown =>
  typeof prompt === "string"
    ? [{ type: "text", text: prompt }]
    : Array.isArray(prompt)
    ? prompt.map((part) => isUntyped(part) ? { ...part, type: "text" } : part)
    : prompt

const canonical = (method: string, params: Params): Params => {
  const { agentAlias: _, cwd: __, ...rest } = params
  const cwd = firstOf(params, ["cwd", "workspaceDir", "workspace_dir"])
  const agentAlias = firstOf(params, ["agentAlias", "agent_alias", "agent"]) ??
    firstOf(zeroClawMeta(params), ["agentAlias"])
  const sessionId = params["sessionId"] ?? params["session_id"]
  return {
    ...rest,
    ...(cwd === undefined ? {} : { cwd }),
    ...(agentAlias === undefined ? {} : { agentAlias }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(method === "session/prompt" ? { prompt: blocksOf(params["prompt"]) } : {})
  }
}

const needsStore = new Set(
  ["session/load", "session/resume", "session/fork", "session/list", "session/close", "session/delete"]
)

/**
 * Admits messages to the handlers of one connection. `isDurable` is false while sessions live in memory only: then the
 * methods that need the store are not found. See docs/sessions.md#store.
 */
export const admit = (state: AcpConnectionState, isDurable: () => boolean): Admit => (method, raw) => {
  if (Array.isArray(raw)) return Result.fail(Wire.invalidParams(undefined, "params must be an object"))
  const params = isRecord(raw) ? raw : {}
  if (isSign(method, params)) state.dialect = "zeroclaw"
  if (!state.initialized && method !== "initialize" && state.dialect === "acp") {
    return Result.fail(Wire.invalidRequest({ reason: "not_initialized" }, "initialize comes first"))
  }
  if (needsStore.has(method) && !isDurable()) {
    return Result.fail(Wire.methodNotFound({ method }, `${method} needs the session store, which could not be opened`))
  }
  return Result.succeed(canonical(method, params))
}
