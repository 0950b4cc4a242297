import { Clock, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Search from "./MemorySearch.ts"
import { type Memory, type MemoryEntry, type MemoryFilter, type MemoryOwner, refusal } from "./MemoryEntry.ts"
import type { StoreGuard } from "./StorageFault.ts"

const mostRows = 1000
const candidates = 64

interface Row {
  readonly n: number
  readonly id: string
  readonly key: string
  readonly content: string
  readonly category: string
  readonly namespace: string
  readonly session_id: string | null
  readonly at: string
  readonly owner: string | null
}

const entry = (
  { at, category, content, id, key, namespace, owner, session_id }: Row,
  score: number | null
): MemoryEntry => ({
  id,
  key,
  content,
  category,
  namespace,
  sessionId: session_id,
  timestamp: at,
  score,
  owner
})

/** Of somebody: all that is found, counted, replaced and deleted is among its entries. */
export const make = Effect.fnUntraced(function*(guarded: StoreGuard, whose: MemoryOwner) {
  const sql = yield* SqlClient.SqlClient
  const owner = whose === "everybody" ? null : whose.owner
  const visible = whose === "everybody" ? sql`1` : sql`memories.owner IS ${owner}`
  const isoNow = Effect.map(Clock.currentTimeMillis, (ms) => DateTime.formatIso(DateTime.makeUnsafe(ms)))
  const newId = () => process.getBuiltinModule("node:crypto").randomUUID()

  const where = ({ category, namespace, sessionId, since, until }: MemoryFilter) =>
    sql.and([
      visible,
      ...(category === undefined ? [] : [sql`category = ${category}`]),
      ...(namespace === undefined ? [] : [sql`namespace = ${namespace}`]),
      ...(sessionId === undefined ? [] : [sql`session_id = ${sessionId}`]),
      ...(since === undefined ? [] : [sql`at >= ${since}`]),
      ...(until === undefined ? [] : [sql`at < ${until}`])
    ])

  const meant = (key: string) =>
    sql`(SELECT n FROM memories WHERE key = ${key} AND ${visible} ORDER BY owner IS NOT NULL, at DESC, n DESC LIMIT 1)`

  const most = (limit: number | undefined) => Math.min(Math.max(Math.floor(limit ?? mostRows) || 1, 1), mostRows)

  const list = Effect.fnUntraced(function*(which: MemoryFilter) {
    const rows = yield* sql<Row>`SELECT * FROM memories WHERE ${where(which)} ORDER BY at DESC, n DESC LIMIT ${
      most(which.limit)
    }`
    return rows.map((row) => entry(row, null))
  })

  const ranked = Effect.fnUntraced(function*(terms: ReadonlyArray<string>, which: MemoryFilter) {
    const rows = yield* sql<Row>`SELECT memories.* FROM words JOIN memories ON memories.n = words.rowid
      WHERE words MATCH ${terms.map(Search.matcher).join(" OR ")} AND ${
      where(which)
    } ORDER BY bm25(words, 2.0, 1.0), n DESC LIMIT ${candidates}`
    if (rows.length === 0) return []
    const [{ entries } = { entries: 0 }] = yield* sql<
      { entries: number }
    >`SELECT count(*) AS entries FROM memories WHERE ${visible}`
    const found = JSON.stringify(rows.map(({ n }) => n))
    const hits = yield* Effect.forEach(
      terms,
      Effect.fnUntraced(function*(term) {
        const [{ frequency } = { frequency: 0 }] = yield* sql<{ frequency: number }>`
        SELECT count(*) AS frequency FROM words JOIN memories ON memories.n = words.rowid
        WHERE words MATCH ${Search.matcher(term)} AND ${visible}`
        const having = yield* sql<{ n: number }>`
        SELECT rowid AS n FROM words WHERE words MATCH ${
          Search.matcher(term)
        } AND rowid IN (SELECT value FROM json_each(${found}))`
        return { frequency, rows: new Set(having.map(({ n }) => n)) }
      })
    )
    return rows.map((row) => entry(row, Search.score(row.n, hits, entries)))
      .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
      .slice(0, most(which.limit))
  })

  /** Scripts without blanks between words, and pieces of words, which the index does not know. */
  const containing = Effect.fnUntraced(function*(terms: ReadonlyArray<string>, which: MemoryFilter) {
    const patterns = terms.filter((term) => term.length > 1).map((term) => `%${term}%`)
    if (patterns.length === 0) return []
    const all = sql.and(patterns.map((pattern) => sql`(key || ' ' || content) LIKE ${pattern}`))
    const rows = yield* sql<Row>`SELECT * FROM memories WHERE ${all} AND ${
      where(which)
    } ORDER BY at DESC, n DESC LIMIT ${most(which.limit)}`
    return rows.map((row) => entry(row, 1))
  })

  const memory: Memory = {
    store: Effect.fn("Memory.store")(function*(given) {
      const refused = refusal(given)
      if (refused !== undefined) return yield* refused
      const { category, content, key, namespace = "default", sessionId = null } = given
      yield* sql`INSERT INTO memories (id, owner, key, content, category, namespace, session_id, at)
        VALUES (${newId()}, ${owner}, ${key}, ${content}, ${category}, ${namespace}, ${sessionId}, ${yield* isoNow})
        ON CONFLICT (coalesce(owner, 0), key) DO UPDATE SET content = excluded.content, category = excluded.category, namespace = excluded.namespace,
          session_id = excluded.session_id, at = excluded.at`
    }, guarded),

    get: Effect.fnUntraced(function*(key) {
      const [row] = yield* sql<Row>`SELECT * FROM memories WHERE n = ${meant(key)}`
      return row === undefined ? undefined : entry(row, null)
    }, guarded),

    remove: Effect.fnUntraced(function*(key) {
      return (yield* sql`DELETE FROM memories WHERE n = ${meant(key)} RETURNING n`).length > 0
    }, guarded),

    list: (which) => guarded(list(which)),

    search: Effect.fn("Memory.search")(function*(question, which) {
      const terms = Search.terms(question)
      if (terms.length === 0) return yield* list(which)
      const found = yield* ranked(terms, which)
      return found.length > 0 ? found : yield* containing(terms, which)
    }, guarded),

    purge: Effect.fnUntraced(function*({ namespace, sessionId }) {
      if (namespace === undefined && sessionId === undefined) return 0
      return (yield* sql`DELETE FROM memories WHERE ${where({ namespace, sessionId })} RETURNING n`).length
    }, guarded),

    forgetConversation: Effect.fnUntraced(function*(before) {
      yield* sql`DELETE FROM memories WHERE category = 'conversation' AND at < ${before}`
    }, guarded)
  }
  return memory
})
