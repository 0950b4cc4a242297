import { resolve } from "../parse/Paths.ts"
import { forEachChild, type SyntaxNode, type WordNode, type WordPart } from "../parse/ShellParser.ts"
import { type Arg, type Command, freshFolder, HOLE, type Input } from "../programs/Command.ts"

/** Turns words of the source into arguments, and knows of each how sure that is. */

/** What is known of a variable. */
export interface Known {
  readonly guess: string
  readonly certain: boolean
  /** It stands for each name that fits, one after the other. */
  readonly glob?: boolean
}

/** What is known where a word stands. */
export interface WordContext {
  readonly home: string
  readonly cwd: string | null
  readonly variables: ReadonlyMap<string, Known>
  /** The values of `$1`, `$2` …; unknown when absent. */
  readonly positional?: ReadonlyArray<Arg> | undefined
  /** Visits a substitution and returns what runs in it. */
  readonly visit: (node: SyntaxNode) => ReadonlyArray<Command>
}

/** What one piece of a word expands to. */
interface Piece {
  readonly guess: string
  readonly literal: boolean
  readonly certain: boolean
  readonly glob: boolean
}

const piece = (guess: string): Piece => ({ guess, literal: true, certain: true, glob: false })
const digits: Piece = { guess: "0", literal: false, certain: true, glob: false }
const hole: Piece = { guess: HOLE, literal: false, certain: false, glob: false }
const pattern = (guess: string): Piece => ({ guess, literal: false, certain: true, glob: true })

const maxAlternatives = 32

