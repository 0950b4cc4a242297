import type { Command, Where } from "./Command.ts"
import { optionsOf } from "./programs/Options.ts"
import { isHook } from "./programs/Hooks.ts"
import { shells } from "./programs/Languages.ts"
import type { Wrapper } from "./programs/Wrappers.ts"
import { wrappersOf } from "./programs/Wrappers.ts"
import { inputScript, shellScript } from "./Started.ts"
import { fromFind, fromParallel, fromXargs } from "./Feeders.ts"
import type { Arg } from "./Words.ts"
import { literal } from "./Words.ts"

export { readsCode } from "./Started.ts"

/** What a command runs in turn: another command, or text in the shell's language. */
export type Inner =
  & { readonly where: Where; readonly visible: boolean }
  & (
    | { readonly kind: "command"; readonly words: ReadonlyArray<Arg>; readonly assignments: ReadonlyArray<Arg> }
    | { readonly kind: "script"; readonly script: Arg }
  )

export const innerOf = (command: Command): ReadonlyArray<Inner> => {
  const { args, program } = command
  if (program === "") return []
  const here = { where: command.fields.where, visible: true } as const
  const script = (arg: Arg | undefined, visible = true): ReadonlyArray<Inner> =>
    arg === undefined ? [] : [{ ...here, visible, kind: "script", script: arg }]
  const commands = (lists: ReadonlyArray<ReadonlyArray<Arg>>): ReadonlyArray<Inner> =>
    lists.map((words) => ({ ...here, kind: "command", words, assignments: [] }))
  if (shells.has(program) || program === "fish") return shellScript(command).flatMap((each) => script(each))
  switch (program) {
    case "eval":
      return args.length === 0 || (args.length === 1 && isHook(args[0]!.inner)) ? [] : script(joined(args))
    case "trap":
      return ofTrap(args).flatMap((arg) => script(arg))
    case "alias":
      return args.flatMap((arg) =>
        arg.guess.includes("=") ? script({ ...arg, guess: arg.guess.slice(arg.guess.indexOf("=") + 1) }, false) : []
      )
    case "find":
    case "gfind":
    case "fd":
    case "fdfind":
      return commands(fromFind(command))
    case "parallel":
    case "sem":
      return fromParallel(command).flatMap((each) => (each.length === 1 ? script(each[0]) : commands([each])))
  }
  return [...special(command).flatMap((arg) => script(arg)), ...wrapped(command)]
}

const ofTrap = (args: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const dashes = args[0]?.guess === "--"
  const [action, ...signals] = dashes ? args.slice(1) : args
  if (action === undefined || signals.length === 0 || action.guess === "") return []
  return (dashes ? action.guess === "-" : action.guess.startsWith("-")) ? [] : [action]
}

/** Scripts in option values. */
const special = (command: Command): ReadonlyArray<Arg> => {
  const { line, program } = command
  switch (program) {
    case "su":
    case "runuser":
    case "script":
    case "scriptlive":
      return line.values("-c", "--command")
    case "sg":
      return line.operands.slice(1)
    case "split":
      return line.values("--filter")
    case "env":
      return line.values("-S", "--split-string")
    case "nix-shell":
      return [...optionValues(command, "--run"), ...optionValues(command, "--command")]
    case "mapfile":
    case "readarray":
    case "compgen":
      return optionValues(command, "-C")
    case "vagrant":
      return optionValues(command, "-c")
    case "gcloud":
      return optionValues(command, "--command")
    case "nodemon":
      return [...optionValues(command, "--exec"), ...optionValues(command, "-x")]
    case "zip":
      return [...optionValues(command, "-TT"), ...optionValues(command, "--unzip-command")]
    case "npx":
      return line.values("-c", "--call")
    case "npm":
      return line.verb() === "exec" || line.verb() === "x" ? line.values("-c", "--call") : []
    case "git":
      return line.verb() === "rebase" ? line.values("-x", "--exec") : []
    case "ansible":
      return /^(shell|command|raw|script)?$/.test(line.values("-m", "--module-name")[0]?.guess ?? "")
        ? line.values("-a", "--args")
        : []
  }
  return []
}

const optionValues = (command: Command, name: string): ReadonlyArray<Arg> => {
  const at = command.args.findIndex((arg) => arg.guess === name || arg.guess.startsWith(`${name}=`))
  if (at < 0) return []
  const arg = command.args[at]!
  const value = arg.guess === name ? command.args[at + 1] : literal(arg.guess.slice(name.length + 1))
  return value === undefined ? [] : [value]
}

