import type { Steps } from "./Migrations.ts"

/** The entries, and an index of their words that follows them by itself. */
export const steps: Steps = [[
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
]]
