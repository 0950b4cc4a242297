import { Context, Effect, Layer, Result, Semaphore, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { DatabaseFile, memory } from "./DatabaseFile.ts"
import { StoreFailed } from "./SessionRecords.ts"

export { memory }

/** The file behind a client; its state is that of all clients on it. */
export class Database extends Context.Service<Database, DatabaseFile>()("postern/store/Sqlite/Database") {}

const cachedStatements = 256

const fault = (operation: string) => (cause: unknown) => {
  if (typeof cause === "object" && cause !== null && "errcode" in cause && !("errno" in cause)) {
    Object.assign(cause, { errno: cause.errcode })
  }
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(cause, { message: `SQLite ${operation} failed`, operation })
  })
}

/** What an opening throws: a sentence of ours, or what SQLite or the system says. */
export const openingFault = (cause: unknown): SqlError.SqlError | StoreFailed =>
  cause instanceof StoreFailed ? cause : fault("open")(cause)

interface Prepared {
  readonly statement: StatementSync
  readonly givesRows: boolean
}

const connect = (file: DatabaseFile): Connection => {
  const prepared = new Map<string, Prepared>()
  let generation = file.generation
  const fresh = (text: string): Prepared => {
    const statement = file.db.prepare(text)
    return { statement, givesRows: statement.columns().length > 0 }
  }
  const cached = (text: string) => {
    if (generation !== file.generation) {
      prepared.clear()
      generation = file.generation
    }
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
  readonly run: <A, E>(
    work: (query: Query) => Result.Result<A, E>
  ) => Effect.Effect<A, E | SqlError.SqlError>
}>()("postern/store/Sqlite/Transactions") {}

const makeTransactions = (file: DatabaseFile, turns: Semaphore.Semaphore): Transactions["Service"] => {
  let known = new WeakMap<TemplateStringsArray, StatementSync>()
  let generation = -1
  let begin: StatementSync
  let commit: StatementSync
  let rollBack: StatementSync
  const connected = (): DatabaseSync => {
    const { db } = file
    if (generation === file.generation) return db
    known = new WeakMap()
    begin = db.prepare("BEGIN IMMEDIATE")
    commit = db.prepare("COMMIT")
    rollBack = db.prepare("ROLLBACK")
    generation = file.generation
    return db
  }
  const prepared = (text: TemplateStringsArray) => {
    const statement = known.get(text) ?? file.db.prepare(text.join("?"))
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
  return {
    run: <A, E>(work: (query: Query) => Result.Result<A, E>) =>
      Effect.try({
        try: () => {
          const db = connected()
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
  const file = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseFile(filename)),
    (file) => Effect.sync(() => file.close())
  )
  const reactivity = yield* Reactivity.make
  const semaphore = yield* Semaphore.make(1)
  const client = yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connect(file)),
      semaphore,
      isTransaction: () => file.db.isTransaction
    }),
    driver: "node:sqlite",
    compiler: Statement.makeCompilerSqlite(),
    prepareTransactionControls: true,
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]]
  }).pipe(Effect.provideService(Reactivity.Reactivity, reactivity))
  return Context.make(SqlClient.SqlClient, client).pipe(
    Context.add(Transactions, makeTransactions(file, semaphore)),
    Context.add(Database, file)
  )
})

export const layer = (filename: string) => Layer.effectContext(open(filename))
