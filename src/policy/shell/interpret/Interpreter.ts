import type { ActionContext } from "../../decision/CallAction.ts"
import { AssignedVariables } from "../parse/AssignedVariables.ts"
import { resolve } from "../parse/Paths.ts"
import { Reevaluation } from "../parse/Reevaluation.ts"
import { SourceSize, TooLarge } from "../parse/SourceSize.ts"
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
  type SyntaxNode,
  type WordNode
} from "../parse/ShellParser.ts"
import {
  type Arg,
  type Assignment,
  Command,
  type Fields,
  HOLE,
  type Input,
  isKnown,
  literal,
  noInput,
  supplied
} from "../programs/Command.ts"
import { environmentNames } from "../programs/Environment.ts"
import { downloadedBy } from "../programs/Network.ts"
import { readingOf } from "../programs/ReadForms.ts"
import { declaredBy, declares, passedOn, recordsOf, store, type Stored, storedBy, valueOf } from "./Assignments.ts"
import { CommandRecorder, textOf } from "./CommandRecorder.ts"
import { guessesOf, writtenBy } from "./Guesses.ts"
import { type Inner, innerOf, scriptArguments } from "./InnerCommands.ts"
import { OtherNames } from "./OtherNames.ts"
import { outputOf, pipeInput, type Printed } from "./Output.ts"
import { Aliases, restatementsOf } from "./Restatements.ts"
import {
  type AlternateCwds,
  copy,
  goOn,
  merge,
  outermost,
  type Scope,
  settle,
  stand,
  startIn,
  stay,
  type WalkContext
} from "./Scope.ts"
import { alternativesOf, arrayOf, eitherOf, type Known, likely, unknownValue, type Value } from "./Variables.ts"
import {
  isSubstitution,
  numberIn,
  substitutions,
  toArg,
  toArgs,
  toText,
  toWhole,
  type Visited,
  type WordContext
} from "./WordExpansion.ts"

