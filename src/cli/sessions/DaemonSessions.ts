import { Effect, Layer } from "effect"
import type { SessionSummary } from "../../native/protocol/SessionContracts.ts"
import type { Daemon } from "../daemon/DaemonClient.ts"
import { failure } from "../Failure.ts"
import { type ListedSession, SessionRepository } from "./SessionRepository.ts"

const pageSize = 1000

const listed = (row: SessionSummary): ListedSession => ({
  sessionId: row.session_id,
  mode: row.channel_id,
  agent: row.agent_alias,
  cwd: row.workspace_dir,
  title: row.name ?? null,
  createdAt: row.created_at,
  updatedAt: row.last_activity,
  killedAt: row.killed_at ?? null
})

/** The sessions of a running daemon, as far as its principal may see them. */
export const layer = ({ call }: Daemon): Layer.Layer<SessionRepository> => {
  const list = Effect.fnUntraced(function*(include_unprompted: boolean) {
    const found = new Map<string, ListedSession>()
    for (let offset = 0;; offset += pageSize) {
      const page = { limit: pageSize, offset, include_killed: true, include_unprompted }
      const { sessions: rows } = yield* call("session/list", page)
      // A session that changed between two requests can appear on both pages.
      for (const row of rows) found.set(`${row.channel_id} ${row.session_id}`, listed(row))
      if (rows.length < pageSize) return Array.from(found.values())
    }
  })

  /** The page of a transcript that ends before an entry, or its last page. */
  const page = Effect.fnUntraced(function*(sessionId: string, before: number | undefined) {
    const asked = { session_id: sessionId, entries: true, ...(before === undefined ? {} : { before_index: before }) }
    const found = yield* call("session/messages", asked)
    return "entries" in found ? found : yield* failure("the daemon answers without the entries of the session")
  })

  const document = Effect.fnUntraced(function*({ sessionId }: ListedSession) {
    let { entries, session, start } = yield* page(sessionId, undefined)
    while (start > 0) {
      const older = yield* page(sessionId, start)
      entries = [...older.entries, ...entries]
      start = older.start
      session = older.session
    }
    return { session, transcript: entries }
  })

  return Layer.succeed(SessionRepository, {
    all: list(true),
    prompted: list(false),
    document,
    trail: Effect.fnUntraced(function*({ sessionId }) {
      const found = yield* call("session/messages", { session_id: sessionId, decisions: true })
      if (!("decisions" in found)) return yield* failure("the daemon answers without the decisions of the session")
      return { decisions: found.decisions, approvals: found.approvals }
    }),
    close: ({ sessionId }) => Effect.asVoid(call("session/close", { session_id: sessionId })),
    kill: ({ sessionId }) => Effect.asVoid(call("session/kill", { session_id: sessionId })),
    remove: Effect.fnUntraced(function*({ sessionId }) {
      const { deleted } = yield* call("session/delete", { session_id: sessionId })
      if (!deleted) return yield* failure(`there is no session ${JSON.stringify(sessionId)} any more`)
    })
  })
}
