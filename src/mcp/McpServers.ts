import { Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import type { RuleBooks } from "../policy/rules/source/RuleBooks.ts"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { Processes } from "../sandbox/process/Processes.ts"
import type { UserNotice } from "../domain/SessionEvent.ts"
import { type SessionTools, type ToolHost, ToolSource } from "../tool/SessionTools.ts"
import type { AnyTool } from "../tool/Tool.ts"
import * as Connector from "./Connector.ts"
import * as McpTools from "./McpTools.ts"
import * as Permit from "./Permit.ts"
import { serverIds } from "./McpToolDeclaration.ts"
import * as SessionMcpServer from "./SessionMcpServer.ts"

/** How long a turn waits for servers that are starting; later tools join the turn as they come. */
const patience = "5 seconds"

/** A server that both the client and the configuration name is one server. */
const distinct = (servers: ReadonlyArray<McpServerConfig>): ReadonlyArray<McpServerConfig> => {
  const known = new Map<string, McpServerConfig>()
  for (const server of servers) {
    const key = JSON.stringify([server.name, server.transport])
    if (!known.has(key)) known.set(key, server)
  }
  return Array.from(known.values())
}

const noticeOf = (server: SessionMcpServer.SessionMcpServer): ReadonlyArray<UserNotice> => {
  const reason = server.trouble()
  return reason === undefined
    ? []
    : [{ severity: "warning", title: `The MCP server ${server.config.name} cannot be used`, description: reason }]
}

/** Tools that no provider would take. */
const leftOut = (server: SessionMcpServer.SessionMcpServer): ReadonlyArray<UserNotice> =>
  McpTools.unsendable(server).map((tool) => ({
    severity: "warning",
    title: `The tool ${tool} of the MCP server ${server.config.name} is left out`,
    description: "its arguments are no object, and no model provider takes that"
  }))

interface Running {
  readonly server: SessionMcpServer.SessionMcpServer
  readonly scope: Scope.Closeable
}

const startAll = (servers: ReadonlyArray<SessionMcpServer.SessionMcpServer>) =>
  Effect.forEach(servers, ({ start }) => start, { concurrency: "unbounded", discard: true })

/** The tools of a session's MCP servers. Each session has its own processes, since they run in its sandbox. */
const open = (connector: Connector.Connector, permission: Effect.Success<typeof Permit.make>) =>
  Effect.fnUntraced(function*(host: ToolHost): Effect.fn.Return<SessionTools, never, Scope.Scope> {
    const scope = yield* Effect.scope
    let tools: ReadonlyMap<string, AnyTool> | undefined
    const built = new WeakMap<
      SessionMcpServer.SessionMcpServer,
      { readonly listed: unknown; readonly tools: ReadonlyArray<AnyTool> }
    >()
    let running: ReadonlyMap<string, Running> = new Map()
    const servers = () => Array.from(running.values(), ({ server }) => server)

    const start = Effect.fnUntraced(function*(id: string, config: McpServerConfig) {
      const own = yield* Scope.fork(scope)
      const made = SessionMcpServer.make(id, config, host.workspace, permission(config, host), connector, () => {
        tools = undefined
      })
      return { server: yield* Scope.provide(made, own), scope: own }
    })

    /**
     * Starts what the configuration has new and ends what it no longer has; a server with other settings is a new one.
     */
    const follow = Effect.gen(function*() {
      const configs = distinct(host.servers())
      const ids = serverIds(configs.map(({ name }) => name))
      const next = new Map<string, Running>()
      for (const [index, config] of configs.entries()) {
        const id = ids[index] ?? config.name
        const key = JSON.stringify([id, config])
        next.set(key, running.get(key) ?? (yield* start(id, config)))
      }
      const ended = Array.from(running).flatMap(([key, one]) => next.has(key) ? [] : [one.scope])
      if (ended.length === 0 && next.size === running.size) return
      running = next
      tools = undefined
      yield* Effect.forEach(ended, (one) => Scope.close(one, Exit.void), { discard: true })
    })
    yield* follow

    /** What the newest listing of each server leaves out was said. */
    const said = new WeakMap<SessionMcpServer.SessionMcpServer, unknown>()
    const leftOutOf = (server: SessionMcpServer.SessionMcpServer): ReadonlyArray<UserNotice> => {
      const listed = server.listed()
      if (said.get(server) === listed) return []
      said.set(server, listed)
      return leftOut(server)
    }

    const named = new WeakSet<SessionMcpServer.SessionMcpServer>()
    const stillStarting = (server: SessionMcpServer.SessionMcpServer): ReadonlyArray<UserNotice> => {
      if (named.has(server)) return []
      named.add(server)
      return [{
        severity: "info",
        title: `The MCP server ${server.config.name} is still starting`,
        description: "its tools join the session as soon as it is ready; a first start may have to download it"
      }]
    }

    const toolsOf = (server: SessionMcpServer.SessionMcpServer): ReadonlyArray<AnyTool> => {
      const listed = server.listed()
      const known = built.get(server)
      if (known?.listed === listed) return known.tools
      const made = McpTools.of(server)
      built.set(server, { listed, tools: made })
      return made
    }

    yield* Effect.forkIn(startAll(servers()), scope)

    return {
      current: () => tools ??= new Map(servers().flatMap(toolsOf).map((tool) => [tool.name, tool])),
      begin: Effect.gen(function*() {
        yield* follow
        const hopeful = servers().filter((server) => server.isHopeful())
        yield* Effect.forkIn(startAll(servers().filter((server) => !server.isHopeful())), scope)
        const starts = yield* Effect.forEach(
          hopeful,
          (server) => Effect.map(Effect.forkIn(server.start, scope), (fiber) => ({ fiber, server }))
        )
        yield* Effect.timeoutOption(Fiber.awaitAll(starts.map(({ fiber }) => fiber)), patience)
        const late = starts.filter(({ fiber }) => fiber.pollUnsafe() === undefined).map(({ server }) => server)
        return [
          ...late.flatMap(stillStarting),
          ...servers().flatMap((server) => [...noticeOf(server), ...leftOutOf(server)])
        ]
      }),
      sought: Effect.fnUntraced(function*(name) {
        const server = servers().filter(({ id }) =>
          name.startsWith(`${id}__`)
        ).toSorted((a, b) => b.id.length - a.id.length)[0]
        if (server === undefined || server.isReady()) return undefined
        const ended = yield* Effect.timeoutOption(server.settled, `${server.config.toolTimeoutSecs} seconds`)
        return Option.isNone(ended)
          ? `the MCP server ${server.id} is still starting`
          : server.problem()
      }),
      policyChanged: Effect.suspend(() =>
        Effect.forEach(servers(), ({ policyChanged }) => policyChanged, { discard: true })
      )
    }
  })

export const layer: Layer.Layer<never, never, Processes | RuleBooks | Sandbox> = Layer.effect(
  ToolSource,
  Effect.zipWith(Connector.make, Permit.make, (connector, permission) => ({ open: open(connector, permission) }))
)
