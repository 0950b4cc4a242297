import { Effect } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import { isRecord } from "../protocol/Contract.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"

/** Logs clients that connect, leave or are refused; never with a credential. */

const longestWord = 64
const longestReason = 200

/** A text of the client, on one line and cut. */
const shown = (text: string, most = longestWord): string =>
  Array.from(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")).slice(0, most).join("")

export const connected = ({ peerIdentity }: NativeState) => Effect.logDebug(`${peerIdentity.label} connected`)

/** Logged at info for the first `initialize`, at debug for a repetition. */
export const greeted = ({ clientId, clientKind, peerIdentity, principal }: NativeState, isFirst: boolean) => {
  const kind = clientKind === undefined ? "" : ` (${shown(clientKind)})`
  const line = `${peerIdentity.label} is client ${shown(clientId)}${kind}, principal ${shown(principal)}`
  return isFirst ? Effect.logInfo(line) : Effect.logDebug(line)
}

export const refused = ({ peerIdentity }: NativeState, { data, message }: RpcFault) => {
  const reason = isRecord(data) && typeof data["reason"] === "string" ? data["reason"] : "invalid"
  return Effect.logWarning(`${peerIdentity.label} was refused: ${reason} (${shown(message, longestReason)})`)
}

export const left = ({ clientId, peerIdentity, initialized }: NativeState) =>
  initialized
    ? Effect.logInfo(`client ${shown(clientId)} left ${peerIdentity.label}`)
    : Effect.logDebug(`${peerIdentity.label} left without a greeting`)
