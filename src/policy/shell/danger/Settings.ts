import type { Command } from "../programs/Command.ts"
import { losesWork, setsProgram } from "../programs/Git.ts"

/** Options and settings that make a harmless program run something else, or change Postern itself. */

const sshOptions = new RegExp(
  "^(proxycommand|localcommand|permitlocalcommand\\s*=?\\s*yes|knownhostscommand|remotecommand|pkcs11provider" +
    "|securitykeyprovider|xauthlocation|include|proxyusefdpass|match)\\b",
  "i"
)

const sshOption = ({ line }: Command): boolean =>
  // Jumping through another host with ssh itself is not a program of someone's choice.
  line.values("-o").some(({ guess }) => sshOptions.test(guess) && !/^proxycommand[= ]\s*("?ssh |none)/i.test(guess)) ||
  line.values("-F").some((arg) => /^(\/tmp|\/dev\/shm)/.test(arg.guess))

const remoteShell = ({ line }: Command): boolean =>
  line.values("-e", "--rsh").some(({ guess }) =>
    !/^(ssh|\/usr\/bin\/ssh)( (-[pilo46TCxvq]\S*|[\w./~:@=-]+))*$/.test(guess) ||
    /proxycommand|localcommand/i.test(guess)
  )

const compressors =
  /^(g?zip|pigz|zstd(mt)?|bzip2|pbzip2|lbzip2|xz|pixz|pxz|lz4|lzma|lzip|plzip|lzop|brotli|compress)( -\S+)*$/

const compressor = ({ line }: Command): boolean =>
  line.values("-I", "--use-compress-program").some((arg) => !compressors.test(arg.guess))

const pagerCommand = ({ line, words }: Command): boolean =>
  words.some((word) => /^\+(!|\||[^+]*![^=])/.test(word)) || line.values("--lesskey-src", "-k").length > 0

const runs = (isRun: (command: Command) => boolean) => (command: Command): string | undefined =>
  isRun(command) ? "option-exec" : undefined

const entry = /(^|\/)(postern(\/dist\/main)?|dist\/main)(\.[cm]?js)?$/

/**
 * A tool may not change what holds the tool: the policy, the settings, who may reach Postern, and what it remembers.
 */
const changesPostern = (words: ReadonlyArray<string>): boolean => {
  const isGlobalValue = (at: number) => /^--(config-dir|log-level)$/.test(words[at - 1] ?? "")
  const [first = "", ...rest] = words.filter((word, at) => !word.startsWith("-") && !isGlobalValue(at))
  const said = rest.join(" ")
  switch (first) {
    case "policy":
      return said !== "" && !/^(rules (list|test)|explain|help)\b/.test(said)
    case "config":
      return said !== "" && !/^(get|list|show|check|path|help)\b/.test(said)
    case "sessions":
    case "session":
      return /^(delete|remove|rm|prune|clear)\b/.test(said)
    case "pair":
    case "otp":
    case "estop":
    case "unpair":
      return !/^(status|help)\b/.test(said)
    case "client":
    case "acp":
      // Another session, held by less than this one.
      return words.some((word) => /^--(mode|approval|response|sandbox|network|level|yes|config-dir)\b/.test(word))
  }
  return false
}

const tampers = (words: ReadonlyArray<string>): string | undefined => (changesPostern(words) ? "tamper" : undefined)

const ownScript = ({ args, line: { operands: [first] }, words }: Command): string | undefined =>
  first === undefined || !entry.test(first.guess) ? undefined : tampers(words.slice(args.indexOf(first) + 1))

export const settingChecks = {
  settings: runs(setsProgram),
  pathspecs: (command: Command) => losesWork(command) ? "git-destructive" : undefined,
  "ssh-options": runs(sshOption),
  "remote-shell": runs(remoteShell),
  compressor: runs(compressor),
  "pager-commands": runs(pagerCommand),
  "own-commands": ({ words }: Command) => tampers(words),
  "own-script": ownScript,
  "own-entry": ({ fields: { name }, words }: Command) => entry.test(name?.guess ?? "") ? tampers(words) : undefined
}
