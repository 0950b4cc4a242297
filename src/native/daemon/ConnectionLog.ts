import { Effect } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"
import { isRecord } from "../protocol/Spelling.ts"

/** Who comes, who goes and who is refused, for the log; never with a credential (zeroclaw §1.1). */

const longestWord = 64
const longestReason = 200

/** What a client says of itself stays on one line and short. */
const shown = (text: string, most = longestWord): string =>
  Array.from(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")).slice(0, most).join("")

export const connected = ({ far }: NativeState) => Effect.logDebug(`${far.label} connected`)

/** After its first `initialize`; a later one says it again, for those who look closely. */
export const greeted = ({ clientId, clientKind, far, principal }: NativeState, isFirst: boolean) => {
  const kind = clientKind === undefined ? "" : ` (${shown(clientKind)})`
  const line = `${far.label} is client ${shown(clientId)}${kind}, principal ${shown(principal)}`
  return isFirst ? Effect.logInfo(line) : Effect.logDebug(line)
}

export const refused = ({ far }: NativeState, { data, message }: RpcFault) => {
  const reason = isRecord(data) && typeof data["reason"] === "string" ? data["reason"] : "invalid"
  return Effect.logWarning(`${far.label} was refused: ${reason} (${shown(message, longestReason)})`)
}

export const left = ({ clientId, far, initialized }: NativeState) =>
  initialized
    ? Effect.logInfo(`client ${shown(clientId)} left ${far.label}`)
    : Effect.logDebug(`${far.label} left without a greeting`)
