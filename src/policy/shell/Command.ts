import { Line } from "./Line.ts"
import type { Arg } from "./Words.ts"

/** Where its input comes from. */
export interface Input {
  /** What it reads, where that is literal. */
  readonly text: string | undefined
  /** Something other than literal text feeds it. */
  readonly fed: boolean
  /** Everything that runs to produce it. */
  readonly from: ReadonlyArray<Command>
  readonly file: Arg | undefined
}

export const noInput: Input = { text: undefined, fed: false, from: [], file: undefined }

/** Paths and privileges mean something else on another machine or in a container. */
export type Where = "here" | "remote" | "contained"

export interface Variable {
  readonly name: string
  readonly value: Arg
}

export interface Fields {
  readonly text: string
  readonly name: Arg | undefined
  readonly args: ReadonlyArray<Arg>
  readonly assignments: ReadonlyArray<Variable>
  readonly wrappers: ReadonlyArray<string>
  readonly cwd: string | null
  readonly where: Where
  readonly input: Input
  readonly writes: ReadonlyArray<Arg>
  readonly reads: ReadonlyArray<Arg>
  readonly background: boolean
  /** Files that this command line has downloaded so far. */
  readonly downloads: ReadonlySet<string>
}

/** One program to run, wherever in the command line it hides. */
export class Command {
  readonly fields: Fields
  /** The base name; empty where it is not known. */
  readonly program: string
  readonly args: ReadonlyArray<Arg>
  /** Its program or its code is not literal. */
  opaque: boolean
  #line: Line | undefined

  constructor(fields: Fields) {
    this.fields = fields
    this.args = fields.args
    const guess = fields.name?.guess ?? ""
    this.program = guess.includes("\0") ? "" : versionless(guess.slice(guess.lastIndexOf("/") + 1))
    this.opaque = fields.name !== undefined && (!fields.name.certain || fields.name.glob || this.program === "")
  }

  get line(): Line {
    return (this.#line ??= new Line(this.program, this.args))
  }
}

// `python3.12` and `python3` are `python`; `mkfs.ext4` stays what it is.
const versionless = (name: string): string => {
  const match = /^(python|pypy|ruby|perl|php|lua|node|pip|gcc|clang|bash|zsh|tclsh|wish|awk)[\d.]+$/.exec(name)
  if (match !== null) return match[1]!
  return name.endsWith(".exe") ? name.slice(0, -4) : name
}
