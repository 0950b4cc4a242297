import { Effect, Latch } from "effect"
import type { RpcFault } from "../rpc/Wire.ts"
import { textContent } from "../domain/Content.ts"
import { type ToolContext, ToolFailed, type ToolOutput } from "../tool/Tool.ts"
import type { Progress } from "./Link.ts"
import type { CallResult } from "./Protocol.ts"
import * as Results from "./Results.ts"
import type { Server } from "./Server.ts"
import type { Unreachable } from "./Unreachable.ts"

/** From a call of a tool to a request to its server, and back. */

export type Arguments = Readonly<Record<string, unknown>>

/** Raw output is for clients that want it all; a large one would be sent and stored a second time. */
const maxRaw = 256 * 1024

/** People see how far a call is at most this often. */
const progressInterval = "250 millis"

const words = ({ message, progress, total }: Progress): string =>
  [total === undefined ? `${progress}` : `${progress} of ${total}`, ...(message === undefined ? [] : [message])].join(
    ": "
  )

/** Shows the newest progress now and then, for as long as the call runs. */
const reporting = (context: ToolContext) => {
  const changed = Latch.makeUnsafe()
  let latest: Progress | undefined
  return {
    onProgress: (progress: Progress) => {
      latest = progress
      changed.openUnsafe()
    },
    report: Effect.forever(Effect.gen(function*() {
      yield* changed.await
      changed.closeUnsafe()
      if (latest !== undefined) yield* context.progress([textContent(words(latest))])
      yield* Effect.sleep(progressInterval)
    }))
  }
}

const failure = (server: string, error: Unreachable | RpcFault): ToolFailed =>
  new ToolFailed({
    message: error._tag === "Unreachable"
      ? `The MCP server ${server} cannot be used: ${error.reason}`
      : `The MCP server ${server} answered with an error (${error.code}): ${error.message}`
  })

/** One request to the server, from the call's first progress to its answer. */
export const ask = Effect.fnUntraced(function*(
  server: Server,
  method: string,
  parameters: Arguments,
  context: ToolContext
): Effect.fn.Return<unknown, ToolFailed> {
  const { onProgress, report } = reporting(context)
  return yield* Effect.raceFirst(server.request(method, parameters, context, onProgress), report).pipe(
    Effect.mapError((error) => failure(server.id, error))
  )
})

/** What is in a result, or the failure it stands for. */
export const output = Effect.fnUntraced(function*(
  context: ToolContext,
  { content = [], isError = false, structuredContent }: typeof CallResult.Type
): Effect.fn.Return<ToolOutput, ToolFailed> {
  const rendered = yield* Results.render(context.workspace.cwd, content, structuredContent)
  const text = rendered.text === "" ? "(no output)" : rendered.text
  const shown = rendered.content.length === 0 ? [textContent(text)] : rendered.content
  if (isError) return yield* new ToolFailed({ message: text, content: shown })
  const raw = { content: rendered.items, ...(structuredContent === undefined ? {} : { structuredContent }) }
  return { text, content: shown, ...(JSON.stringify(raw).length > maxRaw ? {} : { rawOutput: raw }) }
})
