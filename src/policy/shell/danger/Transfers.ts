import { type Arg, type Command, HOLE } from "../programs/Command.ts"
import { archiveMode } from "../programs/FileOperands.ts"
import { isLoopback } from "../programs/Network.ts"
import { fits, isAppendedTo } from "../programs/Rules.ts"
import { isStatement } from "./Statements.ts"

/** Findings about uploads of local data and about reverse shells. */

/** A substitution that reads something of this machine. */
const tells = (arg: Arg): boolean =>
  arg.inner.some((each) => each.row.is("teller") && !(each.row.is("silent-alone") && each.args.length === 0)) ||
  arg.text.includes("$(<")

const isMadeUp = ({ row }: Command): boolean => row.is("constant") || row.is("derived")

/** Something that is not made up on the command line reaches its input. */
const hasInput = ({ fields: { input } }: Command): boolean => {
  const isLiteral = input.text !== undefined &&
    input.from.every((each) => /^(echo|printf)$/.test(each.program) || each.row.is("passes-input"))
  return (input.fed && !isLiteral) || input.from.some((each) => !isMadeUp(each)) ||
    (input.file !== undefined && input.file.guess !== "/dev/null")
}

const inCase = (isSent: boolean): string | undefined => (isSent ? "exfil" : undefined)

const areLocal = (urls: ReadonlyArray<Arg>): boolean => urls.length > 0 && urls.every((arg) => isLoopback(arg.guess))

/** Ports and paths of databases with an HTTP interface; deletions on loopback count too. */
const stores = /:(9200|9201|7700|6333|2379|8500|5984|8086|8983|15672|8529|8108|7474)\b|\/_all\b/

/** Methods that change or remove what is there. */
const changing = /^(DELETE|PURGE|PUT|PATCH)$/i
/** A mutation of GraphQL that by its name removes something. */
const takesAway = /\bmutation\b[^]*?\b(delete|remove|drop|destroy|purge|revoke|cancel|close|archive)[A-Z_]/

/** Files, input and substitutions that a web client sends. */
const uploads = (command: Command): string | undefined => {
  const { line } = command
  const urls = [...line.operands, ...line.values("--url")]
  const method = line.values("-X", "--request")[0]?.guess ?? ""
  const deletes = /^DELETE$/i.test(method)
  if (urls.some(({ guess }) => /_delete_by_query\b/.test(guess) || (deletes && stores.test(guess)))) return "database"
  const said = line.values("-d", "--data", "--data-raw", "--data-binary", "--json").map((arg) => arg.guess)
  if (said.some(isStatement)) return "database"
  if (areLocal(urls) && !line.has("-x", "--proxy")) return undefined
  if (said.some((text) => takesAway.test(text))) return "publish-deploy"
  const bodies = line.values(
    ..."-d --data --data-ascii --data-binary --data-urlencode --json --url-query".split(" ")
  )
  const forms = line.values("-F", "--form")
  const sent = line.values(
    ..."--data-raw -H --header -u --user -b --cookie -A --user-agent -e --referer --form-string -G".split(" ")
  )
  const files = line.values("-T", "--upload-file")
  const isInput = ({ guess }: Arg) => /^([\w-]*=?@?|@)?-$/.test(guess) || guess === "@-" || guess === "@/dev/stdin"
  const namesFile =
    bodies.some((arg) =>
      /^([\w.[\]-]*@|@)/.test(arg.guess) && (arg.guess.startsWith("@") || line.has("--data-urlencode")) && !isInput(arg)
    ) ||
    forms.some(({ guess }) => /=[@<]/.test(guess) && !/=[@<]-/.test(guess)) ||
    files.some(({ guess }) => guess !== "-" && guess !== ".")
  const sendsInput = [...bodies, ...files].some(isInput) || forms.some(({ guess }) => /=[@<]-/.test(guess))
  if (namesFile || (sendsInput && hasInput(command))) return "exfil"
  if ([...bodies, ...forms, ...sent, ...urls].some(tells)) return "exfil"
  return changing.test(method) ? "publish-deploy" : undefined
}

const posts = ({ line }: Command): string | undefined => {
  if (areLocal(line.operands)) return undefined
  return inCase(
    line.has("--post-file", "--body-file") ||
      line.values("--method").some((arg) => /^(PUT|DELETE)$/i.test(arg.guess)) ||
      [...line.operands, ...line.values("--post-data", "--body-data", "--header", "-U", "--user-agent")].some(tells)
  )
}

/** `name=value`, `name=@file`, `name:=@file`. */
const sendsItems = (command: Command): string | undefined => {
  const { operands } = command.line
  if (operands.some((arg) => isLoopback(arg.guess) || /^:(\d+|\/)/.test(arg.guess))) return undefined
  if (changing.test(operands[0]?.guess ?? "") && operands.length > 1) return "publish-deploy"
  return inCase(
    operands.some(({ guess }) =>
      /[@]|:=@|=@/.test(guess.replace(/^[a-z]+:\/\/[^/]*@/, "")) && /(^|=|\w)@/.test(guess)
    ) || operands.some(tells) || hasInput(command)
  )
}

