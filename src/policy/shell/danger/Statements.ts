import type { Command } from "../programs/Command.ts"
import { isAppendedTo } from "../programs/Rules.ts"

/** Statements to a database. */

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
  /(^|[\n;"'])\s*(\\!|\.(shell|system|load|import\s+["']?\|)|\\(copy|o|g|w)\b.*\|\s*\S|(system|source)\s+[\w/.]+\s)/i

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

const sql = (text: string): boolean =>
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

export const stated = (command: Command): string | undefined => {
  const { fields: { input }, line, row: { statements: client } } = command
  if (client === undefined) return undefined
  const words = line.operands.map((arg) => arg.guess)
  if (client.kind === "redis") {
    const isSupplied = isAppendedTo(command) || command.args.some((arg) => arg.inner.length > 0)
    const lines = input.text?.split("\n").map((each) => each.trim().split(/\s+/)) ?? []
    return isRedis(words) || lines.some(isRedis) || (isSupplied && keys.test(words[0] ?? "")) ? "database" : undefined
  }
  const texts = line.values(...client.code).map((arg) => arg.guess)
  if (client.operand >= 0) texts.push(...words.slice(client.operand))
  if (input.text !== undefined) texts.push(input.text)
  return texts.some((text) => (client.kind === "mongo" ? mongo(text) : sql(text))) ? "database" : undefined
}
