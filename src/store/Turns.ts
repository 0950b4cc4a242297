import { Clock, DateTime, Deferred, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { TranscriptEntry, Usage } from "../domain/SessionEvent.ts"
import { record, type SessionRow } from "./SessionCatalog.ts"
import { Database, type Query, Transactions } from "./Sqlite.ts"
import { interruption, makeTranscripts, type Transcripts, writeEntries } from "./Transcripts.ts"
import { type AuditRecord, writeAudit } from "./PolicyRecords.ts"
import { isAlive, type TurnClaim, type TurnOwner } from "./TurnOwner.ts"
import { failed, type StoreGuard } from "./StoreGuard.ts"
import {
  SessionMissing,
  type SessionRecord,
  type StoreFailed,
  titled,
  type TranscriptRow,
  TurnLost,
  type TurnOutcome,
  TurnRunning,
  type TurnStart
} from "./SessionRecords.ts"

/** How often the turns of this process renew their lease; a tool may run for hours between two checkpoints. */
const heartbeat = "5 seconds"

interface TurnRow extends TurnClaim {
  readonly turn: number
}

/** A turn that this process runs. */
interface Held {
  readonly turn: number
  /** As it was last saved: `null` before it ever was, `undefined` while that is not certain. */
  context: string | null | undefined
  readonly lost: Deferred.Deferred<never, TurnLost>
}

/** What a turn has said and done since it was last saved. */
export interface TurnProgress {
  readonly rows: ReadonlyArray<TranscriptRow>
  readonly audit?: ReadonlyArray<AuditRecord>
  /** The model's messages as of now, JSON. */
  readonly context: string
}

/** Opening, saving and ending the turns of sessions. */
export interface Turns {
  /**
   * Opens a turn in one transaction: claims the session for this process, recovers a turn that was cut off, writes the
   * first row, and the title where there is none yet. `TurnRunning` while a live process has a turn open on this
   * session. The caller has to commit the turn it: until then this store keeps the claim alive.
   */
  readonly beginTurn: (
    sessionId: string,
    first: TranscriptEntry,
    title?: string | null
  ) => Effect.Effect<TurnStart, SessionMissing | TurnRunning | StoreFailed>
  /**
   * Saves what is visible so far, what was decided, and the model messages to fall back to, in one transaction; without
   * anything new it only looks whether the turn is still ours.
   */
  readonly checkpoint: (
    sessionId: string,
    turn: number,
    progress: TurnProgress
  ) => Effect.Effect<void, TurnLost | StoreFailed>
  /** Fails as soon as a checkpoint or a renewal of the lease finds that the turn is not ours any more. */
  readonly untilLost: (sessionId: string, turn: number) => Effect.Effect<never, TurnLost>
  /**
   * Ends the turn: remaining rows, model context, outcome, title and usage (`null` keeps the one there is) in one
   * transaction. After a failure the turn counts as cut off; the same commit may be tried again until the next turn
   * begins.
   */
  readonly commitTurn: (
    sessionId: string,
    turn: number,
    end: TurnProgress & {
      readonly outcome: TurnOutcome
      readonly title: string | null
      readonly usage?: Usage | null
    }
  ) => Effect.Effect<SessionRecord, TurnLost | StoreFailed>
}

/**
 * Opening, saving, ending and recovering turns (docs/sessions.md#durability). The database allows one running turn a
 * session.
 */
export const makeTurns = Effect.fnUntraced(function*(guarded: StoreGuard, patiently: StoreGuard, owner: TurnOwner) {
  const sql = yield* SqlClient.SqlClient
  const transactions = yield* Transactions
  const database = yield* Database
  // By session. A running turn of this process that is not in the map was abandoned.
  const known = new Map<string, Held>()
  const heldTurn = (sessionId: string, turn: number) => {
    const held = known.get(sessionId)
    return held?.turn === turn ? held : undefined
  }

  /** The reason this process lost the turn. Reads only, so it never waits for a writer. */
  const lossOf = Effect.fnUntraced(function*(sessionId: string, turn: number) {
    const [row] = yield* sql<{ mine: number; killed: number }>`
      SELECT killed_at IS NOT NULL AS killed, EXISTS (SELECT 1 FROM turns WHERE turns.session_id = sessions.session_id
        AND turn = ${turn} AND owner = ${owner.id} AND status = 'running') AS mine
      FROM sessions WHERE session_id = ${sessionId}`
    if (row === undefined) return database.isReplaced ? "store_replaced" : "session_deleted"
    if (row.mine === 0) return "session_taken_over"
    return row.killed === 0 ? undefined : "session_killed"
  })

  const ensureHeld = Effect.fnUntraced(function*(sessionId: string, turn: number) {
    const reason = yield* lossOf(sessionId, turn)
    if (reason === undefined) return
    const lost = new TurnLost({ reason })
    const held = heldTurn(sessionId, turn)
    if (held) yield* Deferred.fail(held.lost, lost)
    return yield* lost
  })

  /** Renews the lease of a turn that is still ours; tells whether it is. */
  const renewHeld = (query: Query, sessionId: string, turn: number, now: number) =>
    query.changes`UPDATE turns SET lease = ${now}
      WHERE session_id = ${sessionId} AND turn = ${turn} AND owner = ${owner.id} AND status = 'running'
        AND EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = turns.session_id AND killed_at IS NULL)` > 0

  const renew = Effect.gen(function*() {
    if (known.size === 0) return
    for (const [sessionId, { turn }] of known) {
      yield* Effect.catchTag(ensureHeld(sessionId, turn), "TurnLost", () => Effect.void)
    }
    const now = yield* Clock.currentTimeMillis
    yield* sql`UPDATE turns SET lease = ${now} WHERE status = 'running' AND owner = ${owner.id}
      AND session_id IN (SELECT value FROM json_each(${JSON.stringify([...known.keys()])}))`
  })
  yield* Effect.sleep(heartbeat).pipe(
    Effect.andThen(Effect.ignore(patiently(renew), { log: "Warn" })),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => {
    owner.retire()
    if (known.size === 0) return Effect.void
    const release = sql`UPDATE turns SET lease = 0 WHERE status = 'running' AND owner = ${owner.id}`
    return Effect.ignore(patiently(release), { log: "Warn" })
  })

  const isRunning = (sessionId: string, row: TurnRow, now: number) =>
    row.owner === owner.id ? heldTurn(sessionId, row.turn) !== undefined : isAlive(row, now)

  const saveContext = (query: Query, sessionId: string, turn: number, context: string) => {
    const held = heldTurn(sessionId, turn)
    if (held?.context === context) return
    if (held) held.context = undefined
    query`INSERT INTO contexts (session_id, messages) VALUES (${sessionId}, ${context})
      ON CONFLICT (session_id) DO UPDATE SET messages = excluded.messages`
  }

  const nextPosition = (query: Query, sessionId: string): number => {
    const [row] = query<{ next: number }>`
      SELECT coalesce(max(position) + 1, 0) AS next FROM entries WHERE session_id = ${sessionId}`
    return row?.next ?? 0
  }

  /** What a cut-off turn saved is kept as it is; its context was saved with it. */
  const recover = (query: Query, sessionId: string, turn: number, now: number) =>
    Result.map(
      writeEntries(query, sessionId, turn, [{ position: nextPosition(query, sessionId), entry: interruption(turn) }]),
      () => {
        query`UPDATE turns SET status = 'interrupted', ended_at = ${iso(now)}
          WHERE session_id = ${sessionId} AND turn = ${turn}`
      }
    )

  const begin = (sessionId: string, first: TranscriptEntry, name: string | null, now: number) => (query: Query) =>
    Result.gen(function*() {
      const touched = query.changes`UPDATE sessions SET updated_at = ${iso(now)}, title = coalesce(title, ${
        titled(name)
      }) WHERE session_id = ${sessionId} AND killed_at IS NULL`
      if (touched === 0) return yield* Result.fail(new SessionMissing({ sessionId }))
      const [running] = query<TurnRow>`SELECT turn, owner, pid, host, lease FROM turns
        WHERE session_id = ${sessionId} AND status = 'running'`
      if (running !== undefined) {
        if (isRunning(sessionId, running, now)) return yield* Result.fail(new TurnRunning({ sessionId }))
        yield* recover(query, sessionId, running.turn, now)
      }
      const [opened] = query<{ turn: number }>`
        INSERT INTO turns (session_id, turn, status, started_at, owner, pid, host, lease)
        SELECT ${sessionId}, coalesce(max(turn) + 1, 0), 'running', ${iso(now)},
          ${owner.id}, ${owner.pid}, ${owner.host}, ${now}
        FROM turns WHERE session_id = ${sessionId} RETURNING turn`
      const turn = opened?.turn ?? 0
      const position = nextPosition(query, sessionId)
      yield* writeEntries(query, sessionId, turn, [{ position, entry: first }])
      const [saved] = query<{ messages: string }>`SELECT messages FROM contexts WHERE session_id = ${sessionId}`
      return { turn, position: position + 1, updatedAt: iso(now), context: saved?.messages ?? null }
    })

  const save = (query: Query, sessionId: string, turn: number, progress: TurnProgress) =>
    Result.map(writeEntries(query, sessionId, turn, progress.rows), () => {
      writeAudit(query, sessionId, progress.audit ?? [])
      saveContext(query, sessionId, turn, progress.context)
    })

  const turns: Turns & Transcripts = {
    ...makeTranscripts(sql, guarded, isRunning),

    beginTurn: Effect.fn("SessionStore.beginTurn")(function*(sessionId, first, name = null) {
      const now = yield* Clock.currentTimeMillis
      const start = yield* Effect.catchIf(
        transactions.run(begin(sessionId, first, name, now)),
        (error) => error._tag === "SessionMissing" && database.isReplaced,
        () => replacedStore(database.filename)
      )
      // Last: a caller that is interrupted before it has its turn leaves one to recover, not a blocked session.
      known.set(sessionId, { turn: start.turn, context: start.context, lost: Deferred.makeUnsafe() })
      return start
    }, guarded),

    checkpoint: Effect.fn("SessionStore.checkpoint")(function*(sessionId, turn, progress) {
      if (
        progress.rows.length === 0 && (progress.audit ?? []).length === 0 &&
        heldTurn(sessionId, turn)?.context === (progress.context === "[]" ? null : progress.context)
      ) return yield* ensureHeld(sessionId, turn)
      const now = yield* Clock.currentTimeMillis
      const saving = transactions.run((query) =>
        renewHeld(query, sessionId, turn, now)
          ? Result.map(save(query, sessionId, turn, progress), () => true)
          : Result.succeed(false)
      )
      // A loss is told at once, even while the database cannot be written.
      const saved = yield* Effect.tapError(saving, () => ensureHeld(sessionId, turn))
      if (!saved) return yield* ensureHeld(sessionId, turn)
      const held = heldTurn(sessionId, turn)
      if (held) held.context = progress.context
    }, patiently),

    untilLost: (sessionId, turn) =>
      Effect.suspend(() => {
        const held = heldTurn(sessionId, turn)
        return held ? Deferred.await(held.lost) : Effect.fail(new TurnLost({ reason: "session_taken_over" }))
      }),

    commitTurn: Effect.fn("SessionStore.commitTurn")(
      function*(sessionId, turn, end) {
        const ms = yield* Clock.currentTimeMillis
        const now = iso(ms)
        const rows = yield* transactions.run((query) =>
          Result.gen(function*() {
            // What a killed session did is still kept to be read.
            const mine = query.changes`UPDATE turns SET lease = ${ms}
              WHERE session_id = ${sessionId} AND turn = ${turn} AND owner = ${owner.id} AND status = 'running'`
            if (mine === 0) return []
            yield* save(query, sessionId, turn, end)
            query`UPDATE turns SET status = ${end.outcome}, ended_at = ${now}
              WHERE session_id = ${sessionId} AND turn = ${turn}`
            query`UPDATE sessions SET updated_at = ${now}, title = coalesce(${titled(end.title)}, title),
              usage = coalesce(${end.usage ? JSON.stringify(end.usage) : null}, usage)
              WHERE session_id = ${sessionId}`
            return query<SessionRow>`SELECT * FROM sessions WHERE session_id = ${sessionId}`
          })
        )
        if (rows[0] !== undefined) return record(rows[0])
        yield* ensureHeld(sessionId, turn)
        return yield* Effect.die(`turn ${turn} of session ${sessionId} was ended before it was committed`)
      },
      patiently,
      (commit, sessionId, turn) =>
        Effect.ensuring(commit, Effect.sync(() => heldTurn(sessionId, turn) && known.delete(sessionId)))
    )
  }
  return turns
})

/** Of a live session that the file of now does not have. */
const replacedStore = (file: string) =>
  failed(
    file,
    (file) =>
      `This session is not in the database any more: ${file} was removed, moved or replaced while Postern was running. ` +
      "Put it back, or open a new session.",
    undefined
  )

const iso = (ms: number) => DateTime.formatIso(DateTime.makeUnsafe(ms))
