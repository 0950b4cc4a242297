import { resolve } from "../parse/Paths.ts"
import { after, type Arg, type Command, literal } from "../programs/Command.ts"
import { fileOperands, tellsFiles } from "../programs/FileOperands.ts"
import { programOf, unversioned } from "../programs/Table.ts"
import { type Inner, isStandardInput, readsCode, shellArguments, wrapped } from "./InnerCommands.ts"
import { printedBy } from "./Output.ts"

/**
 * What a command may run where no row says that it does. Only dangers count that are found in it: the words may be
 * something else, so that they are no parts for rules to allow (docs/policy.md#guessed-commands).
 */
export const guessesOf = (command: Command): ReadonlyArray<Inner> => {
  const { program, row } = command
  if (command.fields.name === undefined) return []
  const found = [...writtenScripts(command)]
  if (program === "") return found
  found.push(...wrapped(command, row.starters), ...recipes(command))
  if (row.is("names-words") || row.is("shell") || row.statements !== undefined) return found
  found.push(...optionValues(command))
  if (row.name === "") found.push(...parted(command))
  if (row.name === "" || (row.wrappers.length === 0 && row.language === undefined && !tellsFiles(row))) {
    found.push(...tails(command, row.name !== ""))
  }
  return found
}

const scriptOf = ({ fields: { kept, where } }: Command, script: Arg): Inner => ({
  kind: "script",
  script,
  where,
  kept,
  visible: false
})

/** Subcommands of known programs behind which others expect a command. */
const opens = new Set("exec execute x ssh shell cmd attach lock".split(" "))

/** Words behind which other programs expect a command. */
const announces = new Set(
  ("-- --- run exec execute x ssh shell sh cmd command do spawn start launch with eval console attach foreach each " +
    "every watch stuff").split(" ")
)

const maxTails = 3

const baseName = (text: string): string => unversioned(text.slice(text.lastIndexOf("/") + 1))

/**
 * A program that nothing is known of may run the rest of its words: any program that is known begins a command, and
 * behind a word such as `run` so does a quoted script. Of a known one that takes only what follows `exec` and the like.
 */
const tails = (command: Command, isKnown: boolean): ReadonlyArray<Inner> => {
  const { args, fields: { kept, where }, words } = command
  const found: Array<Inner> = []
  if (isKnown && !words.slice(0, 3).some((word) => opens.has(word))) return []
  let isAnnounced = false
  for (let at = 0; at < args.length && found.length < maxTails; at++) {
    const text = words[at]!
    if (announces.has(text)) {
      isAnnounced = true
      continue
    }
    if (isKnown && !isAnnounced) continue
    if (args[at]!.value === null || text.startsWith("-") || text === "") continue
    if (/\s/.test(text)) {
      if (isAnnounced && couldBeScript(text)) found.push(scriptOf(command, args[at]!))
      continue
    }
    const row = programOf(baseName(text))
    const before = words[at - 1]
    if (row.name === "" || row.is("names-words") && !row.is("open") && !row.is("relied") && row.dangers.length === 0) {
      continue
    }
    if (row.is("ordinary") ? before !== "--" : at === args.length - 1 && !isAnnounced) continue
    found.push({ kind: "command", words: args.slice(at), assignments: [], where, kept, visible: false })
  }
  return found
}

/** `git-push` is `git push`: so are the subcommands of many programs called where they are programs of their own. */
const parted = ({ args, fields: { kept, where }, program }: Command): ReadonlyArray<Inner> => {
  const [, name = "", verb = ""] = /^(\w+)-(\w[\w-]*)$/.exec(program) ?? []
  const row = programOf(name)
  if (row.name === "" || row.is("ordinary")) return []
  return [{
    kind: "command",
    words: [literal(name), literal(verb), ...args],
    assignments: [],
    where,
    kept,
    visible: false
  }]
}

/** Names of options that take a command. */
const takesCommand = new RegExp(
  "^-[cCxeE]$|^--?([\\w.]+[-_.])*(exec|execute|commands?|cmd|run|shell|scripts?|hook|pager|editor|preview|eval|bind" +
    "|browser|opener|viewer|wrapper|launcher|prog|program|callback|trigger|pre|post|before|after|prepare|setup|cleanup" +
    "|teardown|conclude|init|onchange|on|filter|transform|difftool|action|handler|notify|rsh|args?)([-_.]\\w+)*$",
  "i"
)

