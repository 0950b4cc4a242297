import type { Capability } from "./Capability.ts"
import type { SandboxMode } from "./PolicySettings.ts"

export type McpTransportConfig =
  | {
    readonly _tag: "Stdio"
    readonly command: string
    readonly args: ReadonlyArray<string>
    /** On top of the allow-list that every child process gets. */
    readonly env: Readonly<Record<string, string>>
    /** Against the session's folder; that folder when absent. */
    readonly cwd: string | undefined
  }
  /** `sse` is the older transport of two endpoints. */
  | {
    readonly _tag: "Http"
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly sse: boolean
  }

/** One MCP server: how it is reached, and what the operator says about it. */
export interface McpServerConfig {
  readonly name: string
  readonly transport: McpTransportConfig
  readonly initTimeoutSecs: number
  /** Time in which the user is asked something does not count. */
  readonly toolTimeoutSecs: number
  /** What its process may touch; as the session's own commands when absent. The Work mode is a ceiling in any case. */
  readonly sandbox: SandboxMode | undefined
  /** `false`: its process gets no network, and its tools stay usable with Network access off. */
  readonly network: boolean
  /** Absolute folders that its process may read where the sandbox would hide them. */
  readonly readable: ReadonlyArray<string>
  /** Absolute folders that its process may write besides the session's. */
  readonly writable: ReadonlyArray<string>
  /** What a call of its tools needs, where `tools` does not say. */
  readonly capability: Capability
  /** By name of the tool, `*` for any characters; the first that fits. */
  readonly tools: ReadonlyArray<readonly [string, Capability]>
  /** Whether the server is believed when it calls a tool read-only. */
  readonly readOnlyHints: boolean
}

export const defaults = {
  initTimeoutSecs: 30,
  toolTimeoutSecs: 180,
  sandbox: undefined,
  network: true,
  readable: [],
  writable: [],
  capability: "shell_rw",
  tools: [],
  readOnlyHints: false
} as const satisfies Omit<McpServerConfig, "name" | "transport">

const fits = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(".*")}$`, "s").test(
    name
  )

/**
 * What a call of this tool may do (docs/mcp.md#tools-and-capabilities): the word of the operator, not of the server.
 */
export const capabilityOf = (config: McpServerConfig, tool: string, readOnlyHint: boolean): Capability =>
  config.tools.find(([pattern]) => fits(pattern, tool))?.[1] ??
    (readOnlyHint && config.readOnlyHints ? "ro" : config.capability)

/** Every capability that some tool of the server may need. */
export const capabilitiesOf = ({ capability, readOnlyHints, tools }: McpServerConfig): ReadonlyArray<Capability> => [
  ...new Set([capability, ...tools.map(([, one]) => one), ...(readOnlyHints ? ["ro" as const] : [])])
]

export const needsNetwork = ({ network, transport }: McpServerConfig): boolean => transport._tag === "Http" || network
