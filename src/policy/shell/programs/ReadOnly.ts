import type { Command } from "../Command.ts"
import { gitReads } from "./GitReads.ts"
import { names } from "./Rows.ts"

/** Programs that only read, whatever they are given (policy §4.1). */
const always = names(`
  cat cd cut echo expr false grep egrep fgrep head id ls nl paste pwd rev seq stat tail tr true which whoami
  numfmt tac basename dirname realpath readlink du df printf test [ : type nproc arch locale getconf uptime uname
  ps pgrep pidof comm diff sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum column fold fmt
  expand unexpand od hexdump strings jq tsort cal exit return break continue shift groups tty sleep wait jobs cmp
  diff3 free lsblk lscpu pushd popd wc
`)
// `uniq IN OUT` writes, and so do these with one option.
const without: Readonly<Record<string, ReadonlyArray<string>>> = {
  printf: ["-v"],
  file: ["-m", "-f", "-C", "--compile", "--magic-file", "--files-from"],
  date: ["-s", "--set"],
  tree: ["-o", "-R"],
  yq: ["-i", "--inplace", "-s", "--split-exp", "--in-place"],
  base64: ["-o", "--output"],
  base32: ["-o", "--output"],
  rg: ["--pre", "--hostname-bin", "--search-zip", "-z"],
  sort: ["-o", "-T"],
  fd: ["-x", "-X", "--exec", "--exec-batch"],
  fdfind: ["-x", "-X", "--exec", "--exec-batch"],
  hash: ["-p", "-d", "-r"],
  find: ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"]
}
/** A file whose name starts with a dash may become an option of these. */
const globMatters = names("find sort sed git tree fd rg yq date awk file base64")
const versions = names(`
  node npm pnpm yarn bun deno python pip ruby gem go cargo rustc java javac gcc clang make cmake docker kubectl
  terraform git gh php perl tsc dotnet swift mvn gradle
`)

export const isReadOnly = (command: Command): boolean => {
  const { args, line, program } = command
  const reads = always.has(program) || checked(command)
  if (!reads) return false
  const banned = without[program]
  if (banned !== undefined && (line.has(...banned) || args.some((arg) => banned.includes(arg.guess)))) return false
  return !(globMatters.has(program) && args.some((arg) => arg.glob))
}

const checked = (command: Command): boolean => {
  const { args, line, program } = command
  const words = args.map((arg) => arg.guess)
  if (args.length === 1 && versions.has(program) && /^(--version|-V|-v|version)$/.test(words[0]!))
    return !(program === "bun" && words[0] === "version")
  switch (program) {
    case "command":
      return line.has("-v", "-V")
    case "hash":
    case "env":
    case "printenv":
      return program === "printenv" || args.length === 0
    case "hostname":
      return args.length === 0 || (/^(-f|-s|-i|-I|-d)$/.test(words[0]!) && args.length === 1)
    case "file":
    case "tree":
    case "yq":
    case "base64":
    case "base32":
    case "rg":
    case "find":
    case "fd":
    case "fdfind":
      return true
    case "date":
      return words.every(
        (word, at) =>
          /^(\+.*|-u|-R|-d|-r|-I\w*|--(utc|date=.*|iso-8601.*|rfc-.*|reference=.*))$/.test(word) ||
          /^-[dr]$/.test(words[at - 1] ?? "")
      )
    case "sort":
      // Long options may be shortened, so only the known ones pass.
      return words.every((word) => !word.startsWith("--") || sortOptions.has(word.replace(/=.*/, "")))
    case "uniq":
      return line.operands.length < 2
    case "xxd":
      return !line.has("-r") && line.operands.length < 2
    case "sed":
      return (
        line.has("-n") &&
        line.options.every((option) => option === "-n" || option === "-E" || option === "-r") &&
        /^(\d+|\$)(,(\d+|\$))?p$/.test(words.find((word) => !word.startsWith("-")) ?? "")
      )
    case "awk":
    case "gawk":
    case "mawk":
      return awkReads(command)
    case "git":
      return gitReads(command)
    case "npm":
      return /^(ls|list|ll|la)$/.test(line.verb())
    case "go":
      return (
        line.verb() === "list" ||
        (line.verb() === "env" && !line.has("-w", "-u") && words.every((word) => word !== "-w" && word !== "-u"))
      )
    case "cargo":
      return (line.verb() === "metadata" && line.has("--offline")) || (line.verb() === "tree" && line.has("--offline"))
    case "set":
      return words.length > 0 && /^[-+][euxo]+$/.test(words[0]!) && words.slice(1).every((word) => word === "pipefail")
    case "export":
      return (
        words.length > 0 &&
        words.every((word) =>
          /^(NODE_ENV|CI|FORCE_COLOR|NO_COLOR|DEBUG|TZ|LANG|LC_\w+|RUST_LOG|RUST_BACKTRACE)=/.test(word)
        )
      )
  }
  return false
}

const sortOptions = names(`
  --reverse --numeric-sort --unique --key --field-separator --human-numeric-sort --version-sort --ignore-case
  --month-sort --general-numeric-sort --stable --check --random-sort --zero-terminated
`)

const awkReads = (command: Command): boolean => {
  const { line } = command
  if (line.options.some((option) => option !== "-F" && option !== "-v")) return false
  const program = line.operands[0]
  if (program === undefined || program.value === null) return false
  const bare = program.value.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\/(?:[^/\\\n]|\\.)*\//g, "//")
  return !/system|getline|\||""\s*>|>\s*""|>>|print[^;}]*>|close|fflush|@|ENVIRON/.test(bare)
}

/** What may get any names at all as arguments. */
const supplied = names(`
  cat echo grep head tail wc ls stat basename dirname md5sum sha256sum file cut nl tac rev realpath readlink du
  printf strings
`)

/** `sh -c` and `xargs` read only when what they run does; that stands in the list as well. */
export const readsItself = (command: Command, all: ReadonlyArray<Command>): boolean => {
  const { line, program } = command
  if (/^(sh|bash|dash)$/.test(program))
    return (
      line.has("-c") &&
      line.options.every((option) => option === "-c" || option === "-l" || option === "-e" || option === "-u") &&
      line.operands.length === 1
    )
  if (program === "time" || program === "nice" || program === "timeout" || program === "nohup")
    return program !== "nohup" && !line.has("-o", "--output") && hasInner(command, all)
  if (program !== "xargs" || line.has("-a", "--arg-file", "-i")) return false
  const inner = all[all.indexOf(command) + 1]
  return inner !== undefined && inner.fields.wrappers.at(-1) === "xargs" && supplied.has(inner.program)
}

const hasInner = (command: Command, all: ReadonlyArray<Command>): boolean =>
  all[all.indexOf(command) + 1]?.fields.wrappers.at(-1) === command.program
