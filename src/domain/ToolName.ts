/** What names a tool: its own name, and for a tool of an MCP server the server and the name there. */
export interface ToolName {
  readonly name: string
  readonly mcp?: { readonly server: string; readonly tool: string }
}

/** The tools that every process has, and those that only chat sessions have. */
export const builtInTools = [
  "file_read",
  "file_list",
  "glob_search",
  "content_search",
  "file_write",
  "file_edit",
  "shell",
  "job_output",
  "job_list",
  "job_kill",
  "web_fetch",
  "http_request",
  "deliver_file",
  "read_skill",
  "plan_write",
  "TodoWrite",
  "ask_user",
  "escalate_to_human",
  "memory_recall",
  "memory_export",
  "memory_store",
  "memory_forget",
  "memory_purge"
] as const

/** Whether a list has the tool, by either of its names. */
export const isNamedIn = (names: ReadonlyArray<string>, tool: ToolName): boolean =>
  names.includes(tool.name) || names.includes(ruleName(tool))

/** Whether the name can be that of a tool of an MCP server, by either of its names; servers tell only while they run. */
export const isServerTool = (name: string): boolean => /^.+__.+$/.test(name)

/** The tool that changes the plan, which clients see as the plan alone. */
export const planTool = "TodoWrite"

/** The name that rules know a tool by: tools of MCP servers have the prefix `mcp__` there. */
export const ruleName = ({ mcp, name }: ToolName): string => mcp === undefined ? name : `mcp__${name}`
