import { join } from "node:path"
import { Clock, Context, DateTime, Effect, Exit, Layer, Schema, Scope, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { migrate, type MigrationSteps } from "./Migrations.ts"
import * as Sqlite from "./Sqlite.ts"
import { guard, type StoreGuard } from "./StoreGuard.ts"
import type { StoreFailed } from "./SessionRecords.ts"

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
  /** The principal it belongs to; `null`: the operator. */
  readonly owner: string | null
}

/**
 * Whose entries: those of one principal, `null` being the operator, or everybody's. An entry belongs to who stored it,
 * or to the owner of the session that did; to others than its owner and the operator it does not exist
 * (docs/users.md#ownership).
 */
type MemoryOwner = { readonly owner: string | null } | "everybody"

interface NewMemory {
  readonly key: string
  readonly content: string
  readonly category: string
  readonly namespace?: string | undefined
  readonly sessionId?: string | undefined
}

export interface MemoryFilter {
  readonly category?: string | undefined
  readonly namespace?: string | undefined
  readonly sessionId?: string | undefined
  /** ISO 8601, UTC; `until` is not in it any more. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly limit?: number | undefined
}

/**
 * What one agent remembers for somebody. A key has one entry of each owner; storing it again replaces that. Of
 * everybody's, the operator's own is the one that is meant, or else the newest of that key; and what is stored is the
 * operator's.
 */
export interface Memory {
  readonly store: (entry: NewMemory) => Effect.Effect<void, MemoryRefused | StoreFailed>
  readonly get: (key: string) => Effect.Effect<MemoryEntry | undefined, StoreFailed>
  /** Whether it was there. */
  readonly remove: (key: string) => Effect.Effect<boolean, StoreFailed>
  /** Newest first. */
  readonly list: (which: MemoryFilter) => Effect.Effect<ReadonlyArray<MemoryEntry>, StoreFailed>
  /** Best first; without any word to look for, as `list`. Any text is a question: nothing in it is syntax. */
  readonly search: (question: string, which: MemoryFilter) => Effect.Effect<ReadonlyArray<MemoryEntry>, StoreFailed>
  /** How many went. Without a namespace or a session nothing goes. */
  readonly purge: (which: Pick<MemoryFilter, "namespace" | "sessionId">) => Effect.Effect<number, StoreFailed>
  /** Conversation entries that were last stored before this, away. */
  readonly forgetConversation: (before: string) => Effect.Effect<void, StoreFailed>
}

const maxKey = 256
/** In bytes of UTF-8. */
const maxContent = 64 * 1024

/** A category or namespace: a word that needs no quoting anywhere. */
const isWord = (text: string) => /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u.test(text)

/** Why it cannot be kept as it is. */
export const refusal = ({ category, content, key, namespace = "default" }: NewMemory): MemoryRefused | undefined => {
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

const triggers = [
  `CREATE TRIGGER memories_in AFTER INSERT ON memories BEGIN
    INSERT INTO words (rowid, key, content) VALUES (new.n, new.key, new.content);
  END`,
  `CREATE TRIGGER memories_out AFTER DELETE ON memories BEGIN
    INSERT INTO words (words, rowid, key, content) VALUES ('delete', old.n, old.key, old.content);
  END`,
  `CREATE TRIGGER memories_over AFTER UPDATE ON memories BEGIN
    INSERT INTO words (words, rowid, key, content) VALUES ('delete', old.n, old.key, old.content);
    INSERT INTO words (rowid, key, content) VALUES (new.n, new.key, new.content);
  END`
]

/**
 * The entries, and an index of their words that follows them by itself; then each with its owner, whose keys are its
 * own. What was there before belongs to the operator.
 */
export const migrations: MigrationSteps = [[
  `CREATE TABLE memories (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    namespace TEXT NOT NULL,
    session_id TEXT,
    at TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX memories_recent ON memories (at DESC, n DESC)`,
  `CREATE VIRTUAL TABLE words USING fts5(key, content, content=memories, content_rowid=n, tokenize='unicode61 remove_diacritics 2')`,
  ...triggers
], [
  `CREATE TABLE owned (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    namespace TEXT NOT NULL,
    session_id TEXT,
    at TEXT NOT NULL
  ) STRICT`,
  `INSERT INTO owned SELECT n, id, NULL, key, content, category, namespace, session_id, at FROM memories`,
  `DROP TABLE memories`,
  `ALTER TABLE owned RENAME TO memories`,
  // No owner is called 0: it is a text.
  `CREATE UNIQUE INDEX memories_key ON memories (coalesce(owner, 0), key)`,
  `CREATE INDEX memories_named ON memories (key)`,
  `CREATE INDEX memories_recent ON memories (at DESC, n DESC)`,
  `CREATE INDEX memories_of_owner ON memories (owner, at DESC, n DESC)`,
  ...triggers
]]

/** Letters, digits, `_` and `-` as they are, so that no alias leads out of the folder or to another agent's file. */
const fileOf = (agent: string) =>
  `${encodeURIComponent(agent).replace(/[.!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)}.db`

const day = 86_400_000

/**
 * The long-term memory of the agents, one SQLite file each, opened when it is first asked for. Only chat sessions may
 * be given it: what an ACP session does must not depend on what others did before
 * (docs/sessions.md#chat-and-acp-sessions).
 */
export class MemoryStore extends Context.Service<MemoryStore, {
  /** The operator's, where no owner is named. Fails as long as the file cannot be used; the next call tries again. */
  readonly of: (agent: string, whose?: MemoryOwner) => Effect.Effect<Memory, StoreFailed>
}>()("postern/store/MemoryStore") {
  /**
   * Conversation entries older than `retentionDays` go when a file is opened, and when the number has changed; 0 keeps
   * them.
   */
  static readonly layer = (folder: string, retentionDays = () => 30): Layer.Layer<MemoryStore> =>
    Layer.effect(MemoryStore, make(folder, retentionDays))
}

/** One agent's, with what was asked for of it: the same memory for the same owner. */
interface MemoryFile {
  readonly everybodys: Memory
  readonly of: (whose: MemoryOwner) => Effect.Effect<Memory>
  readonly owners: Map<string | null, Memory>
  /** Of conversations, when the old ones last went. */
  days: number
}

const make = Effect.fnUntraced(function*(folder: string, retentionDays: () => number) {
  const scope = yield* Effect.scope
  const opened = new Map<string, MemoryFile>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)

  const connect = Effect.fnUntraced(function*(file: string) {
    const opened = yield* Sqlite.open(file)
    const database = Context.get(opened, Sqlite.Database)
    const guards = { guarded: guard(file, database), freeing: guard(file, database, { frees: true }) }
    yield* Effect.provide(guards.guarded(migrate(file, migrations)), opened)
    const of = (whose: MemoryOwner) => Effect.provide(memoryOf(guards, whose), opened)
    return { everybodys: yield* of("everybody"), of, owners: new Map(), days: 0 } satisfies MemoryFile
  })

  const forgetOld = Effect.fnUntraced(function*(file: MemoryFile) {
    const days = retentionDays()
    if (days === file.days) return
    if (days > 0) {
      const before = (yield* Clock.currentTimeMillis) - days * day
      // One that cannot be written can be read.
      const forgotten = file.everybodys.forgetConversation(DateTime.formatIso(DateTime.makeUnsafe(before)))
      if (Exit.isFailure(yield* Effect.exit(forgotten))) return
    }
    file.days = days
  })

  const open = Effect.fnUntraced(function*(agent: string) {
    const there = opened.get(agent)
    if (there !== undefined) return yield* Effect.as(forgetOld(there), there)
    const own = yield* Scope.fork(scope)
    const made = yield* connect(join(folder, fileOf(agent))).pipe(
      Effect.tap(forgetOld),
      Scope.provide(own),
      Effect.onExit((exit) => exit._tag === "Failure" ? Scope.close(own, exit) : Effect.void)
    )
    opened.set(agent, made)
    return made
  }, oneAtATime)

  return MemoryStore.of({
    of: Effect.fnUntraced(function*(agent, whose = { owner: null }) {
      const { everybodys, of, owners } = yield* open(agent)
      if (whose === "everybody") return everybodys
      const known = owners.get(whose.owner)
      if (known !== undefined) return known
      const made = yield* of(whose)
      owners.set(whose.owner, made)
      return made
    })
  })
})

/** How a question becomes a full-text query, and how well an entry answers it (docs/sessions.md#recall). Pure. */

/** More words of a question than this say nothing new. */
const maxTerms = 16

/** Words that are in nearly every question. */
const common = new Set(
  ("a an and are as at be been but by can could did do does for from had has have how i if in is it its me my no not of on or our " +
    "so that the their them then there they this to us was we were what when where which who will with would you your")
    .split(" ")
)

/** The words that count, folded as the index folds them, each once. */
export const searchTerms = (question: string): ReadonlyArray<string> => {
  const words =
    question.slice(0, 4096).normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const all = Array.from(new Set(words.map((word) => word.slice(0, 64))))
  const telling = all.filter((word) => !common.has(word))
  return (telling.length > 0 ? telling : all).slice(0, maxTerms)
}

/**
 * One word, or the beginning of one where there is enough of it. Only letters and digits get here: nothing else has a
 * meaning in it.
 */
export const matcher = (term: string): string => `"${term}"${term.length > 2 ? "*" : ""}`

interface TermHits {
  /** Entries that have the word at all. */
  readonly frequency: number
  /** Those of the candidates that have it. */
  readonly rows: ReadonlySet<number>
}

/**
 * How much of what was asked an entry has, from 0 to 1. A rare word counts more than one that many entries have, and a
 * word that no entry has does not count: it cannot tell them apart.
 */
const relevance = (row: number, hits: ReadonlyArray<TermHits>, entries: number): number => {
  const weight = ({ frequency }: TermHits) => Math.log(1 + (entries - frequency + 0.5) / (frequency + 0.5))
  const known = hits.filter(({ frequency }) => frequency > 0)
  const sum = (some: ReadonlyArray<TermHits>) => some.reduce((total, one) => total + weight(one), 0)
  return known.length === 0 ? 0 : Math.min(1, sum(known.filter(({ rows }) => rows.has(row))) / sum(known))
}

const mostRows = 1000
const candidates = 64

interface MemoryRow {
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

const entryOf = (
  { at, category, content, id, key, namespace, owner, session_id }: MemoryRow,
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

interface MemoryGuards {
  readonly guarded: StoreGuard
  /** For what deletes. */
  readonly freeing: StoreGuard
}

/** The memory of one owner: it finds, counts, replaces and deletes only that owner's entries. */
const memoryOf = Effect.fnUntraced(function*({ freeing, guarded }: MemoryGuards, whose: MemoryOwner) {
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
    const rows = yield* sql<MemoryRow>`SELECT * FROM memories WHERE ${where(which)} ORDER BY at DESC, n DESC LIMIT ${
      most(which.limit)
    }`
    return rows.map((row) => entryOf(row, null))
  })

  const ranked = Effect.fnUntraced(function*(terms: ReadonlyArray<string>, which: MemoryFilter) {
    const rows = yield* sql<MemoryRow>`SELECT memories.* FROM words JOIN memories ON memories.n = words.rowid
      WHERE words MATCH ${terms.map(matcher).join(" OR ")} AND ${
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
        WHERE words MATCH ${matcher(term)} AND ${visible}`
        const having = yield* sql<{ n: number }>`
        SELECT rowid AS n FROM words WHERE words MATCH ${
          matcher(term)
        } AND rowid IN (SELECT value FROM json_each(${found}))`
        return { frequency, rows: new Set(having.map(({ n }) => n)) }
      })
    )
    return rows.map((row) => entryOf(row, relevance(row.n, hits, entries)))
      .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
      .slice(0, most(which.limit))
  })

  /** Scripts without blanks between words, and pieces of words, which the index does not know. */
  const containing = Effect.fnUntraced(function*(terms: ReadonlyArray<string>, which: MemoryFilter) {
    const patterns = terms.filter((term) => term.length > 1).map((term) => `%${term}%`)
    if (patterns.length === 0) return []
    const all = sql.and(patterns.map((pattern) => sql`(key || ' ' || content) LIKE ${pattern}`))
    const rows = yield* sql<MemoryRow>`SELECT * FROM memories WHERE ${all} AND ${
      where(which)
    } ORDER BY at DESC, n DESC LIMIT ${most(which.limit)}`
    return rows.map((row) => entryOf(row, 1))
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
      const [row] = yield* sql<MemoryRow>`SELECT * FROM memories WHERE n = ${meant(key)}`
      return row === undefined ? undefined : entryOf(row, null)
    }, guarded),

    remove: Effect.fnUntraced(function*(key) {
      return (yield* sql`DELETE FROM memories WHERE n = ${meant(key)} RETURNING n`).length > 0
    }, freeing),

    list: (which) => guarded(list(which)),

    search: Effect.fn("Memory.search")(function*(question, which) {
      const terms = searchTerms(question)
      if (terms.length === 0) return yield* list(which)
      const found = yield* ranked(terms, which)
      return found.length > 0 ? found : yield* containing(terms, which)
    }, guarded),

    purge: Effect.fnUntraced(function*({ namespace, sessionId }) {
      if (namespace === undefined && sessionId === undefined) return 0
      return (yield* sql`DELETE FROM memories WHERE ${where({ namespace, sessionId })} RETURNING n`).length
    }, freeing),

    forgetConversation: Effect.fnUntraced(function*(before) {
      yield* sql`DELETE FROM memories WHERE category = 'conversation' AND at < ${before}`
    }, freeing)
  }
  return memory
})
