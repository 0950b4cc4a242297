import { resolve } from "../parse/Paths.ts"
import type { Command } from "../programs/Command.ts"
import { isAppendedTo } from "../programs/Rules.ts"

/** Statements to a database, on the command line, on standard input and in files that were just written. */

const objects =
  `TABLE DATABASE SCHEMA INDEX VIEW MATERIALIZED USER ROLE COLUMN SEQUENCE FUNCTION PROCEDURE TRIGGER EXTENSION
  TYPE KEYSPACE OWNED TABLESPACE POLICY COLLECTION STREAM TASK STAGE WAREHOUSE MEASUREMENT SERIES DICTIONARY PARTITION
  EVENT DOMAIN SYSTEM OWNER INSTANCE DEFAULT`
    .split(/\s+/)
    .join("|")
/** Ways out of the database: into files, programs and other servers. */
const exits =
  `INTO\\s+(OUTFILE|DUMPFILE) LOAD_FILE\\s*\\( LOAD\\s+DATA xp_cmdshell sp_configure sys_exec sys_eval dblink_exec
  lo_export lo_import pg_read_file pg_write_file load_extension writefile pg_terminate_backend pg_reload_conf`
    .split(/\s+/)
    .join("|")

const destroys = [
  new RegExp(`\\b(DROP|ALTER)\\s+(${objects})\\b`, "i"),
  /\bTRUNCATE\b\s+(TABLE\s+)?\S/i,
  /\b(GRANT|REVOKE)\s+.*\b(ON|TO|FROM)\b/i,
  /\bCREATE\s+(USER|ROLE|LOGIN|EXTENSION)\b/i,
  /\bCOPY\b.*\b(TO|FROM)\s+PROGRAM\b/is,
  new RegExp(`\\b(${exits})`, "i"),
  /\b(PURGE\s+BINARY|RESET\s+(MASTER|SLAVE|REPLICA)|FLUSH\s+PRIVILEGES|SHUTDOWN|SET\s+(PASSWORD|GLOBAL)|KILL\s+\d+)\b/i
]
const meta =
  /(^|[\n;"'])\s*(\\!|\.(shell|system|load|restore\s|import\s+["']?\|)|\\(copy|o|g|w)\b.*\|\s*\S|(system|source)\s+[\w/.]+\s)/i

const statements = (text: string): ReadonlyArray<string> =>
  text
    .replace(/--[^\n]*|\/\*[^*]*\*\//g, " ")
    .replace(/'(?:[^']|'')*'/g, "''")
    .split(";")

/** `DELETE` and `UPDATE` that no condition holds back, or one that is always true. */
const unbounded = (statement: string): boolean => {
  if (!/\bDELETE\s+FROM\b|\bUPDATE\s+\S+(\s+(AS\s+)?\w+)?\s+SET\b/i.test(statement)) return false
  const where = /\bWHERE\b(.*)$/is.exec(statement)
  return where === null
    ? !/\bLIMIT\s+\d/i.test(statement)
    : /^\s*\(?\s*(1\s*=\s*1|true|1|''\s*=\s*''|1\s*<\s*2|0\s*=\s*0)\s*\)?\s*$/i.test(where[1]!)
}

export const sql = (text: string): boolean =>
  meta.test(text) ||
  statements(text).some(
    (statement) =>
      !/^\s*EXPLAIN\s+(?!ANALY[SZ]E)/i.test(statement) &&
      (unbounded(statement) || destroys.some((each) => each.test(statement)))
  )

const mongoDestroys = new RegExp(
  [
    String.raw`\bdropDatabase\b|\.drop\w*\s*\(`,
    String.raw`\.(renameCollection|shutdownServer|remove|fsyncLock|createUser|grantRolesToUser)\s*\(`,
    String.raw`\bdeleteMany\s*\(\s*(\{\s*\})?\s*\)|\bupdateMany\s*\(\s*\{\s*\}`,
    String.raw`\b(shutdown|dropAllRoles\w*|replSetReconfig)\s*:`
  ].join("|"),
  "s"
)

const mongo = (text: string): boolean => mongoDestroys.test(text.replace(/\.remove\(\s*\{\s*\w+\s*:/g, ""))

const redis = /^(flushall|flushdb|shutdown|debug|slaveof|replicaof|failover|swapdb|migrate|restore|module)$/i

const isRedis = (words: ReadonlyArray<string>): boolean => {
  const [verb = "", second = ""] = words
  if (redis.test(verb)) return true
  if (/^config$/i.test(verb)) return /^(set|rewrite|resetstat)$/i.test(second)
  if (/^(script|function)$/i.test(verb)) return /^(flush|kill|delete)$/i.test(second)
  if (/^(acl)$/i.test(verb)) return /^(setuser|deluser|load)$/i.test(second)
  if (/^(cluster)$/i.test(verb)) return /^(reset|forget|flushslots|failover|delslots)$/i.test(second)
  return /^(eval|evalsha)$/i.test(verb) && /flush|del|shutdown|os\.|io\./i.test(second)
}

const keys = /^(del|unlink)$/i

/** The files that its words name, where this same command line has written them. */
export const writtenFiles = ({ args, fields: { cwd, written } }: Command): ReadonlyArray<string> =>
  written.size === 0 ? [] : args.flatMap(({ guess }) => {
    const name = guess.startsWith("-") ? guess.replace(/^-[^=]*=?/, "") : guess
    return written.get(resolve(name, cwd) ?? "") ?? []
  })

/** The text begins as a statement of SQL, and is one to ask about. */
export const isStatement = (text: string): boolean =>
  /^\s*(drop|truncate|delete\s+from|update|alter|grant|revoke)\s/i.test(text) && sql(text)

const takesStatement =
  /^(-[ceqQ]|--?(execute|exec|command|query|sql|statement)|[\w:.-]*(sql|query|execute|statement|eval)[a-z]*)$/i
const opensConsole = /^[\w:.-]*(sql|mongo|redis|psql|connect|console|dbshell|database|db|cli|shell)$/i

/** A statement for a client that no row knows as one: behind a word that takes it, or on the input of a console. */
const passedOn = (command: Command): string | undefined => {
  const { args, fields: { input, name }, line, row, words } = command
  if (name === undefined || row.is("searcher") || row.is("keeps-input") || row.is("constant")) return undefined
  const isNamed = row.is("names-words")
  for (let at = 0; at < args.length; at++) {
    const text = words[at]!
    const equals = text[0] === "-" ? text.indexOf("=") : -1
    const value = equals > 0 ? text.slice(equals + 1) : text
    const before = equals > 0 ? text.slice(0, equals) : words[at - 1] ?? ""
    if (/\s/.test(value) && takesStatement.test(before) && !(isNamed && before.startsWith("-")) && isStatement(value)) {
      return "database"
    }
  }
  const { text } = input
  if (text === undefined || !line.operands.slice(0, 3).some((arg) => opensConsole.test(arg.guess))) return undefined
  return isStatement(text) || (/^\s*db\./.test(text) && mongo(text)) || isRedis(text.trim().split(/\s+/))
    ? "database"
    : undefined
}

export const stated = (command: Command): string | undefined => {
  const { fields: { input }, line, row: { statements: client } } = command
  if (client === undefined) return passedOn(command)
  const words = line.operands.map((arg) => arg.guess)
  if (client.kind === "redis") {
    const isSupplied = isAppendedTo(command) || command.args.some((arg) => arg.inner.length > 0)
    const lines = input.text?.split("\n").map((each) => each.trim().split(/\s+/)) ?? []
    return isRedis(words) || lines.some(isRedis) || (isSupplied && keys.test(words[0] ?? "")) ? "database" : undefined
  }
  const printed = [...command.args.flatMap((arg) => arg.inner), ...input.from].flatMap((each) =>
    each.row.is("constant") ? each.words.join(" ") : []
  )
  const texts = line.values(...client.code).map((arg) => arg.guess)
  if (client.operand >= 0) texts.push(...words.slice(client.operand))
  if (input.text !== undefined) texts.push(input.text)
  texts.push(...writtenFiles(command), ...printed)
  return texts.some((text) => (client.kind === "mongo" ? mongo(text) : sql(text))) ? "database" : undefined
}
