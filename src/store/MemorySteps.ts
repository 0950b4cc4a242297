import type { MigrationSteps } from "./Migrations.ts"

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
 * The entries, and an index of their words that follows them by itself; then each with its owner, whose keys are its own. What was there
 * before belongs to the operator.
 */
export const steps: MigrationSteps = [[
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
