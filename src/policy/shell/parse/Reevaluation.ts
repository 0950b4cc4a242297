import { type CommandNode, forEachChild, type SyntaxNode, type WordNode, type WordPart } from "./ShellParser.ts"

/**
 * The shell reads some text a second time as code: in arithmetic the value of a variable may be `a[$(id)]`, and
 * `${x@P}`, `${!x}` and array subscripts do the same. That is harmless while each value is a number or plainly written;
 * where it is computed or comes from elsewhere, what will run is unknown (docs/policy.md#opaque-commands).
 */
export class Reevaluation {
  #evaluates = false
  #isUnsure = false
  #mayEvaluate = false

  get isPossible(): boolean {
    return this.#evaluates && this.#isUnsure
  }

  /**
   * It is unlikely, but what `test` is given may turn out to be `-v 'a[$(id)]'`, and qualifiers of patterns in
   * parentheses are code to some shells.
   */
  get isThinkable(): boolean {
    return this.#mayEvaluate
  }

  look(node: SyntaxNode): void {
    switch (node.type) {
      case "ArithmeticCommandExpansion":
        this.#evaluated("$")
        this.#isUnsure = true
        break
      case "ArithmeticWord":
        this.#evaluated(node.value, node.parts)
        break
      case "TestBinary":
        if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
          ;[node.left, node.right].forEach((word) => this.#evaluatedWord(word))
        }
        break
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator)) this.#evaluatedWord(node.operand)
        break
      case "ParameterExpansion":
        this.#parameter(node)
        break
      case "Assignment":
        if (node.index !== undefined) this.#evaluatedWord(node.index)
        this.#assigned(node.value.type === "Word" ? [node.value] : node.value.elements, node.append === true)
        break
      case "ExtendedGlob":
        this.#mayEvaluate = true
        break
      case "For":
      case "Select":
        if (node.wordlist === undefined) this.#isUnsure = true
        else this.#assigned(node.wordlist)
        break
      case "Command":
        this.#command(node)
        break
      case "Word":
        // Quoted code is as good as a value: some builtin or function may be given it by name.
        if (/\[[^]*(\$[({]|`)/.test(node.value)) this.#isUnsure = true
    }
    forEachChild(node, (child) => this.look(child))
  }

  #evaluated(text: string, parts: ReadonlyArray<WordPart> = []): void {
    if (/^\s*([-+\d]*|\$[#?$!]|\$\{#\w+\}|[@*])\s*$/.test(text)) return
    if (!/[A-Za-z_$`]/.test(text)) return
    this.#evaluates = true
    if (/\$\{?[\d@*]|\$\((?!\()|`/.test(text) || parts.some((part) => part.type === "CommandExpansion")) {
      this.#isUnsure = true
    }
  }

  #evaluatedWord(word: WordNode): void {
    this.#evaluated(word.text, word.parts)
  }

  #parameter({ index, operation, prefix }: Extract<WordPart, { readonly type: "ParameterExpansion" }>): void {
    const listsKeys = /^[@*]$/.test(index?.text ?? "")
    if (prefix === "!" && operation?.type !== "Names" && !listsKeys) this.#evaluated("$")
    if (index !== undefined) this.#evaluatedWord(index)
    if (operation?.type === "Transform" && operation.operand.text.includes("P")) this.#evaluates = this.#isUnsure = true
    if (operation?.type !== "Slice") return
    this.#evaluatedWord(operation.offset)
    if (operation.length !== undefined) this.#evaluatedWord(operation.length)
  }

  #assigned(words: ReadonlyArray<WordNode>, isAppended = false): void {
    if (!words.every((word) => isNumber(word) || (!isAppended && isLiteral(word)))) this.#isUnsure = true
  }

  #command({ args, name }: CommandNode): void {
    const words = args.filter((arg) => arg.type === "Word")
    const has = (option: RegExp) => words.some(({ value }) => option.test(value))
    switch (name?.value) {
      case "let":
        words.forEach((word) => this.#evaluatedWord(word))
        break
      case "test":
      case "[":
        if (has(/^-[vR]$/)) {
          this.#evaluates = true
          words.forEach((word) => this.#evaluatedWord(word))
        }
        if (!comparesPlainly(words)) this.#mayEvaluate = true
        break
      case "declare":
      case "typeset":
      case "local":
      case "export":
      case "readonly":
        if (has(/^-\w*[in]/) || !words.every(isLiteral)) this.#evaluates = true
        break
      case "unset":
        if (!words.every(isLiteral)) this.#evaluates = true
        break
      case "printf":
        if (!has(/^-v/)) break
        this.#evaluates ||= !words.every(isLiteral)
        this.#isUnsure = true
        break
      case "read":
      case "mapfile":
      case "readarray":
      case "getopts":
        this.#stored(words)
        break
      case "wait":
        // Only `-p` names a variable; what else there is are processes, unless a value turns out to be that option.
        if (has(/^-/)) this.#stored(words)
        else words.forEach((word) => this.#evaluatedWord(word))
        break
      case "set":
      case "env":
        if (!words.every(isLiteral)) this.#isUnsure = true
    }
  }

  /** Something is put into variables that may be named as `a[$(id)]`. */
  #stored(words: ReadonlyArray<WordNode>): void {
    this.#evaluates ||= !words.every(isLiteral)
    this.#isUnsure = true
  }
}

/** One word, an operator and a word, or two words with an operator between them; `-a` and `-o` join several of these. */
const comparesPlainly = (words: ReadonlyArray<WordNode>): boolean => {
  if (words.every(isLiteral)) return true
  const terms: Array<Array<WordNode>> = [[]]
  for (const word of words) {
    if (/^-[ao]$/.test(word.text)) terms.push([])
    else if (!/^([!()\]]|\\[()])$/.test(word.text)) terms.at(-1)!.push(word)
  }
  return terms.every((term) => {
    const operator = term.length === 1 ? undefined : term.at(-2)
    return term.length <= 3 && (operator === undefined || isLiteral(operator)) &&
      term.every((word) => isLiteral(word) || isQuoted(word))
  })
}

const isQuoted = ({ parts }: WordNode): boolean => parts?.length === 1 && parts[0]!.type === "DoubleQuoted"

const isLiteral = ({ parts }: WordNode): boolean =>
  parts === undefined || parts.every(({ type }) => type === "Literal" || type === "SingleQuoted") ||
  parts.every((part) => part.type === "DoubleQuoted" && part.parts.every(({ type }) => type === "Literal"))

const isNumber = ({ parts, text }: WordNode): boolean =>
  /^[-+]?\d+$|^\{-?\d+\.\.-?\d+(\.\.-?\d+)?\}$|^"?(\$[#?$!]|\$\{#\w+\})"?$/.test(text) ||
  (parts !== undefined && parts.every(({ type }) => type === "ArithmeticExpansion"))
