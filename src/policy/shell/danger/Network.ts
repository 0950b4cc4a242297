import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { isLoopback } from "../Paths.ts"
import { shells } from "../programs/Languages.ts"
import { tarMode } from "../TarMode.ts"
import { HOLE } from "../Words.ts"
import { checks } from "./Check.ts"
import { curl, hasInput, httpie, search, tells, wget } from "./Uploads.ts"

/** Data that leaves, and shells that let someone in (policy §3.1: exfil, reverse-shell). */

const netcat = (command: Command): string | undefined => {
  const { line, program } = command
  if (line.has("-e", "-c", "--exec", "--sh-exec", "--lua-exec")) return "reverse-shell"
  if (command.args.length === 0 || line.has("-h", "--help", "--version")) return undefined
  if (shellNear(command)) return "reverse-shell"
  if (line.has("-z") && !hasInput(command)) return undefined
  const host = line.operands[0]?.guess ?? ""
  return isLoopback(host) ||
      (line.has("-l", "-L", "--listen") && program !== "socat" && !hasInput(command))
    ? undefined
    : "exfil"
}

const shellNear = (command: Command): boolean =>
  command.fields.input.from.some(
    (each) =>
      shells.has(each.program) || (/^(python|perl|busybox)$/.test(each.program) && each.line.operands.length === 0)
  )

const localEnd = new RegExp(
  String.raw`^(-|stdio|stdin|stdout|unix[\w-]*:.*|file:.*|[\w-]*listen:\d+.*` +
    String.raw`|[\w-]*:(localhost|127\.0\.0\.1)?:?\d+(,.*)?)$`,
  "i"
)

const socat = (command: Command): string | undefined => {
  if (command.args.some((arg) => /(exec|system|shell|pty):/i.test(arg.guess))) return "reverse-shell"
  const ends = command.line.operands.map((arg) => arg.guess)
  return ends.length === 0 || (ends.every((end) => localEnd.test(end)) && !hasInput(command)) ? undefined : "exfil"
}

const isRemote = (text: string): boolean =>
  (/^([^/\s:@]+@)?[\w.\0[\]-]+:(?!\/\/)/.test(text) && !/^[A-Za-z]:[\\/]/.test(text)) ||
  /^(rsync|scp|sftp|ssh):\/\//.test(text)

const copies = (command: Command): string | undefined => {
  const operands = command.line.operands.map((arg) => arg.guess)
  if (command.program === "rsync" && command.line.has("-n", "--dry-run")) return undefined
  return isRemote(operands.at(-1) ?? "") && !isLoopback((operands.at(-1) ?? "").replace(/:.*/, "").replace(/.*@/, ""))
    ? "exfil"
    : undefined
}

const ssh = (command: Command): string | undefined => {
  const remote = command.line.operands
    .slice(1)
    .map((arg) => arg.guess)
    .join(" ")
  const packs = command.fields.input.from.some((each) => /^(echo|printf|yes|true)$/.test(each.program) === false)
  return packs ||
      (command.fields.input.file !== undefined &&
        command.fields.input.file.guess !== "/dev/null" &&
        /(^|\s)(cat|tee|tar|dd|sponge|gpg|base64)\b/.test(remote))
    ? "exfil"
    : undefined
}

/** A name that is looked up is a message to whoever answers for its domain. */
const lookup = (command: Command): string | undefined =>
  command.args.some((arg) => tells(arg) || /\0[\w-]*\.[\w.-]*[a-z]{2,}/i.test(arg.guess)) ||
    (command.fields.wrappers.includes("xargs") && command.args.some((arg) => arg.guess.includes(`${HOLE}.`)))
    ? "exfil"
    : undefined

const streams = (command: Command): string | undefined => (hasInput(command) ? "exfil" : undefined)

const transfer = (command: Command): string | undefined => {
  const said = [...command.args.map((arg) => arg.guess), command.fields.input.text ?? ""].join("\n")
  return /(^|[\s;"'(])(m?put|mirror\s+-R|mirror\s+--reverse|send|append|reput)\b/i.test(said) || hasInput(command)
    ? "exfil"
    : undefined
}

const mail = (command: Command): string | undefined =>
  hasInput(command) || command.line.has("-a", "-A", "--attach", "--attach-file") || command.args.some(tells)
    ? "exfil"
    : undefined

export const networkChecks = checks({
  curl: (command) => search(command) ?? curl(command),
  "wget wget2": wget,
  "http https xh httpie": httpie,
  "nc ncat netcat nc.traditional nc.openbsd telnet cryptcat": netcat,
  socat,
  "scp rsync": copies,
  sftp: (command) => transfer(command) ?? (command.line.has("-b") ? "exfil" : undefined),
  "ssh sshpass": ssh,
  "dig nslookup host ping drill kdig getent traceroute whois finger": lookup,
  "ftp lftp tftp ncftpput ncftp smbclient curlftpfs davfs cadaver": transfer,
  "ncftpput pastebinit wormhole-send transfer.sh sendfile": () => "exfil",
  "wormhole magic-wormhole croc": (command) =>
    /^(send|tx)$/.test(command.line.verb()) || (command.program === "croc" && command.line.operands.length > 0)
      ? "exfil"
      : undefined,
  ipfs: (command) => (command.line.verb() === "add" ? "exfil" : undefined),
  "mail mailx mutt neomutt sendmail msmtp swaks s-nail ssmtp": mail,
  "openssl websocat wscat gist 0x0 ix tb termbin telnet-ssl": (command) =>
    command.program === "openssl" && command.line.verb() !== "s_client" ? undefined : streams(command),
  "tar gtar bsdtar": (command) =>
    tarMode(command) !== "list" &&
      [
        ...command.line.values("-f", "--file"),
        ...(/^[a-z]*f/.test(command.args[0]?.guess ?? "") ? command.line.operands.slice(1, 2) : [])
      ].some((arg) => isRemote(arg.guess))
      ? "exfil"
      : undefined
})

/** Redirects to or from bash's network files, and interactive shells on them. */
export const deviceNetwork = (command: Command, _place: ActionContext): string | undefined => {
  const { reads, writes } = command.fields
  const networked = [...reads, ...writes].some((arg) => /^\/dev\/(tcp|udp)\//.test(arg.guess))
  if (!networked) return undefined
  return shells.has(command.program) || command.program === "exec" || /^(python|perl|ruby)$/.test(command.program)
    ? "reverse-shell"
    : "exfil"
}
