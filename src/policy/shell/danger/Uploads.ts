import type { Command } from "../Command.ts"
import { isLoopback } from "../Paths.ts"
import { names } from "../programs/Rows.ts"
import type { Arg } from "../Words.ts"

/** Data that leaves through web clients, as files, input or substitutions (policy §3.1, exfil). */

const tellers = names(`
  cat tac head tail base64 base32 xxd od hexdump strings tar gzip zip env printenv set export declare compgen
  grep rg awk sed cut find ls history whoami id hostname ps netstat ss ifconfig ip mysqldump pg_dump sqlite3 gpg
  openssl pass security op vault keyring cp python perl ruby w last who dmesg lsof xclip pbpaste tr
`)

/** A substitution that reads something of this machine. */
export const tells = (arg: Arg): boolean =>
  arg.inner.some((each) => tellers.has(each.program) && !(each.program === "sed" && each.args.length === 0)) ||
  arg.text.includes("$(<")

const literalInput = (command: Command): boolean => {
  const { input } = command.fields
  return (
    input.text !== undefined &&
    !input.from.some((each) => each.program !== "echo" && each.program !== "printf" && each.program !== "cat")
  )
}

export const hasInput = (command: Command): boolean => {
  const { input } = command.fields
  return (
    (input.fed && !literalInput(command)) ||
    input.from.some((each) => !/^(echo|printf|jq|yes|true|sleep|seq)$/.test(each.program)) ||
    (input.file !== undefined && input.file.guess !== "/dev/null")
  )
}

export const curl = (command: Command): string | undefined => {
  const { line } = command
  const bodies = line.values(
    "-d",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-urlencode",
    "--json",
    "--url-query"
  )
  const forms = line.values("-F", "--form")
  const raw = line.values(
    "--data-raw",
    "-H",
    "--header",
    "-u",
    "--user",
    "-b",
    "--cookie",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "--form-string",
    "-G"
  )
  const urls = [...line.operands, ...line.values("--url")]
  if (urls.length > 0 && urls.every((arg) => isLoopback(arg.guess)) && !line.has("-x", "--proxy")) return undefined
  const fromInput = (text: string) => /^([\w-]*=?@?|@)?-$/.test(text) || text === "@-" || text === "@/dev/stdin"
  const uploads = line.values("-T", "--upload-file")
  const files = [
    ...bodies.filter(
      (arg) =>
        /^([\w.[\]-]*@|@)/.test(arg.guess) &&
        (arg.guess.startsWith("@") || line.has("--data-urlencode")) &&
        !fromInput(arg.guess)
    ),
    ...forms.filter((arg) => /=[@<]/.test(arg.guess) && !/=[@<]-/.test(arg.guess)),
    ...uploads.filter((arg) => arg.guess !== "-" && arg.guess !== ".")
  ]
  const streams = [...bodies, ...uploads].some((arg) => fromInput(arg.guess)) ||
    forms.some((arg) => /=[@<]-/.test(arg.guess))
  if (files.length > 0 || (streams && hasInput(command))) return "exfil"
  if ([...bodies, ...forms, ...raw, ...urls].some(tells)) return "exfil"
  const method = line.values("-X", "--request")[0]?.guess ?? ""
  return /^(DELETE|PURGE)$/i.test(method) ? "publish-deploy" : undefined
}

/** Ports and paths of stores that speak HTTP. Loopback too: an index that is gone is gone. */
const stores = /:(9200|9201|7700|6333|2379|8500|5984|8086|8983|15672|8529|8108|7474)\b|\/_all\b/
export const search = (command: Command): string | undefined => {
  const urls = [...command.line.operands, ...command.line.values("--url")].map((arg) => arg.guess)
  const deletes = /^DELETE$/i.test(command.line.values("-X", "--request")[0]?.guess ?? "")
  return urls.some((url) => /_delete_by_query\b/.test(url) || (deletes && stores.test(url))) ? "database" : undefined
}

export const wget = (command: Command): string | undefined => {
  const { line } = command
  const urls = line.operands
  if (urls.length > 0 && urls.every((arg) => isLoopback(arg.guess))) return undefined
  if (line.has("--post-file", "--body-file")) return "exfil"
  if (line.values("--method").some((arg) => /^(PUT|DELETE)$/i.test(arg.guess))) return "exfil"
  return [...urls, ...line.values("--post-data", "--body-data", "--header", "-U", "--user-agent")].some(tells)
    ? "exfil"
    : undefined
}

export const httpie = (command: Command): string | undefined => {
  const operands = command.line.operands
  if (operands.some((arg) => isLoopback(arg.guess) || /^:(\d+|\/)/.test(arg.guess))) return undefined
  return operands.some(
      (arg) => /[@]|:=@|=@/.test(arg.guess.replace(/^[a-z]+:\/\/[^/]*@/, "")) && /(^|=|\w)@/.test(arg.guess)
    ) ||
      operands.some(tells) ||
      hasInput(command)
    ? "exfil"
    : undefined
}
