import type { Word } from "../../decision/CallAction.ts"
import { type Program, programOf, unversioned } from "./Table.ts"

/** Stands in a guess for what cannot be known before it runs. */
export const HOLE = "\0"

/** Stands for a temporary folder that was made a moment ago. */
export const freshFolder = "/tmp/mktemp.0"

/** A word of a command line: what it surely is, and what it probably is. */
export interface Arg {
  readonly text: string
  readonly value: Word
  /** Literal text with `~`, `$HOME`, `$PWD` and known variables filled in and `HOLE` for all the rest. */
  readonly guess: string
  /** The guess does not depend on a variable that something else may have changed. */
  readonly certain: boolean
  /** The program gets exactly the guess. */
  readonly exact: boolean
  /** It has an unquoted glob. */
  readonly glob: boolean
  /** Commands that run to produce it. */
  readonly inner: ReadonlyArray<Command>
}

export const literal = (text: string): Arg => ({
  text,
  value: text,
  guess: text,
  certain: true,
  exact: true,
  glob: false,
  inner: []
})

/** An argument that something else supplies. */
export const supplied = (guess: string, glob = false): Arg => ({
  text: guess.replaceAll(HOLE, "…"),
  value: null,
  guess,
  certain: !guess.includes(HOLE),
  exact: false,
  glob,
  inner: []
})

/** Several words as the one script that they make up. */
export const joined = (args: ReadonlyArray<Arg>): Arg =>
  args.length === 1
    ? args[0]!
    : {
      text: args.map((arg) => arg.text).join(" "),
      value: args.some((arg) => arg.value === null) ? null : args.map((arg) => arg.value).join(" "),
      guess: args.map((arg) => arg.guess).join(" "),
      certain: args.every((arg) => arg.certain),
      exact: args.every((arg) => arg.exact),
      glob: args.some((arg) => arg.glob),
      inner: args.flatMap((arg) => arg.inner)
    }

/** The argument without its first `count` characters, as for the value of `--name=value`. */
export const after = (arg: Arg, count: number): Arg => ({
  ...arg,
  text: arg.value === null ? arg.text : arg.value.slice(count),
  value: arg.value === null ? null : arg.value.slice(count),
  guess: arg.guess.slice(count)
})

/** The argument under another name. */
export const renamed = (arg: Arg, name: string): Arg => ({
  ...arg,
  guess: name,
  text: name,
  value: arg.value === null ? null : name
})

export const isKnown = (arg: Arg): boolean => arg.certain && !arg.guess.includes(HOLE)

/** A file that the arguments of a command name. */
export interface NamedFile {
  readonly kind: "read" | "write"
  readonly arg: Arg
}

export const reading = (args: ReadonlyArray<Arg>): ReadonlyArray<NamedFile> =>
  args.map((arg) => ({ kind: "read", arg }))

export const writing = (args: ReadonlyArray<Arg>): ReadonlyArray<NamedFile> =>
  args.map((arg) => ({ kind: "write", arg }))

/** One path below another. */
export const inFolder = (folder: Arg, name: Arg): Arg => {
  const guess = name.guess.startsWith("/") ? name.guess : `${folder.guess}/${name.guess}`
  return {
    ...name,
    guess,
    text: guess,
    value: folder.value === null || name.value === null ? null : guess,
    certain: folder.certain && name.certain,
    exact: folder.exact && name.exact,
    glob: folder.glob || name.glob
  }
}

/** Where a command's input comes from. */
export interface Input {
  /** What it reads, where that is literal. */
  readonly text: string | undefined
  /** It reads exactly that text. */
  readonly exact?: boolean
  /** Commands before it may have read some of it. */
  readonly isShared?: boolean
  /** Something other than literal text feeds it. */
  readonly fed: boolean
  /** Everything that runs to produce it. */
  readonly from: ReadonlyArray<Command>
  readonly file: Arg | undefined
}

export const noInput: Input = { text: undefined, fed: false, from: [], file: undefined }

/** Paths and privileges mean something else on another machine or in a container. */
export type Where = "here" | "remote" | "contained"

export interface Assignment {
  readonly name: string
  readonly value: Arg
}

export interface Fields {
  readonly text: string
  readonly name: Arg | undefined
  readonly args: ReadonlyArray<Arg>
  readonly assignments: ReadonlyArray<Assignment>
  readonly wrappers: ReadonlyArray<string>
  readonly cwd: string | null
  readonly where: Where
  readonly input: Input
  readonly writes: ReadonlyArray<Arg>
  readonly reads: ReadonlyArray<Arg>
  readonly background: boolean
  /** Files that this command line has downloaded so far. */
  readonly downloads: ReadonlySet<string>
  /** The text of files that this command line has written, where it is literal. */
  readonly written: ReadonlyMap<string, string>
  /** Folders of a container whose content outlives the command. */
  readonly kept: ReadonlyArray<string>
  /** It is a command of the line in other words. */
  readonly restates?: true
}

/** One program to run, wherever in the command line it hides. */
export class Command {
  readonly fields: Fields
  /** The base name without a version; empty where it is not known. */
  readonly program: string
  readonly row: Program
  readonly args: ReadonlyArray<Arg>
  /** Its program or its code is not literal. */
  opaque: boolean
  /** What was found out about it, by who found it out: a weak map would cost the collector more than all else. */
  readonly known: { reading?: unknown; operands?: unknown } = {}
  #line: Line | undefined
  #words: ReadonlyArray<string> | undefined

  constructor(fields: Fields) {
    this.fields = fields
    this.args = fields.args
    const guess = fields.name?.guess ?? ""
    this.program = guess.includes(HOLE) ? "" : unversioned(guess.slice(guess.lastIndexOf("/") + 1))
    this.row = programOf(this.program)
    this.opaque = fields.name !== undefined && (!fields.name.certain || fields.name.glob || this.program === "")
  }

  get line(): Line {
    return (this.#line ??= new Line(this.row, this.args))
  }

  /** The words after the program as they probably are. */
  get words(): ReadonlyArray<string> {
    return (this.#words ??= this.args.map((arg) => arg.guess))
  }
}

/** The arguments of one command, taken apart as the program itself would do it. */
export class Line {
  /** In order, the subcommand first for programs that have one. */
  readonly operands: ReadonlyArray<Arg>
  readonly #given = new Map<string, Array<Arg | undefined>>()
  readonly #abbreviates: boolean

  constructor(program: Program, args: ReadonlyArray<Arg>) {
    this.#abbreviates = program.is("abbreviates")
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

  #read(program: Program, args: ReadonlyArray<Arg>): ReadonlyArray<Arg> {
    const operands: Array<Arg> = []
    const single = program.is("single-dash")
    const pairs = program.words("pairs")
    let takes = program.values()
    for (let at = 0; at < args.length; at++) {
      const arg = args[at]!
      const text = arg.guess
      if (text === "--") return [...operands, ...args.slice(at + 1)]
      if (text.length < 2 || text[0] !== "-") {
        operands.push(arg)
        if (operands.length === 1 && text !== "") takes = program.values(text) ?? takes
        continue
      }
      if (text[1] === "-" || single || /^-\d+$/.test(text)) {
        const equals = text.indexOf("=")
        if (equals > 0) this.#note(text.slice(0, equals), after(arg, equals + 1))
        else if (pairs.length > 0 && pairs.includes(text)) {
          this.#note(text, args[at + 2])
          at += 2
        } else this.#note(text, takes?.has(text) === true ? args[++at] : undefined)
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
