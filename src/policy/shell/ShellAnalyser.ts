import type { ActionContext, CallAction, CommandAction, RiskFinding } from "../decision/CallAction.ts"
import type { Analyse, ShellAnalysis } from "../decision/ShellAnalysis.ts"
import { findingsOf } from "./danger/RiskFindings.ts"
import { Interpreter } from "./interpret/Interpreter.ts"
import type { AssignedVariable } from "./parse/AssignedVariables.ts"
import { isInside, resolve } from "./parse/Paths.ts"
import { coarseCommands } from "./parse/CoarseCommands.ts"
import { isTooLong, maxBytes, parse } from "./parse/ShellParser.ts"
import { TooLarge } from "./parse/SourceSize.ts"
import { type Arg, Command, HOLE, literal, noInput } from "./programs/Command.ts"
import { environmentNames, isHarmlessVariable, isOwnVariable, loadsCode } from "./programs/Environment.ts"
import { fileAccessOf } from "./programs/FileAccess.ts"
import { networkProgramsOf } from "./programs/Network.ts"
import { isReadOnly, isTest, readsItself, runsTest } from "./programs/ReadOnly.ts"
import { programOf, unversioned } from "./programs/Table.ts"

/** Reads a command line. Never throws: what cannot be read is one opaque part (docs/policy.md#opaque-commands). */
export const analyse: Analyse = (command, place) => {
  const interpreter = new Interpreter(place)
  try {
    if (isTooLong(command)) throw new TooLarge(`it has more than ${maxBytes / 1024} KiB`)
    const script = parse(command)
    if (script === undefined) return unreadable(command, place)
    interpreter.run(script)
    return interpreter.parseError ? unreadable(command, place, interpreter) : summary(interpreter, place, command)
  } catch (error) {
    return {
      ...unreadable(command, place, interpreter),
      unanalysed: `is too large to analyse: ${error instanceof TooLarge ? error.message : "it is nested too deeply"}`
    }
  }
}

const summary = (interpreter: Interpreter, place: ActionContext, text: string): ShellAnalysis => {
  const { commands, recorder, tooDeep } = interpreter
  const shapes: Array<RiskFinding> = interpreter.floods.map((part) => ({ category: "resource", part }))
  for (const command of commands) shapes.push(...findingsOf(command, place))
  const opaque = tooDeep || interpreter.reevaluation.isPossible || commands.some((command) => command.opaque)
  if (tooDeep) shapes.push({ category: "obfuscated", part: text })
  const guessed = guessedFindings(interpreter, place)
  shapes.push(...guessed.shapes)
  const distinct = new Map(shapes.map((shape) => [`${shape.category} ${shape.part}`, shape]))
  return {
    parts: recorder.parts,
    inner: [...recorder.inner, ...guessed.inner, ...tooDeep ? mayBeCommands(text, place) : []],
    capability: capabilityOf(interpreter, opaque || shapes.length > 0, place),
    opaque,
    parseError: false,
    shapes: [...distinct.values()],
    networkPrograms: networkProgramsOf(commands),
    ...(tooDeep ? { unanalysed: "is nested or repeated too often to analyse" } : {}),
    reads: opaque || shapes.length > 0 ? none : readsOf(interpreter, place)
  }
}

/**
 * Dangers of what commands may run, told as dangers of these commands. What is only unclear there is no danger: it may
 * be no command at all. Deny and ask rules see what is dangerous.
 */
const guessedFindings = (
  { guesses }: Interpreter,
  place: ActionContext
): Pick<ShellAnalysis, "inner" | "shapes"> => {
  const shapes: Array<RiskFinding> = []
  const inner: Array<CallAction> = []
  for (const { command, probe } of guesses) {
    const found = [
      ...probe.commands.flatMap((each) => findingsOf(each, place)),
      ...guessedFindings(probe, place).shapes
    ].filter(({ category }) => category !== "obfuscated")
    if (found.length === 0) continue
    const part = command.fields.text
    for (const { category } of found) {
      if (!shapes.some((each) => each.category === category && each.part === part)) shapes.push({ category, part })
    }
    inner.push(...probe.recorder.parts, ...probe.recorder.inner)
  }
  return { shapes, inner }
}

const none: ReadonlySet<CallAction> = new Set()

