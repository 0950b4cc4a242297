import type { ActionContext, CallAction } from "../decision/CallAction.ts"
import { branches } from "./Branches.ts"
import { type Command, type Input, noInput } from "./Command.ts"
import { chain, define } from "./Chain.ts"
import { type Folders, merge, noteElsewhere, settle, unsettled } from "./Folders.ts"
import { pipeline } from "./Pipelines.ts"
import { redirected } from "./Redirects.ts"
import { Reevaluation } from "./Reevaluation.ts"
import { type Around, bare, copy, maxLevels, outermost, type Scope } from "./Scope.ts"
import type { CompoundList, Script, Statement, SyntaxNode } from "./ShellParser.ts"
import { runSimple } from "./Simple.ts"
import type { WordContext } from "./WordContext.ts"

/** Goes through a script in the order in which it runs and notes every command in it. */
export class Walk {
  readonly place: ActionContext
  readonly commands: Array<Command> = []
  readonly parts: Array<CallAction> = []
  /** What rules see only to forbid it. */
  readonly inner: Array<CallAction> = []
  /** Files downloaded so far, to know them when they are run. */
  readonly downloads = new Set<string>()
  /** Text of commands that multiply or never stop. */
  readonly floods: Array<string> = []
  readonly functions = new Map<string, SyntaxNode>()
  /** How many calls of functions were followed. */
  calls = 0
  /** What runs at some later time, and where the shell has been since it was set. */
  readonly later: Array<(scope: Scope) => void> = []
  readonly visited = new Set<string | null>()
  readonly reevaluation = new Reevaluation()
  parseError = false
  /** There is nothing at all to run. */
  empty = false
  /** Something is nested too deeply, or hidden where it is not looked for. */
  tooDeep = false
  background = false
  /** The same commands in the other folders they may run in. */
  readonly elsewhere: Array<Command> = []
  /** How often the folder changes. */
  moves = 0
  /** Where functions may have gone. */
  ends: Folders = []
  /** Words do not mean what they usually do, or the folder may change between any two commands. */
  lost = false

  constructor(place: ActionContext) {
    this.place = place
  }

  start(script: Script): void {
    this.empty = script.commands.length === 0
    const { cwd } = this.place
    const scope: Scope = {
      cwd,
      at: [cwd],
      ok: [cwd],
      failed: [cwd],
      pushed: [],
      variables: new Map(),
      positional: undefined
    }
    this.script(script, scope, outermost)
    for (const run of this.later) {
      settle(scope, merge([...this.visited], scope.at), [])
      run(scope)
    }
    this.commands.push(...this.elsewhere)
    if (this.lost) this.parts.push(...unsettled(this.parts.splice(0)))
  }

  script(script: Script, scope: Scope, around: Around): ReadonlyArray<Command> {
    if (script.errors !== undefined && script.errors.length > 0) this.parseError = true
    this.reevaluation.look(script)
    return this.#statements(script.commands, scope, around)
  }

  /** Where parts found here belong. */
  into({ hidden }: Around): Array<CallAction> {
    return hidden ? this.inner : this.parts
  }

  contextOf(scope: Scope, around: Around): WordContext {
    return {
      home: this.place.home,
      cwd: scope.cwd,
      variables: scope.variables,
      positional: scope.positional,
      visit: (node) => this.#substitution(node, scope, around)
    }
  }

  #statements(statements: ReadonlyArray<Statement>, scope: Scope, around: Around): ReadonlyArray<Command> {
    const from = this.commands.length
    if (around.levels > maxLevels) this.tooDeep = true
    else {
      for (const statement of statements) {
        const background = statement.background === true
        if (background) this.background = true
        this.node(statement.command, background ? copy(scope) : scope, background ? { ...around, background } : around)
        if (background) settle(scope, scope.at, scope.at)
      }
    }
    return this.commands.slice(from)
  }

  node(node: SyntaxNode, scope: Scope, around: Around): ReadonlyArray<Command> {
    const from = this.commands.length
    const deeper = { ...around, levels: around.levels + 1 }
    const list = (body: CompoundList, inner = scope, context = deeper) =>
      this.#statements(body.commands, inner, context)
    switch (node.type) {
      case "Command":
        runSimple(this, node, scope, around)
        break
      case "Pipeline":
        pipeline(this, node, scope, around)
        break
      case "AndOr":
        chain(this, node, scope, around)
        break
      case "Subshell":
        list(node.body, copy(scope))
        settle(scope, scope.at, scope.at)
        break
      case "BraceGroup":
        list(node.body)
        break
      case "CompoundList":
        list(node)
        break
      case "Redirected": {
        const before = scope.at
        this.node(node.command, scope, { ...around, ...this.#redirect(node, scope, around) })
        settle(scope, scope.ok, merge(scope.failed, before))
        break
      }
      case "Function":
        define(this, node, scope, deeper)
        settle(scope, scope.at, scope.at)
        break
      case "Coproc":
        this.background = true
        this.node(node.body, copy(scope), { ...deeper, background: true })
        settle(scope, scope.at, scope.at)
        break
      default:
        branches(this, node, scope, deeper)
    }
    return this.commands.slice(from)
  }

  /** A redirect of a whole group counts like one of a command that does nothing else. */
  #redirect(
    node: Extract<SyntaxNode, { readonly type: "Redirected" }>,
    scope: Scope,
    around: Around
  ): { readonly input?: Input } {
    const { input, reads, writes } = redirected(this, node.redirects, scope, around)
    noteElsewhere(this, reads, "read", scope, around)
    noteElsewhere(this, writes, "write", scope, around)
    this.commands.push(bare({ reads, writes, input: around.input, assignments: [] }, scope, around, this.downloads))
    return input === undefined ? {} : { input }
  }

  #substitution(node: SyntaxNode, scope: Scope, around: Around): ReadonlyArray<Command> {
    if (
      node.type !== "CommandExpansion" &&
      node.type !== "ProcessSubstitution" &&
      node.type !== "ArithmeticCommandExpansion"
    ) {
      return []
    }
    if (node.script === undefined) return []
    const fed: Input = { text: undefined, fed: true, from: around.input.from, file: undefined }
    const input = node.type === "ProcessSubstitution" && node.operator === ">" ? fed : noInput
    return this.script(node.script, copy(scope), {
      ...around,
      levels: around.levels + 1,
      input,
      background: false,
      piped: false
    })
  }
}
