import { forEachChild, type Script, type SyntaxNode } from "./ShellParser.ts"

/** Simple commands of one command line, those of scripts inside it included. */
export const mostCommands = 500
/** Words, assignments and targets of redirects. */
export const mostWords = 2_000
/** Stages of one pipeline. */
export const mostStages = 128
/** Pieces of syntax of any kind, such as the operators of arithmetic. */
const mostNodes = 12_000

/** The command is more than the analysis takes the time for: see docs/policy.md#commands-that-are-too-large */
export class TooLarge extends Error {
  override readonly name = "TooLarge"
}

const several = (count: number): string => count.toLocaleString("en-US")

/** Counts what the scripts of one command line consist of, before anything else is done with them. */
export class SourceSize {
  #commands = 0
  #words = 0
  #nodes = 0

  /** Throws `TooLarge` as soon as there is more than the analysis takes. */
  count(script: Script): void {
    // Not recursive: the depth is that of the text.
    const left: Array<SyntaxNode> = [script]
    const add = (node: SyntaxNode): void => void left.push(node)
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      if (++this.#nodes > mostNodes) throw new TooLarge(`it has more than ${several(mostNodes)} pieces of syntax`)
      if (node.type === "Command" && ++this.#commands > mostCommands) {
        throw new TooLarge(`it has more than ${several(mostCommands)} commands`)
      }
      if ((node.type === "Word" || node.type === "Assignment") && ++this.#words > mostWords) {
        throw new TooLarge(`it has more than ${several(mostWords)} words`)
      }
      if (node.type === "Pipeline" && node.commands.length > mostStages) {
        throw new TooLarge(`a pipeline of it has more than ${mostStages} stages`)
      }
      forEachChild(node, add)
    }
  }
}
