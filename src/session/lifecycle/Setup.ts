import { Effect, Schema } from "effect"
import type { AgentSettings } from "../../config/Snapshot.ts"
import type { McpServerConfig } from "../../domain/McpServerConfig.ts"
import type { Mode } from "../SessionContext.ts"

/** As many sessions are active as the configuration allows. */
export class SessionLimit extends Schema.TaggedError<SessionLimit>()("SessionLimit", { limit: Schema.Int }) {}

/** How many sessions may be active at the same time, in one or in several `Sessions`. */
export interface SessionQuota {
  readonly limit: () => number
  taken: number
}

/** Counts what is being opened too, so that a burst cannot pass the limit. */
export const withinLimit =
  (room: SessionQuota) => <A, E, R>(opens: Effect.Effect<A, E, R>): Effect.Effect<A, E | SessionLimit, R> =>
    Effect.suspend((): Effect.Effect<A, E | SessionLimit, R> => {
      if (room.taken >= room.limit()) return Effect.fail(new SessionLimit({ limit: room.limit() }))
      room.taken++
      return Effect.onError(opens, () => Effect.sync(() => room.taken--))
    })

export interface Options {
  /** Chat sessions have what outlives a session, such as the agent's memory; ACP sessions have not (spec §4). */
  readonly mode: Mode
  /** `acp.max_sessions` of their own where none is given. */
  readonly room?: SessionQuota
  /** Sessions stay active until they are closed, however long they are idle. */
  readonly keepIdle?: boolean
}

export interface Setup {
  readonly cwd?: string | undefined
  readonly additionalDirectories: ReadonlyArray<string>
  /** Why whoever opens it may not have a folder, by its path. */
  readonly forbids?: ((folder: string) => string | undefined) | undefined
  /** Those that the client brings; the configured ones are there in any case. A session that is active keeps what it has. */
  readonly mcpServers?: ReadonlyArray<McpServerConfig>
}

export interface Creation extends Setup {
  readonly agent: AgentSettings
  /** Made up where none is given. */
  readonly sessionId?: string | undefined
  /** The principal it belongs to; whoever runs Postern without it. */
  readonly owner?: string | undefined
  /** A chat session that is to do without the agent's memory. */
  readonly excludesMemory?: boolean | undefined
  /** Which clients may bring the session back; any without it. */
  readonly surface?: string | undefined
}
