import { Cause } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import { type Failure, failure } from "../Failure.ts"
import { cut, mentions, oneLine } from "../terminal/Text.ts"

/** The message of an agent's error, and the reason where it says more. */
export const explain = ({ data, message }: RpcFault): string => {
  const known = typeof data === "object" && data !== null
    ? data as Readonly<Record<string, unknown>>
    : { details: data }
  const more = [known["reason"], known["details"], known["detail"]]
    .filter((part): part is string => typeof part === "string" && part !== "" && !mentions(message, part))
  return oneLine(message + (more.length > 0 ? ` (${more.join("; ")})` : ""))
}

/** Why our own agent could not start, in its words, instead of how its end looked from here. */
export const inItsWords = (error: Failure): Failure => {
  const said = error.detail?.split("\n").findLast((line) => line.startsWith("postern: "))
  return said === undefined ? error : failure(said.slice("postern: ".length))
}

export const isMissing = ({ code, data }: RpcFault): boolean =>
  code === -32002 ||
  (typeof data === "object" && data !== null && "reason" in data && data.reason === "session_not_found")

/** What the agent sent was more than this client can take. */
export const unreadable = (cause: Cause.Cause<unknown>): Failure =>
  failure(`the agent sent something that cannot be read: ${cut(oneLine(String(Cause.squash(cause))), 200)}`)
