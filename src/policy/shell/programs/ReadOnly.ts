import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { type Arg, isKnown } from "../Words.ts"
import { gitReads } from "./GitReads.ts"
import { isOwnProgram } from "./ProjectPrograms.ts"
import { passes } from "./ReadingOptions.ts"
import { names } from "./Rows.ts"

/** Programs that only read, whatever they are given (policy §4.1). */
const always = names(`
  cat cd cut echo expr false grep egrep fgrep head id ls nl paste pwd rev seq stat tail tr true which whoami
  numfmt tac basename dirname realpath readlink du df test [ : type nproc locale getconf uptime uname
  ps pgrep pidof comm diff sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum column fold fmt
  expand unexpand od hexdump strings jq tsort cal exit return break continue shift groups tty sleep cmp
  free lsblk lscpu pushd popd wc printenv
`)
const versions = names(`
  node npm bun deno python pip ruby gem go cargo rustc java javac gcc clang make cmake docker
  terraform git gh php perl tsc dotnet swift gradle
`)
const versionVerb = names("go docker git npm cargo terraform")
/** With these the short option means something else, such as reading a program from the input. */
const longVersion = names("python swift gradle deno")

export const isReadOnly = (command: Command, place: ActionContext): boolean => {
  const { args, program } = command
  if (always.has(program)) return true
  // What is not literal may turn out to be an option, or to be several words; so may a name that a glob finds.
  if (program !== "printf" && program !== "export" && !args.every((arg) => isFixed(arg, args))) return false
  const words = args.map((arg) => arg.guess)
  if (isVersion(program, words)) return isOwnProgram(command, place)
  return isOwnProgram(command, place) && words.every((word) => passes(program, word)) && checked(command, words, place)
}

const isFixed = (arg: Arg, args: ReadonlyArray<Arg>): boolean =>
  !arg.glob &&
  (arg.value !== null ||
    arg.text.startsWith("<(") ||
    // Only so many alternatives of braces are looked at.
    (isKnown(arg) && !/[$`]|\.\./.test(arg.text) && args.filter((each) => each.text === arg.text).length < 32))

const isVersion = (program: string, words: ReadonlyArray<string>): boolean =>
  words.length === 1 &&
  versions.has(program) &&
  (words[0] === "--version" ||
    (/^-[vV]$/.test(words[0]!) && !longVersion.has(program)) ||
    (words[0] === "version" && versionVerb.has(program)))

const checked = (command: Command, words: ReadonlyArray<string>, place: ActionContext): boolean => {
  const { args, line, program } = command
  switch (program) {
    case "command":
      return /^-[vV]$/.test(words[0] ?? "")
    case "arch":
    case "hash":
    case "env":
      return args.length === 0
    case "jobs":
      return words.every((word) => /^(-[lnprs]+|%\w*)$/.test(word))
    case "wait":
      return words.every((word) => /^%?\w+$/.test(word))
    case "printf":
      // Only its first word can be an option, and that one names a variable to set.
      return args[0]?.value != null
        ? words[0] === "--" || !words[0]!.startsWith("-")
        : args[0]?.glob === false && /^["']?[\w%]/.test(args[0].text)
    case "hostname":
      return args.length === 0 || (/^(-f|-s|-i|-I|-d)$/.test(words[0]!) && args.length === 1)
    case "file":
    case "tree":
    case "yq":
    case "rg":
    case "find":
    case "fd":
    case "fdfind":
    case "sort":
      return true
    case "base64":
    case "base32":
      return operandsBut(words, /^-[wb]$/) < 2
    case "uniq":
      return operandsBut(words, /^-\w*[fsw]$/) < 2
    case "xxd":
      return operandsBut(words, /^-[cglso]$/) < 2
    case "date":
      return dateReads.test(words.map((word) => `${word}\n`).join(""))
    case "sed":
      return (
        words.some((word) => /^-\w*n/.test(word)) &&
        /^(\d+|\$)(,(\d+|\$))?p$/.test(words.find((word) => !word.startsWith("-")) ?? "")
      )
    case "awk":
    case "gawk":
    case "mawk":
      return awkReads(line.operands[0]?.value ?? null)
    case "git":
      return gitReads(command, place)
    case "npm":
      return /^(ls|list|ll|la)$/.test(words[0] ?? "")
    case "go":
      return words[0] === "list"
        ? words.every((word) => !word.startsWith("-") || /^-(m|json(=[\w,]+)?|f|deps|e|test|find)$/.test(word))
        : words[0] === "env" && words.slice(1).every((word) => /^([A-Z0-9_]+|-json|-changed)$/.test(word))
    case "cargo":
      return /^(metadata|tree)$/.test(words[0] ?? "") && words.includes("--offline")
    case "set":
      return words.length > 0 && /^[-+][euxo]+$/.test(words[0]!) && words.slice(1).every((word) => word === "pipefail")
    case "export":
      return words.length > 0 && args.every((arg) => harmlessExport.test(arg.text))
  }
  return false
}

const harmlessExport = /^(NODE_ENV|CI|FORCE_COLOR|NO_COLOR|DEBUG|TZ|LANG|LC_\w+|RUST_LOG|RUST_BACKTRACE)=/
const dateReads = /^((\+.*|-u|-R|-I\w*|-[dr]\n(?!-\D).*|--(utc|date=.*|iso-8601.*|rfc-.*|reference=.*))\n)*$/

/** All that follows the first operand may be one: not every program looks for options there. */
const operandsBut = (words: ReadonlyArray<string>, valued: RegExp): number => {
  const first = words.findIndex((word, at) => !/^-./.test(word) && !valued.test(words[at - 1] ?? ""))
  return first < 0 ? 0 : words.length - first
}

/** Strings and patterns are not told from code: where one ends takes a whole parser to know. */
const awkReads = (program: string | null): boolean => {
  if (program === null) return false
  const rest = program.replace(/^\s*(NR|NF|FNR|\$\d+)\s*[<>]=?\s*\d+/, "").replaceAll("||", " ")
  return !/system|getline|close|fflush|ENVIRON|[|>@]|\\\r?\n/.test(rest)
}
