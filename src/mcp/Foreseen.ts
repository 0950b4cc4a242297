import { Effect, Result } from "effect"
import { type AnyTool, ToolFailed } from "../tool/Tool.ts"
import { declare } from "./Declaration.ts"
import { serverIds } from "./Names.ts"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"

/**
 * A tool of a configured server as the gates would see it, without asking the server whether it has one. What a server says about
 * itself is not known: where the operator believes that, the tool counts as one that says nothing.
 */
export const foreseen = (servers: ReadonlyArray<McpServerConfig>, name: string): Result.Result<AnyTool, string> => {
  const ids = serverIds(servers.map((server) => server.name))
  const at = ids.findIndex((id) => name.startsWith(`${id}__`) && name.length > id.length + 2)
  const [config, server] = [servers[at], ids[at]]
  if (config !== undefined && server !== undefined) {
    return Result.succeed(declare(server, config, name, {
      tool: name.slice(server.length + 2),
      description: "",
      inputSchema: { type: "object" },
      readOnlyHint: false,
      run: () => Effect.fail(new ToolFailed({ message: "this is a dry run" }))
    }))
  }
  const known = ids.length === 0 ? "none is configured" : `configured are ${ids.join(", ")}`
  return Result.fail(`no MCP server of that name: ${known}; those that clients bring are known in their sessions only`)
}
