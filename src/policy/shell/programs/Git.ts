import type { ActionContext } from "../../decision/CallAction.ts"
import { resolve } from "../parse/Paths.ts"
import { after, type Arg, type Command, HOLE, inFolder, literal, type NamedFile, reading, writing } from "./Command.ts"

/**
 * Arguments of git that no row can describe: its files, the subcommands that only read, and settings whose value is a
 * program.
 */

/** The folder that `-C` leads to; paths start there. */
const baseFolder = ({ args, line }: Command): Arg | undefined => {
  let folder: Arg | undefined
  for (let at = 0; at < args.length && args[at] !== line.operands[0]; at++) {
    const next = args[at]!.guess === "-C" ? args[++at] : undefined
    if (next !== undefined) folder = folder === undefined ? next : inFolder(folder, next)
  }
  return folder
}

/** `REVISION:path` and `:path`: what the repository has under that name. */
const storedPath = (arg: Arg): ReadonlyArray<Arg> => {
  const found = /^[^:/\s]*:(?:\d:)?(?!\/\/)(?=.)/.exec(arg.guess)
  return found === null ? [] : [after(arg, found[0].length)]
}

/** Paths are what follows `--`; without it, what is no revision by its place. */
const pathsOf = ({ args, line }: Command, skip: number): ReadonlyArray<Arg> => {
  const dashes = args.findIndex((arg) => arg.guess === "--")
  return dashes >= 0 ? args.slice(dashes + 1) : line.operands.slice(1 + skip)
}

/** The path of `:/x`, `:(top)x` and the like. */
const withoutMagic = (arg: Arg): Arg => {
  const magic = /^:(\/|\([^)]*\))/.exec(arg.guess)
  return magic === null ? arg : after(arg, magic[0].length)
}

/** The files of the work tree that the arguments name. */
export const worktreeOperands = (command: Command): ReadonlyArray<NamedFile> => {
  const folder = baseFolder(command)
  return namedFiles(command).map(({ arg, kind }) => {
    const path = withoutMagic(arg)
    return { kind, arg: folder === undefined ? path : inFolder(folder, withoutMagic(path)) }
  })
}

const namedFiles = (command: Command): ReadonlyArray<NamedFile> => {
  const { line } = command
  const outputs = writing(line.values("--output", "-o"))
  const operands = line.operands.slice(1)
  switch (line.verb()) {
    case "mv":
    case "checkout-index":
      return writing(pathsOf(command, 0))
    case "rm":
      return line.has("--cached", "-n", "--dry-run") ? [] : writing(pathsOf(command, 0))
    case "restore":
      return line.has("-S", "--staged") && !line.has("-W", "--worktree") ? [] : writing(pathsOf(command, 0))
    case "checkout":
      return line.has("-b", "-B", "--orphan", "-t", "--track") ? [] : writing(pathsOf(command, 0))
    case "stash":
      if (line.verb(1) === "push") return writing(pathsOf(command, 1))
      return command.words.includes("--") ? writing(pathsOf(command, 0)) : []
    case "clean":
      return line.has("-n", "--dry-run") ? [] : writing(pathsOf(command, 0))
    case "apply":
    case "am":
      return [...reading(operands), ...writing(patchedFiles(command))]
    case "init":
      return writing(operands)
    case "clone":
    case "worktree":
      return writing(operands.slice(1))
    case "archive":
    case "format-patch":
    case "bundle":
      return outputs
    case "grep":
      return reading(pathsOf(command, line.has("-e", "-f") ? 0 : 1))
    case "hash-object":
    case "blame":
    case "annotate":
      return reading(operands)
  }
  // Elsewhere only what cannot be a revision is a path.
  const isPath = /^(diff|log|show)$/.test(line.verb())
    ? (arg: Arg) => storedPath(arg).length === 0
    : ({ guess }: Arg) => /^([/~]|\.\.?(\/|$))/.test(guess)
  const plain = line.verb() === "commit" ? [] : operands.filter(isPath)
  return [...outputs, ...reading(operands.flatMap(storedPath)), ...reading(plain)]
}

