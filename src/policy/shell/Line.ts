import type { Arg } from "./Words.ts"
import { after } from "./Words.ts"
import { abbreviating, optionsOf, singleDash } from "./programs/Options.ts"

/** The arguments of one command, taken apart as the program itself would do it. */
export class Line {
  /** In order, the subcommand first for programs that have one. */
  readonly operands: ReadonlyArray<Arg>
  readonly #given = new Map<string, Array<Arg | undefined>>()
  readonly #abbreviates: boolean

  constructor(program: string, args: ReadonlyArray<Arg>) {
    this.#abbreviates = abbreviating.has(program)
    this.operands = this.#read(program, args)
  }

  /** One of these options is given; names are `-x` or `--name`. */
  has(...names: ReadonlyArray<string>): boolean {
    return names.some((name) => this.#given.has(name) || (this.#abbreviates && this.#abbreviated(name)))
  }

  /** The values these options got. */
  values(...names: ReadonlyArray<string>): ReadonlyArray<Arg> {
    return names.flatMap((name) => this.#given.get(name) ?? []).filter((value) => value !== undefined)
  }

  get options(): ReadonlyArray<string> {
    return [...this.#given.keys()]
  }

  verb(index = 0): string {
    return this.operands[index]?.guess ?? ""
  }

  #abbreviated(name: string): boolean {
    if (!name.startsWith("--")) return false
    for (const given of this.#given.keys()) {
      if (given.length >= 5 && given.startsWith("--") && name.startsWith(given)) return true
    }
    return false
  }

  #note(name: string, value: Arg | undefined): void {
    const values = this.#given.get(name)
    if (values === undefined) this.#given.set(name, [value])
    else values.push(value)
  }

  #read(program: string, args: ReadonlyArray<Arg>): ReadonlyArray<Arg> {
    const operands: Array<Arg> = []
    const single = singleDash.has(program)
    let takes = optionsOf(program)
    for (let at = 0; at < args.length; at++) {
      const arg = args[at]!
      const text = arg.guess
      if (text === "--") return [...operands, ...args.slice(at + 1)]
      if (text.length < 2 || text[0] !== "-") {
        operands.push(arg)
        if (operands.length === 1) takes = optionsOf(program, text) ?? takes
        continue
      }
      if (text[1] === "-" || single || /^-\d+$/.test(text)) {
        const equals = text.indexOf("=")
        if (equals > 0) this.#note(text.slice(0, equals), after(arg, equals + 1))
        else this.#note(text, takes?.has(text) === true ? args[++at] : undefined)
      } else at = this.#cluster(arg, args, at, takes)
    }
    return operands
  }

  #cluster(arg: Arg, args: ReadonlyArray<Arg>, at: number, takes: ReadonlySet<string> | undefined): number {
    const text = arg.guess
    for (let index = 1; index < text.length; index++) {
      const name = `-${text[index]}`
      if (takes?.has(`${name}?`) === true) {
        this.#note(name, after(arg, index + 1))
        return at
      }
      if (takes?.has(name) === true) {
        if (index + 1 < text.length) this.#note(name, after(arg, index + (text[index + 1] === "=" ? 2 : 1)))
        else this.#note(name, args[++at])
        return at
      }
      this.#note(name, undefined)
    }
    return at
  }
}
