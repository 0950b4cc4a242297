import { hole, type Piece } from "./Braces.ts"
import type { Command } from "./Command.ts"
import { outputOf } from "./Output.ts"
import { forEachChild, type SyntaxNode } from "./ShellParser.ts"
import type { WordContext } from "./WordContext.ts"
import { freshFolder, HOLE } from "./Words.ts"

/** Commands inside words: that they run, and what they leave in the word. */

/** Runs everything inside a node and returns it. */
export const substitutions = (node: SyntaxNode, context: WordContext): ReadonlyArray<Command> => {
  const found: Array<Command> = []
  const look = (child: SyntaxNode): void => {
    if (
      child.type === "CommandExpansion" ||
      child.type === "ProcessSubstitution" ||
      child.type === "ArithmeticCommandExpansion"
    ) {
      found.push(...context.visit(child))
    } else forEachChild(child, look)
  }
  forEachChild(node, look)
  return found
}

/** What prints a literal text is as good as a variable that has it. */
const printed = (commands: ReadonlyArray<Command>): Piece => {
  const text = outputOf(commands)?.replace(/\n+$/, "")
  return text === undefined || text === "" || text.includes(HOLE)
    ? hole
    : { guess: text, literal: false, certain: false, glob: false }
}

/** A fresh temporary folder is named by `mktemp` alone, so deleting it later harms nothing. */
export const made = (commands: ReadonlyArray<Command>): Piece =>
  commands.length === 1 && commands[0]!.program === "mktemp" && commands[0]!.args.every((arg) => arg.value === "-d")
    ? { guess: freshFolder, literal: false, certain: true, glob: false }
    : printed(commands)
