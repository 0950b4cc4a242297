import { forEachChild, type SyntaxNode, type WordNode, type WordPart } from "../parse/ShellParser.ts"
import { type Arg, type Command, freshFolder, HOLE } from "../programs/Command.ts"
import { type Printed, unescape } from "./Output.ts"
import * as Parameters from "./Parameters.ts"
import { given, type Known, unknownValue, unset, type Value, type Variables } from "./Variables.ts"

/** Turns words of the source into arguments, and knows of each how sure that is. */

/** What a substitution runs, and prints where that is known. */
export interface Visited {
  readonly commands: ReadonlyArray<Command>
  readonly output: Printed | undefined
}

/** What is known where a word stands. */
export interface WordContext {
  readonly home: string
  readonly cwd: string | null
  /** No other folder is possible. */
  readonly isSettled: boolean
  readonly variables: Variables
  /** The values of `$1`, `$2` …; unknown when absent. */
  readonly positional?: ReadonlyArray<Arg> | undefined
  /** Runs a substitution. */
  readonly visit: (node: SyntaxNode) => Visited
  /** `${x:=value}` gives a variable a value. */
  readonly assign: (name: string, value: Value) => void
  /** A variable is looked at. */
  readonly read?: ((name: string) => void) | undefined
  /** There is more than can be looked at. */
  readonly overflow: () => void
}

/** What one piece of a word expands to. */
interface Piece extends Value {
  /** It stands in the text as it is. */
  readonly literal: boolean
  /** A word of it exists also where it is empty. */
  readonly kept: boolean
}

/** What a part of a word becomes: pieces of several words, the first joined to what is before it and the last to what follows. */
type Expansion = ReadonlyArray<Piece>

const literalPiece = (guess: string, kept = true): Piece => ({ ...given(guess), literal: true, kept })
const digits: Value = { guess: "0", certain: true, exact: false, glob: false }
const pattern = (guess: string): Piece => ({
  guess,
  literal: false,
  certain: true,
  exact: false,
  glob: true,
  kept: true
})
const ofValue = (value: Value, kept: boolean): Piece => ({
  guess: value.guess,
  certain: value.certain,
  exact: value.exact,
  glob: value.glob,
  literal: false,
  kept
})

/** Words that one word may become. */
const maxWords = 256

/** Characters of an expansion; a longer one, as variables that double each other make, is not followed. */
const maxExpansion = 4 * 1024

