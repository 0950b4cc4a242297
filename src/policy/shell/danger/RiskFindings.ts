import { type Arg, type Command, HOLE } from "../programs/Command.ts"
import { forces, losesWork, setsProgram } from "../programs/Git.ts"
import { fits, matches } from "../programs/Rules.ts"
import type { ActionContext, RiskFinding } from "../../decision/CallAction.ts"
import { environmentNames, isTampering, loadsCode } from "../programs/Environment.ts"
import { fileOperands } from "../programs/FileOperands.ts"
import { programOf } from "../programs/Table.ts"
import { isAtOrBelow } from "../parse/Paths.ts"
import { emptied } from "./Outputs.ts"
import { pathOf, readCategory, writeCategory } from "./Places.ts"
import { sendsSecret } from "./Sent.ts"
import { codeChecks, interpreted } from "./Code.ts"
import { codeOrigin } from "./CodeOrigin.ts"
import { damageChecks } from "./Damage.ts"
import { dangersByName } from "./Names.ts"
import { stated } from "./Statements.ts"
import { deviceNetwork, transferChecks } from "./Transfers.ts"

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
    case "setup":
      return !words.some((word) => /^(--list|--help|-h)$/.test(word))
    case "pair":
    case "otp":
    case "estop":
    case "unpair":
      return !/^(status|help)\b/.test(said)
    case "client":
    case "acp":
      // Another session, held by less than this one.
      return words.some((word) => /^--(mode|approval|response|sandbox|network|level|yes|config-dir|setup)\b/.test(word))
  }
  return false
}

const tampers = (words: ReadonlyArray<string>): string | undefined => (changesPostern(words) ? "tamper" : undefined)

const ownScript = ({ args, line: { operands: [first] }, words }: Command): string | undefined =>
  first === undefined || !entry.test(first.guess) ? undefined : tampers(words.slice(args.indexOf(first) + 1))

const settingChecks = {
  settings: runs(setsProgram),
  pathspecs: (command: Command) => losesWork(command) || forces(command) ? "git-destructive" : undefined,
  "ssh-options": runs(sshOption),
  "remote-shell": runs(remoteShell),
  compressor: runs(compressor),
  "pager-commands": runs(pagerCommand),
  "own-commands": ({ words }: Command) => tampers(words),
  "own-script": ownScript,
  "own-entry": ({ fields: { name }, words }: Command) => entry.test(name?.guess ?? "") ? tampers(words) : undefined
}

/** Findings from the names of variables, aliases and files, independent of the program. */

const isLoader = (name: string): boolean => environmentNames.has(name) || loadsCode(name)

const isFed = (word: string | undefined): boolean => word?.startsWith("/dev/fd/") === true

/**
 * What a process substitution prints is a file that nobody has seen. The parser takes `X=<(…)` for an empty value and a
 * word behind it.
 */
const loadsFed = ({ args, fields: { assignments, name } }: Command): boolean =>
  (isFed(name?.guess) && assignments.some((each) => isLoader(each.name))) ||
  args.some(({ guess }, at) => {
    const [, variable] = /^(\w+)\+?=$/.exec(guess) ?? []
    return variable !== undefined && isLoader(variable) && isFed(args[at + 1]?.guess)
  })

/** Variables that change which code runs, as assignments or through `export` and the like. */
export const variables = (command: Command): string | undefined => {
  const { args, fields: { assignments, name }, program, row, words } = command
  const isRead = /^(read|mapfile|readarray)$/.test(program)
  if (loadsFed(command)) return "tamper"
  if (assignments.some((each) => isTampering(each.name, each.value.guess) && !(each.name === "IFS" && isRead))) {
    return "tamper"
  }
  const stores = isRead || program === "getopts" || program === "printf"
  if (stores && words.some((word) => environmentNames.has(word) && word !== "IFS")) return "tamper"
  if (name === undefined || !(/^(export|declare|typeset|readonly)$/.test(program) || row.is("sets-environment"))) {
    return undefined
  }
  const set = program === "setenv" ? [`${args[0]?.guess}=${args[1]?.guess ?? ""}`] : words
  return set.some((text) => {
      const equals = text.indexOf("=")
      return equals > 0 && isTampering(text.slice(0, equals).replace(/\+$/, ""), text.slice(equals + 1))
    })
    ? "tamper"
    : undefined
}

/** An alias that takes the name of a program people rely on. */
export const aliases = ({ program, words }: Command): string | undefined =>
  program === "alias" && words.some((word) => {
      const [name, value = ""] = word.split(/=(.*)/s)
      return word.includes("=") && programOf(name!).is("relied") && value.split(/\s+/)[0] !== name
    })
    ? "tamper"
    : undefined

