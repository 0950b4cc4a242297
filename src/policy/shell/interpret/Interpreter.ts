import type { ActionContext } from "../../decision/CallAction.ts"
import { AssignedVariables } from "../parse/AssignedVariables.ts"
import { resolve } from "../parse/Paths.ts"
import { Reevaluation } from "../parse/Reevaluation.ts"
import {
  type AndOr,
  type AssignmentNode,
  type CommandNode,
  type CompoundList,
  forEachChild,
  parse,
  type Pipeline,
  type Redirection,
  type Script,
  type Statement,
  type SyntaxNode
} from "../parse/ShellParser.ts"
import {
  type Arg,
  type Assignment,
  Command,
  type Fields,
  freshFolder,
  HOLE,
  type Input,
  isKnown,
  literal,
  noInput,
  supplied
} from "../programs/Command.ts"
import { environmentNames } from "../programs/Environment.ts"
import { downloadedBy } from "../programs/Network.ts"
import { CommandRecorder, textOf } from "./CommandRecorder.ts"
import { listedBy } from "./BatchRunners.ts"
import { guessesOf, writtenBy } from "./Guesses.ts"
import { type Inner, innerOf, scriptArguments } from "./InnerCommands.ts"
import { Aliases, restatementsOf } from "./Restatements.ts"
import {
  type AlternateCwds,
  copy,
  merge,
  outermost,
  type Scope,
  settle,
  stand,
  startIn,
  stay,
  type WalkContext
} from "./Scope.ts"
import { isSubstitution, pipeInput, substitutions, toArg, toArgs, toText, type WordContext } from "./WordExpansion.ts"

const maxDepth = 4
const maxLevels = 32
const maxWrapped = 16
const maxCalls = 3
/** Calls of functions that are followed in all. */
const mostCalls = 64
const maxMoves = 64
/** Guesses inside guesses, and guesses in all. */
const maxGuessed = 2
const mostGuesses = 256

interface Redirects {
  readonly writes: ReadonlyArray<Arg>
  readonly reads: ReadonlyArray<Arg>
  /** The last thing that becomes the standard input, if any does. */
  readonly input: Input | undefined
}

/** What a command may run. */
export interface Guessed {
  readonly command: Command
  readonly inner: Inner
  readonly probe: Interpreter
}

type Given = Pick<Fields, "assignments" | "input" | "reads" | "writes">

/** Goes through a script in the order in which it runs and records every command in it. */
export class Interpreter {
  readonly recorder: CommandRecorder
  /** Text of commands that multiply or never stop. */
  readonly floods: Array<string> = []
  readonly functions = new Map<string, SyntaxNode>()
  readonly reevaluation = new Reevaluation()
  readonly assigned = new AssignedVariables()
  parseError = false
  /** There is nothing at all to run. */
  empty = false
  /** Something is nested too deeply, or hidden where it is not looked for. */
  tooDeep = false
  background = false
  /** What commands may run where their words only suggest it: a person is told of its dangers, and of nothing else. */
  readonly guesses: Array<Guessed> = []
  readonly #place: ActionContext
  /** Files downloaded so far, to know them when they are run. */
  readonly #downloads: Set<string>
  /** Files written so far with literal text. What was written first is kept, since it may be run in between. */
  readonly #written: Map<string, string>
  /** How many guesses lead to here, and how many there are in all. */
  readonly #guessed: number
  readonly #budget: { guesses: number }
  /** How many calls of functions were followed. */
  #calls = 0
  /** What runs at some later time, and where the shell has been since it was set. */
  readonly #later: Array<(scope: Scope) => void> = []
  readonly #visited = new Set<string | null>()
  readonly #aliases = new Aliases()
  /** How often the folder changes. */
  #moves = 0
  /** Where functions may have gone. */
  #ends: AlternateCwds = []
  /** Words do not mean what they usually do, or the folder may change between any two commands. */
  #lost = false

  constructor(place: ActionContext, outer?: Interpreter) {
    this.#place = place
    this.#downloads = outer === undefined ? new Set() : outer.#downloads
    this.#written = outer === undefined ? new Map() : outer.#written
    this.#guessed = outer === undefined ? 0 : outer.#guessed + 1
    this.#budget = outer === undefined ? { guesses: mostGuesses } : outer.#budget
    this.recorder = new CommandRecorder(place)
  }