/** The arguments that a word becomes: several where it has alternatives in braces or values of several words, or none. */
export const toArgs = (word: WordNode, context: WordContext): ReadonlyArray<Arg> => {
  const { parts, text } = word
  if (parts === undefined) {
    const guess = withoutProc(text.startsWith("~") ? withoutTilde(word.value, context) : word.value, context)
    const isOpen = guess.includes(HOLE)
    const exact = !isOpen && (!text.startsWith("~") || isSureOfHome(context))
    return [{ text, value: isOpen ? null : word.value, guess, certain: !isOpen, exact, glob: false, inner: [] }]
  }
  const inner: Array<Command> = []
  const all = wordsOf(parts, context, inner)
  // A brace word that expands to a whole command line with options, such as `{rm,-rf,/}`, counts as not literal.
  const isLine = all.length > 1 && text.startsWith("{") && all.some((each) => each.guess.startsWith("-"))
  return all.map((each, index) => {
    const isHome = /^[~{]/.test(text) && each.guess.startsWith("~")
    const guess = withoutProc(isHome ? withoutTilde(each.guess, context) : each.guess, context)
    const isOpen = guess.includes(HOLE)
    const value = each.literal && !each.glob && !isOpen && !isLine ? each.guess : null
    return {
      text: value === null && index > 0 && !text.startsWith("{") ? "" : text,
      value,
      guess,
      certain: each.certain && !isOpen,
      exact: each.exact && !isOpen && !each.glob && (!isHome || isSureOfHome(context)),
      glob: each.glob,
      inner
    }
  })
}

/** The word as one argument, where the shell takes no more. */
export const toArg = (word: WordNode, context: WordContext): Arg => {
  const args = toArgs(word, context)
  if (args.length === 1) return args[0]!
  const [first] = args
  return {
    text: word.text,
    value: null,
    guess: args.map((arg) => arg.guess).join(" "),
    certain: args.length === 0,
    exact: args.length === 0,
    glob: args.some((arg) => arg.glob),
    inner: first?.inner ?? []
  }
}

/** The word where the shell neither splits it nor looks for files: the value of an assignment, a here-string. */
export const toWhole = (word: WordNode, context: WordContext): Arg => {
  const { parts, text } = word
  if (parts === undefined) return toArgs(word, context)[0]!
  const inner: Array<Command> = []
  const whole = wholeOf(parts, context, inner)
  const isHome = text.startsWith("~")
  const guess = withoutProc(isHome ? withoutTilde(whole.guess, context) : whole.guess, context)
  const isOpen = guess.includes(HOLE)
  return {
    text,
    value: whole.literal && !isOpen ? whole.guess : null,
    guess,
    certain: whole.certain && !isOpen,
    exact: whole.exact && !isOpen && (!isHome || isSureOfHome(context)),
    glob: whole.glob,
    inner
  }
}

/** Text that may have expansions but no quotes, as the body of a here-document. */
export const toText = (parts: ReadonlyArray<WordPart>, context: WordContext): Arg => {
  const inner: Array<Command> = []
  const { certain, exact, guess, literal } = wholeOf(parts, context, inner)
  return { text: guess, value: literal ? guess : null, guess, certain, exact, glob: false, inner }
}

const joinTwo = (a: Piece, b: Piece): Piece => {
  const literal = a.literal && b.literal
  if (!literal && a.guess.length + b.guess.length > maxExpansion) return { ...ofValue(unknownValue, true) }
  return {
    guess: a.guess + b.guess,
    literal,
    certain: a.certain && b.certain,
    exact: a.exact && b.exact,
    glob: a.glob || b.glob,
    kept: a.kept || b.kept
  }
}

const nothing = literalPiece("", false)

/** The words so far, and those of the next part. */
const joinAll = (before: Expansion, next: Expansion): Expansion => {
  if (next.length === 0) return before
  if (before.length === 1 && next.length === 1) return [joinTwo(before[0]!, next[0]!)]
  return [...before.slice(0, -1), joinTwo(before.at(-1) ?? nothing, next[0]!), ...next.slice(1)]
}

/** The pieces joined by a separator, as `"$*"` is. */
const together = (all: Expansion, separator: string): Piece =>
  all.length === 0 ? literalPiece("") : all.reduce((a, b) => joinTwo(joinTwo(a, literalPiece(separator)), b))

const wordsOf = (
  parts: ReadonlyArray<WordPart>,
  context: WordContext,
  inner: Array<Command>
): ReadonlyArray<Piece> => {
  let alternatives: ReadonlyArray<Expansion> = [[nothing]]
  for (const part of parts) {
    if (part.type === "BraceExpansion") {
      const found = braces(part, context, inner)
      alternatives = alternatives.flatMap((before) => found.map((each) => joinAll(before, each)))
    } else {
      const found = expand(part, context, inner)
      alternatives = alternatives.length === 1
        ? [joinAll(alternatives[0]!, found)]
        : alternatives.map((before) => joinAll(before, found))
    }
    if (alternatives.length > maxWords) {
      context.overflow()
      alternatives = alternatives.slice(0, maxWords)
    }
  }
  const words = alternatives.flat().filter((each) => each.kept || each.guess !== "")
  if (words.length <= maxWords) return words
  context.overflow()
  return words.slice(0, maxWords)
}

/** Everything as one word. */
const wholeOf = (parts: ReadonlyArray<WordPart>, context: WordContext, inner: Array<Command>): Piece =>
  parts.map((part): Piece => {
    switch (part.type) {
      case "Glob":
      case "ExtendedGlob":
      case "BraceExpansion":
        inner.push(...substitutions(part, context))
        return literalPiece(part.text)
    }
    return together(unquoted(part) ? valuesOf(part, context, inner).pieces : expand(part, context, inner), " ")
  }).reduce(joinTwo, nothing)

const unquoted = ({ type }: WordPart): boolean =>
  type === "SimpleExpansion" || type === "ParameterExpansion" ||
  type === "CommandExpansion"

const expand = (part: WordPart, context: WordContext, inner: Array<Command>): Expansion => {
  switch (part.type) {
    case "Literal":
      return [literalPiece(part.value)]
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [literalPiece(part.value)]
    case "DoubleQuoted":
    case "LocaleString":
      return quoted(part.parts, context, inner)
    case "Glob":
      return [pattern(part.text)]
    case "ExtendedGlob":
      inner.push(...substitutions(part, context))
      return [pattern("*")]
    case "BraceExpansion":
      inner.push(...substitutions(part, context))
      return [ofValue(unknownValue, true)]
    case "ProcessSubstitution":
      inner.push(...context.visit(part).commands)
      return [{ ...literalPiece("/dev/fd/63"), literal: false }]
    default: {
      const { isList, pieces } = valuesOf(part, context, inner)
      if (pieces.length === 1 && !isList) return split(pieces[0]!, context)
      return pieces.flatMap((each) => split(each, context).filter((one) => one.kept || one.guess !== ""))
    }
  }
}

/** In double quotes a value stays one word, but a list is as many words as it has elements. */
const quoted = (parts: ReadonlyArray<WordPart>, context: WordContext, inner: Array<Command>): Expansion => {
  // Quotes around nothing are a word; quotes around an empty list are none.
  let all: Expansion = parts.length === 1 ? [nothing] : [literalPiece("")]
  for (const part of parts) {
    if (!unquoted(part) && part.type !== "ArithmeticExpansion") {
      all = joinAll(all, expand(part, context, inner))
      continue
    }
    const { isJoined, isList, pieces } = valuesOf(part, context, inner)
    const kept = pieces.map((each): Piece => ({ ...each, kept: true }))
    if (!isList) all = joinAll(all, kept)
    else if (isJoined) all = joinAll(all, [together(kept, separatorIn(context))])
    else all = joinAll(all, kept)
  }
  return all
}

interface Values {
  readonly pieces: Expansion
  /** It is `$@` or an array: each piece is a word of its own. */
  readonly isList: boolean
  /** It is `$*`, whose words are one in quotes. */
  readonly isJoined: boolean
}

const one = (value: Value): Values => ({ pieces: [ofValue(value, false)], isList: false, isJoined: false })

/** What an expansion stands for, before it is split. */
const valuesOf = (part: WordPart, context: WordContext, inner: Array<Command>): Values => {
  switch (part.type) {
    case "SimpleExpansion": {
      const name = part.text.slice(1)
      return name === "@" || name === "*" ? listed(positionalIn(context), name === "*") : one(variable(name, context))
    }
    case "ParameterExpansion":
      inner.push(...substitutions(part, context))
      return parameter(part, context)
    case "CommandExpansion": {
      const visited = context.visit(part)
      inner.push(...visited.commands)
      return one(printed(visited, context))
    }
    case "ArithmeticExpansion":
      inner.push(...substitutions(part, context))
      return one(digits)
  }
  return one(unknownValue)
}

const listed = (values: ReadonlyArray<Value> | undefined, isJoined: boolean): Values =>
  values === undefined
    ? { pieces: [ofValue(unknownValue, true)], isList: false, isJoined }
    : { pieces: values.map((value) => ofValue(value, false)), isList: true, isJoined }

const positionalIn = ({ positional }: WordContext): ReadonlyArray<Value> | undefined =>
  positional?.map((arg) => ({
    guess: arg.guess,
    certain: arg.certain,
    exact: arg.exact || arg.value !== null,
    glob: arg.glob
  }))

const blanks = " \t\n"

const separatorsIn = (context: WordContext): string | undefined => {
  const own = context.variables.get("IFS")
  return own === undefined || own.isUnset ? blanks : own.exact ? own.guess : undefined
}

const separatorIn = (context: WordContext): string => separatorsIn(context)?.[0] ?? (separatorsIn(context) ?? HOLE)

const hasPattern = /[*?[]/

/** A value that is not quoted becomes as many words as it has. */
const split = (whole: Piece, context: WordContext): Expansion => {
  const { guess } = whole
  if (whole.literal) return [whole]
  const separators = separatorsIn(context)
  if (separators === undefined) return [/[^\w./-]/.test(guess) ? ofValue(unknownValue, true) : whole]
  const words = fieldsOf(guess, separators)
  if (words === undefined) return [{ ...whole, glob: whole.glob || hasPattern.test(guess) }]
  if (words.length > maxWords) {
    context.overflow()
    return [ofValue(unknownValue, true)]
  }
  return words.map((text, at) => ({
    ...whole,
    guess: text,
    glob: hasPattern.test(text),
    exact: whole.exact && !hasPattern.test(text),
    kept: at > 0 && at < words.length - 1
  }))
}

/** The words of a value, empty ones at an end for what is joined there; `undefined` where it is a single word. */
export const fieldsOf = (text: string, separators: string): ReadonlyArray<string> | undefined => {
  if (separators === "" || ![...separators].some((each) => text.includes(each))) return undefined
  const space = [...separators].filter((each) => blanks.includes(each)).join("")
  const other = [...separators].filter((each) => !blanks.includes(each)).join("")
  const found: Array<string> = [""]
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (space.includes(char)) {
      while (at + 1 < text.length && space.includes(text[at + 1]!)) at++
      if (at + 1 < text.length && other.includes(text[at + 1]!)) continue
      found.push("")
    } else if (other.includes(char)) {
      while (at + 1 < text.length && space.includes(text[at + 1]!)) at++
      found.push("")
    } else found[found.length - 1] += char
  }
  return found
}

/** The words of a brace expansion, in the order of the shell. */
const braces = (
  part: Extract<WordPart, { readonly type: "BraceExpansion" }>,
  context: WordContext,
  inner: Array<Command>
): ReadonlyArray<Expansion> => {
  const { parts, text } = part
  if (parts === undefined) {
    const found = alternatives(text)
    if (found !== undefined) {
      return found.map((each) => [
        hasPattern.test(each) ? pattern(each) : literalPiece(each, each !== "")
      ])
    }
    return range(text)
  }
  // Alternatives with quotes and expansions, without braces inside braces.
  if (parts.some((each) => each.type === "BraceExpansion" || (each.type === "Literal" && /[{}]/.test(each.text)))) {
    inner.push(...substitutions(part, context))
    return [[ofValue(unknownValue, true)]]
  }
  let all: Array<Expansion> = [[nothing]]
  const add = (next: Expansion): void => {
    all = [...all.slice(0, -1), joinAll(all.at(-1)!, next)]
  }
  for (const each of parts) {
    if (each.type !== "Literal") {
      add(expand(each, context, inner))
      continue
    }
    each.value.split(",").forEach((between, at) => {
      if (at > 0) all.push([nothing])
      if (between !== "") add([literalPiece(between)])
    })
  }
  return all
}

/** The alternatives of braces without quotes, those in braces inside included; `undefined` where there are none. */
const alternatives = (text: string): ReadonlyArray<string> | undefined => {
  if (/["'$`\\]/.test(text)) return undefined
  const parsed = alternativesFrom(text, 0)
  return parsed === undefined || parsed.end !== text.length ? undefined : parsed.words
}

const alternativesFrom = (
  text: string,
  start: number
): { readonly words: ReadonlyArray<string>; readonly end: number } | undefined => {
  const all: Array<string> = []
  let current: ReadonlyArray<string> = [""]
  let commas = 0
  const append = (words: ReadonlyArray<string>): void => {
    current = current.flatMap((before) => words.map((word) => before + word)).slice(0, maxWords + 1)
  }
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]!
    if (char === "{") {
      const within = alternativesFrom(text, at)
      const [numbers] = within === undefined ? /^\{\w+\.\.\w+(\.\.-?\d+)?\}/.exec(text.slice(at)) ?? [] : []
      if (within !== undefined) {
        append(within.words)
        at = within.end - 1
      } else if (numbers !== undefined) {
        append(range(numbers).map(([piece]) => piece!.guess))
        at += numbers.length - 1
      } else append(["{"])
    } else if (char === ",") {
      all.push(...current)
      current = [""]
      commas++
    } else if (char === "}") {
      return commas === 0 ? undefined : { words: [...all, ...current].slice(0, maxWords + 1), end: at + 1 }
    } else append([char])
  }
  return undefined
}

/** The words of `{a..c}`; what the digits of numbers are does not matter to a path. */
const range = (text: string): ReadonlyArray<Expansion> => {
  const found = /^\{(\w+)\.\.(\w+)(\.\.-?\d+)?\}$/.exec(text)
  if (found === null) return [[ofValue(unknownValue, true)]]
  const letters = found.slice(1, 3).every((end) => /^[A-Za-z]$/.test(end!))
  if (found[3] !== undefined || !letters) {
    return [[found[1] === found[2] ? literalPiece(found[1]!) : ofValue(digits, true)]]
  }
  const [from, to] = [found[1]!.charCodeAt(0), found[2]!.charCodeAt(0)]
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => [
    literalPiece(String.fromCharCode(from + at * step))
  ])
}

