import { Clock, Effect, Option, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { interruption, readEntries, readEntry } from "./Entries.ts"
import type { TurnClaim } from "./Owner.ts"
import type { SessionStore } from "./SessionStore.ts"
import type { StoreGuard } from "./StorageFault.ts"
import type { MessageRow } from "./Stored.ts"

interface TurnRow extends TurnClaim {
  readonly turn: number
  readonly status: string
}

interface LastTurn extends TurnRow {
  readonly started_at: string
}

interface PageRow {
  readonly position: number
  readonly count: number
  readonly entry: string
  readonly turn: number
  readonly started_at: string
}

interface Counted {
  readonly messages: number
  readonly last: number | null
  readonly open: number | null
}

/** Where reading goes on: the row, and how many messages there are up to its last one. */
interface Place {
  readonly position: number
  readonly upTo: number
}

const rowsAtOnce = 8

/**
 * Reading what was said and done: whole, or by messages from the newest end (docs/native-rpc.md#views), counted in an
 * index and read only as they are taken.
 */
export const makeTranscripts = (
  sql: SqlClient.SqlClient,
  guarded: StoreGuard,
  isRunning: (sessionId: string, turn: TurnRow, now: number) => boolean
): Pick<SessionStore["Service"], "transcript" | "shownBefore"> => {
  const lastTurn = Effect.fnUntraced(function*(sessionId: string) {
    const [last] = yield* sql<LastTurn>`SELECT turn, status, started_at, owner, pid, host, lease FROM turns
      WHERE session_id = ${sessionId} ORDER BY turn DESC LIMIT 1`
    if (last?.status !== "running") return { last, live: -1, cut: false }
    const live = isRunning(sessionId, last, yield* Clock.currentTimeMillis)
    return { last, live: live ? last.turn : -1, cut: !live }
  })

  /** Up to the first call that is open: what follows it has no place yet. */
  const count = Effect.fnUntraced(function*(sessionId: string, last: number, live: number) {
    const [row] = yield* sql<Counted>`
      WITH first AS (SELECT min(position) AS open FROM entries INDEXED BY entries_shown
        WHERE session_id = ${sessionId} AND turn = ${live} AND shown < 0)
      SELECT coalesce(sum(abs(shown)), 0) AS messages, max(position) AS last, (SELECT open FROM first) AS open
      FROM entries INDEXED BY entries_shown WHERE session_id = ${sessionId} AND turn <= ${last} AND shown <> 0
        AND position <= coalesce((SELECT open FROM first), position)`
    return row ?? { messages: 0, last: null, open: null }
  })

  const placeOf = Effect.fnUntraced(function*(sessionId: string, message: number, end: Place) {
    const [row] = yield* sql<Place>`
      SELECT position, "upTo" FROM (
        SELECT position, abs(shown) AS count, sum(abs(shown)) OVER (ORDER BY position) AS "upTo"
        FROM entries INDEXED BY entries_shown WHERE session_id = ${sessionId} AND position <= ${end.position} AND shown <> 0
      ) WHERE "upTo" > ${message} ORDER BY position LIMIT 1`
    return row
  })

  const rowsFrom = (sessionId: string, start: Place, live: number) =>
    Stream.paginate(
      start,
      Effect.fnUntraced(function*({ position, upTo }: Place) {
        const rows = yield* sql<PageRow>`
          SELECT position, abs(shown) AS count, entry, turn, started_at FROM entries JOIN turns USING (session_id, turn)
          WHERE session_id = ${sessionId} AND position IN (SELECT position FROM entries INDEXED BY entries_shown
            WHERE session_id = ${sessionId} AND position <= ${position} AND shown <> 0
            ORDER BY position DESC LIMIT ${rowsAtOnce})
          ORDER BY position DESC`
        let next = upTo
        const shown = rows.map(({ count, entry, started_at, turn }): MessageRow => {
          next -= count
          return { index: next, count, startedAt: started_at, entry: readEntry({ entry, running: turn === live }) }
        })
        const last = rows.at(-1)
        const more = last !== undefined && rows.length === rowsAtOnce && next > 0
        return [shown, more ? Option.some({ position: last.position - 1, upTo: next }) : Option.none()] as const
      }, guarded)
    )

  return {
    transcript: Effect.fn("SessionStore.transcript")(function*(sessionId) {
      // One statement: rows and the state of their turns have to be of the same moment.
      const rows = yield* sql<TurnRow & { entry: string }>`
        SELECT entry, turn, status, owner, pid, host, lease FROM entries JOIN turns USING (session_id, turn)
        WHERE session_id = ${sessionId} ORDER BY position`
      const now = yield* Clock.currentTimeMillis
      const last = rows.at(-1)
      const live = last?.status === "running" && isRunning(sessionId, last, now) ? last.turn : undefined
      const entries = yield* readEntries(
        sessionId,
        rows.map(({ entry, turn }) => ({ entry, running: turn === live }))
      )
      return last?.status === "running" && live === undefined ? [...entries, interruption(last.turn)] : entries
    }, guarded),

    shownBefore: Effect.fn("SessionStore.shownBefore")(function*(sessionId, before) {
      const { cut, last, live } = yield* lastTurn(sessionId)
      if (last === undefined) return { total: 0, rows: Stream.empty }
      const counted = yield* count(sessionId, last.turn, live)
      const kept = counted.messages - (counted.open === null ? 0 : 1)
      const total = cut ? kept + 1 : kept
      const mark: ReadonlyArray<MessageRow> = cut && (before ?? total) > kept
        ? [{ index: kept, count: 1, startedAt: last.started_at, entry: interruption(last.turn) }]
        : []
      const end: Place = { position: counted.last ?? -1, upTo: counted.messages }
      const start = before === undefined || before > kept ? end : yield* placeOf(sessionId, before - 1, end)
      const rows = start === undefined || counted.last === null ? Stream.empty : rowsFrom(sessionId, start, live)
      return { total, rows: Stream.concat(Stream.fromIterable(mark), rows) }
    }, guarded)
  }
}
