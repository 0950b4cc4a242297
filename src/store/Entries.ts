import { Effect, Exit, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { TranscriptEntry } from "../domain/SessionEvent.ts"
import { StoreFailed, type TranscriptRow } from "./Stored.ts"

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
    if (Exit.isSuccess(exit)) return Effect.succeed([row.position, exit.value] as const)
    return Effect.fail(unwritable(row, exit.cause))
  } catch (cause) {
    return Effect.fail(unwritable(row, cause))
  }
}

const unwritable = (row: TranscriptRow, cause: unknown) =>
  new StoreFailed({
    message: `The ${row.entry._tag} entry at position ${row.position} cannot be written as JSON.`,
    cause
  })

/** Writes rows of one turn; a position of another turn is refused. One statement, however many rows. */
export const makeWriteEntries = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function*(sessionId: string, turn: number, rows: ReadonlyArray<TranscriptRow>) {
    if (rows.length === 0) return
    const values = JSON.stringify(yield* Effect.forEach(rows, encode))
    const written = yield* sql`
      INSERT INTO entries (session_id, position, turn, entry)
      SELECT ${sessionId}, value ->> 0, ${turn}, value ->> 1 FROM json_each(${values}) WHERE true
      ON CONFLICT (session_id, position) DO UPDATE SET entry = excluded.entry WHERE turn = excluded.turn`.raw
    if ((written as { readonly changes: number }).changes === rows.length) return
    return yield* new StoreFailed({ message: "A row of an earlier turn cannot be replaced.", cause: undefined })
  })

const isOpen = (entry: TranscriptEntry) =>
  entry._tag === "ToolCall" && (entry.call.status === "pending" || entry.call.status === "in_progress")

/** Nothing can be pending in a turn that is over. */
const settle = (entry: TranscriptEntry): TranscriptEntry => {
  if (entry._tag === "ToolCall" && isOpen(entry)) return { ...entry, call: { ...entry.call, status: "failed" } }
  if (entry._tag !== "Compaction" || entry.compaction.status !== "in_progress") return entry
  return { ...entry, compaction: { ...entry.compaction, status: "cancelled" } }
}

export interface EntryRow {
  readonly entry: string
  readonly running: boolean
}

/** `undefined` for a row that cannot be read. */
export const readEntry = ({ entry, running }: EntryRow): TranscriptEntry | undefined =>
  Option.getOrUndefined(Option.map(decodeEntry(entry), (decoded) => running ? decoded : settle(decoded)))

export const readEntries = Effect.fnUntraced(function*(sessionId: string, rows: ReadonlyArray<EntryRow>) {
  const entries = rows.map(readEntry).filter((entry) => entry !== undefined)
  const lost = rows.length - entries.length
  if (lost > 0) yield* Effect.logWarning(`${lost} rows of session ${sessionId} cannot be read and are left out`)
  return entries
})
