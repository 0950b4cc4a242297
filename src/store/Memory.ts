import { Clock, DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Search from "./MemorySearch.ts"
import type { Guard } from "./StorageFault.ts"
import type { StoreFailed } from "./Stored.ts"

/** An entry that cannot be kept as it is; `message` is a sentence. */
export class MemoryRefused extends Schema.TaggedError<MemoryRefused>()("MemoryRefused", {
  field: Schema.Literals(["key", "content", "category", "namespace"]),
  message: Schema.String
}) {}

export interface MemoryEntry {
  readonly id: string
  readonly key: string
  readonly content: string
  readonly category: string
  readonly namespace: string
  /** The session it is about; `null`: none in particular. */
  readonly sessionId: string | null
  /** When it was last stored; ISO 8601, UTC. */
  readonly timestamp: string
  /** From 0 to 1, where something was searched for. */
  readonly score: number | null
}

export interface NewMemory {
  readonly key: string
  readonly content: string
  readonly category: string
  readonly namespace?: string | undefined
  readonly sessionId?: string | undefined
}

export interface Which {
  readonly category?: string | undefined
  readonly namespace?: string | undefined
  readonly sessionId?: string | undefined
  /** ISO 8601, UTC; `until` is not in it any more. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly limit?: number | undefined
}

/** What one agent remembers. A key has one entry; storing it again replaces that. */
export interface Memory {
  readonly store: (entry: NewMemory) => Effect.Effect<void, MemoryRefused | StoreFailed>
  readonly get: (key: string) => Effect.Effect<MemoryEntry | undefined, StoreFailed>
  /** Whether it was there. */
  readonly remove: (key: string) => Effect.Effect<boolean, StoreFailed>
  /** Newest first. */
  readonly list: (which: Which) => Effect.Effect<ReadonlyArray<MemoryEntry>, StoreFailed>
  /** Best first; without any word to look for, as `list`. Any text is a question: nothing in it is syntax. */
  readonly search: (question: string, which: Which) => Effect.Effect<ReadonlyArray<MemoryEntry>, StoreFailed>
  /** How many went. Without a namespace or a session nothing goes. */
  readonly purge: (which: Pick<Which, "namespace" | "sessionId">) => Effect.Effect<number, StoreFailed>
  /** Conversation entries that were last stored before this, away. */
  readonly forgetConversation: (before: string) => Effect.Effect<void, StoreFailed>
}

export const maxKey = 256
/** In bytes of UTF-8. */
export const maxContent = 64 * 1024
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
}

const entry = ({ at, category, content, id, key, namespace, session_id }: Row, score: number | null): MemoryEntry => ({
  id,
  key,
  content,
  category,
  namespace,
  sessionId: session_id,
  timestamp: at,
  score
})

/** A category or namespace: a word that needs no quoting anywhere. */
const isWord = (text: string) => /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u.test(text)

const refusal = ({ category, content, key, namespace = "default" }: NewMemory): MemoryRefused | undefined => {
  if (key.trim() === "" || key.length > maxKey || /[\u0000-\u001f\u007f]/.test(key)) {
    return new MemoryRefused({ field: "key", message: `A key has 1 to ${maxKey} characters on one line.` })
  }
  if (content.trim() === "") {
    return new MemoryRefused({ field: "content", message: "There is nothing to remember: the content is empty." })
  }
  if (Buffer.byteLength(content) > maxContent) {
    return new MemoryRefused({ field: "content", message: `A memory has at most ${maxContent} bytes.` })
  }
  const field = isWord(category) ? isWord(namespace) ? undefined : "namespace" : "category"
  return field && new MemoryRefused({ field, message: `A ${field} is one word of at most 64 characters.` })
}

export const make = Effect.fnUntraced(function*(guarded: Guard) {
  const sql = yield* SqlClient.SqlClient
  const isoNow = Effect.map(Clock.currentTimeMillis, (ms) => DateTime.formatIso(DateTime.makeUnsafe(ms)))
  const newId = () => process.getBuiltinModule("node:crypto").randomUUID()

  const where = ({ category, namespace, sessionId, since, until }: Which) =>
    sql.and([
      sql`1`,
      ...(category === undefined ? [] : [sql`category = ${category}`]),
      ...(namespace === undefined ? [] : [sql`namespace = ${namespace}`]),
      ...(sessionId === undefined ? [] : [sql`session_id = ${sessionId}`]),
      ...(since === undefined ? [] : [sql`at >= ${since}`]),
      ...(until === undefined ? [] : [sql`at < ${until}`])
    ])

  const most = (limit: number | undefined) => Math.min(Math.max(Math.floor(limit ?? mostRows) || 1, 1), mostRows)

  const list = Effect.fnUntraced(function*(which: Which) {
    const rows = yield* sql<Row>`SELECT * FROM memories WHERE ${where(which)} ORDER BY at DESC, n DESC LIMIT ${
      most(which.limit)
    }`
    return rows.map((row) => entry(row, null))
  })

  const ranked = Effect.fnUntraced(function*(terms: ReadonlyArray<string>, which: Which) {
    const rows = yield* sql<Row>`SELECT memories.* FROM words JOIN memories ON memories.n = words.rowid
      WHERE words MATCH ${terms.map(Search.matcher).join(" OR ")} AND ${
      where(which)
    } ORDER BY bm25(words, 2.0, 1.0), n DESC LIMIT ${candidates}`
    if (rows.length === 0) return []
    const [{ entries } = { entries: 0 }] = yield* sql<{ entries: number }>`SELECT count(*) AS entries FROM memories`
    const found = JSON.stringify(rows.map(({ n }) => n))
    const hits = yield* Effect.forEach(
      terms,
      Effect.fnUntraced(function*(term) {
        const [{ frequency } = { frequency: 0 }] = yield* sql<{ frequency: number }>`
        SELECT count(*) AS frequency FROM words WHERE words MATCH ${Search.matcher(term)}`
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
  const containing = Effect.fnUntraced(function*(terms: ReadonlyArray<string>, which: Which) {
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
      yield* sql`INSERT INTO memories (id, key, content, category, namespace, session_id, at)
        VALUES (${newId()}, ${key}, ${content}, ${category}, ${namespace}, ${sessionId}, ${yield* isoNow})
        ON CONFLICT (key) DO UPDATE SET content = excluded.content, category = excluded.category, namespace = excluded.namespace,
          session_id = excluded.session_id, at = excluded.at`
    }, guarded),

    get: Effect.fnUntraced(function*(key) {
      const [row] = yield* sql<Row>`SELECT * FROM memories WHERE key = ${key}`
      return row === undefined ? undefined : entry(row, null)
    }, guarded),

    remove: Effect.fnUntraced(function*(key) {
      return (yield* sql`DELETE FROM memories WHERE key = ${key} RETURNING n`).length > 0
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
