import { Effect, Schema } from "effect"
import * as Needs from "../policy/decision/ToolRequirements.ts"
import * as Target from "../tool/file/ToolPath.ts"
import { type AnyTool, make, type ToolContext, type ToolFailed, type ToolOutput } from "../tool/Tool.ts"
import type { Arguments } from "./Asking.ts"
import { capabilityOf, type McpServerConfig, needsNetwork } from "../domain/McpServerConfig.ts"

const Parameters = Schema.Record(Schema.String, Schema.Unknown)

/** A tool of a server before anybody calls it. */
export interface Declaration {
  readonly tool: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly readOnlyHint: boolean
  readonly run: (parameters: Arguments, context: ToolContext) => Effect.Effect<ToolOutput, ToolFailed>
}

const maxDescription = 4096

/** What the gates see of a tool; the same whether its server runs or not. */
export const declare = (server: string, config: McpServerConfig, name: string, declaration: Declaration): AnyTool => {
  const { description, inputSchema, readOnlyHint, run, tool } = declaration
  const capability = capabilityOf(config, tool, readOnlyHint)
  const network = needsNetwork(config)
  return make<Arguments>({
    name,
    description: description.slice(0, maxDescription),
    parameters: Parameters,
    inputSchema,
    mcp: { server, tool },
    kind: "other",
    capabilities: [capability],
    origin: "external",
    network: network ? "required" : "none",
    needs: () => Needs.mcp(capability, network),
    preview: (parameters) =>
      Effect.succeed({ title: `${server}: ${Target.firstLine(tool, 80)}`, rawInput: parameters }),
    run
  })
}
