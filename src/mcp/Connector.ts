import { resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { Environment, scrub } from "../platform/Environment.ts"
import { ProgramReplaced } from "../domain/ProgramReplaced.ts"
import { type McpConnection, type McpListener, Unreachable } from "./McpConnection.ts"
import * as StdioTransport from "./StdioTransport.ts"
import type { Permit } from "./Permit.ts"
import { filesOf } from "./ServerFiles.ts"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import { ownHomes } from "../sandbox/plan/DiskView.ts"
import * as Chunk from "../platform/Chunk.ts"

const loadHttp = Chunk.make(() => import("./HttpTransport.ts"))

export interface Connected {
  readonly connection: McpConnection
  /** Runs before the server is told that we are ready, with the revision of the protocol that both speak. */
  readonly initialized: (revision: string) => Effect.Effect<void>
}

/** Connects to a server with the transport that its configuration names; the connection ends with the scope. */
export type Connector = (
  config: McpServerConfig,
  permit: Permit,
  listener: McpListener
) => Effect.Effect<Connected, Unreachable, Scope.Scope>

export const make = Effect.gen(function*() {
  const variables = yield* Environment
  const start = yield* StdioTransport.make

  const connect: Connector = Effect.fnUntraced(function*({ transport }, { held, network }, listener) {
    if (transport._tag === "Stdio") {
      const { args, command, cwd, env } = transport
      const where = {
        cwd: resolve(held.workspace.cwd, cwd ?? "."),
        env: { ...scrub(variables, { network }), ...env }
      }
      const named = filesOf(transport, {
        cwd: where.cwd,
        path: where.env["PATH"],
        homes: ownHomes(),
        roots: held.workspace.roots
      })
      const connection = yield* start([command, ...args], where, { ...held, named }, listener)
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

  return connect
})
