import type { DatabaseSync } from "node:sqlite"

/** The names of a table's columns that can be written, but for ids that only count. */
const columnsOf = (db: DatabaseSync, table: string): ReadonlyArray<string> =>
  db.prepare("SELECT name, type, pk FROM pragma_table_info(?)").all(table)
    .filter(({ name, pk, type }) => !(pk === 1 && name === "id" && type === "INTEGER"))
    .map(({ name }) => String(name))

/** Writes everything in one database of sessions into another one, in one transaction. */
export const moveSessions = (from: DatabaseSync, to: DatabaseSync): void => {
  const tables = from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").all()
  to.exec("BEGIN IMMEDIATE")
  try {
    for (const table of tables.map(({ name }) => String(name))) {
      const columns = columnsOf(from, table)
      const names = columns.join(", ")
      const onConflict = table === "costs"
        ? `DO UPDATE SET requests = requests + excluded.requests, tokens = tokens + excluded.tokens,
            nanodollars = nanodollars + excluded.nanodollars`
        : "DO NOTHING"
      const insert = to.prepare(
        `INSERT INTO ${table} (${names}) VALUES (${columns.map(() => "?").join(", ")}) ON CONFLICT ${onConflict}`
      )
      for (const row of from.prepare(`SELECT ${names} FROM ${table}`).iterate()) {
        insert.run(...columns.map((column) => row[column] ?? null))
      }
    }
    to.exec("COMMIT")
  } finally {
    if (to.isTransaction) to.exec("ROLLBACK")
  }
}
