import { Effect } from "effect"
import type { McpSettings } from "../config/McpSettings.ts"
import { defaults, type McpServerConfig } from "../domain/McpServerConfig.ts"
import type { McpServer } from "./SessionSetup.ts"

const record = (pairs: ReadonlyArray<{ readonly name: string; readonly value: string }> | null | undefined) =>
  Object.fromEntries((pairs ?? []).map(({ name, value }) => [name, value]))

/** The MCP servers of `session/new`, `load` and `resume`, held to what the operator says about such servers. */
export const clientServers = (
  servers: ReadonlyArray<McpServer> | null | undefined,
  { clients }: McpSettings
): Effect.Effect<ReadonlyArray<McpServerConfig>> => {
  const given = servers ?? []
  if (clients === undefined) {
    const names = given.map(({ name }) => JSON.stringify(name)).join(", ")
    return Effect.as(
      given.length === 0 ? Effect.void : Effect.logWarning(`not started, as mcp.clients.enabled is false: ${names}`),
      []
    )
  }
  return Effect.succeed(given.map((server): McpServerConfig => ({
    ...defaults,
    ...clients,
    name: server.name,
    reach: "url" in server
      ? { _tag: "Http", url: server.url, headers: record(server.headers), sse: server.type === "sse" }
      : { _tag: "Stdio", command: server.command, args: server.args ?? [], env: record(server.env), cwd: undefined }
  })))
}
