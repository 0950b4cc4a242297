/** What names a tool: its own name, and for a tool of an MCP server the server and the name there. */
export interface ToolName {
  readonly name: string
  readonly mcp?: { readonly server: string; readonly tool: string }
}

/** The tool that changes the plan, which clients see as the plan alone. */
export const planTool = "TodoWrite"

/** The name that rules know a tool by: tools of MCP servers have the prefix `mcp__` there. */
export const ruleName = ({ mcp, name }: ToolName): string => mcp === undefined ? name : `mcp__${name}`