  get commands(): ReadonlyArray<Command> {
    return this.recorder.commands
  }

  run(script: Script): void {
    this.empty = script.commands.length === 0
    const scope = startIn(this.#place.cwd)
    this.#script(script, scope, outermost)
    for (const run of this.#later) {
      settle(scope, merge([...this.#visited], scope.at), [])
      run(scope)
    }
    this.recorder.commands.push(...this.recorder.alternates)
    if (this.#lost) this.recorder.unsettle()
  }

  #script(script: Script, scope: Scope, context: WalkContext): ReadonlyArray<Command> {
    if (script.errors !== undefined && script.errors.length > 0) this.parseError = true
    this.reevaluation.look(script)
    this.assigned.look(script)
    return this.#statements(script.commands, scope, context)
  }

  #statements(statements: ReadonlyArray<Statement>, scope: Scope, context: WalkContext): ReadonlyArray<Command> {
    const from = this.commands.length
    if (context.levels > maxLevels) this.tooDeep = true
    else {
      for (const statement of statements) {
        const background = statement.background === true
        if (background) this.background = true
        this.#node(
          statement.command,
          background ? copy(scope) : scope,
          background ? { ...context, background } : context
        )
        if (background) stay(scope)
      }
    }
    return this.commands.slice(from)
  }

  #node(node: SyntaxNode, scope: Scope, context: WalkContext): ReadonlyArray<Command> {
    const from = this.commands.length
    const deeper = { ...context, levels: context.levels + 1 }
    const list = (body: CompoundList, inner = scope) => this.#statements(body.commands, inner, deeper)
    switch (node.type) {
      case "Command":
        this.#simple(node, scope, context)
        break
      case "Pipeline":
        this.#pipeline(node, scope, context)
        break
      case "AndOr":
        this.#chain(node, scope, context)
        break
      case "Subshell":
        list(node.body, copy(scope))
        stay(scope)
        break
      case "BraceGroup":
        list(node.body)
        break
      case "CompoundList":
        list(node)
        break
      case "Redirected": {
        const before = scope.at
        this.#node(node.command, scope, { ...context, ...this.#groupRedirects(node.redirects, scope, context) })
        settle(scope, scope.ok, merge(scope.failed, before))
        break
      }
      case "Function":
        this.#define(node, scope, deeper)
        stay(scope)
        break
      case "Coproc":
        this.background = true
        this.#node(node.body, copy(scope), { ...deeper, background: true })
        stay(scope)
        break
      default:
        this.#branches(node, scope, deeper)
    }
    return this.commands.slice(from)
  }

  #words(scope: Scope, context: WalkContext): WordContext {
    return {
      home: this.#place.home,
      cwd: scope.cwd,
      variables: scope.variables,
      positional: scope.positional,
      visit: (node) => this.#substitution(node, scope, context)
    }
  }