/** The parts that only read, and nothing outside the session's folders. */
const readsOf = (interpreter: Interpreter, place: ActionContext): ReadonlySet<CallAction> => {
  const { assigned, background, functions, recorder, reevaluation } = interpreter
  if (background || functions.size > 0 || reevaluation.isThinkable) return none
  if (assigned.all.some((each) => actsOnPrograms(each.name) || !isHarmless(each))) return none
  return new Set(recorder.parts.filter((part) => {
    if (part.kind === "read") return part.path !== null && isInside(part.path, place)
    const commands = recorder.commandsOf.get(part)
    return part.kind === "command" && commands !== undefined && staysInside(part, place) &&
      commands.every((command) =>
        command.fields.name !== undefined && isPlain(command, place) && !leavesRoots(command, place) &&
        isRead(command, place) && !command.fields.reads.some((arg) => mayReachOut(arg, interpreter))
      )
  }))
}

const mayLeave = /^[/~]|=[/~]|(^|[/=])\.\.(\/|$)/

const staysInside = (
  { alternatives = [], argv, cwd, mentions = [], touches, values = argv }: CommandAction,
  place: ActionContext
): boolean =>
  cwd !== null && isInside(cwd, place) && mentions.every((path) => isInside(path, place)) &&
  [values, ...alternatives].every((words) => words.every((word) => word !== null && !mayLeave.test(word))) &&
  touches.every(({ path }) => isInside(path, place))

/** What was found on the way is kept: a deny rule should still see it. */
const unreadable = (command: string, place: ActionContext, interpreter?: Interpreter): ShellAnalysis => ({
  parts: [
    {
      kind: "command",
      text: command,
      program: null,
      argv: [null],
      assignments: [],
      wrappers: [],
      cwd: null,
      touches: [],
      opaque: true
    },
    ...(interpreter?.recorder.parts ?? [])
  ],
  inner: [...interpreter?.recorder.inner ?? [], ...mayBeCommands(command, place)],
  capability: "shell_rw",
  opaque: true,
  parseError: true,
  shapes: [],
  networkPrograms: networkProgramsOf(interpreter?.commands ?? []),
  reads: none
})

/** Programs behind whose name in the middle of words a command may begin; more are not looked for. */
const mostBegun = 64

/** Words of commands that begin in the middle of others. */
const mostInner = 20_000

/** No system starts a program with an argument that is longer. */
const longestArgument = 1_048_576

/**
 * What deny rules, ask rules and limits see of a text that was not gone through: whatever looks like a command, also in
 * quotes, here-documents and comments.
 */
const mayBeCommands = (text: string, place: ActionContext): ReadonlyArray<CallAction> => {
  const { commands, redirects, unquoted } = coarseCommands(text.slice(0, longestArgument))
  const found = new Map<string, CallAction>()
  const add = (words: ReadonlyArray<string>, namesFiles: boolean): void => {
    const key = words.join(" ")
    if (!found.has(key)) found.set(key, coarsePart(words, key, namesFiles ? place : undefined, place.cwd))
  }
  let left = mostInner
  const addAll = (words: ReadonlyArray<string>, namesFiles: boolean): void => {
    add(words, namesFiles)
    const begun = words.flatMap((word, at) =>
      at > 0 && (beginsCommand(words[at - 1]!) || programOf(baseOf(word)).name !== "") ? [at] : []
    )
    const kept = begun.length <= mostBegun ? begun : [...begun.slice(0, mostBegun / 2), ...begun.slice(-mostBegun / 2)]
    for (const at of kept) {
      left -= words.length - at
      if (left < 0) return
      add(words.slice(at), namesFiles)
    }
  }
  for (const words of commands) addAll(words, true)
  for (const words of unquoted) addAll(words, false)
  for (const { kind, word } of redirects) {
    const path = resolve(word.replace(/^~(?=\/|$)/, place.home), place.cwd)
    if (path !== undefined && !discards.has(path)) found.set(`${kind} ${path}`, { kind, text: word, path })
  }
  return [...found.values()]
}

const baseOf = (word: string): string => unversioned(word.slice(word.lastIndexOf("/") + 1))

const beginsCommand = (word: string): boolean => /^(!|if|then|elif|else|while|until|do|time|coproc)$|^\w+=/.test(word)

