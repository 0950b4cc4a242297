import type { Word } from "../decision/CallAction.ts"
import type { Command } from "./Command.ts"

/** Stands in a guess for what cannot be known before it runs. */
export const HOLE = "\0"

/** Stands for a temporary folder that `mktemp` has just made. */
export const freshFolder = "/tmp/mktemp.0"

/** A word of a command line: what it surely is, and what it probably is. */
export interface Arg {
  readonly text: string
  readonly value: Word
  /** Literal text with `~`, `$HOME`, `$PWD` and known variables filled in and `HOLE` for all the rest. */
  readonly guess: string
  /** The guess does not depend on a variable that something else may have changed. */
  readonly certain: boolean
  /** It has an unquoted glob. */
  readonly glob: boolean
  /** Commands that run to produce it. */
  readonly inner: ReadonlyArray<Command>
}

export interface Known {
  readonly guess: string
  readonly certain: boolean
}

export const literal = (text: string): Arg => ({
  text,
  value: text,
  guess: text,
  certain: true,
  glob: false,
  inner: []
})

/** An argument that something else supplies, as `xargs` does. */
export const supplied = (guess: string, glob = false): Arg => ({
  text: guess.replaceAll(HOLE, "…"),
  value: null,
  guess,
  certain: !guess.includes(HOLE),
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

export const isKnown = (arg: Arg): boolean => arg.certain && !arg.guess.includes(HOLE)

/** The shell evaluates an array subscript even where it stands in a quoted word: `test -v 'a[$(id)]'`. */
export const hidesCode = (arg: Arg): boolean => arg.value !== null && /\w\[[^\]]*(\$\(|`)/.test(arg.value)
