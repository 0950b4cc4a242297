import { Effect, Predicate } from "effect"
import { unlessSilent } from "../../rpc/Progress.ts"
import type { RpcFault } from "../../rpc/Wire.ts"
import type { Editor } from "../../tool/ClientSide.ts"
import { ToolFailed } from "../../tool/Tool.ts"
import type { AcpConnectionState } from "../AcpConnection.ts"
import { ReadTextFile, WriteTextFile } from "../protocol/ClientMethods.ts"

/**
 * `fs/*` of a client that offers it. What the client refuses is refused: the disk is asked only for what it does not
 * know. See docs/agent-client-protocol.md#files-of-the-client.
 */

const readTimeout = "5 seconds"
const writeTimeout = "20 seconds"

/** The client knows no such method or file: it has no buffer, and no say. */
const unknownCodes: ReadonlySet<number> = new Set([-32601, -32002])

const failed = (message: string) => new ToolFailed({ message })

/** Clients put the reason of an internal error into its data. */
const reasonOf = ({ data, message }: RpcFault): string => {
  const { details } = Predicate.isObject(data) ? data as { readonly details?: unknown } : { details: data }
  return typeof details === "string" && details !== "" && details !== message ? `${message}: ${details}` : message
}

export const make = ({ capabilities: { fs }, peer }: AcpConnectionState, sessionId: string): Editor | undefined => {
  if (fs?.readTextFile !== true && fs?.writeTextFile !== true) return undefined

  const unlessUnknown = <A>(otherwise: A, refused: string) => ({
    RpcFault: (fault: RpcFault) =>
      unknownCodes.has(fault.code)
        ? Effect.succeed(otherwise)
        : Effect.fail(failed(`${refused}: ${reasonOf(fault)}`)),
    ConnectionClosed: () => Effect.fail(failed("the client is gone"))
  })

  const read = (path: string) =>
    peer.request(ReadTextFile, { sessionId, path }).pipe(
      Effect.map(({ content }): string | undefined => content),
      Effect.catchTags(unlessUnknown<string | undefined>(undefined, "the client refused to show it")),
      unlessSilent(peer.progress, readTimeout, () =>
        Effect.fail(failed(`the client did not show it within ${readTimeout}`)))
    )
  const write = (path: string, content: string) =>
    peer.request(WriteTextFile, { sessionId, path, content }).pipe(
      Effect.as(true),
      Effect.catchTags(unlessUnknown(false, "the client did not write it")),
      unlessSilent(peer.progress, writeTimeout, () =>
        Effect.fail(failed("the client did not say whether it wrote it. Read the file before you go on.")))
    )
  return { ...(fs.readTextFile === true ? { read } : {}), ...(fs.writeTextFile === true ? { write } : {}) }
}