// They expand to digits: what the digits are does not matter to a path.
const numbers = new Set("$ ! ? # RANDOM SRANDOM BASHPID PPID UID EUID SECONDS LINENO EPOCHSECONDS".split(" "))

/** What `$name` stands for. */
const variable = (name: string, context: WordContext): Known => {
  if (numbers.has(name)) return digits
  if (/^\d+$/.test(name)) {
    const args = name === "0" ? undefined : context.positional
    if (args === undefined) return unknownValue
    const arg = args[Number(name) - 1]
    return arg === undefined
      ? unset
      : { guess: arg.guess, certain: arg.certain, exact: arg.exact || arg.value !== null, glob: arg.glob }
  }
  const target = context.variables.target(name)
  if (target === undefined) return unknownValue
  context.read?.(target)
  const known = context.variables.get(target)
  if (known !== undefined) return known
  if (target === "HOME") return given(context.home)
  if (target === "PWD" && context.cwd !== null) return { ...given(context.cwd), exact: context.isSettled }
  return unknownValue
}

/** `~` and `$HOME` lead where the user lives, unless the command line says something else. */
const isSureOfHome = ({ variables }: WordContext): boolean => variables.get("HOME")?.exact !== false

/** A number in an index or a slice. */
export const numberIn = (word: WordNode, context: WordContext): number | undefined =>
  Parameters.numberOf(word.text.replaceAll("\"", ""), (name) => {
    const found = variable(name, context)
    return found.exact ? found.guess : undefined
  })

