import type { Command } from "./Command.ts"
import { foreignShells, shells } from "./programs/Languages.ts"
import type { Arg } from "./Words.ts"
import { HOLE, literal } from "./Words.ts"

/** How a shell reads its own arguments: options end at the first other word, and `-c` is one without a value. */
interface Started {
  readonly flags: ReadonlySet<string>
  readonly operands: ReadonlyArray<Arg>
}

const started = ({ args }: Command): Started => {
  const flags = new Set<string>()
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]!.guess
    if (text === "-" || text === "--") {
      at++
      break
    }
    if (text.length < 2 || !/^[-+]/.test(text)) break
    if (text.startsWith("--")) {
      flags.add(text)
      if (/^--(rcfile|init-file|emulate)$/.test(text)) at++
      continue
    }
    let values = 0
    for (const letter of text.slice(1)) {
      if (text[0] === "-" || letter === "c") flags.add(letter)
      else flags.delete(letter)
      if (letter === "o" || letter === "O") values++
    }
    // Without a name such an option lists what is set, and its neighbour is an option again.
    while (values-- > 0 && args[at + 1] !== undefined && !/^[-+]/.test(args[at + 1]!.guess)) at++
  }
  return { flags, operands: args.slice(at) }
}

/** What a shell runs, except a script file: `-c` text, or its input. */
export const shellScript = (command: Command): ReadonlyArray<Arg> => {
  const { line, program } = command
  if (program === "fish") {
    if (line.has("-n", "--version", "--help")) return []
    if (line.has("-c", "--command")) return [...line.values("-c", "--command"), ...line.operands].slice(0, 1)
  } else {
    const { flags, operands } = started(command)
    if (flags.has("n") || flags.has("--version") || flags.has("--help")) return []
    if (flags.has("c")) return operands.slice(0, 1)
  }
  return readsCode(command) && command.fields.input.text !== undefined ? [inputScript(command)] : []
}

/** The words after a `-c` text, which it sees as `$1` and on. */
export const scriptArguments = (command: Command): ReadonlyArray<Arg> | undefined => {
  if (!shells.has(command.program)) return undefined
  const { flags, operands } = started(command)
  return flags.has("c") ? operands.slice(2) : undefined
}

export const inputScript = (command: Command): Arg => {
  const text = command.fields.input.text!
  return { ...literal(text), value: text.includes(HOLE) ? null : text, certain: !text.includes(HOLE) }
}

/** A shell, or `source`, that takes its code from standard input. */
export const readsCode = (command: Command): boolean => {
  const { line, program } = command
  if (program === "source" || program === ".") return isStandardInput(line.operands[0])
  if (foreignShells.has(program)) {
    return !line.has("-c") && (line.operands.length === 0 || line.has("-s") || isStandardInput(line.operands[0]))
  }
  if (!shells.has(program)) return false
  const { flags, operands } = started(command)
  return !flags.has("c") && (operands.length === 0 || flags.has("s") || isStandardInput(operands[0]))
}

const isStandardInput = (arg: Arg | undefined): boolean =>
  arg !== undefined && /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/(self|thread-self|0)\/fd\/0)$/.test(arg.guess)
