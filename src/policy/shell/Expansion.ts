import { alternatives, digits, hole, type Piece, piece } from "./Braces.ts"
import type { Command } from "./Command.ts"
import type { WordNode, WordPart } from "./ShellParser.ts"
import { made, substitutions } from "./Substitutions.ts"
import { placed, untilde } from "./Tilde.ts"
import { variable, type WordContext } from "./WordContext.ts"
import type { Arg } from "./Words.ts"
import { HOLE } from "./Words.ts"

/** Turns words of the source into arguments, and knows of each how sure that is. */

const maxAlternatives = 32

/** One argument for a word, or several where it has literal brace alternatives. */
export const toArgs = (word: WordNode, context: WordContext): ReadonlyArray<Arg> => {
  const parts = word.parts
  if (context.positional !== undefined && /^"?\$(\{[@*]\}|[@*])"?$/.test(word.text)) return context.positional
  if (parts === undefined) {
    const guess = placed(word.text.startsWith("~") ? untilde(word.value, context) : word.value, context)
    const isOpen = guess.includes(HOLE)
    return [{ text: word.text, value: isOpen ? null : word.value, guess, certain: !isOpen, glob: false, inner: [] }]
  }
  const inner: Array<Command> = []
  let pieces: Array<Piece> = [{ guess: "", literal: true, certain: true, glob: false }]
  for (const part of parts) {
    const found = read(part, context, inner)
    pieces = found.length === 1 ? pieces.map((piece) => join(piece, found[0]!)) : cross(pieces, found)
  }
  // An alternative that is empty is no word at all, unless something in it is quoted.
  if (pieces.length > 1 && !/["']/.test(word.text)) pieces = pieces.filter((piece) => piece.guess !== "")
  // One word that makes up a command with its options is not written as anyone would write it.
  const isLine = pieces.length > 1 && word.text.startsWith("{") && pieces.some((piece) => piece.guess.startsWith("-"))
  if (pieces.length === 1 && parts.length === 1 && /Expansion$/.test(parts[0]!.type)) pieces = split(pieces[0]!)
  return pieces.map((piece, index) => {
    const guess = placed(/^[~{]/.test(word.text) ? untilde(piece.guess, context) : piece.guess, context)
    const isOpen = guess.includes(HOLE)
    const value = piece.literal && !piece.glob && !isOpen && !isLine ? piece.guess : null
    const text = value === null && index > 0 && !word.text.startsWith("{") ? "" : word.text
    return { text, value, guess, certain: piece.certain && !isOpen, glob: piece.glob, inner }
  })
}

/** A value that is not quoted becomes as many words as it has. */
const split = (whole: Piece): Array<Piece> => {
  const words = whole.literal || whole.guess.includes(HOLE) ? [] : whole.guess.trim().split(/\s+/)
  return words.length < 2 || words.length > maxAlternatives
    ? [whole]
    : words.map((guess) => ({ ...whole, guess, glob: /[*?[]/.test(guess) }))
}

export const toArg = (word: WordNode, context: WordContext): Arg => {
  const args = toArgs(word, context)
  return args.length === 1
    ? args[0]!
    : { ...args[0]!, value: null, certain: false, guess: args.map((arg) => arg.guess).join(" ") }
}

/** Text that may have expansions but no quotes, as the body of a here-document. */
export const toText = (parts: ReadonlyArray<WordPart>, context: WordContext): Arg => {
  const inner: Array<Command> = []
  let all: Piece = { guess: "", literal: true, certain: true, glob: false }
  for (const part of parts) all = join(all, read(part, context, inner)[0]!)
  return {
    text: all.guess,
    value: all.literal ? all.guess : null,
    guess: all.guess,
    certain: all.certain,
    glob: false,
    inner
  }
}

const join = (a: Piece, b: Piece): Piece => ({
  guess: a.guess + b.guess,
  literal: a.literal && b.literal,
  certain: a.certain && b.certain,
  glob: a.glob || b.glob
})

const cross = (all: ReadonlyArray<Piece>, found: ReadonlyArray<Piece>): Array<Piece> => {
  const crossed = all.flatMap((piece) => found.map((one) => join(piece, one)))
  return crossed.length > maxAlternatives ? [...crossed.slice(0, maxAlternatives), hole] : crossed
}

const pattern = (guess: string): Piece => ({ guess, literal: false, certain: true, glob: true })

/** `${name}` and what stands behind the name; what else its words run is the caller's to see. */
const parameter = (part: Extract<WordPart, { readonly type: "ParameterExpansion" }>, context: WordContext): Piece => {
  if (part.prefix !== undefined || part.index !== undefined) return part.prefix === "#" ? digits : hole
  const operation = part.operation
  const value = variable(part.parameter, context)
  if (operation === undefined) return value
  if (operation.type !== "Default") return hole
  if (operation.operator.endsWith("?") || value.guess !== HOLE) return { ...value, literal: false }
  return operation.operator.endsWith("+")
    ? hole
    : {
      ...piece(toArg(operation.operand, { ...context, visit: () => [] }).guess),
      literal: false,
      certain: false
    }
}

const read = (part: WordPart, context: WordContext, inner: Array<Command>): ReadonlyArray<Piece> => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [piece(part.value)]
    case "DoubleQuoted":
    case "LocaleString":
      return [part.parts.map((child) => read(child, context, inner)[0]!).reduce(join, piece(""))]
    case "Glob":
      return [pattern(part.text)]
    case "ExtendedGlob":
      inner.push(...substitutions(part, context))
      return [pattern("*")]
    case "BraceExpansion":
      inner.push(...substitutions(part, context))
      return alternatives(part.text)
    case "SimpleExpansion":
      return [variable(part.text.slice(1), context)]
    case "ParameterExpansion":
      inner.push(...substitutions(part, context))
      return [parameter(part, context)]
    case "CommandExpansion": {
      const commands = context.visit(part)
      inner.push(...commands)
      return [commands.length === 1 && commands[0]!.program === "pwd" ? variable("PWD", context) : made(commands)]
    }
    case "ArithmeticExpansion":
      inner.push(...substitutions(part, context))
      return [digits]
    case "ProcessSubstitution":
      inner.push(...context.visit(part))
      return [{ ...piece("/dev/fd/63"), literal: false }]
  }
}