const connects = (command: Command): string | undefined => {
  const { line } = command
  if (line.has("-e", "-c", "--exec", "--sh-exec", "--lua-exec")) return "reverse-shell"
  if (command.args.length === 0 || line.has("-h", "--help", "--version")) return undefined
  const isShell = ({ line: inner, row }: Command) =>
    row.is("shell") || (row.is("fed-shell") && inner.operands.length === 0)
  if (command.fields.input.from.some(isShell)) return "reverse-shell"
  if (line.has("-z") && !hasInput(command)) return undefined
  return inCase(!isLoopback(line.verb()) && !(line.has("-l", "-L", "--listen") && !hasInput(command)))
}

const localEnd = new RegExp(
  String.raw`^(-|stdio|stdin|stdout|unix[\w-]*:.*|file:.*|[\w-]*listen:\d+.*` +
    String.raw`|[\w-]*:(localhost|127\.0\.0\.1)?:?\d+(,.*)?)$`,
  "i"
)

/** Two ends that it joins. */
const relays = (command: Command): string | undefined => {
  if (command.words.some((word) => /(exec|system|shell|pty):/i.test(word))) return "reverse-shell"
  const ends = command.line.operands
  return inCase(ends.length > 0 && (!ends.every((end) => localEnd.test(end.guess)) || hasInput(command)))
}

const isRemote = (text: string): boolean =>
  (/^([^/\s:@]+@)?[\w.\0[\]-]+:(?!\/\/)/.test(text) && !/^[A-Za-z]:[\\/]/.test(text)) ||
  /^(rsync|scp|sftp|ssh):\/\//.test(text)

const copiesOut = ({ line, row }: Command): string | undefined => {
  const last = line.operands.at(-1)?.guess ?? ""
  if (row.has("network-address") && line.has("-n", "--dry-run")) return undefined
  return inCase(isRemote(last) && !isLoopback(last.replace(/:.*/, "").replace(/.*@/, "")))
}

const archivesOut = (command: Command): string | undefined => {
  const { line, words: [first = ""] } = command
  const archives = [...line.values("-f", "--file"), ...(/^[a-z]*f/.test(first) ? line.operands.slice(1, 2) : [])]
  return inCase(archiveMode(command) !== "list" && archives.some((arg) => isRemote(arg.guess)))
}

/** A remote shell whose command takes what this machine has. */
const logsIn = (command: Command): string | undefined => {
  const { fields: { input }, line } = command
  const remote = line.operands.slice(1).map((arg) => arg.guess).join(" ")
  return inCase(
    input.from.some((each) => !each.row.is("constant")) ||
      (input.file !== undefined && input.file.guess !== "/dev/null" &&
        /(^|\s)(cat|tee|tar|dd|sponge|gpg|base64)\b/.test(remote))
  )
}

/** A DNS query sends the queried name to the name server of its domain. */
const looksUp = (command: Command): string | undefined =>
  inCase(
    command.args.some((arg) => tells(arg) || /\0[\w-]*\.[\w.-]*[a-z]{2,}/i.test(arg.guess)) ||
      (isAppendedTo(command) && command.words.some((word) => word.includes(`${HOLE}.`)))
  )

const transfers = (command: Command): string | undefined => {
  const said = [...command.words, command.fields.input.text ?? ""].join("\n")
  return inCase(
    /(^|[\s;"'(])(m?put|mirror\s+-R|mirror\s+--reverse|send|append|reput)\b/i.test(said) || hasInput(command)
  )
}

const mails = (command: Command): string | undefined =>
  inCase(
    hasInput(command) || command.line.has("-a", "-A", "--attach", "--attach-file") || command.args.some(tells)
  )

export const transferChecks = {
  uploads,
  posts,
  "sends-items": sendsItems,
  connects,
  relays,
  "copies-out": copiesOut,
  "archives-out": archivesOut,
  "logs-in": logsIn,
  "looks-up": looksUp,
  transfers,
  "transfers-batch": (command: Command) => transfers(command) ?? inCase(command.line.has("-b")),
  mails,
  streams: (command: Command) => inCase(fits(command, "streams") && hasInput(command))
}

/** Redirects to or from the shell's network files, and interactive shells on them. */
export const deviceNetwork = ({ fields: { reads, writes }, program, row }: Command): string | undefined => {
  if (![...reads, ...writes].some((arg) => /^\/dev\/(tcp|udp)\//.test(arg.guess))) return undefined
  return row.is("shell") || program === "exec" || row.is("socket-shell") ? "reverse-shell" : "exfil"
}
