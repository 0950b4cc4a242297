import { isBuiltin, isExit, merge, settle, stand } from "./Folders.ts"
import type { Around, Scope } from "./Scope.ts"
import { copy } from "./Scope.ts"
import type { AndOr, SyntaxNode } from "./ShellParser.ts"
import type { Walk } from "./Walk.ts"

/** What stands behind `&&` starts where success leads, and behind `||` where failure does. */
export const chain = (walk: Walk, node: AndOr, scope: Scope, around: Around): void => {
  walk.node(node.commands[0]!, scope, around)
  let { failed, ok } = scope
  node.commands.slice(1).forEach((each, index) => {
    const and = node.operators[index] === "&&"
    stand(scope, and ? ok : failed)
    walk.node(each, scope, around)
    const ends = isExit(each)
    if (and) [ok, failed] = ends ? [[], failed] : [scope.ok, merge(failed, scope.failed)]
    else [ok, failed] = ends ? [ok, []] : [merge(ok, scope.ok), scope.failed]
  })
  settle(scope, ok, failed)
}

export const define = (
  walk: Walk,
  node: Extract<SyntaxNode, { readonly type: "Function" }>,
  scope: Scope,
  around: Around
): void => {
  const name = node.name.value
  const { moves } = walk
  walk.functions.set(name, node.body)
  const inner = copy(scope)
  walk.node(node.body, inner, { ...around, functions: [...around.functions, name] })
  if (walk.moves > moves) walk.ends = merge(walk.ends, inner.at)
  if (walk.moves > moves || isBuiltin(name)) walk.lost = true
}
