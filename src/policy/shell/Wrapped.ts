import type { Command, Where } from "./Command.ts"
import { fromXargs } from "./Feeders.ts"
import { optionsOf } from "./programs/Options.ts"
import type { Wrapper } from "./programs/Wrappers.ts"
import { wrappersOf } from "./programs/Wrappers.ts"
import { inputScript } from "./Started.ts"
import type { Arg } from "./Words.ts"
import { joined } from "./Words.ts"

/** What a command runs in turn: another command, or text in the shell's language. */
export type Inner =
  & { readonly where: Where; readonly visible: boolean }
  & (
    | { readonly kind: "command"; readonly words: ReadonlyArray<Arg>; readonly assignments: ReadonlyArray<Arg> }
    | { readonly kind: "script"; readonly script: Arg }
  )

const eachIsScript = new Set(["concurrently", "hyperfine"])
const isAssignment = (arg: Arg): boolean => /^[A-Za-z_]\w*=/.test(arg.guess)

/** `npx tool@5` runs `tool`. */
const unversioned = ({ program, verbs }: Wrapper, words: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const [first, ...rest] = words
  const fetches = /^(npx|bunx|pnpx|uvx)$/.test(program) || /^(dlx|exec|x)$/.test(verbs[0] ?? "")
  const named = fetches && first !== undefined ? /^(.[^@\s]*)@[^/\s]*$/.exec(first.guess) : null
  return named === null
    ? words
    : [{ ...first!, guess: named[1]!, value: first!.value === null ? null : named[1]! }, ...rest]
}

/** Where the wrapped command begins among the arguments; nowhere where the wrapper is asked for something else. */
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

/** What a program runs that only starts another one, as `sudo` and `ssh` do. */
export const wrapped = (command: Command): ReadonlyArray<Inner> => {
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
