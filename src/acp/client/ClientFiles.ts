import { Effect } from "effect"
import type { Editor } from "../../tool/ClientSide.ts"
import { ToolFailed } from "../../tool/Tool.ts"
import type { AcpConnectionState } from "../AcpConnection.ts"
import { ReadTextFile, WriteTextFile } from "../protocol/ClientMethods.ts"

/** `fs/*` of a client that offers it. See docs/agent-client-protocol.md#files-of-the-client. */

const readTimeout = "5 seconds"
const writeTimeout = "20 seconds"

/** The client knows no such method, path or file: it has no buffer that a write to the disk would bypass. */
const unknownCodes: ReadonlySet<number> = new Set([-32601, -32602, -32002])

const failed = (message: string) => new ToolFailed({ message })

export const make = ({ capabilities: { fs }, peer }: AcpConnectionState, sessionId: string): Editor | undefined => {
  if (fs?.readTextFile !== true && fs?.writeTextFile !== true) return undefined
  const read = (path: string) =>
    peer.request(ReadTextFile, { sessionId, path }).pipe(
      Effect.map(({ content }) => content),
      Effect.timeout(readTimeout),
      Effect.mapError(() => failed("the client did not show the file"))
    )
  const write = (path: string, content: string) =>
    peer.request(WriteTextFile, { sessionId, path, content }).pipe(
      Effect.as(true),
      Effect.catchTags({
        RpcFault: ({ code, message }) =>
          unknownCodes.has(code)
            ? Effect.succeed(false)
            : Effect.fail(failed(`the client did not write it: ${message}`)),
        ConnectionClosed: () => Effect.succeed(false)
      }),
      Effect.timeoutOrElse({
        duration: writeTimeout,
        orElse: () => Effect.fail(failed("the client did not say whether it wrote it. Read the file before you go on."))
      })
    )
  return { ...(fs.readTextFile === true ? { read } : {}), ...(fs.writeTextFile === true ? { write } : {}) }
}