/** Options whose values are, by their names, commands. */
const optionValues = (command: Command): ReadonlyArray<Inner> => {
  const { args, words } = command
  const found: Array<Inner> = []
  for (let at = 0; at < args.length && found.length < maxTails; at++) {
    const text = words[at]!
    if (text[0] !== "-" || text.length < 2) continue
    const split = /^-[^=:]+[=:]/.exec(text)?.[0].length ?? 0
    if (!takesCommand.test(split > 0 ? text.slice(0, split - 1) : text)) continue
    const value = split > 0 ? after(args[at]!, split) : args[at + 1]
    if (value === undefined || value.guess.startsWith("-")) continue
    // A placeholder stands for any of the names that it is given.
    const script = /\{[+\d]?\}/.test(value.guess)
      ? literal(value.guess.replace(/["']?\{[+\d]?\}["']?/g, "*"))
      : value
    if (couldBeScript(script.guess)) found.push(scriptOf(command, script))
    // `enter:execute(rm {})`
    const within = /\w[([{](.+)[)\]}]$/s.exec(value.guess)?.[1]
    if (within !== undefined && couldBeScript(within)) found.push(scriptOf(command, literal(within)))
  }
  return found
}

/** It begins with a program that is known, so that looking at it is worth the time. */
const couldBeScript = (text: string): boolean => {
  const [, first = "", more] = /^[\s!:|]*([^\s;|&]+)(\s)?/.exec(text) ?? []
  if (/^[A-Za-z_]\w*=/.test(first)) return true
  const row = programOf(baseName(first.replace(/["'\\]/g, "")))
  return row.name !== "" && (more !== undefined || !row.is("ordinary"))
}

/** Scripts that this same command line has written, where they are run. */
const writtenScripts = (command: Command): ReadonlyArray<Inner> => {
  const { fields: { cwd, name, written }, line, program, row } = command
  if (written.size === 0) return []
  const textOf = (arg: Arg | undefined): string | undefined =>
    arg === undefined ? undefined : written.get(resolve(arg.guess, cwd) ?? "")
  const text = name?.guess.includes("/") === true
    ? textOf(name)
    : row.is("shell") && !readsCode(command)
    ? textOf(shellArguments(command).operands[0])
    : program === "source" || program === "."
    ? textOf(line.operands[0])
    : undefined
  if (text === undefined) return []
  // Another interpreter than a shell: its command line is `interpreter file`.
  const [, interpreter] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(text) ?? []
  const other = interpreter === undefined ? undefined : programOf(baseName(interpreter))
  return other !== undefined && other.name !== "" && !other.is("shell")
    ? [{ ...scriptOf(command, name!), kind: "command", words: [literal(interpreter!), name!], assignments: [] }]
    : [scriptOf(command, literal(text))]
}

/** The recipes of a makefile that it is fed, or that this same command line has written. */
const recipes = (command: Command): ReadonlyArray<Inner> => {
  const { fields: { cwd, input, written }, line, row } = command
  const names = row.words("input-script")
  if (names.length === 0) return []
  const given = line.values(...names)
  const files = given.length > 0 ? given : names.filter((name) => !name.startsWith("-")).map(literal)
  const texts = files.map((arg) => isStandardInput(arg) ? input.text : written.get(resolve(arg.guess, cwd) ?? ""))
  return texts.flatMap((text) => {
    const lines = text?.split("\n").filter((line) => line.startsWith("\t")).map((line) => line.replace(/^\t[@+-]*/, ""))
    return lines === undefined || lines.length === 0 ? [] : [scriptOf(command, literal(lines.join("\n")))]
  })
}

/** Files that a command writes with a text that is known. */
export const writtenBy = (command: Command): ReadonlyArray<{ readonly path: string; readonly text: string }> => {
  const { fields: { cwd, input, written, writes }, line, row } = command
  const named = (args: ReadonlyArray<Arg>, text: string | undefined) =>
    text === undefined ? [] : args.flatMap((arg) => {
      const path = resolve(arg.guess, cwd)
      return path === undefined ? [] : [{ path, text }]
    })
  if (row.is("keeps-input") && input.text !== undefined) {
    const files = fileOperands(command).filter(({ kind }) => kind === "write").map(({ arg }) => arg)
    return named([...files, ...writes], input.text)
  }
  if (row.is("carries") && written.size > 0) {
    const [from, to] = line.operands
    return from === undefined || to === undefined ? [] : named([to], written.get(resolve(from.guess, cwd) ?? ""))
  }
  return writes.length === 0 ? [] : named(writes, printedBy(command)?.text)
}