const joined = (args: ReadonlyArray<Arg>): Arg =>
  args.length === 1
    ? args[0]!
    : {
      text: args.map((arg) => arg.text).join(" "),
      value: args.some((arg) => arg.value === null) ? null : args.map((arg) => arg.value).join(" "),
      guess: args.map((arg) => arg.guess).join(" "),
      certain: args.every((arg) => arg.certain),
      glob: args.some((arg) => arg.glob),
      inner: args.flatMap((arg) => arg.inner)
    }

const eachIsScript = new Set(["concurrently", "hyperfine"])
const isAssignment = (arg: Arg): boolean => /^[A-Za-z_]\w*=/.test(arg.guess)

const wrapped = (command: Command): ReadonlyArray<Inner> => {
  for (const wrapper of wrappersOf(command.program)) {
    const start = innerStart(command, wrapper)
    if (start === undefined) continue
    const entry = wrapper.where === "contained" ? command.line.values("--entrypoint") : []
    const words = [...entry, ...unversioned(wrapper, command.args.slice(start))]
    const where = wrapper.where === "here" ? command.fields.where : wrapper.where
    const common = { where, visible: wrapper.visible }
    if (wrapper.program === "ssh" && words.length === 0) {
      return command.fields.input.text === undefined
        ? []
        : [{ ...common, kind: "script", script: inputScript(command) }]
    }
    if (words.length === 0) return []
    if (eachIsScript.has(wrapper.program)) return words.map((word) => ({ ...common, kind: "script", script: word }))
    if (wrapper.program === "flock" && /^(-c|--command)$/.test(words[0]!.guess)) {
      return [{ ...common, kind: "script", script: joined(words.slice(1)) }]
    }
    if ((wrapper.script && !command.line.has("-x")) || wrapper.program === "tmux" || wrapper.program === "ssh") {
      const text = wrapper.verbs[0] === "send-keys"
        ? words.filter((word) => !/^(Enter|C-m|KPEnter)$/.test(word.guess))
        : words
      return text.length === 0 ? [] : [{ ...common, kind: "script", script: joined(text) }]
    }
    const first = words.findIndex((word) => !isAssignment(word))
    const assignments = first < 0 ? words : words.slice(0, first)
    const inner = wrapper.program === "xargs" ? fromXargs(command, words) : first < 0 ? [] : words.slice(first)
    return [{ ...common, kind: "command", words: inner, assignments }]
  }
  return []
}

/** `npx tool@5` runs `tool`. */
const unversioned = ({ program, verbs }: Wrapper, words: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const [first, ...rest] = words
  const fetches = /^(npx|bunx|pnpx|uvx)$/.test(program) || /^(dlx|exec|x)$/.test(verbs[0] ?? "")
  const named = fetches && first !== undefined ? /^(.[^@\s]*)@[^/\s]*$/.exec(first.guess) : null
  return named === null
    ? words
    : [{ ...first!, guess: named[1]!, value: first!.value === null ? null : named[1]! }, ...rest]
}

const innerStart = (command: Command, wrapper: Wrapper): number | undefined => {
  const { args, program } = command
  if (program === "command" && command.line.has("-v", "-V")) return undefined
  const takes = wrapper.verbs.length === 0 && wrapper.program !== "ssh"
    ? wrapper.valued
    : (optionsOf(program, wrapper.verbs[0]) ?? optionsOf(program))
  let verb = 0
  let skip = wrapper.skip
  for (let at = 0; at < args.length; at++) {
    const text = args[at]!.guess
    if (text === "--" && verb === wrapper.verbs.length) {
      if (wrapper.dashes || skip === 0) return at + 1
      continue
    }
    if (text === "-" && wrapper.program === "env") continue
    if (wrapper.dashes && /^(--args|-c|--command)$/.test(text) && /^(gdb|lldb|nix)$/.test(wrapper.program)) {
      return at + 1
    }
    if (wrapper.pairs.has(text)) {
      at += 2
      continue
    }
    if (wrapper.program === "flock" && skip === 0 && /^(-c|--command)$/.test(text)) return at
    if (text.length > 1 && text[0] === "-") {
      if (wrapper.valued.has(text) || takes?.has(text) === true) at++
      continue
    }
    if (verb < wrapper.verbs.length) {
      const wanted = wrapper.verbs[verb++]
      if (wanted !== "*" && text !== wanted) return undefined
      continue
    }
    if (wrapper.program === "env" && isAssignment(args[at]!)) return at
    if (skip-- > 0 || wrapper.dashes) continue
    return at
  }
  return wrapper.program === "ssh" ? args.length : undefined
}
