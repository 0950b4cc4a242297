import { Clock, DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Slices from "../platform/Slices.ts"
import { Usage } from "../domain/SessionEvent.ts"
import * as Chunk from "../platform/Chunk.ts"
import type { ForkedSession } from "./ForkSession.ts"
import { makeOpeners } from "./Openers.ts"
import type { StoreGuard } from "./StoreGuard.ts"
import type { TurnOwner } from "./TurnOwner.ts"
import {
  BadCursor,
  SessionMissing,
  type SessionPage,
  type SessionRecord,
  type StoreFailed,
  titled,
  type TurnRunning
} from "./SessionRecords.ts"

const loadFork = Chunk.make(() => import("./ForkSession.ts"))

/** Where a page ended: pages are ordered by `updatedAt`, newest first, then by id. */
interface Cursor {
  readonly updatedAt: string
  readonly sessionId: string
}

const isInstant = (text: string) => {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text
}

const Position = Schema.fromJsonString(Schema.Tuple([
  Schema.String.check(Schema.makeFilter(isInstant)),
  Schema.NonEmptyString
]))
const decodePosition = Schema.decodeUnknownOption(Position)

export const encode = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify([cursor.updatedAt, cursor.sessionId])).toString("base64url")

/** Takes only what `encode` can have made. */
export const decode = (text: string): Effect.Effect<Cursor, BadCursor> => {
  const position = decodePosition(Buffer.from(text, "base64url").toString())
  if (Option.isSome(position)) {
    const cursor = { updatedAt: position.value[0], sessionId: position.value[1] }
    if (encode(cursor) === text) return Effect.succeed(cursor)
  }
  return Effect.fail(new BadCursor({ cursor: text }))
}

const pageSize = 50
const largestPage = 500

export interface SessionRow {
  readonly session_id: string
  readonly agent: string
  readonly cwd: string
  readonly additional_directories: string
  readonly title: string | null
  readonly usage: string | null
  readonly surface: string | null
  readonly owner: string | null
  readonly excludes_memory: number
  readonly created_at: string
  readonly updated_at: string
  readonly killed_at: string | null
}

const decodeDirectories = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

const decodeUsage = Schema.decodeUnknownOption(Schema.fromJsonString(Usage))

export const record = (row: SessionRow): SessionRecord => ({
  sessionId: row.session_id,
  agent: row.agent,
  cwd: row.cwd,
  additionalDirectories: Option.getOrElse(decodeDirectories(row.additional_directories), () => []),
  title: row.title,
  usage: Option.getOrNull(decodeUsage(row.usage)),
  surface: row.surface,
  owner: row.owner,
  excludesMemory: row.excludes_memory !== 0,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  killedAt: row.killed_at
})

const readSession = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, sessionId: string) {
  const [row] = yield* sql<SessionRow>`SELECT * FROM sessions WHERE session_id = ${sessionId}`
  return row === undefined ? yield* new SessionMissing({ sessionId }) : record(row)
})

/** The sessions themselves: everything but their turns. */
export interface SessionCatalog {
  readonly create: (
    session:
      & Omit<
        SessionRecord,
        "createdAt" | "updatedAt" | "killedAt" | "excludesMemory" | "owner" | "surface" | "title" | "usage"
      >
      & { readonly excludesMemory?: boolean; readonly owner?: string | null; readonly surface?: string | null }
  ) => Effect.Effect<SessionRecord, StoreFailed>
  readonly get: (sessionId: string) => Effect.Effect<SessionRecord, SessionMissing | StoreFailed>
  /** Makes a session that begins as a copy of another one, which must have no running turn. */
  readonly fork: (
    from: string,
    to: ForkedSession
  ) => Effect.Effect<SessionRecord, SessionMissing | TurnRunning | StoreFailed>
  /**
   * Newest first; `cwd` is an exact filter; killed sessions are listed only with `killed`, sessions without a prompt
   * only with `unprompted`. At most `limit` (default 50, never more than 500) a page.
   */
  readonly list: (options: {
    readonly cwd?: string
    readonly cursor?: string
    readonly owner?: string
    readonly limit?: number
    readonly killed?: boolean
    readonly unprompted?: boolean
  }) => Effect.Effect<SessionPage, BadCursor | StoreFailed>
  /** The same as one page, with figures; `query` looks for a text in titles and transcripts. */
  readonly overview: (options: {
    readonly limit: number
    readonly killed?: boolean
    readonly unprompted?: boolean
    readonly owner?: string
    readonly query?: string
  }) => Effect.Effect<ReadonlyArray<SessionRecord & { readonly messages: number; readonly turns: number }>, StoreFailed>
  readonly messageCount: (sessionId: string) => Effect.Effect<number, StoreFailed>
  /** For a session that is opened again; writes only what has changed. */
  readonly setRoots: (
    sessionId: string,
    cwd: string,
    additionalDirectories: ReadonlyArray<string>
  ) => Effect.Effect<void, StoreFailed>
  readonly rename: (sessionId: string, title: string) => Effect.Effect<void, StoreFailed>
  /** Tombstone: readable, never active again. Idempotent. */
  readonly kill: (sessionId: string) => Effect.Effect<void, SessionMissing | StoreFailed>
  /** Whether a row was there. Cascades to everything of the session. */
  readonly remove: (sessionId: string) => Effect.Effect<boolean, StoreFailed>
  /**
   * Removes the sessions that have had no prompt in the 30 days before `now` (ms since the epoch) and that no process
   * has open; answers how many. `live`: those that this process has open.
   */
  readonly removeUnprompted: (live: ReadonlySet<string>, now: number) => Effect.Effect<number, StoreFailed>
}

