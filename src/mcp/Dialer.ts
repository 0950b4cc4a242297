import { resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { Environment, Passthrough, scrub } from "../platform/Environment.ts"
import type { Link, Listener } from "./Link.ts"
import * as McpStdio from "./McpStdio.ts"
import type { Permit } from "./Permit.ts"
import type { McpServerConfig } from "../domain/McpServerConfig.ts"
import type { Unreachable } from "./Unreachable.ts"

export interface Connection {
  readonly link: Link
  /** The server is about to be told that we are ready; the revision of the protocol that both speak. */
  readonly initialized: (revision: string) => Effect.Effect<void>
}

export type Dial = (
  config: McpServerConfig,
  permit: Permit,
  listener: Listener
) => Effect.Effect<Connection, Unreachable, Scope.Scope>

/** Connects to servers, each in its own way. */
export const make = Effect.gen(function*() {
  const variables = yield* Environment
  const passthrough = yield* Passthrough
  const start = yield* McpStdio.make
  const silently = () => Effect.void

  const dial: Dial = Effect.fnUntraced(function*({ transport }, { held, network }, listener) {
    if (transport._tag === "Http" && transport.sse) {
      const { connect } = yield* Effect.promise(() => import("./McpSse.ts"))
      return { link: yield* connect(transport, listener), initialized: silently }
    }
    if (transport._tag === "Http") {
      const { connect } = yield* Effect.promise(() => import("./McpHttp.ts"))
      const link = yield* connect(transport, listener)
      return { link, initialized: link.initialized }
    }
    const { args, command, cwd, env } = transport
    const where = {
      cwd: resolve(held.workspace.cwd, cwd ?? "."),
      env: { ...scrub(variables, { passthrough, network }), ...env }
    }
    return { link: yield* start([command, ...args], where, held, listener), initialized: silently }
  })

  return dial
})