  #substitution(node: SyntaxNode, scope: Scope, context: WalkContext): ReadonlyArray<Command> {
    if (!isSubstitution(node) || node.script === undefined) return []
    const fed: Input = { text: undefined, fed: true, from: context.input.from, file: undefined }
    const input = node.type === "ProcessSubstitution" && node.operator === ">" ? fed : noInput
    const levels = context.levels + 1
    return this.#script(node.script, copy(scope), { ...context, levels, input, background: false, piped: false })
  }

  /**
   * Each stage runs in a shell of its own and reads what the stages before it print; a single command is no pipeline.
   */
  #pipeline(node: Pipeline, scope: Scope, context: WalkContext): void {
    if (node.commands.length === 1) {
      this.#node(node.commands[0]!, scope, context)
      const negated = node.prefixes.filter((each) => each.type === "Negation").length % 2 === 1
      if (negated) settle(scope, scope.failed, scope.ok)
      return
    }
    let input = context.input
    const earlier: Array<Command> = []
    for (const command of node.commands) {
      const stage = this.#node(command, copy(scope), { ...context, input, piped: true })
      input = pipeInput(stage, earlier)
      earlier.push(...stage)
    }
    stay(scope)
  }

  /** What stands behind `&&` starts where success leads, and behind `||` where failure does. */
  #chain(node: AndOr, scope: Scope, context: WalkContext): void {
    this.#node(node.commands[0]!, scope, context)
    let { failed, ok } = scope
    node.commands.slice(1).forEach((each, index) => {
      const and = node.operators[index] === "&&"
      stand(scope, and ? ok : failed)
      this.#node(each, scope, context)
      const ends = isExit(each)
      if (and) [ok, failed] = ends ? [[], failed] : [scope.ok, merge(failed, scope.failed)]
      else [ok, failed] = ends ? [ok, []] : [merge(ok, scope.ok), scope.failed]
    })
    settle(scope, ok, failed)
  }

  #define(node: Extract<SyntaxNode, { readonly type: "Function" }>, scope: Scope, context: WalkContext): void {
    const name = node.name.value
    const before = this.#moves
    this.functions.set(name, node.body)
    const inner = copy(scope)
    this.#node(node.body, inner, { ...context, functions: [...context.functions, name] })
    if (this.#moves > before) this.#ends = merge(this.#ends, inner.at)
    if (this.#moves > before || isBuiltin(name)) this.#lost = true
  }

  /** What runs in branches and loops may not run, so a folder changed there is not known afterwards. */
  #branches(node: SyntaxNode, scope: Scope, context: WalkContext): void {
    const before = scope.at
    const first = this.recorder.parts.length
    const known = new Map(scope.variables)
    this.#round(node, scope, context)
    const at = merge(before, scope.at)
    // In the next round the same words lead on from there: no rule may allow what was recorded.
    const isLoop = node.type !== "If" && node.type !== "Case"
    const climbs = isLoop && at.length > before.length
    if (climbs) this.recorder.unsettle(first)
    const own = node.type === "For" || node.type === "Select" ? node.name.value : undefined
    const changes = isLoop &&
      [...scope.variables].some(([name, { guess }]) => name !== own && known.get(name)?.guess !== guess)
    if ((climbs || changes) && !context.again) {
      settle(scope, at, at)
      this.#round(node, scope, { ...context, hidden: true, again: true })
    }
    const after = climbs ? merge([null], at) : at
    settle(scope, after, after)
  }

  #round(node: SyntaxNode, scope: Scope, context: WalkContext): void {
    if (node.type === "For" || node.type === "Select") {
      this.#loopVariable(node, scope, context)
      this.#node(node.body, scope, context)
      return
    }
    const words = this.#words(scope, context)
    const from = this.commands.length
    const inner = isEndless(node) ? { ...context, endless: true } : context
    const look = (child: SyntaxNode): void => {
      if (child.type === "CompoundList") this.#node(child, scope, inner)
      else if (child.type === "Word") this.#refuseHiddenCode(toArg(child, words))
      else if (isSubstitution(child)) words.visit(child)
      else forEachChild(child, look)
    }
    forEachChild(node, look)
    if (inner.endless && !context.endless) this.floods.push(...floodsOf(this.commands.slice(from)))
  }

  /** One word, or one that names something hidden, is as good as an assignment. */
  #loopVariable(
    node: Extract<SyntaxNode, { readonly type: "For" | "Select" }>,
    scope: Scope,
    context: WalkContext
  ): void {
    const name = node.name.value
    const words = node.wordlist?.map((word) => toArg(word, this.#words(scope, context))) ?? []
    words.forEach((word) => this.#refuseHiddenCode(word))
    const guess = words.length === 1 || words.some((word) => word.guess.includes("/.")) ? words[0]!.guess : HOLE
    scope.variables.set(name, { guess, certain: false, glob: words.length === 1 && words[0]!.glob })
    if (!environmentNames.has(name)) return
    const assignments = [{ name, value: words[0] ?? supplied(HOLE) }]
    this.#addBare({ reads: [], writes: [], input: context.input, assignments }, scope, context)
  }

  #refuseHiddenCode(arg: Arg): void {
    if (hidesCode(arg)) this.tooDeep = true
  }

  #addBare(given: Given, scope: Scope, context: WalkContext): void {
    this.recorder.addBare(given, { ...this.#surroundings(scope, context), input: given.input })
  }

  #surroundings(scope: Scope, { background, kept, where, wrappers }: WalkContext) {
    const cwd = where === "here" ? scope.cwd : null
    return { wrappers, cwd, where, kept, background, downloads: this.#downloads, written: this.#written }
  }

  /** A redirect of a whole group counts like one of a command that does nothing else. */
  #groupRedirects(
    nodes: ReadonlyArray<Redirection>,
    scope: Scope,
    context: WalkContext
  ): { readonly input?: Input } {
    const { input, reads, writes } = this.#redirects(nodes, scope, context)
    this.#addBare({ reads, writes, input: context.input, assignments: [] }, scope, context)
    return input === undefined ? {} : { input }
  }

  /** Reads redirects and adds a part for each file; the null device and copies of descriptors are none. */
  #redirects(nodes: ReadonlyArray<Redirection>, scope: Scope, context: WalkContext): Redirects {
    const writes: Array<Arg> = []
    const reads: Array<Arg> = []
    if (nodes.length === 0) return { writes, reads, input: undefined }
    let input: Input | undefined
    const words = this.#words(scope, context)
    const add = (kind: "read" | "write", target: Arg, text: string): void => {
      const into = kind === "write" ? writes : reads
      into.push(target)
      if (target.value !== null && nowhere.has(target.value)) return
      const path = target.value === null ? null : (resolve(target.guess, scope.cwd) ?? null)
      this.recorder.addRedirect({ kind, text, path }, context)
    }
    for (const node of nodes) {
      const isInput = node.descriptor === undefined ||
        (node.descriptor.type === "FileDescriptor" && node.descriptor.value === 0)
      // It sets a variable, which may be one that other programs act on.
      if (node.descriptor?.type === "FileDescriptorVariable") writes.push(supplied(HOLE))
      if (node.type === "HereDoc") {
        const body = node.body.parts === undefined ? literal(node.body.text) : toText(node.body.parts, words)
        const text = node.operator === "<<-" ? body.guess.replace(/^\t+/gm, "") : body.guess
        if (isInput) input = { text, fed: !body.certain || text.includes(HOLE), from: body.inner, file: undefined }
        continue
      }
      if (node.target === undefined) continue
      const target = toArg(node.target, words)
      const { guess, inner } = target
      if (node.type === "HereString") {
        if (isInput) input = { text: guess, fed: !target.certain || guess.includes(HOLE), from: inner, file: undefined }
        continue
      }
      const text = `${node.operator} ${target.text}`
      switch (node.operator) {
        case "<&":
          break
        case ">&":
          if (!isKnown(target) || !/^(\d+-?|-)$/.test(guess)) add("write", target, text)
          break
        case "<": {
          add("read", target, text)
          const fed = inner.length > 0
          const known = this.#written.get(resolve(guess, scope.cwd) ?? "")
          if (isInput) input = { text: known, fed, from: inner, file: fed ? undefined : target }
          break
        }
        case "<>":
          add("read", target, text)
          add("write", target, text)
          break
        default:
          add("write", target, text)
      }
    }
    this.recorder.addAlternateRedirects(reads, "read", scope.at, context)
    this.recorder.addAlternateRedirects(writes, "write", scope.at, context)
    return { writes, reads, input }
  }

  /** One simple command of the source: records it, then everything it runs in turn. */
  #simple(node: CommandNode, scope: Scope, context: WalkContext): void {
    const words = this.#words(scope, context)
    const assignments = node.prefix.flatMap((each) => (each.type === "Assignment" ? [assigned(each, words)] : []))
    const args = node.args.flatMap((each) =>
      each.type === "Word" ? toArgs(each, words) : [declared(each.text, assigned(each, words))]
    )
    const redirects = this.#redirects(node.redirects, scope, context)
    const name = node.name === undefined ? [] : toArgs(node.name, words)
    this.#command(
      [...name, ...args],
      { ...redirects, input: redirects.input ?? context.input, assignments },
      scope,
      context
    )
  }

  #command(words: ReadonlyArray<Arg>, given: Given, scope: Scope, context: WalkContext, restated?: string): void {
    const name = words[0]
    const command = new Command({
      ...given,
      ...this.#surroundings(scope, context),
      ...(restated === undefined ? {} : { restates: true as const }),
      text: restated ?? textOf(words, given.assignments),
      name,
      args: words.slice(1)
    })
    const { program } = command
    if (this.functions.has(program)) command.opaque = false
    // A value is evaluated as well, wherever arithmetic later names its variable.
    const hidden = given.assignments.some((each) => hidesCode(each.value))
    if (hidden || (subscripted.has(program) && command.args.some(hidesCode))) command.opaque = true
    const [first] = command.words
    if (command.row.is("foreign-shell") && first !== undefined && !/^-(-version|-help|v|h)$/.test(first)) {
      command.opaque = true
    }
    const others = this.recorder.add(command, scope.at)
    const inners = innerOf(command)
    if (inners.some((inner) => inner.kind === "script" && !isFixed(command, inner.script))) command.opaque = true
    if (context.functions.includes(program) && (context.background || context.piped)) {
      this.floods.push(command.fields.text)
    }
    if (context.endless && context.background) this.floods.push(command.fields.text)
    this.recorder.addParts(command, others, context)
    const before = this.#moves
    this.#effects(command, others, scope)
    if (this.#later.length > 0) scope.at.forEach((folder) => this.#visited.add(folder))
    this.#call(command, scope, context)
    if (this.functions.has(program)) {
      settle(scope, merge(scope.at, this.#ends), merge(scope.at, this.#ends))
    }
    if (program === "alias" && command.words.some((word) => isBuiltin(word.split("=")[0]!))) this.#lost = true
    if (context.wrapped >= maxWrapped && inners.length > 0) {
      this.tooDeep = true
      return
    }
    if (!this.functions.has(program)) this.#guess(command, scope, context)
    this.#restate(command, given, scope, context)
    const isHere = runsHere.test(program)
    const inside = isHere ? scope : copy(scope)
    for (const inner of inners) {
      const below: WalkContext = {
        ...context,
        wrappers: inner.visible ? [...context.wrappers, program] : context.wrappers,
        wrapped: context.wrapped + 1,
        where: inner.where,
        kept: inner.kept,
        hidden: context.hidden || !inner.visible,
        input: given.input
      }
      if (inner.kind === "command") {
        const assignments = inner.assignments.map((arg) => {
          const equals = arg.guess.indexOf("=")
          return { name: arg.guess.slice(0, equals), value: supplied(arg.guess.slice(equals + 1)) }
        })
        this.#command(inner.words, { writes: [], reads: [], input: given.input, assignments }, inside, below)
      } else {
        const started = { ...inside, positional: scriptArguments(command) ?? inside.positional }
        this.#nested(command, inner.script, isHere ? inside : started, below)
        if (program === "trap") {
          this.#later.push((last) => this.#nested(command, inner.script, copy(last), { ...below, hidden: true }))
        }
      }
    }
    // The text runs later, any number of times.
    if ((program === "trap" || program === "alias") && this.#moves > before) this.#lost = true
  }

  /** Goes through what a command may run by itself, so that it leaves no trace here. */
  #guess(command: Command, scope: Scope, context: WalkContext): void {
    if (this.#guessed >= maxGuessed) return
    for (const inner of guessesOf(command)) {
      if (this.#budget.guesses-- <= 0) {
        this.tooDeep = true
        return
      }
      const probe = new Interpreter(this.#place, this)
      const below = { ...outermost, where: inner.where, kept: inner.kept, input: context.input }
      if (inner.kind === "command") {
        const given = { writes: [], reads: [], input: command.fields.input, assignments: [] }
        probe.#command(inner.words, given, copy(scope), below)
      } else probe.#nested(command, inner.script, copy(scope), below)
      this.guesses.push({ command, inner, probe })
    }
  }

  /** The command in other words, and what it runs by names that the command line has given. */
  #restate(command: Command, given: Given, scope: Scope, context: WalkContext): void {
    const below: WalkContext = { ...context, hidden: true, wrapped: context.wrapped + 1 }
    const plain: Given = { writes: [], reads: [], input: given.input, assignments: given.assignments }
    for (const words of restatementsOf(command)) {
      this.#command(words, plain, copy(scope), below, command.fields.text)
    }
    this.#aliases.note(
      command,
      (name) => given.assignments.find((each) => each.name === name)?.value.guess ?? scope.variables.get(name)?.guess
    )
    const alias = this.#aliases.expand(command)
    if (alias === undefined || context.functions.includes(`alias ${alias.key}`)) return
    const functions = [...context.functions, `alias ${alias.key}`]
    this.#nested(command, supplied(alias.script), copy(scope), { ...below, functions })
  }

  /**
   * A function was looked at where it is defined; what it does depends on its words and on the folder it is called in.
   */
  #call(command: Command, scope: Scope, context: WalkContext): void {
    const body = this.functions.get(command.program)
    if (body === undefined || context.calls >= maxCalls || this.#calls >= mostCalls) return
    this.#calls++
    this.#node(body, { ...copy(scope), positional: command.args }, {
      ...context,
      hidden: true,
      calls: context.calls + 1,
      levels: context.levels + 1,
      input: command.fields.input
    })
  }

  #nested(command: Command, text: Arg, scope: Scope, context: WalkContext): void {
    if (context.depth >= maxDepth) {
      this.tooDeep = true
      command.opaque = true
      return
    }
    const script = parse(text.guess.replaceAll(HOLE, "${_}"))
    // Its own input was used up where the script came from it.
    const input = text.guess === context.input.text ? noInput : context.input
    if (script === undefined) this.parseError = true
    else this.#script(script, scope, { ...context, depth: context.depth + 1, input })
  }

  /** What a command changes for the ones after it: the folder, variables, and files that came from the network. */
  #effects(command: Command, others: ReadonlyArray<Command>, scope: Scope): void {
    const { args, program, words } = command
    stay(scope)
    if (command.fields.name === undefined) {
      for (const { name, value } of command.fields.assignments) setVariable(scope, name, value)
      return
    }
    if (command.fields.where !== "here") return
    if (/^(cd|pushd|popd|chdir)$/.test(program)) this.#move(command, scope)
    else if (program === "shift") scope.positional = scope.positional?.slice(Number(words[0] ?? 1) || 1)
    else if (program === "set" && words[0] === "--") scope.positional = args.slice(1)
    else if (/^(export|declare|typeset|local|readonly)$/.test(program)) {
      for (const arg of args) {
        const equals = arg.guess.indexOf("=")
        if (equals > 0) setVariable(scope, arg.guess.slice(0, equals), { ...arg, guess: arg.guess.slice(equals + 1) })
      }
    } else if (/^(read|mapfile|readarray|getopts|unset|let)$/.test(program)) {
      const names = program === "read" ? command.fields.input.from.flatMap((each) => listedBy(each) ?? []) : []
      const guess = names.length === 1 ? names[0]!.guess : HOLE
      for (const word of words) scope.variables.set(word, { guess, certain: false, glob: guess !== HOLE })
    } else if (program === "printf" && words[0] === "-v" && words[1] !== undefined) {
      scope.variables.set(words[1], { guess: HOLE, certain: false })
    }
    for (const each of [command, ...others]) for (const path of downloadedBy(each)) this.#downloads.add(path)
    for (const { path, text } of writtenBy(command)) {
      const before = this.#written.get(path)
      this.#written.set(path, before === undefined ? text : `${before}\n${text}`)
    }
  }

  #move(command: Command, scope: Scope): void {
    if (++this.#moves > maxMoves) {
      // Each uncertain `cd` doubles the possible folders, so beyond the limit the folder is unknown.
      this.tooDeep = true
      settle(scope, [null], [null])
      return
    }
    const { line: { operands: [target] }, program, words } = command
    const before = scope.at
    const to = (folder: string | null): string | null => {
      if (target === undefined) return scope.variables.get("HOME")?.guess ?? this.#place.home
      if (target.guess === "-" || target.guess.includes(HOLE) || target.glob) return null
      return resolve(target.guess, folder) ?? null
    }
    if (program === "popd") {
      settle(scope, words.length > 0 || scope.pushed.length === 0 ? [null] : scope.pushed, before)
      return
    }
    if (program === "pushd") scope.pushed = merge(before, scope.pushed)
    const turns = program === "pushd" && (target === undefined || /^[-+]/.test(words[0]!))
    settle(scope, turns ? [null] : merge(before.map(to)), before)
  }
}

