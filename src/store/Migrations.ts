import { Effect } from "effect"
import type { DatabaseSync } from "node:sqlite"
import type { Preparation } from "./DatabaseFile.ts"
import { Database, openingFault } from "./Sqlite.ts"
import { failed } from "./StoreGuard.ts"

/** "Post": tells our files from other programs' SQLite files. */
const applicationId = 0x506f7374

/** Step n takes a database from format n to n + 1 (`user_version`). Steps are only ever added. */
export type MigrationSteps = ReadonlyArray<ReadonlyArray<string>>

export const sessions: MigrationSteps = [[
  `CREATE TABLE sessions (
    session_id TEXT NOT NULL PRIMARY KEY,
    agent TEXT NOT NULL,
    cwd TEXT NOT NULL,
    additional_directories TEXT NOT NULL,
    title TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    killed_at TEXT
  ) STRICT`,
  `CREATE INDEX sessions_recent ON sessions (updated_at DESC, session_id)`,
  `CREATE INDEX sessions_of_folder ON sessions (cwd, updated_at DESC, session_id)`,
  `CREATE TABLE turns (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    status TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    lease INTEGER NOT NULL,
    PRIMARY KEY (session_id, turn)
  ) STRICT`,
  `CREATE UNIQUE INDEX turns_running ON turns (session_id) WHERE status = 'running'`,
  `CREATE TABLE entries (
    session_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (session_id, position),
    FOREIGN KEY (session_id, turn) REFERENCES turns ON DELETE CASCADE
  ) STRICT`,
  `CREATE INDEX entries_of_turn ON entries (session_id, turn)`,
  `CREATE TABLE contexts (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    messages TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE grants (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    subject TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'reject')),
    PRIMARY KEY (session_id, subject)
  ) STRICT`
], [
  `DROP TABLE grants`,
  `CREATE TABLE policy_events (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    knob TEXT NOT NULL,
    value TEXT NOT NULL,
    source TEXT NOT NULL,
    at TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX policy_events_of_session ON policy_events (session_id, id)`,
  `CREATE TABLE session_rules (
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id TEXT NOT NULL,
    list TEXT NOT NULL CHECK (list IN ('deny', 'ask', 'allow')),
    rule TEXT NOT NULL,
    reason TEXT,
    at TEXT NOT NULL,
    PRIMARY KEY (session_id, id)
  ) STRICT`,
  `CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    outcome TEXT NOT NULL,
    gate TEXT NOT NULL,
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    rule TEXT,
    shapes TEXT NOT NULL,
    knobs TEXT NOT NULL,
    at TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX decisions_of_session ON decisions (session_id, id)`,
  `CREATE TABLE approvals (
    id TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    answered_at TEXT,
    answer TEXT
  ) STRICT`,
  `CREATE INDEX approvals_of_session ON approvals (session_id)`
], [
  // Not of a session: deleting one must not give its agent more to do.
  `CREATE TABLE actions (
    agent TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX actions_of_agent ON actions (agent, at)`
], [
  `ALTER TABLE sessions ADD COLUMN surface TEXT`
], [
  `ALTER TABLE sessions ADD COLUMN usage TEXT`
], [
  `ALTER TABLE sessions ADD COLUMN owner TEXT`
], [
  `ALTER TABLE sessions ADD COLUMN excludes_memory INTEGER NOT NULL DEFAULT 0`
], [
  // Not of a session either.
  `CREATE TABLE costs (
    day TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    nanodollars INTEGER NOT NULL,
    PRIMARY KEY (day, agent, model)
  ) STRICT, WITHOUT ROWID`
], [
  // As how many messages a row is shown, negative while it is a call that is open: pages are counted without reading the rows.
  `ALTER TABLE entries ADD COLUMN shown INTEGER GENERATED ALWAYS AS (
    CASE WHEN NOT json_valid(entry) THEN 0
      WHEN entry ->> '_tag' IN ('User', 'Agent', 'Interrupted') THEN 1
      WHEN entry ->> '_tag' = 'ToolCall' THEN iif(entry -> 'call' ->> 'status' IN ('pending', 'in_progress'), -2, 2)
      ELSE 0 END
  ) VIRTUAL`,
  `CREATE INDEX entries_shown ON entries (session_id, position, turn, shown)`
], [
  // What was spent before is the operator's.
  `CREATE TABLE owned_costs (
    day TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT 'operator',
    requests INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    nanodollars INTEGER NOT NULL,
    PRIMARY KEY (day, agent, model, owner)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO owned_costs SELECT day, agent, model, 'operator', requests, tokens, nanodollars FROM costs`,
  `DROP TABLE costs`,
  `ALTER TABLE owned_costs RENAME TO costs`
], [
  // Answers and rules that were typed cannot be told apart, so no allow rule of before covers a dangerous call.
  `ALTER TABLE session_rules ADD COLUMN guard INTEGER NOT NULL DEFAULT 0`,
  `UPDATE session_rules SET guard = 1 WHERE list = 'allow'`
], [
  // The processes that opened the session last: one without a prompt stays while one of them may have it open.
  `ALTER TABLE sessions ADD COLUMN openers TEXT NOT NULL DEFAULT '[]'`
]]

/** The migration steps that this database lacks; throws where it is newer than this version or of another program. */
const pending = (db: DatabaseSync, file: string, steps: MigrationSteps) => {
  const { application, tables, version } = db.prepare(
    `SELECT user_version AS version, application_id AS application, (SELECT count(*) FROM sqlite_schema) AS tables
      FROM pragma_user_version, pragma_application_id`
  ).get() as { version: number; application: number; tables: number }
  if (tables > 0 && application !== applicationId) {
    throw failed(
      file,
      (file) => `${file} is a database of another program. Move it away, or set POSTERN_DATA_DIR.`,
      undefined
    )
  }
  if (version > steps.length) {
    const newer = `a newer Postern (format ${version}, this one knows ${steps.length})`
    throw failed(
      file,
      (file) => `${file} was written by ${newer}. Update Postern, or set POSTERN_DATA_DIR.`,
      undefined
    )
  }
  return { isNew: tables === 0, statements: steps.slice(version).flat() }
}

/**
 * Brings a database to this version's format and to WAL. A file it refuses is not changed; one of an earlier format that cannot be written
 * is refused.
 */
export const bring = (file: string, steps: MigrationSteps): Preparation => (db, access) => {
  const { isNew, statements } = pending(db, file, steps)
  if (access === "read") {
    if (statements.length === 0) return
    throw failed(
      file,
      (file) => `${file} is of an earlier version and cannot be written. Make it writable, or free space on its disk.`,
      undefined
    )
  }
  // So that what is deleted can be given back to the disk; it only counts before the first table.
  if (isNew) db.exec("PRAGMA auto_vacuum = INCREMENTAL")
  db.exec("PRAGMA journal_mode = WAL")
  if (statements.length === 0) return
  db.exec("BEGIN IMMEDIATE")
  try {
    // Asked again under the write lock: another process may have done it meanwhile.
    for (const statement of pending(db, file, steps).statements) db.exec(statement)
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}; COMMIT`)
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK")
  }
}

/** Opens the database in this version's format. */
export const migrate = (file: string, steps: MigrationSteps = sessions) =>
  Effect.flatMap(
    Database,
    (database) => Effect.try({ try: () => database.start(bring(file, steps)), catch: openingFault })
  )
