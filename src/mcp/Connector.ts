import { resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { Environment, scrub } from "../platform/Environment.ts"
import { ProgramReplaced } from "../domain/ProgramReplaced.ts"
import { type McpConnection, type McpListener, Unreachable } from "./McpConnection.ts"
import * as StdioTransport from "./StdioTransport.ts"
import type { Permit } from "./Permit.ts"
import { filesOf } from "./ServerFiles.ts"
import { type McpServerConfig, needsNetwork } from "../domain/McpServerConfig.ts"
import * as RunnerCache from "./RunnerCache.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { ownHomes } from "../sandbox/plan/DiskView.ts"
import * as Chunk from "../platform/Chunk.ts"

const loadHttp = Chunk.make(() => import("./HttpTransport.ts"))

export interface Connected {
  readonly connection: McpConnection
  /** Runs before the server is told that we are ready, with the revision of the protocol that both speak. */
  readonly initialized: (revision: string) => Effect.Effect<void>
}

/** Reaches servers. */
export interface Connector {
  /** With the transport that the configuration names; the connection ends with the scope. */
  readonly connect: (
    config: McpServerConfig,
    permit: Permit,
    listener: McpListener
  ) => Effect.Effect<Connected, Unreachable, Scope.Scope>
  /** What its package runner has fetched so far; another number than before is progress. */
  readonly downloaded: (config: McpServerConfig) => Effect.Effect<number>
}

export const make = Effect.gen(function*() {
  const variables = yield* Environment
  const start = yield* StdioTransport.make
  const sandbox = yield* Sandbox
  const cacheFor = (config: McpServerConfig) =>
    Effect.try({
      try: () => sandbox.cache(RunnerCache.nameOf(config)),
      catch: (error) => new Unreachable({ reason: `no folder for its downloads can be made (${error})` })
    })

  const connect: Connector["connect"] = Effect.fnUntraced(function*(config, { held, network }, listener) {
    const { transport } = config
    if (transport._tag === "Stdio") {
      const { args, command, cwd, env } = transport
      const cache = network ? yield* cacheFor(config) : undefined
      const authorities = network ? RunnerCache.authorities(variables) : {}
      const where = {
        cwd: resolve(held.workspace.cwd, cwd ?? "."),
        env: {
          ...scrub(variables, { network }),
          ...authorities,
          ...(cache === undefined ? {} : RunnerCache.variables(cache, [command, ...args])),
          ...env
        }
      }
      const named = filesOf(transport, {
        cwd: where.cwd,
        path: where.env["PATH"],
        homes: ownHomes(),
        roots: held.workspace.roots
      })
      const connection = yield* start([command, ...args], where, {
        ...held,
        named: [...named, ...Object.values(authorities)],
        cache
      }, listener)
      return { connection, initialized: () => Effect.void }
    }
    const { connectSse, connectStreamable } = yield* Effect.catchDefect(
      loadHttp,
      (defect) => defect instanceof ProgramReplaced ? new Unreachable({ reason: defect.message }) : Effect.die(defect)
    )
    if (transport.sse) return { connection: yield* connectSse(transport, listener), initialized: () => Effect.void }
    const connection = yield* connectStreamable(transport, listener)
    return { connection, initialized: connection.initialized }
  })

  return {
    connect,
    downloaded: (config) =>
      config.transport._tag === "Stdio" && needsNetwork(config)
        ? Effect.orElseSucceed(Effect.flatMap(cacheFor(config), RunnerCache.size), () => 0)
        : Effect.succeed(0)
  } satisfies Connector
})
