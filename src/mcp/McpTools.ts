import { Effect, Schema } from "effect"
import { type AnyTool, type ToolContext, ToolFailed } from "../tool/Tool.ts"
import { type Arguments, ask, output } from "./Asking.ts"
import { type Declaration, declare } from "./Declaration.ts"
import { toolNames } from "./Names.ts"
import * as Protocol from "./Protocol.ts"
import * as ServerLists from "./ServerLists.ts"
import type { Server } from "./Server.ts"

const readResult = Schema.decodeUnknownEffect(Protocol.CallResult)

const call = (server: Server, tool: string) =>
  Effect.fnUntraced(function*(parameters: Arguments, context: ToolContext) {
    const answer = yield* ask(server, "tools/call", { name: tool, arguments: parameters }, context)
    const result = yield* Effect.mapError(
      readResult(answer),
      () => new ToolFailed({ message: `The MCP server ${server.id} gave an answer that is not one of the protocol.` })
    )
    return yield* output(context, result)
  })

/** Every tool of a server as it is listed now; the lists of its resources and prompts after its own. */
export const of = (server: Server): ReadonlyArray<AnyTool> => {
  const { prompts, resources, tools } = server.listed()
  const own = tools.map(({ annotations, description = "", inputSchema = {}, name }): Declaration => ({
    tool: name,
    description,
    inputSchema,
    readOnlyHint: annotations?.readOnlyHint ?? false,
    run: call(server, name)
  }))
  const more = [...(resources ? ServerLists.resources(server) : []), ...(prompts ? ServerLists.prompts(server) : [])]
  const all = [...own, ...more.filter(({ tool }) => !own.some((one) => one.tool === tool))]
  const names = toolNames(server.id, all.map(({ tool }) => tool))
  return all.map((one) => declare(server.id, server.config, names.get(one.tool) ?? one.tool, one))
}