const isEvery = (word: WordNode | undefined): boolean => /^[@*]$/.test(word?.text ?? "")

/** One element of an array. */
const element = (name: string, index: WordNode, context: WordContext): Value => {
  const known = variable(name, context)
  if (known.elements === undefined) {
    return numberIn(index, context) === 0 || known.guess.includes(HOLE) ? known : unknownValue
  }
  const { attributes = "", elements } = known
  if (attributes.includes("A")) {
    const key = toWhole(index, { ...context, visit: nothingRuns })
    return key.exact || key.value !== null ? elements.get(key.guess) ?? unset : unknownValue
  }
  const at = numberIn(index, context)
  if (at === undefined) return unknownValue
  const last = Math.max(...Array.from(elements.keys(), Number))
  return elements.get(String(at < 0 ? last + 1 + at : at)) ?? (known.certain ? unset : unknownValue)
}

const nothingRuns = (): Visited => ({ commands: [], output: undefined })

/** `${name}` and what stands behind the name; what else its words run is the caller's to see. */
const parameter = (part: Extract<WordPart, { readonly type: "ParameterExpansion" }>, context: WordContext): Values => {
  const { index, operation, parameter: name, prefix } = part
  if (prefix === "#") return one(digits)
  const quiet = { ...context, visit: nothingRuns }
  if (prefix === "!") return indirect(part, context)
  const isArray = isEvery(index)
  if (name === "@" || name === "*" || isArray) {
    const known = isArray ? variable(name, context) : undefined
    const all = isArray
      ? known!.elements === undefined
        ? known!.isUnset ? [] : known!.guess.includes(HOLE) ? undefined : [known!]
        : [...known!.elements.values()]
      : positionalIn(context)
    const isJoined = name === "*" || index?.text === "*"
    return listed(all === undefined ? undefined : operated(all, operation, isArray ? 0 : 1, quiet), isJoined)
  }
  const value = index === undefined ? variable(name, context) : element(name, index, quiet)
  if (operation === undefined) return one(value)
  if (operation.type === "Default") return defaulted(name, value, operation, context)
  return one(applied(value, operation, quiet))
}

