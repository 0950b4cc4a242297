import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { mayExist, type TurnOwner } from "./TurnOwner.ts"

const day = 24 * 60 * 60 * 1000

/** How long a session without a prompt is kept, in ms. */
const lifetime = 30 * day

/**
 * For how long after its last sign a process of another host counts as running, in ms: longer than `lifetime` and the
 * time between two signs, which a process gives once a session is older than that.
 */
const foreignLifetime = 37 * day

const Opener = Schema.Struct({
  owner: Schema.String,
  pid: Schema.Int,
  host: Schema.String,
  /** When it opened the session or last said that it has it open; ms since the epoch. */
  at: Schema.Finite
})
type Opener = typeof Opener.Type

const decodeOpeners = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Opener)))

interface UnpromptedRow {
  readonly session_id: string
  readonly openers: string
}

/**
 * The processes that opened the sessions which never had a prompt, as their rows say. Such a session is removed after 30
 * days, unless one of those processes may have it open.
 */
export const makeOpeners = Effect.fnUntraced(function*({ host, id: owner, pid }: TurnOwner) {
  const sql = yield* SqlClient.SqlClient
  const self = (now: number): Opener => ({ owner, pid, host, at: now })

  /** The session has had a prompt. */
  const prompted = sql`EXISTS (SELECT 1 FROM turns WHERE turns.session_id = sessions.session_id)`

  /** The openers of a row and this process. Of a session that had a prompt nobody asks for them. */
  const added = (now: number) =>
    sql`CASE WHEN ${prompted} THEN '[]' ELSE (SELECT json_group_array(json(value)) FROM (
      SELECT value FROM json_each(openers) WHERE value ->> 'owner' <> ${owner}
      UNION ALL SELECT ${JSON.stringify(self(now))})) END`

  const isRunning = (one: Opener, now: number) =>
    one.owner !== owner && mayExist(one) && (one.host === host || now - one.at < foreignLifetime)

  /** `live`: the sessions that this process has open. */
  const removeUnprompted = Effect.fnUntraced(function*(live: ReadonlySet<string>, now: number) {
    const before = new Date(now - lifetime).toISOString()
    const old = sql`created_at < ${before} AND NOT ${prompted}`
    const rows = sql<UnpromptedRow>`SELECT session_id, openers FROM sessions WHERE ${old}`
    if ((yield* rows).length === 0) return 0
    return yield* sql.withTransaction(Effect.gen(function*() {
      const [kept, unused]: [Array<string>, Array<string>] = [[], []]
      for (const { openers, session_id } of yield* rows) {
        const others = Option.getOrElse(decodeOpeners(openers), () => [])
        if (live.has(session_id)) kept.push(session_id)
        else if (!others.some((one) => isRunning(one, now))) unused.push(session_id)
      }
      const among = (ids: ReadonlyArray<string>) =>
        sql`session_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
      if (kept.length > 0) yield* sql`UPDATE sessions SET openers = ${added(now)} WHERE ${among(kept)}`
      if (unused.length > 0) yield* sql`DELETE FROM sessions WHERE ${among(unused)}`
      return unused.length
    }))
  })

  return { prompted, added, first: (now: number) => JSON.stringify([self(now)]), removeUnprompted }
})

export type Openers = Effect.Success<ReturnType<typeof makeOpeners>>
