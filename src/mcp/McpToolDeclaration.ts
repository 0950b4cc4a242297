import { createHash } from "node:crypto"
import { Effect, Result, Schema } from "effect"
import * as ToolRequirements from "../policy/decision/ToolRequirements.ts"
import { type AnyTool, firstLine, make, type ToolContext, ToolFailed, type ToolOutput } from "../tool/Tool.ts"
import { capabilityOf, type McpServerConfig, needsNetwork } from "../domain/McpServerConfig.ts"
import { beginning } from "../domain/Cut.ts"

/** Characters of a tool's name that every provider accepts. */
const maxName = 64

const allowedCharacters = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_")

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8)

const cut = (name: string, whole: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most - 9)}_${hashOf(whole)}`

/** Without `__`, which ends it in the name of a tool, and without `_` at either end. */
const serverId = (name: string): string =>
  cut(allowedCharacters(name).replace(/_{2,}/g, "_").replace(/^_+|_+$/g, "") || "server", name, 24)

/** An id for each, in their order; an id that is taken gets a number. */
export const serverIds = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  return names.map((name) => {
    const id = serverId(name)
    let free = id
    for (let number = 2; taken.has(free); number++) free = `${id}-${number}`
    taken.add(free)
    return free
  })
}

/**
 * The name of each tool of one server, `server__tool`. Of several with the same name, the one whose name needed no
 * change keeps it and the others get a hash, so that no name depends on the order of the list.
 */
export const toolNames = (server: string, tools: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const wanted = new Map(tools.map((tool) => [tool, cut(`${server}__${allowedCharacters(tool)}`, tool, maxName)]))
  const claims = Map.groupBy(wanted.keys(), (tool) => wanted.get(tool))
  return new Map(Array.from(wanted, ([tool, name]) => {
    const shared = (claims.get(name)?.length ?? 0) > 1 && name !== `${server}__${tool}`
    return [tool, shared ? `${name.slice(0, maxName - 9)}_${hashOf(tool)}` : name]
  }))
}

const Parameters = Schema.Record(Schema.String, Schema.Unknown)

/** Arguments of a call, as the model wrote them. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** A tool as its server lists it. */
export interface McpToolDeclaration {
  readonly tool: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly readOnlyHint: boolean
  readonly run: (parameters: ToolArguments, context: ToolContext) => Effect.Effect<ToolOutput, ToolFailed>
}

/** Characters of one description. */
const maxDescription = 4096

/** The tool as the gates see it, whether its server runs or not. */
export const declare = (
  server: string,
  config: McpServerConfig,
  name: string,
  declaration: McpToolDeclaration
): AnyTool => {
  const { description, inputSchema, readOnlyHint, run, tool } = declaration
  const capability = capabilityOf(config, tool, readOnlyHint)
  const network = needsNetwork(config)
  return make<ToolArguments>({
    name,
    description: beginning(description, maxDescription),
    parameters: Parameters,
    inputSchema,
    mcp: { server, tool },
    kind: "other",
    capabilities: [capability],
    origin: "external",
    network: network ? "required" : "none",
    needs: () => ToolRequirements.mcp(capability, network),
    preview: (parameters) => Effect.succeed({ title: `${server}: ${firstLine(tool, 80)}`, rawInput: parameters }),
    run
  })
}

/**
 * A tool of a configured server as the gates would see it, without asking the server whether it has one. Its read-only
 * hint is not known and counts as absent.
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
