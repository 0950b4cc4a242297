import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { TranscriptEntry } from "../domain/SessionEvent.ts"
import { SessionMissing, TurnRunning } from "./SessionRecords.ts"
import { interruption } from "./Transcripts.ts"
import { isAlive, type TurnClaim } from "./TurnOwner.ts"

/** The row of a session that begins as a copy of another. */
export interface ForkedSession {
  readonly sessionId: string
  readonly agent: string
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  readonly owner: string | null
}

const encodeEntry = Schema.encodeSync(Schema.fromJsonString(TranscriptEntry))

/**
 * Copies what was said and done, the model's context, settings and rules; not the audit trail, and what the first session cost is not the
 * cost of the second. A turn that was cut off ends in the copy. `TurnRunning` while a process has a turn of the first one open.
 */
export const fork = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  from: string,
  to: ForkedSession,
  now: string
) {
  yield* sql.withTransaction(Effect.gen(function*() {
    const [running] = yield* sql<TurnClaim & { readonly turn: number }>`SELECT turn, owner, pid, host, lease FROM turns
      WHERE session_id = ${from} AND status = 'running'`
    if (running !== undefined && isAlive(running, Date.parse(now))) return yield* new TurnRunning({ sessionId: from })
    const made =
      yield* sql`INSERT INTO sessions (session_id, agent, cwd, additional_directories, title, usage, surface, owner,
        excludes_memory, created_at, updated_at)
      SELECT ${to.sessionId}, ${to.agent}, ${to.cwd}, ${JSON.stringify(to.additionalDirectories)}, title,
        json_remove(usage, '$.cost'), surface, ${to.owner}, excludes_memory, ${now}, ${now}
      FROM sessions WHERE session_id = ${from} AND killed_at IS NULL RETURNING session_id`
    if (made.length === 0) return yield* new SessionMissing({ sessionId: from })
    yield* sql`INSERT INTO turns (session_id, turn, status, started_at, ended_at, owner, pid, host, lease)
      SELECT ${to.sessionId}, turn, iif(status = 'running', 'interrupted', status), started_at, coalesce(ended_at, ${now}), owner, pid,
        host, lease FROM turns WHERE session_id = ${from}`
    yield* sql`INSERT INTO entries (session_id, position, turn, entry)
      SELECT ${to.sessionId}, position, turn, entry FROM entries WHERE session_id = ${from}`
    if (running !== undefined) {
      yield* sql`INSERT INTO entries (session_id, position, turn, entry)
        SELECT ${to.sessionId}, coalesce(max(position) + 1, 0), ${running.turn}, ${
        encodeEntry(interruption(running.turn))
      }
        FROM entries WHERE session_id = ${to.sessionId}`
    }
    yield* sql`INSERT INTO contexts (session_id, messages)
      SELECT ${to.sessionId}, messages FROM contexts WHERE session_id = ${from}`
    yield* sql`INSERT INTO policy_events (session_id, knob, value, source, at)
      SELECT ${to.sessionId}, knob, value, source, at FROM policy_events WHERE session_id = ${from} ORDER BY id`
    yield* sql`INSERT INTO session_rules (session_id, id, list, rule, reason, at, guard)
      SELECT ${to.sessionId}, id, list, rule, reason, at, guard FROM session_rules WHERE session_id = ${from} ORDER BY rowid`
  }))
})