/** One argument for a word, or several where it has literal brace alternatives. */
export const toArgs = (word: WordNode, context: WordContext): ReadonlyArray<Arg> => {
  const parts = word.parts
  if (context.positional !== undefined && /^"?\$(\{[@*]\}|[@*])"?$/.test(word.text)) return context.positional
  if (parts === undefined) {
    const guess = withoutProc(word.text.startsWith("~") ? withoutTilde(word.value, context) : word.value, context)
    const isOpen = guess.includes(HOLE)
    return [{ text: word.text, value: isOpen ? null : word.value, guess, certain: !isOpen, glob: false, inner: [] }]
  }
  const inner: Array<Command> = []
  let pieces: Array<Piece> = [piece("")]
  for (const part of parts) {
    const found = expand(part, context, inner)
    pieces = found.length === 1 ? pieces.map((before) => join(before, found[0]!)) : cross(pieces, found)
  }
  // An alternative that is empty is no word at all, unless something in it is quoted.
  if (pieces.length > 1 && !/["']/.test(word.text)) pieces = pieces.filter((each) => each.guess !== "")
  // A brace word that expands to a whole command line with options, such as `{rm,-rf,/}`, counts as not literal.
  const isLine = pieces.length > 1 && word.text.startsWith("{") && pieces.some((each) => each.guess.startsWith("-"))
  if (pieces.length === 1 && parts.length === 1 && /Expansion$/.test(parts[0]!.type)) pieces = split(pieces[0]!)
  return pieces.map((each, index) => {
    const guess = withoutProc(/^[~{]/.test(word.text) ? withoutTilde(each.guess, context) : each.guess, context)
    const isOpen = guess.includes(HOLE)
    const value = each.literal && !each.glob && !isOpen && !isLine ? each.guess : null
    const text = value === null && index > 0 && !word.text.startsWith("{") ? "" : word.text
    return { text, value, guess, certain: each.certain && !isOpen, glob: each.glob, inner }
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
  const { certain, guess, literal } = parts.map((part) => expand(part, context, inner)[0]!).reduce(join, piece(""))
  return { text: guess, value: literal ? guess : null, guess, certain, glob: false, inner }
}

/** Characters of an expansion; a longer one, as variables that double each other make, is not followed. */
const maxExpansion = 16 * 1024

const join = (a: Piece, b: Piece): Piece => {
  const literal = a.literal && b.literal
  if (!literal && a.guess.length + b.guess.length > maxExpansion) return hole
  return { guess: a.guess + b.guess, literal, certain: a.certain && b.certain, glob: a.glob || b.glob }
}

const cross = (all: ReadonlyArray<Piece>, found: ReadonlyArray<Piece>): Array<Piece> => {
  const crossed = all.flatMap((before) => found.map((one) => join(before, one)))
  return crossed.length > maxAlternatives ? [...crossed.slice(0, maxAlternatives), hole] : crossed
}

const expand = (part: WordPart, context: WordContext, inner: Array<Command>): ReadonlyArray<Piece> => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [piece(part.value)]
    case "DoubleQuoted":
    case "LocaleString":
      return [part.parts.map((child) => expand(child, context, inner)[0]!).reduce(join, piece(""))]
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
      return [printed(commands, context)]
    }
    case "ArithmeticExpansion":
      inner.push(...substitutions(part, context))
      return [digits]
    case "ProcessSubstitution":
      inner.push(...context.visit(part))
      return [{ ...piece("/dev/fd/63"), literal: false }]
  }
}

/** The words of a brace expansion, in the order of the shell. */
const alternatives = (text: string): ReadonlyArray<Piece> => {
  if (/^\{[^{}"'$`\\]*,[^{}"'$`\\]*\}$/.test(text)) {
    return text.slice(1, -1).split(",").map((each) => ({ ...piece(each), glob: /[*?[]/.test(each) }))
  }
  const range = /^\{(\w+)\.\.(\w+)(\.\.-?\d+)?\}$/.exec(text)
  if (range === null) return [hole]
  const letters = range.slice(1, 3).every((end) => /^[A-Za-z]$/.test(end!))
  if (range[3] !== undefined || !letters) return range[1] === range[2] ? [piece(range[1]!)] : [digits]
  const [from, to] = [range[1]!.charCodeAt(0), range[2]!.charCodeAt(0)]
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => piece(String.fromCharCode(from + at * step)))
}

// They expand to digits: what the digits are does not matter to a path.
const numbers = new Set("$ ! ? # RANDOM SRANDOM BASHPID PPID UID EUID SECONDS LINENO EPOCHSECONDS".split(" "))

/** What `$name` stands for. */
const variable = (name: string, context: WordContext): Piece => {
  if (numbers.has(name)) return digits
  const given = /^[1-9]$/.test(name) ? context.positional?.[Number(name) - 1] : undefined
  if (given !== undefined) return { guess: given.guess, certain: given.certain, literal: false, glob: given.glob }
  const known = context.variables.get(name)
  if (known !== undefined) return { ...known, literal: false, glob: known.glob === true }
  if (name === "HOME") return piece(context.home)
  return name === "PWD" && context.cwd !== null ? piece(context.cwd) : hole
}

/** `${name}` and what stands behind the name; what else its words run is the caller's to see. */
const parameter = (part: Extract<WordPart, { readonly type: "ParameterExpansion" }>, context: WordContext): Piece => {
  if (part.prefix !== undefined || part.index !== undefined) return part.prefix === "#" ? digits : hole
  const operation = part.operation
  const value = variable(part.parameter, context)
  if (operation === undefined) return value
  if (operation.type !== "Default") return hole
  if (operation.operator.endsWith("?") || value.guess !== HOLE) return { ...value, literal: false }
  if (operation.operator.endsWith("+")) return hole
  const { guess } = toArg(operation.operand, { ...context, visit: () => [] })
  return { ...piece(guess), literal: false, certain: false }
}

/** Runs everything inside a node and returns it. */
export const substitutions = (node: SyntaxNode, context: WordContext): ReadonlyArray<Command> => {
  const found: Array<Command> = []
  const look = (child: SyntaxNode): void => {
    if (isSubstitution(child)) found.push(...context.visit(child))
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
const printed = (commands: ReadonlyArray<Command>, context: WordContext): Piece => {
  const only = commands.length === 1 ? commands[0]! : undefined
  if (only?.program === "pwd") return variable("PWD", context)
  if (only?.row.is("makes-temporary") === true && only.args.every((arg) => arg.value === "-d")) {
    return { guess: freshFolder, literal: false, certain: true, glob: false }
  }
  const text = outputOf(commands)?.replace(/\n+$/, "")
  return text === undefined || text === "" || text.includes(HOLE)
    ? hole
    : { guess: text, literal: false, certain: false, glob: false }
}

/** The kernel has other names for the folder a command runs in. */
const withoutProc = (path: string, context: WordContext): string => {
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

/** What a pipeline stage prints, where its text alone tells: then the next stage reads literal text. */
const outputOf = (stage: ReadonlyArray<Command>): string | undefined => {
  const command = stage.length === 1 ? stage[0] : undefined
  return command === undefined || command.fields.writes.length > 0 ? undefined : printedText(command)
}

/** What a command prints, redirects aside, where its text and the files that were written before it tell. */
export const printedText = (command: Command): string | undefined => {
  const { fields: { cwd, input, written }, program, row, words } = command
  if (program === "echo") return echoed(command)
  if (program === "printf") return formatted(command)
  if (!row.is("passes-input")) return undefined
  if (words.every((word) => word === "-")) return input.text
  const texts = words.map((word) => written.get(resolve(word, cwd) ?? ""))
  return texts.every((text) => text !== undefined) ? texts.join("\n") : undefined
}

/** What a stage of a pipeline is given by those before it. */
export const pipeInput = (stage: ReadonlyArray<Command>, earlier: ReadonlyArray<Command>): Input => {
  const text = outputOf(stage)
  return { text, fed: text === undefined || text.includes(HOLE), from: [...earlier, ...stage], file: undefined }
}

const echoed = (command: Command): string => {
  const words = [...command.words]
  let escapes = false
  while (words.length > 0 && /^-[neE]+$/.test(words[0]!)) escapes = words.shift()!.includes("e") || escapes
  const text = words.join(" ")
  return escapes ? unescape(text) : text
}

const formatted = (command: Command): string | undefined => {
  const words = [...command.words]
  if (words[0] === "--") words.shift()
  const format = words.shift()
  if (format === undefined || format.startsWith("-v")) return undefined
  const once = (): string =>
    unescape(format).replace(
      /%(?:%|[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z])/g,
      (directive) =>
        directive === "%%" ? "%" : directive.endsWith("b") ? unescape(words.shift() ?? "") : (words.shift() ?? "")
    )
  let text = once()
  while (words.length > 0 && /%[^%]/.test(format)) text += once()
  return text
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
  "'": "'",
  "\"": "\""
}

const unescape = (text: string): string =>
  text.replace(/\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|[ntrabfve\\'"])/g, (_, code: string) => {
    if (code[0] === "x" || code[0] === "u") return String.fromCharCode(parseInt(code.slice(1), 16))
    return /^[0-7]/.test(code) ? String.fromCharCode(parseInt(code, 8)) : escapes[code]!
  })