/** Every file that the arguments and redirects name. */
export const files = (command: Command, place: ActionContext): ReadonlyArray<string> => {
  const { fields: { cwd, reads, where, writes }, line, row } = command
  if (where === "contained") return []
  const found: Array<string | undefined> = []
  const written = (arg: Arg) => writeCategory(pathOf(arg, cwd), place)
  const read = (arg: Arg) => readCategory(pathOf(arg, cwd), place)
  found.push(...writes.map(written), ...reads.map(read))
  const isPublic = (arg: Arg) => fits(command, "certificates") && /\.(pem|crt|cer)$/.test(arg.guess)
  for (const { arg, kind } of fileOperands(command)) {
    if (kind === "read") {
      if (!row.is("lists") && !isPublic(arg)) found.push(read(arg))
    } else if (row.is("key-files")) {
      if (read(arg) !== undefined && !line.has("-l", "-R", "-F", "-B")) found.push("credentials")
    } else if (!row.is("quiet")) found.push(written(arg))
    else if (row.is("makes-folders") && /^(system-write|kernel)$/.test(written(arg) ?? "")) found.push("system-write")
  }
  return found.filter((category) => category !== undefined)
}

const secretName =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASS|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH)(_|$)|_(KEY|PAT)$/i
const secretWord = /\b(secret|token|passw(or)?d|api_?key|credential|aws_|private)/i

const inCase = (isSecret: boolean): string | undefined => (isSecret ? "credentials" : undefined)

/** Prints a variable that by its name holds a secret. */
const printsSecrets = ({ args, fields: { writes }, line, row }: Command): string | undefined => {
  if (row.is("prints-environment")) return inCase(line.operands.some((arg) => secretName.test(arg.guess)))
  return inCase(
    writes.length === 0 && args.some(({ guess, text }) =>
      guess.includes(HOLE) &&
      [...text.matchAll(/\$\{?(\w+)\}?/g)].some((match) => secretName.test(match[1]!)) &&
      !/\$\{\w+:?[+#]/.test(text) &&
      !/\$\{#/.test(text)
    )
  )
}

/** Looks for secrets in the environment or in a history. */
const siftsSecrets = ({ fields: { input }, line }: Command): string | undefined =>
  inCase(
    input.from.some((each) =>
      each.row.is("prints-environment") && each.fields.wrappers.length === 0 && each.line.operands.length === 0
    ) &&
      !line.has("-c", "-q") &&
      [...line.operands.slice(0, 1), ...line.values("-e")].some((arg) => secretWord.test(arg.guess))
  )

const copiesSecrets = ({ fields: { cwd }, line }: Command, place: ActionContext): string | undefined =>
  inCase(line.operands.slice(0, -1).some((arg) => readCategory(pathOf(arg, cwd), place) !== undefined))

const secretChecks = {
  "prints-secrets": printsSecrets,
  "sifts-secrets": siftsSecrets,
  "copies-secrets": copiesSecrets
}

type Check = (command: Command, place: ActionContext) => string | undefined

/** By the names that rows have for them. */
export const checks: Readonly<Record<string, Check>> = {
  ...damageChecks,
  ...transferChecks,
  ...settingChecks,
  ...secretChecks,
  ...codeChecks
}

/** What containers make again when they start. */
const remade = /^\/(tmp|var\/tmp|var\/cache|var\/lib\/apt\/lists|run|dev\/shm)(\/|$)/

/** It names something in a folder of a container that outlives the command; where it runs in the container is unknown. */
const losesKept = ({ fields: { kept }, words }: Command): boolean =>
  kept.length > 0 && words.some((word) => {
    if (word === "" || word.startsWith("-")) return false
    if (!word.startsWith("/")) return true
    return !remade.test(word) && kept.some((folder) => isAtOrBelow(word, folder) || isAtOrBelow(folder, word))
  })

/** All that is only about what the database or the network sees holds in a container too. */
const everywhere = new Set(["database", "publish-deploy", "exfil", "reverse-shell", "credentials"])

/**
 * What a person should be asked about in one command (docs/policy.md#categories). A heuristic for prompts: the boundary
 * is the sandbox.
 */
export const findingsOf = (command: Command, place: ActionContext): ReadonlyArray<RiskFinding> => {
  const { fields, row } = command
  const found = new Set<string | undefined>([variables(command)])
  const add = (categories: ReadonlyArray<string | undefined>): void => categories.forEach((each) => found.add(each))
  if (!asksForHelp(command)) {
    for (const category of row.dangers) {
      if (row.rules(category).some((rule) => matches(rule, command))) found.add(category)
    }
    for (const name of row.words("check")) found.add(checks[name]!(command, place))
    add(codeOrigin(command, place))
    add(interpreted(command, place))
    add([stated(command), ...dangersByName(command), aliases(command)])
    add([emptied(command, place), sendsSecret(command, place)])
    add(files(command, place))
  } else if (fields.writes.length > 0) add(files(command, place))
  found.add(deviceNetwork(command))
  return Array.from(found)
    .filter((category) =>
      category !== undefined &&
      (fields.where !== "contained" || everywhere.has(category) || (category === "fs-wipe" && losesKept(command)))
    )
    .map((category) => ({ category: category!, part: fields.text }))
}

/** `--help` and `--version` make any program print a text, unless it runs other code first. */
const asksForHelp = ({ args, program, row, words }: Command): boolean => {
  const [first] = args
  if (first === undefined || program === "") return false
  const { value } = first
  if (args.length === 1 && /^(--help|--version|-V|-h|version|help)$/.test(value ?? "")) {
    return value !== "-h" || !row.is("no-short-help")
  }
  if (row.is("shell") || row.language !== undefined || row.wrappers.length > 0) return false
  return value === "--help" || value === "--version" || (args.at(-1)!.value === "--help" && !words.includes("--"))
}
