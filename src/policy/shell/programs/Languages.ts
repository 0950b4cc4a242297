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
  ["python", python], ["python2", python], ["pypy", python], ["ipython", python], ["python-config", language("python", "", "", false)],
  ["node", node], ["nodejs", node], ["tsx", node], ["ts-node", node], ["bun", language("node", "-e --eval -p --print")],
  ["deno", language("node", "", "", false)],
  ["perl", perl], ["raku", perl], ["ruby", ruby], ["jruby", ruby], ["irb", ruby],
  ["php", language("php", "-r -B -R -E", "-v -S -l -m -i")],
  ["lua", language("lua", "-e", "-v")], ["luajit", language("lua", "-e", "-v")],
  ["Rscript", language("r", "-e", "", false)], ["R", language("r", "-e", "--version")], ["julia", language("julia", "-e -E --eval --print")],
  ["osascript", language("osascript", "-e")], ["elixir", language("elixir", "-e --eval", "", false)], ["groovy", language("groovy", "-e", "", false)],
  ["scala", language("groovy", "-e", "", false)], ["jshell", language("groovy", "")], ["tclsh", language("tcl", "")], ["expect", language("tcl", "-c")],
  ["erl", language("elixir", "-eval", "", false)], ["swift", language("swift", "-e", "", false)], ["guile", language("lisp", "-c")],
  ["emacs", language("lisp", "--eval -eval --execute", "", false)], ["sbcl", language("lisp", "--eval")]
])

/** Shells whose `-c` text and input this analysis can read itself; csh and fish differ too much to be trusted. */
export const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash", "pdksh", "posh", "oksh"])
export const foreignShells: ReadonlySet<string> = new Set(["fish", "csh", "tcsh", "nu", "xonsh", "elvish", "pwsh", "powershell", "cmd"])

/** Databases whose clients take statements as text. */
export const databases: ReadonlyMap<string, { readonly kind: "sql" | "mongo" | "redis"; readonly code: ReadonlyArray<string>; readonly operand: number }> = new Map(
  ([
    ["psql", "sql", "-c --command", -1], ["pgcli", "sql", "-c --command", -1], ["mysql", "sql", "-e --execute --init-command", -1],
    ["mariadb", "sql", "-e --execute", -1], ["mycli", "sql", "-e --execute", -1], ["sqlite3", "sql", "-cmd", 1], ["sqlite", "sql", "-cmd", 1],
    ["litecli", "sql", "-e --execute", -1], ["duckdb", "sql", "-c -s -cmd", 1], ["sqlcmd", "sql", "-Q -q", -1], ["cqlsh", "sql", "-e --execute", -1],
    ["clickhouse-client", "sql", "-q --query", -1], ["clickhouse", "sql", "-q --query", -1], ["cockroach", "sql", "-e --execute", -1], ["usql", "sql", "-c", -1],
    ["snowsql", "sql", "-q --query", -1], ["isql", "sql", "", -1], ["sqlplus", "sql", "", -1], ["bq", "sql", "", 1], ["wrangler", "sql", "--command", -1],
    ["trino", "sql", "--execute", -1], ["presto", "sql", "--execute", -1], ["hive", "sql", "-e", -1], ["beeline", "sql", "-e", -1], ["spark-sql", "sql", "-e", -1],
    ["influx", "sql", "-execute", -1], ["libsql", "sql", "", 1], ["turso", "sql", "", 3], ["prisma", "sql", "", -1],
    ["mongosh", "mongo", "--eval", -1], ["mongo", "mongo", "--eval", -1], ["redis-cli", "redis", "", 0], ["valkey-cli", "redis", "", 0], ["keydb-cli", "redis", "", 0]
  ] as const).map(([program, kind, code, operand]) => [program, { kind, code: code.split(" ").filter((option) => option !== ""), operand }])
)
