import { Clock, Effect, Exit, Option, Result, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { Query } from "./Sqlite.ts"
import type { TurnClaim } from "./TurnOwner.ts"
import type { StoreGuard } from "./StoreGuard.ts"
import { type MessageRow, StoreFailed, type TranscriptRow } from "./SessionRecords.ts"
import type { PlanEntry } from "../domain/Content.ts"
import * as Slices from "../platform/Slices.ts"
import { sliceTime } from "../platform/Slices.ts"
import { TranscriptEntry } from "../domain/SessionEvent.ts"

const EntryJson = Schema.fromJsonString(TranscriptEntry)
const encodeEntry = Schema.encodeExit(EntryJson)
const decodeEntry = Schema.decodeUnknownOption(EntryJson)

/** Stands at the end of a turn that was cut off; the same however often that turn is read before it is recovered. */
export const interruption = (turn: number): TranscriptEntry => ({
  _tag: "Interrupted",
  messageId: `interrupted-${turn}`,
  text: "This turn was cut off before it ended. What was saved until then is kept above."
})

const encode = (row: TranscriptRow) => {
  try {
    const exit = encodeEntry(row.entry)
    if (Exit.isSuccess(exit)) return Result.succeed([row.position, exit.value] as const)
    return Result.fail(unwritable(row, exit.cause))
  } catch (cause) {
    return Result.fail(unwritable(row, cause))
  }
}

const unwritable = (row: TranscriptRow, cause: unknown) =>
  new StoreFailed({
    message: `The ${row.entry._tag} entry at position ${row.position} cannot be written as JSON.`,
    cause
  })

/** Characters of an entry that is written by itself: within another JSON it is escaped and read twice. */
const largeEntry = 64 * 1024

/** Writes rows of one turn; a position of another turn is refused. One statement, however many small rows. */
export const writeEntries = (query: Query, sessionId: string, turn: number, rows: ReadonlyArray<TranscriptRow>) =>
  Result.gen(function*() {
    if (rows.length === 0) return
    const all = yield* Result.all(rows.map(encode))
    const [small, large] = [
      all.filter(([, entry]) => entry.length <= largeEntry),
      all.filter(([, entry]) => entry.length > largeEntry)
    ]
    let written = small.length === 0 ? 0 : query.changes`
      INSERT INTO entries (session_id, position, turn, entry)
      SELECT ${sessionId}, value ->> 0, ${turn}, value ->> 1 FROM json_each(${JSON.stringify(small)}) WHERE true
      ON CONFLICT (session_id, position) DO UPDATE SET entry = excluded.entry WHERE turn = excluded.turn`
    for (const [position, entry] of large) {
      written += query.changes`
        INSERT INTO entries (session_id, position, turn, entry) VALUES (${sessionId}, ${position}, ${turn}, ${entry})
        ON CONFLICT (session_id, position) DO UPDATE SET entry = excluded.entry WHERE turn = excluded.turn`
    }
    if (written === rows.length) return
    return yield* Result.fail(
      new StoreFailed({ message: "A row of an earlier turn cannot be replaced.", cause: undefined })
    )
  })

const isOpen = (entry: TranscriptEntry) =>
  entry._tag === "ToolCall" && (entry.call.status === "pending" || entry.call.status === "in_progress")

/** Nothing can be pending in a turn that is over. */
const settle = (entry: TranscriptEntry): TranscriptEntry => {
  if (entry._tag === "ToolCall" && isOpen(entry)) return { ...entry, call: { ...entry.call, status: "failed" } }
  if (entry._tag !== "Compaction" || entry.compaction.status !== "in_progress") return entry
  return { ...entry, compaction: { ...entry.compaction, status: "cancelled" } }
}

interface EntryRow {
  readonly entry: string
  readonly running: boolean
}

/** `undefined` for a row that cannot be read. */
export const readEntry = ({ entry, running }: EntryRow): TranscriptEntry | undefined =>
  Option.getOrUndefined(Option.map(decodeEntry(entry), (decoded) => running ? decoded : settle(decoded)))

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

/** The next row to read, and the number of messages up to its last one. */
interface Place {
  readonly position: number
  readonly upTo: number
}

/** What was said and done in a session. */
export interface Transcripts {
  /**
   * The whole visible transcript in order; it only reads, in slices, so that other fibers run meanwhile. A turn that was cut off ends with its `Interrupted` marker,
   * exactly once, however often it is read.
   */
  readonly transcript: (sessionId: string) => Effect.Effect<ReadonlyArray<TranscriptEntry>, StoreFailed>
  /** The plan as it was set last; `undefined` where there was none. */
  readonly lastPlan: (sessionId: string) => Effect.Effect<ReadonlyArray<PlanEntry> | undefined, StoreFailed>
  /**
   * How many messages there are, and the rows behind them from message `before` (exclusive; all without it) to the oldest, newest
   * first, read as they are taken. The first row may reach beyond `before`, or, a call that is open, beyond `total`.
   */
  readonly shownBefore: (sessionId: string, before?: number) => Effect.Effect<{
    readonly total: number
    readonly rows: Stream.Stream<MessageRow, StoreFailed>
  }, StoreFailed>
}

const rowsAtOnce = 8

/** How a plan begins as JSON. */
const planStart = "{\"_tag\":\"Plan\""

/**
 * Reading what was said and done: whole, or by messages from the newest end (docs/native-rpc.md#views), counted in an
 * index and read only as they are taken.
 */
export const makeTranscripts = (
  sql: SqlClient.SqlClient,
  guarded: StoreGuard,
  isRunning: (sessionId: string, turn: TurnRow, now: number) => boolean
): Transcripts => {
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
      // The state of the turns first: a row that is written meanwhile belongs to a turn that is running.
      const { cut, last, live } = yield* lastTurn(sessionId)
      const entries: Array<TranscriptEntry> = []
      const slice = yield* Slices.make
      let lost = 0
      let most = rowsAtOnce
      for (let position = -1;;) {
        const began = slice.elapsed()
        const rows = yield* sql<{ readonly position: number; readonly turn: number; readonly entry: string }>`
          SELECT position, turn, entry FROM entries WHERE session_id = ${sessionId} AND position > ${position}
          ORDER BY position LIMIT ${most}`
        for (const { entry, turn } of rows) {
          const read = readEntry({ entry, running: turn === live })
          if (read === undefined) lost++
          else entries.push(read)
          yield* slice.pause
        }
        if (rows.length < most) break
        position = rows.at(-1)?.position ?? position
        most = slice.elapsed() - began < sliceTime / 2 ? Math.min(most * 2, 512) : Math.max(1, most >> 1)
      }
      if (lost > 0) yield* Effect.logWarning(`${lost} rows of session ${sessionId} cannot be read and are left out`)
      return cut && last !== undefined ? [...entries, interruption(last.turn)] : entries
    }, guarded),

    lastPlan: Effect.fn("SessionStore.lastPlan")(function*(sessionId) {
      const { live } = yield* lastTurn(sessionId)
      const slice = yield* Slices.make
      for (let position = Number.MAX_SAFE_INTEGER;;) {
        const rows = yield* sql<{ readonly position: number; readonly turn: number; readonly entry: string }>`
          SELECT position, turn, entry FROM entries WHERE session_id = ${sessionId} AND position IN (
            SELECT position FROM entries INDEXED BY entries_shown
            WHERE session_id = ${sessionId} AND position < ${position} AND shown = 0
            ORDER BY position DESC LIMIT ${rowsAtOnce})
          ORDER BY position DESC`
        for (const { entry, turn } of rows) {
          if (!entry.startsWith(planStart)) continue
          const read = readEntry({ entry, running: turn === live })
          if (read?._tag === "Plan") return read.entries
        }
        const last = rows.at(-1)
        if (last === undefined || rows.length < rowsAtOnce) return undefined
        position = last.position
        yield* slice.pause
      }
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