/** What people and the agent said; tool calls are not counted, nor the marks of turns that were cut off. By the index alone. */
const messages = (sql: SqlClient.SqlClient, sessionId: Statement.Fragment) =>
  sql`(SELECT count(*) FROM entries INDEXED BY entries_shown WHERE entries.session_id = ${sessionId} AND shown = 1)
    - (SELECT count(*) FROM turns WHERE turns.session_id = ${sessionId} AND status = 'interrupted')`

type Overview = SessionRecord & { readonly messages: number; readonly turns: number }

/** Sessions, and entries of one, that a search reads in one statement at first. */
const searchedAtOnce = 16

export const makeCatalog = Effect.fnUntraced(function*(guarded: StoreGuard, freeing: StoreGuard, owner: TurnOwner) {
  const sql = yield* SqlClient.SqlClient
  const openers = yield* makeOpeners(owner)

  /** What a list leaves out unless it is asked for. */
  const listed = ({ killed = false, unprompted = false }) => [
    ...(killed ? [] : [sql`killed_at IS NULL`]),
    ...(unprompted ? [] : [openers.prompted])
  ]

  const page = (wanted: ReadonlyArray<Statement.Fragment>, limit: number) =>
    Effect.map(
      sql<SessionRow & { readonly messages: number; readonly turns: number }>`
        SELECT *, (${messages(sql, sql`sessions.session_id`)}) AS messages,
          (SELECT count(*) FROM turns WHERE turns.session_id = sessions.session_id) AS turns FROM sessions
        WHERE ${sql.and(wanted)} ORDER BY updated_at DESC, session_id LIMIT ${limit}`,
      (rows) => rows.map((row): Overview => ({ ...record(row), messages: row.messages, turns: row.turns }))
    )

  /** Whether an entry of the session has the text. A few entries at a time: each is read whole. */
  const says = Effect.fnUntraced(function*(sessionId: string, pattern: string, slice: Slices.Slices) {
    let most = searchedAtOnce
    for (let position = -1;;) {
      const began = slice.elapsed()
      const [row] = yield* sql<{ readonly last: number | null; readonly rows: number; readonly hits: number }>`
        SELECT max(position) AS last, count(*) AS rows, coalesce(sum(hit), 0) AS hits FROM (
          SELECT position, entry LIKE ${pattern} ESCAPE '\\' AS hit FROM entries
          WHERE session_id = ${sessionId} AND position > ${position} ORDER BY position LIMIT ${most})`
      if (row === undefined || row.hits > 0) return row !== undefined
      if (row.last === null || row.rows < most) return false
      position = row.last
      most = slice.elapsed() - began < Slices.sliceTime / 2 ? Math.min(most * 2, 4096) : Math.max(1, most >> 1)
      yield* slice.pause
    }
  })

  const catalog: SessionCatalog = {
    create: Effect.fn("SessionStore.create")(function*(session) {
      const ms = yield* Clock.currentTimeMillis
      const now = iso(ms)
      const { sessionId, agent, cwd, excludesMemory = false, owner = null, surface = null } = session
      yield* sql`INSERT INTO sessions (session_id, agent, cwd, additional_directories, surface, owner, excludes_memory,
          created_at, updated_at, openers)
        VALUES (${sessionId}, ${agent}, ${cwd}, ${
        JSON.stringify(session.additionalDirectories)
      }, ${surface}, ${owner}, ${Number(excludesMemory)}, ${now}, ${now}, ${openers.first(ms)})`
      return {
        ...session,
        excludesMemory,
        owner,
        surface,
        title: null,
        usage: null,
        createdAt: now,
        updatedAt: now,
        killedAt: null
      }
    }, guarded),

    get: Effect.fn("SessionStore.get")((sessionId: string) => readSession(sql, sessionId), guarded),

    fork: Effect.fn("SessionStore.fork")(function*(from, to) {
      const { fork } = yield* loadFork
      yield* fork(sql, from, to, iso(yield* Clock.currentTimeMillis))
      return yield* readSession(sql, to.sessionId)
    }, guarded),

    list: Effect.fn("SessionStore.list")(function*({ cwd, cursor, limit = pageSize, owner, ...which }) {
      const size = Math.min(Math.max(Math.floor(limit) || pageSize, 1), largestPage)
      const wanted = listed(which)
      if (cwd !== undefined) wanted.push(sql`cwd = ${cwd}`)
      if (owner !== undefined) wanted.push(sql`owner = ${owner}`)
      if (cursor !== undefined) {
        const { updatedAt, sessionId } = yield* decode(cursor)
        wanted.push(sql`updated_at <= ${updatedAt} AND (updated_at < ${updatedAt} OR session_id > ${sessionId})`)
      }
      const rows = yield* sql<SessionRow>`
        SELECT * FROM sessions WHERE ${sql.and(wanted)} ORDER BY updated_at DESC, session_id LIMIT ${size + 1}`
      const sessions = rows.slice(0, size).map(record)
      const last = sessions.at(-1)
      return { sessions, nextCursor: last !== undefined && rows.length > size ? encode(last) : null }
    }, guarded),

    overview: Effect.fn("SessionStore.overview")(function*({ limit, owner, query, ...which }) {
      const wanted = listed(which)
      if (owner !== undefined) wanted.push(sql`owner = ${owner}`)
      if (query === undefined) return yield* page(wanted, limit)
      const pattern = `%${query.replace(/[\\%_]/g, "\\$&")}%`
      const slice = yield* Slices.make
      const found: Array<Overview> = []
      let after: Statement.Fragment | undefined
      for (;;) {
        const rows = yield* sql<SessionRow & { readonly titled: number }>`
          SELECT *, coalesce(title LIKE ${pattern} ESCAPE '\\', 0) AS titled FROM sessions
          WHERE ${sql.and(after === undefined ? wanted : [...wanted, after])}
          ORDER BY updated_at DESC, session_id LIMIT ${searchedAtOnce}`
        for (const row of rows) {
          const { session_id, titled, updated_at } = row
          after = sql`updated_at <= ${updated_at} AND (updated_at < ${updated_at} OR session_id > ${session_id})`
          if (titled !== 0 || (yield* says(session_id, pattern, slice))) {
            found.push(...yield* page([sql`session_id = ${session_id}`], 1))
            if (found.length >= limit) return found
          }
          yield* slice.pause
        }
        if (rows.length < searchedAtOnce) return found
      }
    }, guarded),

    messageCount: Effect.fn("SessionStore.messageCount")(function*(sessionId) {
      const [row] = yield* sql<{ readonly messages: number }>`SELECT (${messages(sql, sql`${sessionId}`)}) AS messages`
      return row?.messages ?? 0
    }, guarded),

    setRoots: Effect.fn("SessionStore.setRoots")(function*(sessionId, cwd, additionalDirectories) {
      const now = yield* Clock.currentTimeMillis
      const directories = JSON.stringify(additionalDirectories)
      const [change] = yield* sql<{ readonly roots: number; readonly openers: number }>`
        SELECT cwd <> ${cwd} OR additional_directories <> ${directories} AS roots, NOT ${openers.prompted} AS openers
        FROM sessions WHERE session_id = ${sessionId}`
      if (change === undefined || change.roots + change.openers === 0) return
      const write = sql`UPDATE sessions SET cwd = ${cwd}, additional_directories = ${directories},
        openers = ${openers.added(now)} WHERE session_id = ${sessionId}`
      // Whether a session without a prompt is open decides when it is removed, not whether it can be opened.
      yield* change.roots === 0 ? Effect.ignore(write, { log: "Debug" }) : write
    }, guarded),

    rename: Effect.fn("SessionStore.rename")(function*(sessionId, title) {
      yield* sql`UPDATE sessions SET title = ${titled(title)} WHERE session_id = ${sessionId}`
    }, guarded),

    kill: Effect.fn("SessionStore.kill")(function*(sessionId) {
      const rows = yield* sql`UPDATE sessions SET killed_at = coalesce(killed_at, ${
        iso(yield* Clock.currentTimeMillis)
      })
        WHERE session_id = ${sessionId} RETURNING session_id`
      if (rows.length === 0) return yield* new SessionMissing({ sessionId })
    }, freeing),

    remove: Effect.fn("SessionStore.remove")(function*(sessionId) {
      const rows = yield* sql`DELETE FROM sessions WHERE session_id = ${sessionId} RETURNING session_id`
      return rows.length > 0
    }, freeing),

    removeUnprompted: Effect.fn("SessionStore.removeUnprompted")(openers.removeUnprompted, freeing)
  }
  return catalog
})

const iso = (ms: number) => DateTime.formatIso(DateTime.makeUnsafe(ms))
