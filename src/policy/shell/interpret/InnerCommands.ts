import { after, type Arg, type Command, HOLE, joined, literal, type Where } from "../programs/Command.ts"
import { tellsFiles } from "../programs/FileOperands.ts"
import { matches } from "../programs/Rules.ts"
import { programOf, type Wrapper } from "../programs/Table.ts"
import { commandsOfFinder, commandsOfParallel, withInputNames } from "./BatchRunners.ts"

/** What a command runs in turn: another command, or text in the shell's language. */
export type Inner =
  & { readonly where: Where; readonly kept: ReadonlyArray<string>; readonly visible: boolean }
  & (
    | { readonly kind: "command"; readonly words: ReadonlyArray<Arg>; readonly assignments: ReadonlyArray<Arg> }
    | { readonly kind: "script"; readonly script: Arg }
  )

/** Everything that a command runs in turn. */
export const innerOf = (command: Command): ReadonlyArray<Inner> => {
  const { args, program, row } = command
  if (program === "") return []
  const here = { where: command.fields.where, kept: command.fields.kept, visible: true } as const
  const scripts = (list: ReadonlyArray<Arg>, visible = true): ReadonlyArray<Inner> =>
    list.map((script) => ({ ...here, visible, kind: "script", script }))
  const commands = (lists: ReadonlyArray<ReadonlyArray<Arg>>): ReadonlyArray<Inner> =>
    lists.map((words) => ({ ...here, kind: "command", words, assignments: [] }))
  if (row.is("shell") || hasScriptOption(command)) return scripts(scriptsOfShell(command))
  switch (program) {
    case "eval":
      return args.length === 0 || (args.length === 1 && isHook(args[0]!.inner)) ? [] : scripts([joined(args)])
    case "trap":
      return scripts(trapAction(args))
    case "alias":
      return scripts(
        args.flatMap((arg) => arg.guess.includes("=") ? [{ ...arg, guess: arg.guess.replace(/^[^=]*=/, "") }] : []),
        false
      )
  }
  switch (row.words("batch")[0]) {
    case "expression":
    case "pattern":
      return commands(commandsOfFinder(command))
    case "jobs":
    case "job":
      return commandsOfParallel(command).flatMap((each) => (each.length === 1 ? scripts(each) : commands([each])))
  }
  const fed = row.is("fed-script") ? scripts(inputScript(command), false) : []
  return [...scripts(optionScripts(command)), ...fed, ...wrapped(command, row.wrappers)]
}

const trapAction = (args: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const dashes = args[0]?.guess === "--"
  const [action, ...signals] = dashes ? args.slice(1) : args
  if (action === undefined || signals.length === 0 || action.guess === "") return []
  return (dashes ? action.guess === "-" : action.guess.startsWith("-")) ? [] : [action]
}

