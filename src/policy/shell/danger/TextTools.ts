import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { isExpendable, isInside, resolve } from "../Paths.ts"
import { type Arg, supplied } from "../Words.ts"
import { checks } from "./Check.ts"
import { writeCategory } from "./Places.ts"

/** Filters and editors with a language of their own (policy §3.1: interpreter). */

const awk = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  const programs = [
    ...line.values("-e", "--source"),
    ...(line.has("-f", "--file", "-E", "--exec") ? [] : line.operands.slice(0, 1))
  ]
  for (const { guess } of programs) {
    // Sorting what is printed is the one everyday use of a pipe.
    const code = guess
      .replace(/^\s*#.*$/gm, "")
      .replace(/\|\s*"(sort|uniq|column|wc|cat 1>&2|cat >&2)( -[\w,.-]+)*"/g, "")
    const bare = code.replace(/"(?:[^"\\]|\\.)*"/g, "\"\"").replace(/(^|[~(,!&|{;\s])\/(?:[^/\\\n]|\\.)*\//g, "$1//")
    if (/\bsystem\s*\(|\|&?\s*getline|""\s*\||(^|[^|])\|\s*("|[A-Za-z_])|\|&/.test(bare.replaceAll("||", "  "))) {
      return "interpreter"
    }
    if (/\/inet\d?\//.test(code)) return "reverse-shell"
    for (const match of code.matchAll(/>>?\s*"([^"]+)"/g)) {
      const category = writeCategory(resolve(match[1]!, command.fields.cwd), place)
      if (category !== undefined) return category
    }
  }
  return line.has("-l", "--load", "-i", "--include") && line.values("-l", "--load").length > 0
    ? "option-exec"
    : undefined
}

/** Walks over a sed script: addresses, then a command letter; only `s` has flags that matter. */
const sedShapes = (script: string, cwd: string | null, place: ActionContext): string | undefined => {
  const body = script.replace(
    /^\s*(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?)?(?:,(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?|[+~]\d+))?\s*!?\s*/,
    ""
  )
  const letter = body[0]
  if (letter === "e") return "interpreter"
  if (letter === "w" || letter === "W") return writeCategory(resolve(body.slice(1).trim(), cwd), place)
  if (letter === "s" && body[1] !== undefined) {
    const parts = body.slice(2).split(new RegExp(`(?<!\\\\)${body[1].replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`))
    const flags = parts[2] ?? ""
    if (/^[gpiImM\d]*e/.test(flags)) return "interpreter"
    const written = /w\s+(\S+)/.exec(flags)
    if (written !== null) return writeCategory(resolve(written[1]!, cwd), place)
  }
  return undefined
}

const sed = (command: Command, place: ActionContext): string | undefined => {
  const { line } = command
  const given = line.values("-e", "--expression")
  const scripts = given.length > 0 || line.has("-f", "--file") ? given : line.operands.slice(0, 1)
  return scripts
    .flatMap((arg) => arg.guess.split(/\n|;(?![^/]*\/[^;]*$)|(?<=\{)|(?=\})/))
    .map((each) => sedShapes(each, command.fields.cwd, place))
    .find((each) => each !== undefined)
}

const startsProgram = new RegExp(
  [
    String.raw`^\s*[:%,.\d$]*(r|w|read|write)?\s*!|\b(system|jobstart|termopen|libcall|delete)\s*\(|:terminal`,
    String.raw`\bterminal\s`,
    String.raw`\b(lua|luado|python3?|py3?|pyx|perl|ruby|tcl)\b.*(os\.|system|exec|subprocess|io\.popen)`,
    String.raw`^\s*so(urce)?\s+(https?|/tmp)`
  ].join("|")
)

/** Commands given to an editor on its command line: a `!` starts a program. */
const editor = (command: Command): string | undefined => {
  const given = [...command.line.values("-c", "--cmd"), ...command.args.filter((arg) => /^\+./.test(arg.guess))].map(
    (arg) => arg.guess.replace(/^\+/, "")
  )
  const typed = /^(ed|ex)$/.test(command.program) && command.fields.input.text !== undefined
    ? command.fields.input.text.split("\n")
    : []
  return [...given, ...typed].some((text) => startsProgram.test(text)) ? "interpreter" : undefined
}

const perlInPlace = (command: Command, place: ActionContext): string | undefined => {
  if (!command.line.has("-i")) return undefined
  return command.line.operands
    .map((arg) => writeCategory(resolve(arg.guess, command.fields.cwd), place))
    .find((each) => each !== undefined)
}

/** An archive that may put files wherever it says. */
const unpacks = (command: Command, place: ActionContext): string | undefined => {
  const { line, program } = command
  if (
    /tar$/.test(program) &&
    (line.has("-P", "--absolute-names", "--absolute-paths") ||
      /^[A-Za-z]*P[A-Za-z]*$/.test(command.args[0]?.guess ?? ""))
  ) {
    return "system-write"
  }
  const targets: ReadonlyArray<Arg> = line.values("-C", "--directory", "-d")
  const outside = targets.some((arg) => {
    const path = resolve(arg.guess, command.fields.cwd)
    return (
      path !== undefined &&
      !isInside(path, place) &&
      !isExpendable(supplied(path), null, place) &&
      (path === place.home || /^\/(?!home\/|Users\/|tmp$|mnt\/|media\/|data\/|\0)/.test(path))
    )
  })
  return outside && (/x/.test(command.args[0]?.guess ?? "") || line.has("-x", "--extract", "-d"))
    ? "system-write"
    : undefined
}

export const textTools = checks({
  "awk gawk mawk nawk": awk,
  "sed gsed": sed,
  "vim vi nvim ex ed view rvim gvim vimdiff": editor,
  perl: perlInPlace,
  "tar gtar bsdtar unzip": unpacks
})