const maxDepth = 4
const maxLevels = 32
const maxWrapped = 16
const maxRestated = 4
const maxCalls = 3
/** Calls of functions that are followed in all. */
const mostCalls = 64
const maxMoves = 64
/** Guesses inside guesses, and guesses in all. */
const maxGuessed = 2
const mostGuesses = 256
/** Statements that are gone through once more, with other values. */
const mostRepeats = 600
/** Commands that are looked at in all, the same one with other values or in other words included. */
const mostSteps = 2_000
/** Words that all expansions together make. */
const mostExpanded = 8_192
/** Characters of the scripts inside, each as often as it is gone through. */
const mostNested = 65_536
/** Ways to put values into one command. */
const mostForks = 16
/** Characters of a value; what is longer is not known. */
const mostCharacters = 4_096
/** Elements of an array. */
const mostElements = 256
/** Rounds of a loop until nothing new is found. */
const maxRounds = 3

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
  /** Files and programs under the names that the command line gives them. */
  readonly #otherNames: OtherNames
  /** How many guesses lead to here, and how many there are in all. */
  readonly #guessed: number
  readonly #budget: { guesses: number; repeats: number; steps: number; expanded: number; nested: number }
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
  /** Something that is not seen may change variables between any two commands. */
  #isVolatile = false
  /** The commands of a statement whose output a substitution takes. */
  readonly #stages = new Map<SyntaxNode, ReadonlyArray<Command>>()
  /** The values that stand in words of `declare` and its kin. */
  readonly #declared = new Map<Arg, Stored>()
  /** Variables that were looked at. */
  #readNames: Set<string> | undefined

  constructor(place: ActionContext, outer?: Interpreter) {
    this.#place = place
    this.#downloads = outer === undefined ? new Set() : outer.#downloads
    this.#written = outer === undefined ? new Map() : outer.#written
    this.#otherNames = outer === undefined ? new OtherNames() : outer.#otherNames
    this.#guessed = outer === undefined ? 0 : outer.#guessed + 1
    this.#budget = outer === undefined
      ? {
        guesses: mostGuesses,
        repeats: mostRepeats,
        steps: mostSteps,
        expanded: mostExpanded,
        nested: mostNested
      }
      : outer.#budget
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
      scope.variables = scope.variables.doubted()
      run(scope)
    }
    this.recorder.commands.push(...this.recorder.alternates)
    if (this.#lost) this.recorder.unsettle()
  }

  #script(script: Script, scope: Scope, context: WalkContext): ReadonlyArray<Command> {
    if (script.errors !== undefined && script.errors.length > 0) this.parseError = true
    // What stands in substitutions was counted with what is around it.
    if (!context.captured) new SourceSize().count(script)
    this.reevaluation.look(script)
    this.assigned.look(script)
    return this.#statements(script.commands, scope, context)
  }

  #statements(statements: ReadonlyArray<Statement>, scope: Scope, context: WalkContext): ReadonlyArray<Command> {
    const from = this.commands.length
    if (context.levels > maxLevels) this.tooDeep = true
    else {
      for (const statement of statements) {
        if (context.repeated && this.#budget.repeats-- <= 0) {
          this.tooDeep = true
          break
        }
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
        this.#forked(node, scope, context)
        if (context.captured) this.#stages.set(node, this.commands.slice(from))
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
        const given = this.#groupRedirects(node.redirects, scope, context)
        this.#node(node.command, scope, { ...context, ...given })
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
      case "If":
        this.#conditional(node, scope, deeper)
        break
      case "Case":
        this.#cases(node, scope, deeper)
        break
      case "For":
      case "Select":
      case "While":
      case "ArithmeticFor":
        this.#loop(node, scope, deeper)
        break
      default:
        this.#expressions(node, scope, deeper)
        stay(scope)
    }
    return this.commands.slice(from)
  }

  #words(scope: Scope, context: WalkContext): WordContext {
    return {
      home: this.#place.home,
      cwd: scope.cwd,
      isSettled: scope.at.length === 1,
      get variables() {
        return scope.variables
      },
      positional: scope.positional,
      visit: (node) => this.#substitution(node, scope, context),
      assign: (name, value) => this.#store(scope, { name, known: value }),
      read: (name) => void this.#readNames?.add(name),
      overflow: () => {
        this.tooDeep = true
      }
    }
  }

  #store(scope: Scope, stored: Stored): void {
    const isLong = stored.known.guess.length > mostCharacters
    store(scope, isLong ? { ...stored, known: unknownValue } : stored, this.#isVolatile)
    if (scope.variables.isFull) this.tooDeep = true
  }

  #substitution(node: SyntaxNode, scope: Scope, context: WalkContext): Visited {
    if (!isSubstitution(node) || node.script === undefined) return { commands: [], output: undefined }
    const fed: Input = { text: undefined, fed: true, from: context.input.from, file: undefined }
    const input = node.type === "ProcessSubstitution" && node.operator === ">" ? fed : noInput
    const levels = context.levels + 1
    const below = { ...context, levels, input, background: false, piped: false, captured: true }
    const commands = this.#script(node.script, copy(scope), below)
    return { commands, output: this.#outputOf(node.script) }
  }

  /** What statements print one after the other, where that is known of each. */
  #outputOf({ commands }: Script): Printed | undefined {
    let text = ""
    let exact = true
    for (const { background, command } of commands) {
      const printed = background === true ? undefined : outputOf(this.#stages.get(command) ?? [])
      if (printed === undefined) return undefined
      text += printed.text
      exact &&= printed.exact
    }
    return { text, exact }
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
      input = { ...pipeInput(stage, earlier), isShared: true }
      earlier.push(...stage)
      if (context.captured) this.#stages.set(node, stage)
    }
    stay(scope)
  }

  /** What stands behind `&&` starts where success leads, and behind `||` where failure does. */
  #chain(node: AndOr, scope: Scope, context: WalkContext): void {
    this.#node(node.commands[0]!, scope, context)
    let { failed, ok } = scope
    let whenOk = scope.variables
    let whenFailed = scope.variables
    node.commands.slice(1).forEach((each, index) => {
      const and = node.operators[index] === "&&"
      stand(scope, and ? ok : failed)
      scope.variables = and ? whenOk : whenFailed
      this.#node(each, scope, context)
      const ends = isExit(each)
      const after = scope.variables
      if (and) {
        ;[ok, failed] = ends ? [[], failed] : [scope.ok, merge(failed, scope.failed)]
        ;[whenOk, whenFailed] = ends ? [whenFailed, whenFailed] : [after, whenFailed.or(after)]
      } else {
        ;[ok, failed] = ends ? [ok, []] : [merge(ok, scope.ok), scope.failed]
        ;[whenOk, whenFailed] = ends ? [whenOk, whenOk] : [whenOk.or(after), after]
      }
    })
    scope.variables = whenOk.or(whenFailed)
    settle(scope, ok, failed)
  }

  #define(node: Extract<SyntaxNode, { readonly type: "Function" }>, scope: Scope, context: WalkContext): void {
    const name = node.name.value
    const before = this.#moves
    this.functions.set(name, node.body)
    const inner: Scope = { ...copy(scope), positional: undefined, locals: new Set() }
    // It runs later, whatever the variables are by then.
    inner.variables = inner.variables.doubted()
    this.#node(node.body, inner, { ...context, functions: [...context.functions, name] })
    if (this.#moves > before) this.#ends = merge(this.#ends, inner.at)
    if (this.#moves > before || isBuiltin(name)) this.#lost = true
  }

  #conditional(node: Extract<SyntaxNode, { readonly type: "If" }>, scope: Scope, context: WalkContext): void {
    const ends: Array<Scope> = []
    const branch = (body: CompoundList, from: Scope): void => {
      const inside = copy(from)
      stand(inside, from.ok)
      this.#node(body, inside, context)
      if (!endsIn(body)) ends.push(inside)
    }
    this.#node(node.clause, scope, context)
    branch(node.then, scope)
    for (const { clause, then } of node.elif) {
      stand(scope, scope.failed)
      this.#node(clause, scope, context)
      branch(then, scope)
    }
    stand(scope, scope.failed)
    stay(scope)
    if (node.else !== undefined) this.#node(node.else, scope, context)
    const last = node.else !== undefined && endsIn(node.else) ? [] : [copy(scope)]
    goOn(scope, [...last, ...ends])
  }

  #cases(node: Extract<SyntaxNode, { readonly type: "Case" }>, scope: Scope, context: WalkContext): void {
    const words = this.#words(scope, context)
    this.#refuseHiddenCode(toWhole(node.word, words))
    stay(scope)
    const ends: Array<Scope> = []
    let before: Scope | undefined
    let isSure = false
    for (const { body, pattern, terminator } of node.items) {
      for (const each of pattern) this.#refuseHiddenCode(toWhole(each, words))
      isSure ||= pattern.some(({ text }) => text === "*")
      const inside = copy(scope)
      if (before !== undefined) goOn(inside, [copy(scope), before])
      this.#node(body, inside, context)
      before = terminator === undefined || terminator === ";;" ? undefined : inside
      if (!endsIn(body)) ends.push(inside)
    }
    goOn(scope, isSure && ends.length > 0 ? ends : [copy(scope), ...ends])
  }

  /**
   * What runs in loops may not run, so a folder changed there is not known afterwards. A loop over words that are known
   * is gone through word by word; any other until nothing new is found.
   */
  #loop(
    node: Extract<SyntaxNode, { readonly type: "For" | "Select" | "While" | "ArithmeticFor" }>,
    scope: Scope,
    context: WalkContext
  ): void {
    const before = copy(scope)
    const first = this.recorder.parts.length
    const walked = this.#wordByWord(node, scope, context) ?? this.#lineByLine(node, scope, context)
    const isWalked = walked === "whole"
    if (walked === undefined) this.#round(node, scope, context)
    const at = merge(before.at, scope.at)
    // In the next round the same words lead on from there: no rule may allow what was recorded.
    const climbs = at.length > before.at.length
    if (climbs) this.recorder.unsettle(first)
    if (!isWalked) scope.variables = before.variables.or(scope.variables)
    if (!context.again) {
      let known = before.variables
      for (let round = 0; round < maxRounds; round++) {
        const hasMoved = climbs && round === 0
        if (!hasMoved && (isWalked || known.isLike(scope.variables))) break
        known = scope.variables
        settle(scope, at, at)
        this.#round(node, scope, { ...context, hidden: true, again: true, repeated: true })
        scope.variables = known.or(scope.variables)
      }
    }
    const changed = (name: string, now: Known): boolean => before.variables.get(name) !== now
    if (leavesEarly(node) || (!isWalked && (context.again || !scope.variables.isLike(before.variables)))) {
      scope.variables = scope.variables.doubted(changed)
    }
    const after = climbs ? merge([null], at) : at
    settle(scope, after, after)
  }

  /** Goes through a loop with each word that its variable stands for; once, where there may be more of them. */
  #wordByWord(node: SyntaxNode, scope: Scope, context: WalkContext): "whole" | "once" | undefined {
    if (node.type !== "For" && node.type !== "Select") return undefined
    const name = node.name.value
    const values = this.#loopValues(node, scope, context)
    const [one] = values ?? []
    if (values === undefined || one === undefined) return undefined
    if (environmentNames.has(name)) {
      for (const { known, word } of values) {
        this.#addBare(
          {
            reads: [],
            writes: [],
            input: context.input,
            assignments: [{ name, value: word ?? supplied(known.guess) }]
          },
          scope,
          context
        )
      }
    }
    const before = scope.variables
    const outer = this.#readNames
    const names = new Set<string>()
    this.#readNames = names
    this.#bind(node, scope, one.known)
    this.#node(node.body, scope, context)
    this.#readNames = outer
    names.forEach((each) => outer?.add(each))
    const isSame = scope.variables.isLike(before.with(name, one.known))
    const isCounted = node.type === "For" && values.every(({ known }) => !known.glob && !known.guess.includes(HOLE))
    if (values.length > 1 && (names.has(name) || !isSame)) {
      for (const { known } of values.slice(1)) {
        this.#bind(node, scope, known)
        this.#node(node.body, scope, { ...context, repeated: true })
      }
    }
    return isCounted || isSame ? "whole" : "once"
  }

  #bind(node: Extract<SyntaxNode, { readonly type: "For" | "Select" }>, scope: Scope, known: Known): void {
    this.#store(scope, { name: node.name.value, known })
    if (node.type === "Select") this.#store(scope, { name: "REPLY", known: unknownValue })
  }

  /** Without words it is a loop over the arguments. */
  #loopValues(
    node: Extract<SyntaxNode, { readonly type: "For" | "Select" }>,
    scope: Scope,
    context: WalkContext
  ): ReadonlyArray<{ readonly known: Known; readonly word: Arg | undefined }> | undefined {
    const args = node.wordlist === undefined
      ? scope.positional
      : this.#expanded(
        node.wordlist.flatMap((word) => this.#eachWay([word], scope, context, (words) => toArgs(word, words)).flat())
      )
    args?.forEach((arg) => this.#refuseHiddenCode(arg))
    if (args === undefined || args.length === 0) return [{ known: unknownValue, word: undefined }]
    return args.map((word) => ({ known: valueOf(word), word }))
  }

  /** Goes through a loop that reads a text which is known, with each of its lines. */
  #lineByLine(node: SyntaxNode, scope: Scope, context: WalkContext): "whole" | undefined {
    const { input } = context
    if (node.type !== "While" || input.text === undefined || !readsLine(node.clause)) return undefined
    const lines = recordsOf(input.text)
    const rest: Input = { ...input, text: undefined, fed: true }
    const sure = input.exact === true
    if (lines.length === 0 || lines.some((line) => line.includes(HOLE))) return undefined
    lines.forEach((line, at) => {
      const repeated = context.repeated || at > 0
      this.#node(node.clause, scope, {
        ...context,
        repeated,
        input: { ...input, text: `${line}\n`, exact: sure, isShared: false }
      })
      this.#node(node.body, scope, { ...context, repeated, input: rest })
    })
    return "whole"
  }

  #round(node: SyntaxNode, scope: Scope, context: WalkContext): void {
    if (node.type === "For" || node.type === "Select") {
      const values = this.#loopValues(node, scope, context)?.map(({ known }) => known) ?? []
      this.#bind(node, scope, eitherOf(values))
      this.#node(node.body, scope, context)
      return
    }
    const from = this.commands.length
    const inner = isEndless(node) ? { ...context, endless: true } : context
    this.#expressions(node, scope, inner)
    if (inner.endless && !context.endless) this.floods.push(...floodsOf(this.commands.slice(from)))
  }

  /** Files that `[[ ]]` looks for. */
  #tested(node: Extract<SyntaxNode, { readonly type: "TestCommand" }>, scope: Scope, context: WalkContext): void {
    const words: Array<Arg> = []
    const look = (child: SyntaxNode): void => {
      if (child.type === "TestUnary" && /^-[a-hkprsuwxGLNOS]$/.test(child.operator)) {
        words.push(toWhole(child.operand, this.#words(scope, { ...context, hidden: true })))
      } else if (child.type === "TestBinary" && /^-(nt|ot|ef)$/.test(child.operator)) {
        words.push(
          ...[child.left, child.right].map((word) => toWhole(word, this.#words(scope, { ...context, hidden: true })))
        )
      } else forEachChild(child, look)
    }
    look(node)
    this.recorder.addTest(words, scope.cwd, context)
  }

  /** Everything below a node that is run or evaluated. */
  #expressions(node: SyntaxNode, scope: Scope, context: WalkContext): void {
    if (node.type === "TestCommand") this.#tested(node, scope, context)
    const look = (child: SyntaxNode): void => {
      if (child.type === "CompoundList") this.#node(child, scope, context)
      else if (child.type === "Word") this.#refuseHiddenCode(toWhole(child, this.#words(scope, context)))
      else if (isSubstitution(child)) this.#words(scope, context).visit(child)
      else forEachChild(child, look)
    }
    const set = new AssignedVariables()
    set.lookAtArithmetic(node)
    for (const { name } of set.all) this.#store(scope, { name, known: number })
    forEachChild(node, look)
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
    return input === undefined ? {} : { input: { ...input, isShared: true } }
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
      const file = this.#otherNames.file(target, scope.cwd)
      if (file === undefined) return
      into.push(file)
      this.recorder.addRedirect({ kind, text, path: file.guess.includes(HOLE) ? null : file.guess }, context)
    }
    for (const node of nodes) {
      const isInput = node.descriptor === undefined ||
        (node.descriptor.type === "FileDescriptor" && node.descriptor.value === 0)
      // It sets a variable, which may be one that other programs act on.
      if (node.descriptor?.type === "FileDescriptorVariable") writes.push(supplied(HOLE))
      if (node.type === "HereDoc") {
        const body = node.body.parts === undefined ? literal(node.body.text) : toText(node.body.parts, words)
        const text = node.operator === "<<-" ? body.guess.replace(/^\t+/gm, "") : body.guess
        const exact = body.exact || body.value !== null
        if (isInput) {
          input = { text, exact, fed: !body.certain || text.includes(HOLE), from: body.inner, file: undefined }
        }
        continue
      }
      if (node.target === undefined) continue
      if (node.type === "HereString") {
        const { certain, exact, guess, inner, value } = toWhole(node.target, words)
        if (isInput) {
          const fed = !certain || guess.includes(HOLE)
          input = { text: `${guess}\n`, exact: exact || value !== null, fed, from: inner, file: undefined }
        }
        continue
      }
      const target = toArg(node.target, words)
      const { guess, inner } = target
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
          const printed = fed ? this.#printedInto(node.target) : undefined
          const known = printed?.text ?? this.#written.get(resolve(guess, scope.cwd) ?? "")
          const exact = printed?.exact ?? false
          if (isInput) input = { text: known, exact, fed: fed && !exact, from: inner, file: fed ? undefined : target }
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

  /** What a process substitution prints, where it is all of a word. */
  #printedInto({ parts }: WordNode): Printed | undefined {
    const [part, ...more] = parts ?? []
    return part?.type === "ProcessSubstitution" && part.script !== undefined && more.length === 0
      ? this.#outputOf(part.script)
      : undefined
  }

  /** The shells that a node may run in, in each of which the variables that it names have one value. */
  #ways(nodes: ReadonlyArray<SyntaxNode>, scope: Scope): ReadonlyArray<Way> {
    const { several } = scope.variables
    if (several.size === 0) return [{ scope, bound: [] }]
    const named = variablesIn(nodes, several)
    if (named.length === 0) return [{ scope, bound: [] }]
    let all: ReadonlyArray<Way["bound"]> = [[]]
    for (const name of named) {
      const values = alternativesOf(scope.variables.get(name)!)
      all = all.flatMap((before) => values.map((value) => [...before, [name, value] as const]))
      if (all.length > mostForks) {
        all = [...all.slice(0, mostForks - 1), named.map((each) => [each, unknownValue] as const)]
        break
      }
    }
    return all.map((bound) => {
      const inside = copy(scope)
      for (const [name, value] of bound) inside.variables = inside.variables.with(name, value)
      return { scope: inside, bound }
    })
  }

  #eachWay<A>(
    nodes: ReadonlyArray<SyntaxNode>,
    scope: Scope,
    context: WalkContext,
    make: (words: WordContext) => A
  ): ReadonlyArray<A> {
    return this.#ways(nodes, scope).map((way) => make(this.#words(way.scope, context)))
  }

  /** One simple command, with each value that its variables may have. */
  #forked(node: CommandNode, scope: Scope, context: WalkContext): void {
    const ways = this.#ways([node], scope)
    if (ways.length === 1) {
      this.#simple(node, scope, context)
      return
    }
    this.#budget.repeats -= ways.length
    if (this.#budget.repeats < 0) this.tooDeep = true
    const ends = ways.map(({ bound, scope: inside }, at) => {
      this.#simple(node, inside, at === 0 ? context : { ...context, repeated: true })
      for (const [name, value] of bound) {
        // It may still be any of them.
        if (inside.variables.get(name) === value) {
          inside.variables = inside.variables.with(name, scope.variables.get(name)!)
        }
      }
      return inside
    })
    goOn(scope, ends)
  }

  /** One simple command of the source: records it, then everything it runs in turn. */
  #simple(node: CommandNode, scope: Scope, context: WalkContext): void {
    const isBare = node.name === undefined && node.args.length === 0
    const words = this.#words(scope, context)
    const assignments = node.prefix.flatMap((each) => {
      if (each.type !== "Assignment") return []
      const made = assigned(each, words)
      if (isBare) this.#store(scope, made)
      return [made.assignment]
    })
    const name = node.name === undefined ? [] : this.#expanded(toArgs(node.name, words))
    const args = node.args.flatMap((each) => {
      if (each.type === "Word") return this.#expanded(toArgs(each, words))
      const made = assigned(each, words)
      const arg = declared(each.text, made.assignment)
      this.#declared.set(arg, made)
      return [arg]
    })
    const redirects = this.#redirects(node.redirects, scope, context)
    this.#command(
      [...name, ...args],
      { ...redirects, input: redirects.input ?? context.input, assignments },
      scope,
      context
    )
  }

  #expanded(args: ReadonlyArray<Arg>): ReadonlyArray<Arg> {
    this.#budget.expanded -= args.length
    if (this.#budget.expanded < 0) throw new TooLarge(`its expansions make more than ${mostExpanded} words`)
    return args
  }

  #command(words: ReadonlyArray<Arg>, given: Given, scope: Scope, context: WalkContext, restated?: string): void {
    if (this.#budget.steps-- <= 0) throw new TooLarge(`it comes to more than ${mostSteps} commands`)
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
    const elsewhere = this.#otherNames.restated(command)
    const meant = elsewhere && new Command({ ...command.fields, name: elsewhere[0], args: elsewhere.slice(1) })
    this.recorder.addParts(command, others, context, meant)
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
    this.#restate(command, given, scope, context, elsewhere)
    const isHere = runsHere.test(program)
    const runsUnseen = program === "source" || program === "." || (program === "eval" && command.opaque)
    if (runsUnseen) scope.variables = scope.variables.doubted()
    for (const inner of inners) {
      const below: WalkContext = {
        ...context,
        restated: 0,
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
        const inside = isHere ? scope : copy(scope)
        this.#command(inner.words, { writes: [], reads: [], input: given.input, assignments }, inside, below)
      } else this.#runScript(command, inner.script, scope, below)
    }
    // The text runs later, any number of times.
    if ((program === "trap" || program === "alias") && this.#moves > before) this.#lost = true
  }

  /** A script that a command runs: in this shell or one of its own, now or later. */
  #runScript(command: Command, script: Arg, scope: Scope, below: WalkContext): void {
    const { fields: { assignments }, program } = command
    const passed = assignments.map(({ name, value }): Stored => ({ name, known: valueOf(value) }))
    const inside = copy(scope)
    if (program === "trap" || program === "alias") {
      this.#nested(command, script, inside, below)
      if (inside.variables !== scope.variables) {
        this.#isVolatile = true
        scope.variables = scope.variables.doubted()
      }
      settle(scope, inside.ok, inside.failed)
      if (program === "trap") {
        this.#later.push((last) => this.#nested(command, script, copy(last), { ...below, hidden: true }))
      }
      return
    }
    if (!runsHere.test(program)) {
      const isDirect = below.wrappers.every((wrapper) => wrapper === program)
      inside.variables = passedOn(scope.variables, passed, isDirect)
      inside.positional = scriptArguments(command) ?? inside.positional
      this.#nested(command, script, inside, below)
      return
    }
    for (const each of passed) this.#store(inside, each)
    this.#nested(command, script, inside, below)
    if (passed.length > 0) inside.variables = scope.variables.or(inside.variables)
    Object.assign(scope, inside)
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
  #restate(
    command: Command,
    given: Given,
    scope: Scope,
    context: WalkContext,
    elsewhere: ReadonlyArray<Arg> | undefined
  ): void {
    const below: WalkContext = {
      ...context,
      hidden: true,
      wrapped: context.wrapped + 1,
      restated: context.restated + 1
    }
    const plain: Given = { writes: [], reads: [], input: given.input, assignments: given.assignments }
    if (context.restated < maxRestated) {
      const all = [...restatementsOf(command), ...elsewhere === undefined ? [] : [elsewhere]]
      for (const words of all) this.#command(words, plain, copy(scope), below, command.fields.text)
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
    if (body === undefined) return
    if (context.calls >= maxCalls || this.#calls >= mostCalls) {
      scope.variables = scope.variables.doubted()
      return
    }
    this.#calls++
    const locals = new Set<string>()
    const inner: Scope = { ...copy(scope), positional: command.args, locals }
    for (const { name, value } of command.fields.assignments) this.#store(inner, { name, known: valueOf(value) })
    this.#node(body, inner, {
      ...context,
      hidden: true,
      calls: context.calls + 1,
      levels: context.levels + 1,
      input: command.fields.input
    })
    const before = scope.variables
    for (const { name } of command.fields.assignments) locals.add(name)
    // What it may have left early, or keeps to itself, is not known to be what it was last.
    const isSure = !leavesEarly(body)
    let after = isSure ? inner.variables : inner.variables.doubted((name, known) => before.get(name) !== known)
    for (const name of locals) {
      const known = before.get(name)
      after = after.with(name, known === undefined ? unknownValue : eitherOf([known, likely(after.get(name) ?? known)]))
    }
    scope.variables = after
  }

  #nested(command: Command, text: Arg, scope: Scope, context: WalkContext): void {
    if (context.depth >= maxDepth) {
      this.tooDeep = true
      command.opaque = true
      return
    }
    this.#budget.nested -= text.guess.length
    if (this.#budget.nested < 0) throw new TooLarge("the scripts in it are too long")
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
    if (command.fields.name === undefined || command.fields.where !== "here") return
    if (/^(cd|pushd|popd|chdir)$/.test(program)) this.#move(command, scope)
    else if (program === "shift") scope.positional = shifted(scope.positional, words)
    else if (program === "set") scope.positional = replacedBy(args, words) ?? scope.positional
    else if (declares.test(program)) {
      const all = declaredBy(command, scope, (arg) => this.#declared.get(arg))
      for (const each of all) this.#store(scope, each)
    } else for (const each of storedBy(command, scope)) this.#store(scope, each)
    for (const each of [command, ...others]) this.#otherNames.note(each, this.#place)
    if (this.#otherNames.isFull) this.tooDeep = true
    for (const each of [command, ...others]) for (const path of downloadedBy(each)) this.#downloads.add(path)
    for (const { path, text } of writtenBy(command)) {
      const before = this.#written.get(path)
      if (before === text || before?.endsWith(`\n${text}`) === true) continue
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
    // Only what this command line has done before could have taken the folder away.
    const isThere = (folder: string | null) =>
      folder !== null && this.#place.kindOf?.(folder) === "folder" && this.commands.every(keepsFolders)
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
    const ends = turns ? [null] : merge(before.map(to))
    settle(scope, ends, ends.every(isThere) ? [] : before)
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

/** It only reads, or moves among folders. */
const keepsFolders = (command: Command): boolean =>
  command.fields.name === undefined || (command.fields.writes.length === 0 && readingOf(command) !== undefined)

interface Way {
  readonly scope: Scope
  readonly bound: ReadonlyArray<readonly [string, Known]>
}

/** Those of the variables that the nodes name, or all of them where a name is itself a value. */
const variablesIn = (nodes: ReadonlyArray<SyntaxNode>, meant: ReadonlySet<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  let isAny = false
  const look = (node: SyntaxNode): void => {
    if (node.type === "SimpleExpansion") found.add(node.text.slice(1))
    else if (node.type === "ParameterExpansion") {
      isAny ||= node.prefix === "!"
      found.add(node.parameter)
    }
    forEachChild(node, look)
  }
  nodes.forEach(look)
  return [...meant].filter((name) => isAny || found.has(name))
}

/** A number whose digits do not matter. */
const number: Value = { guess: "0", certain: true, exact: false, glob: false }

/** It certainly leaves what is around it. */
const endsIn = ({ commands }: CompoundList): boolean => {
  const last = commands.at(-1)
  return last !== undefined && last.background !== true && isExit(last.command)
}

/** Something in it may end it before its last command. */
const leavesEarly = (node: SyntaxNode): boolean => {
  let leaves = false
  const look = (child: SyntaxNode): void => {
    if (child.type === "Command") leaves ||= /^(break|continue|return|eval|source|\.)$/.test(child.name?.text ?? "")
    if (!leaves) forEachChild(child, look)
  }
  look(node)
  return leaves
}

/** The loop takes a line for each round. */
const readsLine = (clause: CompoundList): boolean => {
  const [first] = clause.commands
  const command = first?.command.type === "AndOr" ? first.command.commands[0] : first?.command
  const simple = command?.type === "Pipeline" && command.commands.length === 1 ? command.commands[0] : command
  return simple?.type === "Command" && simple.name?.text === "read"
}

const shifted = (
  positional: ReadonlyArray<Arg> | undefined,
  [count = "1"]: ReadonlyArray<string>
): ReadonlyArray<Arg> | undefined => /^\d+$/.test(count) ? positional?.slice(Number(count)) : undefined

/** The arguments of the shell that `set` gives it. */
const replacedBy = (
  args: ReadonlyArray<Arg>,
  words: ReadonlyArray<string>
): ReadonlyArray<Arg> | undefined => {
  let at = 0
  while (at < words.length && /^[-+]\w/.test(words[at]!)) at += /^[-+]o$/.test(words[at]!) ? 2 : 1
  if (words[at] === "--" || words[at] === "-") return args.slice(at + 1)
  return at < words.length ? args.slice(at) : undefined
}

/** An assignment as it is read: for the command it stands in front of, and for the variable. */
interface Assigned extends Stored {
  readonly assignment: Assignment
}

const assigned = (node: AssignmentNode, words: WordContext): Assigned => {
  const { append = false, name } = node
  const index = node.index === undefined ? undefined : indexOf(node.index, name, words)
  if (node.value.type === "Word") {
    const value = toWhole(node.value, words)
    const passed = append ? { ...value, certain: false, exact: false } : value
    return { assignment: { name, value: passed }, name, known: valueOf(value), append, index }
  }
  const inner: Array<Command> = []
  const elements = new Map<string, Value>()
  let next = 0
  let isKnown = true
  for (const word of node.value.elements) {
    if (word.text.startsWith("[")) {
      const whole = toWhole(word, words)
      inner.push(...whole.inner)
      const [, key, value] = /^\[([^\]]*)\]\+?=(.*)$/s.exec(whole.guess) ?? []
      if (key !== undefined) {
        isKnown &&= whole.exact || whole.value !== null || !key.includes(HOLE)
        elements.set(key, { ...valueOf(whole), guess: value! })
        if (/^\d+$/.test(key)) next = Number(key) + 1
        continue
      }
    }
    for (const arg of toArgs(word, words)) {
      inner.push(...arg.inner)
      elements.set(String(next++), valueOf(arg))
    }
  }
  const isNumbered = [...elements.keys()].every((key) => /^\d+$/.test(key))
  const ordered = isNumbered ? new Map([...elements].sort(([a], [b]) => Number(a) - Number(b))) : elements
  const known = isKnown && elements.size <= mostElements ? arrayOf(ordered) : unknownValue
  return { assignment: { name, value: { ...supplied(HOLE), inner } }, name, known, append, index }
}

/** The element that is assigned to. */
const indexOf = (index: WordNode, name: string, words: WordContext): string | null => {
  if (words.variables.get(name)?.attributes?.includes("A") === true) {
    const key = toWhole(index, words)
    return key.exact || key.value !== null ? key.guess : null
  }
  substitutions(index, words)
  const at = numberIn(index, words)
  return at === undefined || at < 0 ? null : String(at)
}

const declared = (text: string, { name, value }: Assignment): Arg => ({
  ...value,
  text,
  value: value.value === null ? null : `${name}=${value.value}`,
  guess: `${name}=${value.guess}`
})

/** Nothing but the text of the command line decides what the script is. */
const isFixed = ({ program }: Command, script: Arg): boolean =>
  script.value !== null ||
  script.exact ||
  program === "alias" ||
  (program === "trap" && script.certain) ||
  (script.certain && !script.guess.includes(HOLE) && !script.glob)
