import { elsewhere, isBuiltin, merge, noteElsewhere, runsHere, settle } from "./Folders.ts"
import type { Variable } from "./Command.ts"
import { Command, noInput } from "./Command.ts"
import { redirected } from "./Redirects.ts"
import type { Assignment, CommandNode } from "./ShellParser.ts"
import { parse } from "./ShellParser.ts"
import { foreignShells } from "./programs/Languages.ts"
import { followEffects } from "./Effects.ts"
import { note, textOf } from "./Noted.ts"
import { scriptArguments } from "./Started.ts"
import { innerOf } from "./Unwrap.ts"
import type { Around, Scope } from "./Scope.ts"
import { copy, maxCalls, maxDepth, maxWrapped, mostCalls } from "./Scope.ts"
import type { Walk } from "./Walk.ts"
import { toArg, toArgs } from "./Expansion.ts"
import { substitutions } from "./Substitutions.ts"
import type { WordContext } from "./WordContext.ts"
import type { Arg } from "./Words.ts"
import { hidesCode, HOLE, supplied } from "./Words.ts"

/** One simple command of the source: notes it, then everything it runs in turn. */
export const runSimple = (walk: Walk, node: CommandNode, scope: Scope, around: Around): void => {
  const context = walk.contextOf(scope, around)
  const assignments = node.prefix.flatMap((each) => (each.type === "Assignment" ? assigned(each, context) : []))
  const args: Array<Arg> = []
  for (const each of node.args) {
    if (each.type === "Word") args.push(...toArgs(each, context))
    else for (const variable of assigned(each, context)) args.push(declared(each.text, variable))
  }
  const redirects = redirected(walk, node.redirects, scope, around)
  noteElsewhere(walk, redirects.reads, "read", scope, around)
  noteElsewhere(walk, redirects.writes, "write", scope, around)
  const first = node.name === undefined ? [] : toArgs(node.name, context)
  const fields = {
    writes: redirects.writes,
    reads: redirects.reads,
    input: redirects.input ?? around.input,
    assignments
  }
  run(walk, [...first, ...args], fields, scope, around)
}

const assigned = (node: Assignment, context: WordContext): ReadonlyArray<Variable> => {
  if (node.index !== undefined) substitutions(node.index, context)
  if (node.value.type === "Word") return [{ name: node.name, value: toArg(node.value, context) }]
  const inner = substitutions(node.value, context)
  return [{ name: node.name, value: { ...supplied(HOLE), inner } }]
}

const declared = (text: string, { name, value }: Variable): Arg => ({
  ...value,
  text,
  value: value.value === null ? null : `${name}=${value.value}`,
  guess: `${name}=${value.guess}`
})

const subscripted = new Set([
  "test",
  "[",
  "printf",
  "read",
  "unset",
  "declare",
  "typeset",
  "local",
  "export",
  "readonly",
  "let",
  "mapfile",
  "readarray",
  "wait",
  "getopts"
])

interface Given {
  readonly writes: ReadonlyArray<Arg>
  readonly reads: ReadonlyArray<Arg>
  readonly input: Command["fields"]["input"]
  readonly assignments: ReadonlyArray<Variable>
}

