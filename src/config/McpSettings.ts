import { Redacted } from "effect"
import { defaults, type McpServerConfig } from "../domain/McpServerConfig.ts"
import type { ConfigTable, McpServer } from "./schema/Schema.ts"

type Table = NonNullable<ConfigTable["mcp"]>

export interface McpSettings {
  /** Those that are enabled. */
  readonly servers: ReadonlyArray<McpServerConfig>
  /** What holds for servers that clients bring along; none are taken when absent. */
  readonly clients: Pick<McpServerConfig, "sandbox" | "network" | "readable" | "writable"> | undefined
}

type Absolute = (path: string) => string

const confinement = ({ network, readable, sandbox, writable }: NonNullable<Table["clients"]>, absolute: Absolute) => ({
  sandbox,
  network: network ?? defaults.network,
  readable: (readable ?? defaults.readable).map(absolute),
  writable: (writable ?? defaults.writable).map(absolute)
})

const reach = (server: McpServer, absolute: Absolute): McpServerConfig["transport"] =>
  server.command === undefined
    ? { _tag: "Http", url: server.url ?? "", headers: server.headers ?? {}, sse: server.transport === "sse" }
    : {
      _tag: "Stdio",
      command: server.command,
      args: server.args ?? [],
      env: server.env ?? {},
      cwd: server.cwd?.startsWith("~") === true ? absolute(server.cwd) : server.cwd
    }

/** `absolute` resolves `~`, and against the configuration folder. */
export const mcpSettings = ({ clients = {}, servers = {} }: Table = {}, absolute: Absolute): McpSettings => ({
  servers: Object.entries(servers).filter(([, { enabled }]) => enabled !== false).map((
    [name, server]
  ): McpServerConfig => ({
    name,
    transport: reach(server, absolute),
    initTimeoutSecs: server.init_timeout_secs ?? defaults.initTimeoutSecs,
    toolTimeoutSecs: server.tool_timeout_secs ?? defaults.toolTimeoutSecs,
    ...confinement(server, absolute),
    capability: server.capability ?? defaults.capability,
    tools: Object.entries(server.tools ?? {}),
    readOnlyHints: server.read_only_hints ?? defaults.readOnlyHints
  })),
  clients: clients.enabled === false ? undefined : confinement(clients, absolute)
})

/** Short values, such as `1` and `true`, are no secrets and would be blotted out everywhere. */
const shortest = 8

export const mcpSecrets = (servers: ReadonlyArray<McpServerConfig>): ReadonlyArray<Redacted.Redacted<string>> =>
  servers.flatMap(({ transport }) => Object.values(transport._tag === "Http" ? transport.headers : transport.env))
    .filter((value) => value.length >= shortest).map((value) => Redacted.make(value))
