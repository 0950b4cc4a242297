import { Effect, Result } from "effect"
import { LiveSettings } from "../config/LiveSettings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import { resolveModel } from "../model/ModelReference.ts"
import * as Wire from "../rpc/Wire.ts"
import { unlimited } from "./AcpAccess.ts"
import { AcpConnection, type AcpConnectionState } from "./AcpConnection.ts"
import { authRequired } from "./Errors.ts"

/**
 * The login of ACP: a terminal in which the client runs `postern acp --setup`, offered until a real model can be asked. See
 * docs/agent-client-protocol.md#login
 */

const setupMethod = "postern-setup"

const setupFlag = "--setup"

export const defaultModelIn = ({ acp, agents }: Snapshot) =>
  Array.from(agents.values()).find(({ alias }) => acp.defaultAgent === undefined || alias === acp.defaultAgent)?.model

/** Why the agent of new sessions has no real model, if it has none; `key` is what its model lacks. */
const lacking = (now: Snapshot): { readonly key?: string } | undefined => {
  const found = resolveModel(now.providers, defaultModelIn(now) ?? now.defaultModel)
  if (Result.isSuccess(found)) return found.success.provider.kind === "offline" ? {} : undefined
  return found.failure.reason === "no_key" ? { key: found.failure.message } : undefined
}

/** A client without terminals for logins is offered none: it could only fail at it. */
export const methodsFor = ({ access, capabilities }: AcpConnectionState, now: Snapshot) =>
  Effect.sync(() => {
    const isTerminal = capabilities.auth?.terminal === true
    const isLegacy = capabilities._meta?.["terminal-auth"] === true
    if (access !== unlimited || (!isTerminal && !isLegacy) || lacking(now) === undefined) return []
    const [command, ...args] = [process.execPath, ...process.argv.slice(1), setupFlag]
    const label = "Set up a model"
    return [{
      ...(isTerminal ? { type: "terminal" as const, args: [setupFlag] } : {}),
      id: setupMethod,
      name: label,
      description: "Asks in a terminal for a provider, its key and a model, and writes config.toml",
      // What clients read before the specification had terminal logins: the whole command.
      ...(isLegacy ? { _meta: { "terminal-auth": { label, command, args, env: {} } } } : {})
    }]
  })

/** The terminal has done it, or nothing had to be done: a key that is still missing is asked for again. */
export const makeAuthenticate = Effect.map(
  LiveSettings,
  ({ current }) =>
    Effect.fnUntraced(function*({ methodId }: { readonly methodId: string }) {
      const { dialect } = yield* AcpConnection
      if (methodId !== setupMethod) {
        return yield* Wire.invalidParams(
          { reason: "unknown_method", field: "methodId" },
          `methodId: ${JSON.stringify(methodId)} is not one of ${setupMethod}`
        )
      }
      const found = lacking(yield* current)
      if (found?.key !== undefined) return yield* authRequired(dialect, found.key)
      return {}
    })
)
