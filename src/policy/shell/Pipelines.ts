import type { Command } from "./Command.ts"
import { settle } from "./Folders.ts"
import { pipeInput } from "./Output.ts"
import type { Around, Scope } from "./Scope.ts"
import { copy } from "./Scope.ts"
import type { Pipeline } from "./ShellParser.ts"
import type { Walk } from "./Walk.ts"

/** Each stage runs in a shell of its own and reads what the stages before it print; a single command is no pipeline. */
export const pipeline = (walk: Walk, node: Pipeline, scope: Scope, around: Around): void => {
  if (node.commands.length === 1) {
    walk.node(node.commands[0]!, scope, around)
    const negated = node.prefixes.filter((each) => each.type === "Negation").length % 2 === 1
    if (negated) settle(scope, scope.failed, scope.ok)
    return
  }
  let input = around.input
  const earlier: Array<Command> = []
  for (const command of node.commands) {
    const stage = walk.node(command, copy(scope), { ...around, input, piped: true })
    input = pipeInput(stage, earlier)
    earlier.push(...stage)
  }
  settle(scope, scope.at, scope.at)
}
