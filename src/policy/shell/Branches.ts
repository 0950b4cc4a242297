import { toArg } from "./Expansion.ts"
import { merge, settle, unsettled } from "./Folders.ts"
import { environmentNames } from "./programs/Environment.ts"
import type { Around, Scope } from "./Scope.ts"
import { bare, floodsOf, isEndless } from "./Scope.ts"
import type { SyntaxNode } from "./ShellParser.ts"
import { forEachChild } from "./ShellParser.ts"
import type { Walk } from "./Walk.ts"
import type { Arg } from "./Words.ts"
import { hidesCode, HOLE, supplied } from "./Words.ts"

/** Branches and loops: what runs in them may not run, so a folder changed there is not known afterwards. */
export const branches = (walk: Walk, node: SyntaxNode, scope: Scope, around: Around): void => {
  const before = scope.at
  const first = walk.parts.length
  const known = new Map(scope.variables)
  round(walk, node, scope, around)
  const at = merge(before, scope.at)
  // In the next round the same words lead on from there: no rule may allow what was noted.
  const isLoop = node.type !== "If" && node.type !== "Case"
  const climbs = isLoop && at.length > before.length
  if (climbs) walk.parts.push(...unsettled(walk.parts.splice(first)))
  const own = node.type === "For" || node.type === "Select" ? node.name.value : undefined
  const changes = isLoop &&
    [...scope.variables].some(([name, { guess }]) => name !== own && known.get(name)?.guess !== guess)
  if ((climbs || changes) && !around.again) {
    settle(scope, at, at)
    round(walk, node, scope, { ...around, hidden: true, again: true })
  }
  const after = climbs ? merge([null], at) : at
  settle(scope, after, after)
}

const round = (walk: Walk, node: SyntaxNode, scope: Scope, around: Around): void => {
  const context = walk.contextOf(scope, around)
  let inner = around
  const from = walk.commands.length
  if (node.type === "For" || node.type === "Select") {
    loopVariable(walk, node, scope, around)
    walk.node(node.body, scope, around)
    return
  }
  if (isEndless(node)) inner = { ...around, endless: true }
  const look = (child: SyntaxNode): void => {
    if (child.type === "CompoundList") walk.node(child, scope, inner)
    else if (child.type === "Word") test(walk, toArg(child, context))
    else if (
      child.type === "CommandExpansion" ||
      child.type === "ProcessSubstitution" ||
      child.type === "ArithmeticCommandExpansion"
    ) {
      context.visit(child)
    } else forEachChild(child, look)
  }
  forEachChild(node, look)
  if (inner.endless && !around.endless) walk.floods.push(...floodsOf(walk.commands.slice(from)))
}

/** One word, or one that names something hidden, is as good as an assignment. */
const loopVariable = (
  walk: Walk,
  node: Extract<SyntaxNode, { readonly type: "For" | "Select" }>,
  scope: Scope,
  around: Around
): void => {
  const name = node.name.value
  const words = node.wordlist?.map((word) => toArg(word, walk.contextOf(scope, around))) ?? []
  words.forEach((word) => test(walk, word))
  const guess = words.length === 1 || words.some((word) => word.guess.includes("/.")) ? words[0]!.guess : HOLE
  scope.variables.set(name, { guess, certain: false })
  if (!environmentNames.has(name)) return
  const assignments = [{ name, value: words[0] ?? supplied(HOLE) }]
  walk.commands.push(bare({ reads: [], writes: [], input: around.input, assignments }, scope, around, walk.downloads))
}

const test = (walk: Walk, arg: Arg): void => {
  if (hidesCode(arg)) walk.tooDeep = true
}