type Operation = NonNullable<Extract<WordPart, { readonly type: "ParameterExpansion" }>["operation"]>

const indirect = (
  { index, operation, parameter: name }: Extract<WordPart, { readonly type: "ParameterExpansion" }>,
  context: WordContext
): Values => {
  if (operation?.type === "Names") return listed(undefined, false)
  if (isEvery(index)) {
    const { elements } = variable(name, context)
    return listed(elements === undefined ? undefined : Array.from(elements.keys(), given), index!.text === "*")
  }
  if (name === "#") {
    const last = positionalIn(context)?.at(-1)
    return one(last ?? unknownValue)
  }
  // What a reference refers to is its name.
  if (context.variables.get(name)?.attributes?.includes("n") === true) {
    const target = context.variables.target(name)
    return one(target === undefined ? unknownValue : given(target))
  }
  const leads = index === undefined ? variable(name, context) : element(name, index, context)
  if (!leads.exact || !/^[A-Za-z_]\w*$/.test(leads.guess)) return one(unknownValue)
  const value = variable(leads.guess, context)
  return one(
    operation === undefined || operation.type === "Default" ? value : applied(value, operation, context)
  )
}

/** An operator on each value of a list; a slice takes some of them. `first`: the number of the first one. */
const operated = (
  all: ReadonlyArray<Value>,
  operation: Operation | undefined,
  first: number,
  context: WordContext
): ReadonlyArray<Value> | undefined => {
  if (operation === undefined || operation.type === "Default") return all
  if (operation.type !== "Slice") return all.map((value) => applied(value, operation, context))
  const offset = numberIn(operation.offset, context)
  const length = operation.length === undefined ? undefined : numberIn(operation.length, context)
  if (offset === undefined || (operation.length !== undefined && length === undefined)) return undefined
  // `$0` comes before `$1`.
  if (first === 1 && offset === 0) return undefined
  const range = Parameters.rangeOf(all.length, offset < 0 ? offset : offset - first, length)
  return range && all.slice(...range)
}