const nowhere = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"])

/** Builtins that evaluate subscripts in their arguments. */
const subscripted = new Set(
  "test [ printf read unset declare typeset local export readonly let mapfile readarray wait getopts".split(" ")
)

/** The shell evaluates an array subscript even where it stands in a quoted word: `test -v 'a[$(id)]'`. */
const hidesCode = (arg: Arg): boolean => arg.value !== null && /\w\[[^\]]*(\$\(|`)/.test(arg.value)

/** What a shell changes about itself when it runs these words. */
const runsHere = /^(eval|source|\.|command|builtin|time|exec|trap|alias)$/

const builtins = new Set(
  (": . [ true false pwd exit return break continue echo printf test set unset shift cd chdir pushd popd dirs " +
    "export declare typeset local readonly let read mapfile readarray getopts eval source command builtin exec " +
    "trap alias unalias enable hash shopt type wait kill jobs bg fg disown umask ulimit times logout suspend " +
    "time nice nohup timeout env stdbuf ionice").split(" ")
)

/** A function or an alias of that name changes what the words of the language mean. */
const isBuiltin = (name: string): boolean => builtins.has(name)

/** It certainly ends the shell it runs in: `exit 1 2` and an `exit` with a redirect may fail, and what follows runs. */
const isExit = (node: SyntaxNode): boolean => {
  if (node.type === "Pipeline") return node.commands.length === 1 && isExit(node.commands[0]!)
  if (node.type === "BraceGroup") {
    const last = node.body.commands.at(-1)
    return last !== undefined && last.background !== true && isExit(last.command)
  }
  if (node.type !== "Command" || node.name?.text !== "exit" || node.prefix.length > 0) return false
  return node.suffix.length === 0 ||
    (node.suffix.length === 1 && /^\d+$/.test(node.suffix[0]!.type === "Word" ? node.suffix[0]!.text : ""))
}

/** A loop that only something inside it can end. */
const isEndless = (node: SyntaxNode): boolean => {
  if (node.type === "ArithmeticFor") return node.test === undefined
  if (node.type !== "While") return false
  const first = node.clause.commands[0]?.command
  if (first?.type === "ArithmeticCommand") return node.kind === "while" && /^\s*1\s*$/.test(first.body)
  const clause = first?.type === "Command" ? first.name?.value : undefined
  return node.kind === "while" ? /^(true|:|yes)$/.test(clause ?? "") : clause === "false"
}

/** What writes on and on in an endless loop that nothing slows down. */
const floodsOf = (body: ReadonlyArray<Command>): ReadonlyArray<string> =>
  body.some((each) => each.row.is("waits"))
    ? []
    : body.filter((each) => each.fields.writes.length > 0 || each.row.is("grows")).map((each) => each.fields.text)

const assigned = (node: AssignmentNode, words: WordContext): Assignment => {
  if (node.index !== undefined) substitutions(node.index, words)
  if (node.value.type === "Word") return { name: node.name, value: toArg(node.value, words) }
  return { name: node.name, value: { ...supplied(HOLE), inner: substitutions(node.value, words) } }
}

const declared = (text: string, { name, value }: Assignment): Arg => ({
  ...value,
  text,
  value: value.value === null ? null : `${name}=${value.value}`,
  guess: `${name}=${value.guess}`
})

// Only a fresh temporary folder is trusted later on: any other variable may have been changed by what ran in between.
const setVariable = (scope: Scope, name: string, value: Arg): void => {
  scope.variables.set(name, { guess: value.guess, certain: value.certain && value.guess === freshFolder })
}

/** Nothing but the text of the command line decides what the script is. */
const isFixed = ({ program }: Command, script: Arg): boolean =>
  script.value !== null ||
  program === "alias" ||
  (program === "trap" && script.certain) ||
  (script.certain && !script.guess.includes(HOLE) && !script.glob)
