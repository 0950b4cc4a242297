/** Programs that run code given as text: on the command line, on standard input or in a file. */
export interface Language {
  readonly name: string
  /** Options whose value is code. */
  readonly code: ReadonlyArray<string>
  /** Options with which the standard input is data or nothing is run, as `-m module`. */
  readonly notInput: ReadonlyArray<string>
  /** Standard input is code when there is no script. */
  readonly input: boolean
}

const language = (name: string, code: string, notInput = "", input = true): Language => ({
  name,
  code: code.split(" ").filter((option) => option !== ""),
  notInput: notInput.split(" ").filter((option) => option !== ""),
  input
})

const python = language("python", "-c", "-m -V --version")
const node = language("node", "-e --eval -p --print -pe", "--test -v --version --check -c")
const ruby = language("ruby", "-e", "-v --version -n -p")
const perl = language("perl", "-e -E", "-v --version -n -p")

export const languages: ReadonlyMap<string, Language> = new Map([
  ...["python", "python2", "pypy", "ipython"].map((program) => [program, python] as const),
  ...["node", "nodejs", "tsx", "ts-node"].map((program) => [program, node] as const),
  ...["ruby", "jruby", "irb"].map((program) => [program, ruby] as const),
  ...["perl", "raku"].map((program) => [program, perl] as const),
  ["bun", language("node", "-e --eval -p --print")],
  ["deno", language("node", "", "", false)],
  ["php", language("php", "-r -B -R -E", "-v -S -l -m -i")],
  ["lua", language("lua", "-e", "-v")],
  ["luajit", language("lua", "-e", "-v")],
  ["Rscript", language("r", "-e", "", false)],
  ["R", language("r", "-e", "--version")],
  ["julia", language("julia", "-e -E --eval --print")],
  ["osascript", language("osascript", "-e")],
  ["elixir", language("elixir", "-e --eval", "", false)],
  ["erl", language("elixir", "-eval", "", false)],
  ["groovy", language("groovy", "-e", "", false)],
  ["scala", language("groovy", "-e", "", false)],
  ["jshell", language("groovy", "")],
  ["tclsh", language("tcl", "")],
  ["expect", language("tcl", "-c")],
  ["swift", language("swift", "-e", "", false)],
  ["guile", language("lisp", "-c")],
  ["sbcl", language("lisp", "--eval")],
  ["emacs", language("lisp", "--eval -eval --execute", "", false)]
])

/** Shells whose `-c` text and input this analysis can read itself; csh and fish differ too much to be trusted. */
export const shells: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "dash",
  "zsh",
  "ksh",
  "mksh",
  "ash",
  "rbash",
  "yash",
  "pdksh",
  "posh",
  "oksh"
])
export const foreignShells: ReadonlySet<string> = new Set([
  "fish",
  "csh",
  "tcsh",
  "nu",
  "xonsh",
  "elvish",
  "pwsh",
  "powershell",
  "cmd"
])

export interface Database {
  readonly kind: "sql" | "mongo" | "redis"
  /** Options whose value is a statement. */
  readonly code: ReadonlyArray<string>
  /** The operand from which on statements are given; -1 where they never are. */
  readonly operand: number
}

const sql = (code: string, operand = -1): Database => ({
  kind: "sql",
  code: code.split(" ").filter((option) => option !== ""),
  operand
})
const mongo: Database = { kind: "mongo", code: ["--eval"], operand: -1 }
const redis: Database = { kind: "redis", code: [], operand: 0 }

/** Databases whose clients take statements as text. */
export const databases: ReadonlyMap<string, Database> = new Map([
  ...["psql", "pgcli"].map((program) => [program, sql("-c --command")] as const),
  ...["mysql", "mariadb", "mycli", "litecli", "cqlsh", "cockroach"].map(
    (program) => [program, sql("-e --execute --init-command")] as const
  ),
  ...["hive", "beeline", "spark-sql"].map((program) => [program, sql("-e")] as const),
  ...["clickhouse-client", "clickhouse", "snowsql"].map((program) => [program, sql("-q --query")] as const),
  ...["trino", "presto"].map((program) => [program, sql("--execute")] as const),
  ...["isql", "sqlplus", "prisma"].map((program) => [program, sql("")] as const),
  ["sqlite3", sql("-cmd", 1)],
  ["sqlite", sql("-cmd", 1)],
  ["libsql", sql("", 1)],
  ["bq", sql("", 1)],
  ["turso", sql("", 3)],
  ["duckdb", sql("-c -s -cmd", 1)],
  ["sqlcmd", sql("-Q -q")],
  ["usql", sql("-c --command")],
  ["wrangler", sql("--command")],
  ["influx", sql("-execute")],
  ...["mongosh", "mongo"].map((program) => [program, mongo] as const),
  ...["redis-cli", "valkey-cli", "keydb-cli"].map((program) => [program, redis] as const)
])