/** The pattern or text of an operand; `undefined` where it is not known. */
const operandOf = (word: WordNode, isPattern: boolean, context: WordContext): string | undefined => {
  const { parts, text, value } = word
  if (parts === undefined) return !isPattern || value === text ? value : Parameters.literalPattern(value)
  let made = ""
  for (const part of parts) {
    if (part.type === "Literal") {
      made += !isPattern || part.value === part.text
        ? part.value
        : Parameters.literalPattern(part.value)
    } else if (part.type === "Glob") made += part.text
    else if (part.type === "ExtendedGlob" || part.type === "BraceExpansion") return undefined
    else {
      const piece = together(expand(part, { ...context, variables: context.variables }, []), " ")
      if (!piece.exact && !piece.literal) return undefined
      made += isPattern && !unquoted(part) ? Parameters.literalPattern(piece.guess) : piece.guess
    }
  }
  return made
}

/** What an operator makes of a value. */
const applied = (value: Value, operation: Operation, context: WordContext): Value => {
  const { guess } = value
  if (guess.includes(HOLE)) return unknownValue
  const made = changed(guess, operation, context)
  if (made === undefined) return unknownValue
  // Of a pattern the operator would get each name that fits.
  return { ...value, guess: made, certain: value.certain && !value.glob, exact: value.exact && !value.glob }
}

const changed = (text: string, operation: Operation, context: WordContext): string | undefined => {
  switch (operation.type) {
    case "Remove": {
      const pattern = operandOf(operation.operand, true, context)
      return pattern === undefined ? undefined : Parameters.removed(text, operation.operator, pattern)
    }
    case "Replace": {
      const pattern = operandOf(operation.pattern, true, context)
      const replacement = operandOf(operation.replacement, false, context)
      return pattern === undefined || replacement === undefined
        ? undefined
        : Parameters.replaced(text, operation.operator, pattern, replacement)
    }
    case "Slice": {
      const offset = numberIn(operation.offset, context)
      const length = operation.length === undefined ? undefined : numberIn(operation.length, context)
      if (offset === undefined || (operation.length !== undefined && length === undefined)) return undefined
      const range = Parameters.rangeOf(text.length, offset, length)
      return range === undefined ? "" : text.slice(...range)
    }
    case "CaseModification": {
      const pattern = operation.operand === undefined ? undefined : operandOf(operation.operand, true, context)
      return operation.operand !== undefined && pattern === undefined
        ? undefined
        : Parameters.recased(text, operation.operator, pattern)
    }
    case "Transform":
      return Parameters.transformed(text, operation.operand.text, unescape)
  }
  return undefined
}