const run = (walk: Walk, words: ReadonlyArray<Arg>, given: Given, scope: Scope, around: Around): void => {
  const name = words[0]
  const command = new Command({
    ...given,
    text: textOf(words, given.assignments),
    name,
    args: words.slice(1),
    wrappers: around.wrappers,
    cwd: around.where === "here" ? scope.cwd : null,
    where: around.where,
    background: around.background,
    downloads: walk.downloads
  })
  if (name !== undefined && walk.functions.has(command.program)) command.opaque = false
  // A value is evaluated as well, wherever arithmetic later names its variable.
  const hidden = given.assignments.some((each) => hidesCode(each.value))
  if (hidden || (subscripted.has(command.program) && command.args.some(hidesCode))) command.opaque = true
  if (
    foreignShells.has(command.program) &&
    command.args.length > 0 &&
    !/^-(-version|-help|v|h)$/.test(command.args[0]!.guess)
  ) {
    command.opaque = true
  }
  const others = elsewhere(command, scope.at)
  walk.commands.push(command)
  walk.elsewhere.push(...others)
  const inners = innerOf(command)
  if (inners.some((inner) => inner.kind === "script" && !isFixed(command, inner.script))) command.opaque = true
  if (around.functions.includes(command.program) && (around.background || around.piped)) {
    walk.floods.push(command.fields.text)
  }
  if (around.endless && around.background) walk.floods.push(command.fields.text)
  note(walk, command, others, around)
  const moves = walk.moves
  followEffects(walk, command, others, scope)
  if (walk.later.length > 0) scope.at.forEach((folder) => walk.visited.add(folder))
  call(walk, command, scope, around)
  if (walk.functions.has(command.program)) settle(scope, merge(scope.at, walk.ends), merge(scope.at, walk.ends))
  if (command.program === "alias" && command.args.some((arg) => isBuiltin(arg.guess.split("=")[0]!))) walk.lost = true
  if (around.wrapped >= maxWrapped && inners.length > 0) {
    walk.tooDeep = true
    return
  }
  const inside = runsHere.test(command.program) ? scope : copy(scope)
  for (const inner of inners) {
    const wrappers = inner.visible ? [...around.wrappers, command.program] : around.wrappers
    const below: Around = {
      ...around,
      wrappers,
      wrapped: around.wrapped + 1,
      where: inner.where,
      hidden: around.hidden || !inner.visible,
      input: given.input
    }
    if (inner.kind === "command") {
      const assignments = inner.assignments.map((arg) => {
        const equals = arg.guess.indexOf("=")
        return { name: arg.guess.slice(0, equals), value: supplied(arg.guess.slice(equals + 1)) }
      })
      run(walk, inner.words, { writes: [], reads: [], input: given.input, assignments }, inside, below)
    } else {
      const started = { ...inside, positional: scriptArguments(command) ?? inside.positional }
      nested(walk, command, inner.script, runsHere.test(command.program) ? inside : started, below)
      if (command.program === "trap") {
        walk.later.push((last) => nested(walk, command, inner.script, copy(last), { ...below, hidden: true }))
      }
    }
  }
  // It runs later, and who knows how often.
  if ((command.program === "trap" || command.program === "alias") && walk.moves > moves) walk.lost = true
}

/** A function was looked at where it is defined; what it does depends on its words and on the folder it is called in. */
const call = (walk: Walk, command: Command, scope: Scope, around: Around): void => {
  const body = walk.functions.get(command.program)
  if (body === undefined || around.calls >= maxCalls || walk.calls >= mostCalls) return
  walk.calls++
  const inner = { ...copy(scope), positional: command.args }
  walk.node(body, inner, {
    ...around,
    hidden: true,
    calls: around.calls + 1,
    levels: around.levels + 1,
    input: command.fields.input
  })
}

const nested = (walk: Walk, command: Command, text: Arg, scope: Scope, around: Around): void => {
  if (around.depth >= maxDepth) {
    walk.tooDeep = true
    command.opaque = true
    return
  }
  const script = parse(text.guess.replaceAll(HOLE, "${_}"))
  if (script === undefined) walk.parseError = true
  // Its own input was used up where the script came from it.
  else {
    walk.script(script, scope, {
      ...around,
      depth: around.depth + 1,
      input: text.guess === around.input.text ? noInput : around.input
    })
  }
}

/** Nothing but the text of the command line decides what the script is. */
const isFixed = (command: Command, script: Arg): boolean =>
  script.value !== null ||
  command.program === "alias" ||
  (command.program === "trap" && script.certain) ||
  (script.certain && !script.guess.includes(HOLE) && !script.glob)