const coarsePart = (
  words: ReadonlyArray<string>,
  text: string,
  place: ActionContext | undefined,
  cwd: string
): CommandAction => {
  const [name = "", ...args] = words
  const given = { assignments: [], wrappers: [], input: noInput, writes: [], reads: [], background: false, kept: [] }
  const command = place && new Command({
    ...given,
    text,
    name: literal(name),
    args: args.map((word) => literal(word.replace(/^~(?=\/|$)/, place.home))),
    cwd,
    where: "here",
    downloads: new Set(),
    written: new Map()
  })
  return {
    kind: "command",
    text,
    program: name,
    argv: words,
    assignments: [],
    wrappers: [],
    cwd,
    touches: command === undefined || place === undefined ? [] : fileAccessOf(command, place),
    opaque: true
  }
}

/** Which capability a command line needs (docs/policy.md#shell-analysis). In doubt it is `shell_rw`. */
const capabilityOf = (
  interpreter: Interpreter,
  isSuspect: boolean,
  place: ActionContext
): ShellAnalysis["capability"] => {
  if (interpreter.empty) return "none"
  if (isSuspect || interpreter.background || interpreter.functions.size > 0) return "shell_rw"
  const assigned = interpreter.assigned.all
  if (assigned.some(({ name }) => actsOnPrograms(name))) return "shell_rw"
  const { commands } = interpreter
  let tests = false
  for (const command of commands) {
    // In its own words it is among them as well.
    if (command.fields.restates) continue
    if (!isPlain(command, place) || leavesRoots(command, place)) return "shell_rw"
    if (command.fields.reads.some((arg) => mayReachOut(arg, interpreter))) return "shell_rw"
    if (onlyReads(command, commands, place)) continue
    if (!countsAsTest(command, place) && !runsTest(command, commands)) return "shell_rw"
    tests = true
  }
  if (tests) return "shell_test"
  const reads = !interpreter.reevaluation.isThinkable && assigned.every(isHarmless)
  return reads ? "shell_ro" : "shell_rw"
}

/** It changes what later programs do, unless its value is one of those that change nothing. */
const actsOnPrograms = (name: string): boolean =>
  name === "" || environmentNames.has(name) && name !== "IFS" || loadsCode(name)

const isHarmless = ({ isPassed, name, value }: AssignedVariable): boolean =>
  isHarmlessVariable(name, value ?? "/") || (!isPassed && isOwnVariable(name))

/** Known to build or test, or said so by the user. */
const countsAsTest = (command: Command, place: ActionContext): boolean => {
  const { args, name } = command.fields
  return isTest(command) || place.isTest?.([name?.value ?? null, ...args.map(({ value }) => value)]) === true
}

const discards = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"])

/** It writes no file, sets nothing that later programs act on, and runs here. */
const isPlain = (command: Command, place: ActionContext): boolean => {
  const { assignments, name, where, writes } = command.fields
  if (where !== "here" || !writes.every((arg) => arg.value !== null && discards.has(arg.value))) return false
  return assignments.every((each) =>
    name === undefined || isHarmlessVariable(each.name, each.value.value ?? "/") || countsAsTest(command, place)
  )
}

/** The shell opens a connection where a redirect names `/dev/tcp/HOST/PORT`. */
const mayReachOut = ({ guess, text }: Arg, { assigned, commands }: Interpreter): boolean => {
  if (/^\/+dev\/+(tcp|udp)\//.test(guess)) return true
  if (!guess.startsWith(HOLE)) return false
  const name = /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(text)?.[1]
  const given = assigned.all.filter((each) => each.name === name)
  // Only a loop over names that stand in the command line says what it may be.
  return given.length === 0 || !given.every(({ value }) => value !== undefined && !/(^|\s)\/+dev\//.test(value)) ||
    commands.some((command) => command.row.words("reads-as").includes("names"))
}

const leavesRoots = (
  { fields: { cwd }, line: { operands: [target] }, program }: Command,
  place: ActionContext
): boolean => {
  if (!/^(cd|pushd|popd|chdir)$/.test(program)) return false
  if (program === "popd" || target === undefined || target.value === null || target.guess === "-") return true
  return !isInside(resolve(target.guess, cwd), place)
}

/** A path may name anything, also a file that only looks like a well-known program. */
const isRead = (command: Command, place: ActionContext): boolean =>
  command.fields.name?.guess.includes("/") === false && isReadOnly(command, place)

/** What runs another command is as harmless as that one, which is looked at as well. */
const onlyReads = (command: Command, all: ReadonlyArray<Command>, place: ActionContext): boolean => {
  const { name } = command.fields
  return name === undefined || isRead(command, place) || (!name.guess.includes("/") && readsItself(command, all))
}