/** A command that one fixed local program prints to be evaluated: `eval "$(direnv hook bash)"`. */
export const isHook = (commands: ReadonlyArray<Command>): boolean => {
  const [first] = commands
  if (commands.length !== 1 || first === undefined || first.opaque || first.fields.writes.length > 0) return false
  const path = first.fields.name?.guess ?? ""
  if (/^\.|^\/tmp\/|^\/var\/tmp\/|^\/dev\/shm\//.test(path)) return false
  const words = first.words.join(" ")
  const hook = first.row.texts("hook")[0]
  return (hook !== undefined && new RegExp(hook).test(words)) || (!path.includes("/") && completes(first, words))
}

const completion = /^(?!.*https?:)([\w-]+ )*completions?( -s)?( (bash|zsh|fish))?$|^--?(bash|zsh)-completion/

const completes = ({ row }: Command, words: string): boolean =>
  completion.test(words) && !tellsFiles(row) && !row.is("shell") && row.language === undefined

/** How a shell reads its own arguments: options end at the first other word, and `-c` is one without a value. */
interface ShellArguments {
  readonly flags: ReadonlySet<string>
  readonly operands: ReadonlyArray<Arg>
}

export const shellArguments = ({ args, words }: Command): ShellArguments => {
  const flags = new Set<string>()
  let at = 0
  for (; at < args.length; at++) {
    const text = words[at]!
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
    while (values-- > 0 && words[at + 1] !== undefined && !/^[-+]/.test(words[at + 1]!)) at++
  }
  return { flags, operands: args.slice(at) }
}

/** A shell of another language that takes its script as a value; one in this language takes the next operand. */
const hasScriptOption = ({ row }: Command): boolean => row.is("foreign-shell") && row.is("evaluates")

/** What a shell runs, except a script file: `-c` text, or its input. */
const scriptsOfShell = (command: Command): ReadonlyArray<Arg> => {
  const { line } = command
  if (hasScriptOption(command)) {
    if (line.has("-n", "--version", "--help")) return []
    if (line.has("-c", "--command")) return [...line.values("-c", "--command"), ...line.operands].slice(0, 1)
  } else {
    const { flags, operands } = shellArguments(command)
    if (flags.has("n") || flags.has("--version") || flags.has("--help")) return []
    if (flags.has("c")) return operands.slice(0, 1)
  }
  return readsCode(command) ? inputScript(command) : []
}

/** The words after a `-c` text, which it sees as `$1` and on. */
export const scriptArguments = (command: Command): ReadonlyArray<Arg> | undefined => {
  if (!command.row.is("shell")) return undefined
  const { flags, operands } = shellArguments(command)
  return flags.has("c") ? operands.slice(2) : undefined
}

/** Its input as a script, where that is known. */
const inputScript = ({ fields: { input: { text } } }: Command): ReadonlyArray<Arg> =>
  text === undefined ? [] : [{
    ...literal(text),
    value: text.includes(HOLE) ? null : text,
    certain: !text.includes(HOLE)
  }]

/** A shell, or `source`, that takes its code from standard input. */
export const readsCode = (command: Command): boolean => {
  const { line, program, row } = command
  if (program === "source" || program === ".") return isStandardInput(line.operands[0])
  if (row.is("foreign-shell")) {
    return !line.has("-c") && (line.operands.length === 0 || line.has("-s") || isStandardInput(line.operands[0]))
  }
  if (!row.is("shell")) return false
  const { flags, operands } = shellArguments(command)
  return !flags.has("c") && (operands.length === 0 || flags.has("s") || isStandardInput(operands[0]))
}

export const isStandardInput = (arg: Arg | undefined): boolean =>
  arg !== undefined && /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/(self|thread-self|0)\/fd\/0)$/.test(arg.guess)

/** Scripts in option values and operands, as in `su -c`. */
const optionScripts = (command: Command): ReadonlyArray<Arg> => {
  const { line, row } = command
  const listed = row.scripts.flatMap(({ rule, words }) => {
    if (rule !== undefined && !matches(rule, command)) return []
    return words[0] === "operands" ? line.operands.slice(Number(words[1])) : line.values(...words)
  })
  return [...listed, ...row.words("script-word").flatMap((name) => nextWord(command, name))]
}

/** The word behind an option, or joined to it, that the program takes wherever it stands. */
const nextWord = ({ args, words }: Command, name: string): ReadonlyArray<Arg> => {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
  if (at < 0) return []
  return words[at] === name ? args.slice(at + 1, at + 2) : [literal(words[at]!.slice(name.length + 1))]
}

const isAssignment = (arg: Arg): boolean => /^[A-Za-z_]\w*=/.test(arg.guess)

/** `tool@5` runs `tool`. */
const withoutVersion = ({ marks, verbs }: Wrapper, words: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const [first, ...rest] = words
  const fetches = marks.has("fetches") || /^(dlx|exec|x)$/.test(verbs[0] ?? "")
  const named = fetches && first !== undefined
    ? /^(?:npm:|jsr:)?(.[^@\s]*)@[^/\s]*$|^(?:npm:|jsr:)(.+)$/.exec(first.guess)
    : null
  const name = named?.[1] ?? named?.[2]
  return named === null
    ? words
    : [{ ...first!, guess: name!, value: first!.value === null ? null : name! }, ...rest]
}

/** The option asks for something else than to run the command; letters may be joined. */
const asksFor = ({ asks }: Wrapper, text: string): boolean =>
  asks.some((each) => each === text || (each.length === 2 && text[1] !== "-" && text.includes(each[1]!)))

/** The name that the inner command is told to have. */
const toldName = ({ args, row, words }: Command, start: number): Arg | undefined => {
  const options = row.words("argv0")
  for (let at = 0; at < start && options.length > 0; at++) {
    for (const option of options) {
      if (words[at] === option && at + 1 < start) return args[at + 1]
      if (words[at]!.startsWith(`${option}=`)) return after(args[at]!, option.length + 1)
    }
  }
  return undefined
}

