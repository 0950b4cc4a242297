import { forEachChild, type SyntaxNode, type WordNode } from "./ShellParser.ts"

/** A variable that the command line sets. */
export interface AssignedVariable {
  /** Empty where it is not literal. */
  readonly name: string
  /** Its value where it is literal, and the words of a loop where they are literal or patterns. */
  readonly value: string | undefined
  /** It is set for one command only, which gets it in its environment. */
  readonly isPassed: boolean
}

const assigning = /^([-+*/%&|^]|<<|>>)?=$/

/** A name that is set where the text is taken for arithmetic. */
const hidden =
  /(?<!\w)([A-Za-z_]\w*)\s*(?:\[[^\][]*\])?\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)/g

/**
 * Collects the variables that a script sets by its syntax: assignments, loops, `${x:=v}` and arithmetic, also in a value
 * that arithmetic evaluates later. What builtins such as `read` set stands in their arguments.
 */
export class AssignedVariables {
  readonly #set: Array<AssignedVariable> = []
  readonly #inValues: Array<AssignedVariable> = []
  #calculates = false

  get all(): ReadonlyArray<AssignedVariable> {
    return this.#calculates ? [...this.#set, ...this.#inValues] : this.#set
  }

  /** What the arithmetic of a node sets, not what commands in it do. */
  lookAtArithmetic(node: SyntaxNode): void {
    const look = (child: SyntaxNode): void => {
      if (child.type.startsWith("Arithmetic")) this.look(child)
      else if (child.type !== "CompoundList") forEachChild(child, look)
    }
    look(node)
  }

  look(node: SyntaxNode): void {
    switch (node.type) {
      case "Command":
        for (const each of node.prefix) {
          if (each.type !== "Assignment") continue
          const value = each.value.type === "Word" && isPlain(each.value) ? each.value.value : undefined
          this.#add(each.name, value, node.name !== undefined)
        }
        break
      case "Assignment":
        if (node.index !== undefined) this.#calculated(node.index)
        ;(node.value.type === "Word" ? [node.value] : node.value.elements).forEach((word) => this.#kept(word))
        break
      case "For":
      case "Select":
        this.#add(node.name.value, node.wordlist?.every(isPattern) === true ? textOf(node.wordlist) : undefined)
        node.wordlist?.forEach((word) => this.#kept(word))
        break
      case "ParameterExpansion":
        if (node.index !== undefined) this.#calculated(node.index)
        if (node.operation?.type === "Default" && node.operation.operator.endsWith("=")) {
          // What `${!x:=y}` sets is not literal.
          this.#add(node.prefix === "!" ? "" : node.parameter)
          this.#kept(node.operation.operand)
        }
        if (node.operation?.type === "Slice") {
          this.#calculated(node.operation.offset)
          if (node.operation.length !== undefined) this.#calculated(node.operation.length)
        }
        break
      case "ArithmeticBinary":
        if (assigning.test(node.operator)) this.#add(nameOf(node.left))
        break
      case "ArithmeticUnary":
        if (/^(\+\+|--)$/.test(node.operator)) this.#add(nameOf(node.operand))
        break
      case "ArithmeticWord":
        this.#calculates ||= /[A-Za-z_$`]/.test(node.value)
        break
      case "TestBinary":
        if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
          this.#calculated(node.left)
          this.#calculated(node.right)
        }
    }
    forEachChild(node, (child) => this.look(child))
  }

  #add(name: string, value?: string, isPassed = false): void {
    this.#set.push({ name, value, isPassed })
  }

  #kept({ value }: WordNode): void {
    for (const [, before, after] of value.matchAll(hidden)) {
      this.#inValues.push({ name: before ?? after!, value: undefined, isPassed: false })
    }
  }

  /** A word that the shell takes for arithmetic. */
  #calculated({ value }: WordNode): void {
    this.#calculates ||= /[A-Za-z_$`]/.test(value)
    for (const [, before, after] of value.matchAll(hidden)) this.#add(before ?? after!)
  }
}

const isPlain = ({ parts }: WordNode): boolean =>
  parts === undefined || parts.every(({ type }) => /^(Literal|SingleQuoted|DoubleQuoted)$/.test(type)) &&
    parts.every((part) => part.type !== "DoubleQuoted" || part.parts.every(({ type }) => type === "Literal"))

const isPattern = ({ parts }: WordNode): boolean =>
  parts === undefined || parts.every(({ type }) => /^(Literal|SingleQuoted|Glob|BraceExpansion)$/.test(type))

const textOf = (words: ReadonlyArray<WordNode>): string => words.map(({ value }) => value).join(" ")

const nameOf = (node: SyntaxNode): string =>
  node.type === "ArithmeticGroup"
    ? nameOf(node.expression)
    : node.type === "ArithmeticWord"
    ? (/^\s*([A-Za-z_]\w*)/.exec(node.value)?.[1] ?? "")
    : ""
