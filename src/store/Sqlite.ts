import { Context, Effect, Layer, Result, Semaphore, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { closeSync, openSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { makeFolder } from "../platform/MakeFolder.ts"
import { loadSqlite } from "../platform/NodeSqlite.ts"

export const memory = ":memory:"

/** SQLite waits synchronously, which would stop every session of this process; `StorageFault` waits instead. */
const busyTimeout = 0
const cachedStatements = 256

const fault = (operation: string) => (cause: unknown) => {
  if (typeof cause === "object" && cause !== null && "errcode" in cause && !("errno" in cause)) {
    Object.assign(cause, { errno: cause.errcode })
  }
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(cause, { message: `SQLite ${operation} failed`, operation })
  })
}

/** SQLite gives its `-wal` and `-shm` files the mode of the database, so the database is created private. */
const createPrivate = (filename: string) => {
  makeFolder(dirname(filename), 0o700)
  closeSync(openSync(filename, "a", 0o600))
}

const openDatabase = (filename: string) => {
  if (filename !== memory) createPrivate(filename)
  const { DatabaseSync } = loadSqlite()
  const db = new DatabaseSync(filename, { timeout: busyTimeout })
  try {
    db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

const connection = (filename: string) =>
  Effect.acquireRelease(
    Effect.try({ try: () => openDatabase(filename), catch: fault("open") }),
    (db) => Effect.sync(() => db.close())
  )

interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

const connect = (db: DatabaseSync): Connection => {
  const prepared = new Map<string, Prepared>()
  const fresh = (text: string): Prepared => {
    const statement = db.prepare(text)
    return { statement, givesRows: statement.columns().length > 0 }
  }
  const cached = (text: string) => {
    let statement = prepared.get(text)
    if (statement === undefined) {
      if (prepared.size >= cachedStatements) prepared.clear()
      prepared.set(text, statement = fresh(text))
    }
    return statement
  }
  type Result = "rows" | "arrays" | "raw"
  const run = ({ givesRows, statement }: Prepared, params: ReadonlyArray<unknown>, result: Result) => {
    const values = params as ReadonlyArray<SQLInputValue>
    if (!givesRows) {
      const changes = statement.run(...values)
      return result === "raw" ? changes : []
    }
    statement.setReturnArrays(result === "arrays")
    return statement.all(...values)
  }
  const query = (prepare: typeof fresh, text: string, params: ReadonlyArray<unknown>, result: Result) =>
    Effect.try({ try: () => run(prepare(text), params, result), catch: fault("execute") })
  const rows = (prepare: typeof fresh): Connection["execute"] => (text, params, transform) => {
    const found = query(prepare, text, params, "rows") as Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>
    return transform ? Effect.map(found, transform) : found
  }
  const arrays = (prepare: typeof fresh): Connection["executeValues"] => (text, params) =>
    Effect.map(
      query(prepare, text, params, "arrays"),
      (found) => found as unknown as ReadonlyArray<ReadonlyArray<unknown>>
    )
  return {
    execute: rows(cached),
    executeUnprepared: rows(fresh),
    executeValues: arrays(cached),
    executeValuesUnprepared: arrays(fresh),
    executeRaw: (text, params) => query(cached, text, params, "raw"),
    executeStream: (text, params, transform) => Stream.fromIterableEffect(rows(cached)(text, params, transform))
  }
}

/** Statements of a transaction, as templates: what a template inserts becomes a parameter. They throw what SQLite says. */
export interface Query {
  <A extends object>(text: TemplateStringsArray, ...values: ReadonlyArray<SQLInputValue>): ReadonlyArray<A>
  /** For statements without rows: how many they changed. */
  readonly changes: (text: TemplateStringsArray, ...values: ReadonlyArray<SQLInputValue>) => number
}

/**
 * Transactions in one step. SQLite answers at once, so that one on which a turn waits needs no fiber between its
 * statements: those cost more than the statements do.
 */
export class Transactions extends Context.Service<Transactions, {
  /** A failure of the work, as an exception, rolls back. */
  readonly run: <A, E>(work: (query: Query) => Result.Result<A, E>) => Effect.Effect<A, E | SqlError.SqlError>
}>()("postern/store/Sqlite/Transactions") {}

const makeTransactions = (db: DatabaseSync, turns: Semaphore.Semaphore): Transactions["Service"] => {
  const known = new WeakMap<TemplateStringsArray, StatementSync>()
  const prepared = (text: TemplateStringsArray) => {
    const statement = known.get(text) ?? db.prepare(text.join("?"))
    known.set(text, statement)
    return statement
  }
  const query: Query = Object.assign(
    <A extends object>(text: TemplateStringsArray, ...values: ReadonlyArray<SQLInputValue>) =>
      prepared(text).all(...values) as ReadonlyArray<object> as ReadonlyArray<A>,
    {
      changes: (text: TemplateStringsArray, ...values: ReadonlyArray<SQLInputValue>) =>
        Number(prepared(text).run(...values).changes)
    }
  )
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const rollBack = db.prepare("ROLLBACK")
  return {
    run: <A, E>(work: (query: Query) => Result.Result<A, E>) =>
      Effect.try({
        try: () => {
          begin.run()
          try {
            const result = work(query)
            if (Result.isSuccess(result)) commit.run()
            return result
          } finally {
            if (db.isTransaction) rollBack.run()
          }
        },
        catch: fault("execute")
      }).pipe(Effect.flatMap(Effect.fromResult), turns.withPermits(1))
  }
}

/**
 * `effect/sql` over Node's built-in SQLite, and transactions in one step: one connection, whose statements and
 * transactions take turns. The journal mode is left to `migrate`: it is written into the file, which may turn out not to be ours.
 */
export const open = Effect.fnUntraced(function*(filename: string) {
  const db = yield* connection(filename)
  const reactivity = yield* Reactivity.make
  const semaphore = yield* Semaphore.make(1)
  const client = yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connect(db)),
      semaphore,
      isTransaction: () => db.isTransaction
    }),
    driver: "node:sqlite",
    compiler: Statement.makeCompilerSqlite(),
    prepareTransactionControls: true,
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]]
  }).pipe(Effect.provideService(Reactivity.Reactivity, reactivity))
  return Context.make(SqlClient.SqlClient, client).pipe(Context.add(Transactions, makeTransactions(db, semaphore)))
})

export const layer = (filename: string) => Layer.effectContext(open(filename))