/** The files that a patch on standard input says it is for. */
export const patchedFiles = ({ fields }: Command): ReadonlyArray<Arg> =>
  [...(fields.input.text ?? "").matchAll(/^(?:\+\+\+|---|rename to|rename from) ([^\t\n]+)/gm)]
    .map((match) => match[1]!)
    .filter((name) => name !== "/dev/null")
    .flatMap((name) => [name, name.replace(/^[ab]\//, "")])
    .map((name) => literal(name))

const words = (text: string): ReadonlyArray<string> => text.split(" ")

/**
 * The folder it works in, and those it goes through to get there, are of repositories that run nothing of their own.
 * Another folder is fine as long as it is one below.
 */
export const isInPlainRepository = (command: Command, place: ActionContext): boolean => {
  let folder: string | null | undefined = command.fields.cwd
  const inner = command.line.values("-C")
  if (inner.some((arg) => !/^(?!.*\.\.)[\w.][\w./-]*$/.test(arg.value ?? ""))) return false
  const folders = [folder, ...inner.map((arg) => (folder = resolve(arg.guess, folder ?? null)))]
  return folders.every((each) => each != null && place.isPlainRepository?.(each) === true)
}

/** Settings whose value is a program to run, or leads to one. */
const executableKey = new RegExp(
  "^(" +
    [
      String.raw`core\.(fsmonitor|pager|editor|sshcommand|hookspath|gitproxy|askpass|attributesfile|worktree)`,
      String.raw`core\.alternaterefscommand`,
      String.raw`pager\..+|diff\.(external|.+\.(command|textconv))|merge\..+\.driver`,
      String.raw`filter\..+\.(clean|smudge|process)`,
      String.raw`(mergetool|difftool|guitool|man|browser|web|imap|trailer|tar)\..*(cmd|command|path|tunnel|browser)`,
      String.raw`credential(\..+)?\.helper|gpg(\..+)?\.(program|defaultkeycommand)|sequence\.editor`,
      String.raw`interactive\.difffilter`,
      String.raw`remote\..+\.(uploadpack|receivepack|vcs|proxy)|url\..+\.(insteadof|pushinsteadof)`,
      String.raw`protocol\.(.+\.)?allow`,
      String.raw`init\.templatedir|include\.path|includeif\..+\.path|sendemail\..*(cmd|smtpserver)`,
      String.raw`submodule\..+\.update`,
      String.raw`uploadpack\.packobjectshook|receive\.procreceiverefs|ssh\.variant|instaweb\.\w+`,
      String.raw`http\.(.+\.)?(sslverify|proxy|sslcainfo)|safe\.(directory|barerepository)`
    ].join("|") +
    ")$",
  "i"
)

/** The everyday values of such settings. */
const plainValue = /^(|cat|less( -\w+)*|true|false|always|never|auto|:|\*)$/
const hookFolder = /^(\.husky(\/_)?|\.githooks|\.git\/hooks|git-hooks|\.hooks|hooks|scripts\/hooks|tools\/hooks)$/

const runsSetting = (key: string, value: string): boolean => {
  if (/^alias\./i.test(key)) return value.startsWith("!") || value.includes(HOLE)
  if (/^http\..*sslverify$/i.test(key)) return /^(false|0|no|off)$/i.test(value)
  if (/^safe\.directory$/i.test(key)) return value === "*"
  if (/^core\.hookspath$/i.test(key)) return !(hookFolder.test(value) || value === "/dev/null")
  if (!executableKey.test(key)) return false
  return !plainValue.test(value) || (/(sshcommand|helper|external)$/i.test(key) && value !== "" && value !== "cat")
}

/** A setting that makes it run something, for this command or for good. */
export const setsProgram = (command: Command): boolean => {
  const { line } = command
  const isRun = settingsOf(command).some(([key, value]) => runsSetting(key, value))
  // The `-c` of a commit takes a commit.
  if (isRun && line.verb() !== "commit") return true
  if (isRun && line.values("-c", "--config").some(({ guess }) => guess.includes("="))) return true
  const set = setting(command)
  return set !== undefined && runsSetting(...set)
}

/** Settings that a command is given, for itself alone. */
const settingsOf = ({ line }: Command): ReadonlyArray<readonly [string, string]> =>
  line.values("-c", "--config").map(({ guess }) => {
    const equals = guess.indexOf("=")
    return equals < 0 ? [guess, "true"] : [guess.slice(0, equals), guess.slice(equals + 1)]
  })

const isTrue = (value: string): boolean => !/^(false|no|off|0|)$/i.test(value)

/** Such a setting makes pushes overwrite or delete, or fetches overwrite branches. */
const isForcing = (key: string, value: string): boolean =>
  /^remote\..+\.push$/i.test(key)
    ? /^[+:\0]/.test(value)
    : /^remote\..+\.mirror$/i.test(key)
    ? isTrue(value)
    : /^remote\..+\.fetch$/i.test(key) && /^\+[^:]*:(?!refs\/(remotes|pull)\/)./.test(value)

/** A push in the words that say what its settings make of it. */
export const forcedBySettings = (command: Command): ReadonlyArray<ReadonlyArray<Arg>> => {
  const { args, fields, line, row } = command
  if (row.files?.operands !== "worktree" || line.verb() !== "push") return []
  const more = settingsOf(command).filter(([key, value]) => isForcing(key, value)).map(([key, value]) =>
    literal(/\.mirror$/i.test(key) ? "--mirror" : value)
  )
  const rest = args.filter((arg, at) =>
    !(arg.guess === "-c" && args[at + 1] !== undefined) && args[at - 1]?.guess !== "-c"
  )
  return more.length === 0 ? [] : [[fields.name!, ...rest, ...more]]
}

/** A setting for good, or for this command, that forces what it does. */
export const forces = (command: Command): boolean => {
  const { line } = command
  const verb = line.verb()
  if (/^(push|fetch|pull)$/.test(verb)) {
    return settingsOf(command).some(([key, value]) =>
      /\.fetch$/i.test(key) !== (verb === "push") && isForcing(key, value)
    )
  }
  const set = setting(command)
  return set !== undefined && isForcing(...set)
}

/** What `git config` sets. */
const setting = ({ line }: Command): readonly [string, string] | undefined => {
  if (line.verb() !== "config") return undefined
  const looks = line.has(
    ...words("--get --get-all --get-regexp --list -l --unset --unset-all --show-origin --get-urlmatch --remove-section")
  )
  if (looks) return undefined
  const [key, value] = line.operands.slice(/^(set|add)$/.test(line.verb(1)) ? 2 : 1).map((arg) => arg.guess)
  return key !== undefined && value !== undefined && !/^(get|unset|list)$/.test(key) ? [key, value] : undefined
}

const looksLikeFile = (text: string): boolean =>
  /^\.{0,2}\/|\.(?!\d)[a-z][a-z0-9]{0,4}$|\/$|[*?]/.test(text) && !/^(v?\d|origin\/|refs\/)/.test(text)

/** Work in files or on a branch that does not come back, where it takes more than the options to tell. */
export const losesWork = ({ line, words }: Command): boolean => {
  if (line.verb() === "rm") {
    return line.has("-r") && line.has("-f", "--force") && !line.has("--cached", "-n", "--dry-run")
  }
  if (line.verb() === "branch") return line.has("-d", "--delete") && line.has("-f", "--force")
  if (line.verb() !== "checkout") return false
  if (line.has("-b", "-B", "--orphan", "-t", "--track", "--detach", "-d", "-p", "--patch")) return false
  const dashes = words.indexOf("--")
  if (dashes >= 0 && dashes < words.length - 1) return true
  const operands = line.operands.slice(1).map((arg) => arg.guess)
  return !line.has("--ours", "--theirs", "-m", "--merge") && (operands.length > 1 || operands.some(looksLikeFile))
}
