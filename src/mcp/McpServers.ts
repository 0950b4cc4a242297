import { Effect, Fiber, Layer, type Scope } from "effect"
import type { RuleBooks } from "../policy/RuleBooks.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { Processes } from "../tool/Processes.ts"
import { type Notice, type SessionTools, type ToolHost, ToolSource } from "../tool/SessionTools.ts"
import type { AnyTool } from "../tool/Tool.ts"
import * as Dialer from "./Dialer.ts"
import * as McpTools from "./McpTools.ts"
import { serverIds } from "./Names.ts"
import * as Permit from "./Permit.ts"
import * as Server from "./Server.ts"
import type { ServerConfig } from "./ServerConfig.ts"

/** How long a turn waits for servers that are being started; their tools join it whenever they come. */
const patience = "5 seconds"

/** What a client brings and the configuration has already is one server. */
const distinct = (servers: ReadonlyArray<ServerConfig>): ReadonlyArray<ServerConfig> => {
  const known = new Map<string, ServerConfig>()
  for (const server of servers) {
    const key = JSON.stringify([server.name, server.reach])
    if (!known.has(key)) known.set(key, server)
  }
  return Array.from(known.values())
}

const noticeOf = (server: Server.Server): ReadonlyArray<Notice> => {
  const reason = server.trouble()
  return reason === undefined
    ? []
    : [{ severity: "warning", title: `The MCP server ${server.config.name} cannot be used`, description: reason }]
}

const startAll = (servers: ReadonlyArray<Server.Server>) =>
  Effect.forEach(servers, ({ start }) => start, { concurrency: "unbounded", discard: true })

/** The tools of a session's MCP servers. Each session has processes of its own: their sandbox is the session's. */
const open = (dial: Dialer.Dial, permission: Effect.Success<typeof Permit.make>) =>
  Effect.fnUntraced(function*(host: ToolHost): Effect.fn.Return<SessionTools, never, Scope.Scope> {
    const scope = yield* Effect.scope
    let tools: ReadonlyMap<string, AnyTool> | undefined
    const built = new Map<Server.Server, { readonly listed: unknown; readonly tools: ReadonlyArray<AnyTool> }>()
    const configs = distinct(host.servers)
    const ids = serverIds(configs.map(({ name }) => name))
    const servers = yield* Effect.forEach(
      configs,
      (config, index) =>
        Server.make(ids[index] ?? config.name, config, host.workspace, permission(config, host), dial, () => {
          tools = undefined
        })
    )

    const toolsOf = (server: Server.Server): ReadonlyArray<AnyTool> => {
      const listed = server.listed()
      const known = built.get(server)
      if (known?.listed === listed) return known.tools
      const made = McpTools.of(server)
      built.set(server, { listed, tools: made })
      return made
    }

    yield* Effect.forkIn(startAll(servers), scope)

    return {
      current: () => tools ??= new Map(servers.flatMap(toolsOf).map((tool) => [tool.name, tool])),
      begin: Effect.gen(function*() {
        const hopeful = servers.filter((server) => server.isHopeful())
        yield* Effect.forkIn(startAll(servers.filter((server) => !server.isHopeful())), scope)
        const starting = yield* Effect.forkIn(startAll(hopeful), scope)
        yield* Effect.timeoutOption(Fiber.await(starting), patience)
        return servers.flatMap(noticeOf)
      }),
      policyChanged: Effect.forEach(servers, ({ policyChanged }) => policyChanged, { discard: true })
    }
  })

export const layer: Layer.Layer<never, never, Processes | RuleBooks | Sandbox> = Layer.effect(
  ToolSource,
  Effect.zipWith(Dialer.make, Permit.make, (dial, permission) => ({ open: open(dial, permission) }))
)