/** `${x:-word}` and its kin. */
const defaulted = (
  name: string,
  value: Known,
  { operand, operator }: Extract<Operation, { readonly type: "Default" }>,
  context: WordContext
): Values => {
  const isMissing = value.isUnset === true || (operator.startsWith(":") && value.guess === "")
  const isUnknown = value.guess.includes(HOLE)
  if (operator.endsWith("?")) return one(value)
  const instead = toWhole(operand, { ...context, visit: nothingRuns })
  const other: Value = {
    guess: instead.guess,
    certain: instead.certain && !isUnknown && value.certain,
    exact: (instead.exact || instead.value !== null) && value.exact,
    glob: instead.glob
  }
  if (operator.endsWith("+")) {
    if (isMissing) return one(given(""))
    return one(isUnknown ? { ...other, certain: false, exact: false } : other)
  }
  if (!isMissing && !isUnknown) return one(value)
  if (operator.endsWith("=")) context.assign(name, other)
  return one(other)
}

/** Runs everything inside a node and returns it. */
export const substitutions = (node: SyntaxNode, context: WordContext): ReadonlyArray<Command> => {
  const found: Array<Command> = []
  const look = (child: SyntaxNode): void => {
    if (isSubstitution(child)) found.push(...context.visit(child).commands)
    else forEachChild(child, look)
  }
  forEachChild(node, look)
  return found
}

type Substitution = Extract<
  SyntaxNode,
  { readonly type: "CommandExpansion" | "ProcessSubstitution" | "ArithmeticCommandExpansion" }
>

export const isSubstitution = (node: SyntaxNode): node is Substitution =>
  node.type === "CommandExpansion" || node.type === "ProcessSubstitution" || node.type === "ArithmeticCommandExpansion"

/**
 * What prints a literal text is as good as a variable that has it. A fresh temporary folder may be deleted: nobody
 * knows its name.
 */
const printed = ({ commands, output }: Visited, context: WordContext): Value => {
  const only = commands.length === 1 ? commands[0]! : undefined
  if (only?.program === "pwd" && only.args.length === 0) return variable("PWD", context)
  if (only?.row.is("makes-temporary") === true && only.args.every((arg) => arg.value === "-d")) {
    return { guess: freshFolder, certain: true, exact: false, glob: false }
  }
  const text = output?.text.replace(/\n+$/, "")
  if (output === undefined || text === undefined || text.includes(HOLE)) return unknownValue
  return { guess: text, certain: output.exact, exact: output.exact, glob: false }
}

/** The kernel has other names for the folder a command runs in. */
const withoutProc = (path: string, context: WordContext): string => {
  if (!path.startsWith("/")) return path
  const found = /^\/+(?:\.\/+)*proc\/+(self|thread-self|\d+)\/+(cwd|root)(?=\/|$)/.exec(path)
  if (found === null) return path
  const rest = path.slice(found[0].length)
  if (/^\d/.test(found[1]!)) return HOLE + rest
  return found[2] === "root" ? rest || "/" : (context.cwd ?? HOLE) + rest
}

const withoutTilde = (value: string, context: WordContext): string => {
  if (value === "~" || value.startsWith("~/")) {
    return (context.variables.get("HOME")?.guess ?? context.home) + value.slice(1)
  }
  if (/^~\+(\/|$)/.test(value)) return (context.cwd ?? HOLE) + value.slice(2)
  const earlier = /^~(-|[-+]?\d+)(?=\/|$)/.exec(value)
  if (earlier !== null) return HOLE + value.slice(earlier[0].length)
  const user = /^~([a-z_][a-z0-9_-]*)(\/.*)?$/.exec(value)
  if (user === null) return value
  return (user[1] === "root" ? "/root" : `/home/${user[1]}`) + (user[2] ?? "")
}