/** Where the wrapped command begins among the arguments; nowhere where the wrapper is asked for something else. */
const innerStart = ({ args, row, words }: Command, wrapper: Wrapper): number | undefined => {
  const { marks, verbs } = wrapper
  let passes = wrapper.passes !== undefined
  const valued = verbs.length === 0 && !marks.has("login") ? undefined : (row.values(verbs[0]) ?? row.values())
  let verb = 0
  let skip = wrapper.skip
  for (let at = 0; at < args.length; at++) {
    const text = words[at]!
    if (text === "--" && verb === verbs.length) {
      if (marks.has("dashes") || skip === 0) return at + 1
      continue
    }
    if (text === "-" && marks.has("assigns")) continue
    if (wrapper.begins.includes(text)) return at + 1
    if (wrapper.pairs.includes(text)) {
      at += 2
      continue
    }
    if (skip === 0 && wrapper.scriptAt.includes(text)) return at
    if (text.length > 1 && text[0] === "-") {
      if (asksFor(wrapper, text)) return undefined
      if (wrapper.values.includes(text) || valued?.has(text) === true) at++
      continue
    }
    if (wrapper.except.has(text) && verb === verbs.length) return undefined
    if (verb < verbs.length) {
      const wanted = verbs[verb++]
      if (wanted !== "*" && text !== wanted) return undefined
      continue
    }
    if (marks.has("assigns") && isAssignment(args[at]!)) return at
    if (skip-- > 0 || marks.has("dashes")) continue
    if (passes) {
      passes = false
      if (wrapper.passes!(text) || text.includes(HOLE)) continue
    }
    return at
  }
  return marks.has("login") ? args.length : undefined
}

/** What a program runs that only starts another one, as `sudo` and `ssh` do. */
export const wrapped = (command: Command, wrappers: ReadonlyArray<Wrapper>): ReadonlyArray<Inner> => {
  for (const wrapper of wrappers) {
    const start = innerStart(command, wrapper)
    if (start !== undefined) return wrappedFrom(command, wrapper, start)
  }
  return []
}

/** Folders of a container that are mounted to be written: what is changed there stays. */
const mountTargets = ({ line }: Command): ReadonlyArray<string> => [
  ...line.values("-v", "--volume").flatMap(({ guess }) => {
    const [, target, mode = ""] = /^[^:]+:([^:]+)(?::(.*))?$/.exec(guess) ?? []
    return target === undefined || /(^|,)ro(,|$)/.test(mode) ? [] : [target]
  }),
  ...line.values("--mount").flatMap(({ guess }) => {
    const target = /(?:^|,)(?:target|dst|destination)=([^,]+)/.exec(guess)?.[1]
    return target === undefined || /(^|,)(readonly|ro)(,|=|$)/.test(guess) ? [] : [target]
  })
]

const wrappedFrom = (command: Command, wrapper: Wrapper, start: number): ReadonlyArray<Inner> => {
  const { marks } = wrapper
  const where = marks.has("remote") ? "remote" : marks.has("contained") ? "contained" : command.fields.where
  const kept = where !== "contained" ? [] : marks.has("kept") ? ["/"] : mountTargets(command)
  const common = { where, kept, visible: wrapper.visible }
  const scripts = (list: ReadonlyArray<Arg>): ReadonlyArray<Inner> =>
    list.map((script) => ({ ...common, kind: "script", script }))
  const entry = marks.has("contained") ? command.line.values("--entrypoint") : []
  const words = [...entry, ...withoutVersion(wrapper, command.args.slice(start))]
  if (words.length === 0) return marks.has("login") ? scripts(inputScript(command)) : []
  if (marks.has("scripts")) return scripts(words)
  if (wrapper.scriptAt.includes(words[0]!.guess)) return scripts([joined(words.slice(1))])
  if ((marks.has("script") && !command.line.has("-x")) || marks.has("always-script") || marks.has("login")) {
    const text = marks.has("keys") ? words.filter((word) => !/^(Enter|C-m|KPEnter)$/.test(word.guess)) : words
    return text.length === 0 ? [] : scripts([joined(text)])
  }
  const first = words.findIndex((word) => !isAssignment(word))
  const assignments = first < 0 ? words : words.slice(0, first)
  const inner = marks.has("appends") ? withInputNames(command, words) : first < 0 ? [] : words.slice(first)
  const [program, ...rest] = inner
  const name = toldName(command, start)
  const isNamed = program !== undefined && name !== undefined &&
    programOf(program.guess.slice(program.guess.lastIndexOf("/") + 1)).is("multi-call")
  return [{ ...common, kind: "command", words: isNamed ? [program, name, ...rest] : inner, assignments }]
}
