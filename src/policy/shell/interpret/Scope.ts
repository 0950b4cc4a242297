import { type Arg, type Input, noInput, type Where } from "../programs/Command.ts"
import { Variables } from "./Variables.ts"

/** Every folder the shell may be in, the likeliest first; `null` stands for any other. */
export type AlternateCwds = ReadonlyArray<string | null>

/** With more possible folders than this, the folder counts as unknown. */
const maxCwds = 16

export const merge = (...all: ReadonlyArray<AlternateCwds>): AlternateCwds => {
  const found = [...new Set(all.flat())]
  return found.length > maxCwds ? [...found.filter((each) => each !== null).slice(0, maxCwds), null] : found
}

/** What changes from one command to the next, and is copied for a subshell. */
export interface Scope {
  /** The likeliest of `at`. */
  cwd: string | null
  at: AlternateCwds
  /** Where the shell is if the last command succeeded, and if it failed. */
  ok: AlternateCwds
  failed: AlternateCwds
  /** Everything ever pushed. */
  pushed: AlternateCwds
  variables: Variables
  /** `$1`, `$2` and on, where the call says what they are. */
  positional: ReadonlyArray<Arg> | undefined
  /** Names that belong to the function that is gone through. */
  readonly locals: Set<string> | undefined
}

export const startIn = (cwd: string): Scope => ({
  cwd,
  at: [cwd],
  ok: [cwd],
  failed: [cwd],
  pushed: [],
  variables: Variables.none,
  positional: undefined,
  locals: undefined
})

export const copy = (scope: Scope): Scope => ({ ...scope })

/** Where the shell may be after something that may succeed or fail. */
export const settle = (scope: Scope, ok: AlternateCwds, failed: AlternateCwds): void => {
  scope.ok = ok
  scope.failed = failed
  stand(scope, merge(ok, failed))
}

/** What just ran leaves the shell where it was. */
export const stay = (scope: Scope): void => {
  scope.ok = scope.failed = scope.at
}

/** What runs next starts in one of these. */
export const stand = (scope: Scope, at: AlternateCwds): void => {
  // The code is unreachable; its commands are recorded nevertheless.
  if (at.length > 0) scope.at = at
  scope.cwd = scope.at[0]!
}

/** The shell goes on from where one of these ended, the likeliest first. */
export const goOn = (scope: Scope, ends: ReadonlyArray<Scope>): void => {
  const [first = scope, ...others] = ends
  scope.variables = others.reduce((all, each) => all.or(each.variables), first.variables)
  scope.positional = others.every((each) => each.positional === first.positional) ? first.positional : undefined
  scope.pushed = merge(...ends.map((each) => each.pushed))
  settle(scope, merge(...ends.map((each) => each.ok)), merge(...ends.map((each) => each.failed)))
}

/** What holds for everything below a node. */
export interface WalkContext {
  readonly wrappers: ReadonlyArray<string>
  /** Literal scripts inside literal scripts. */
  readonly depth: number
  /** Substitutions and groups inside each other. */
  readonly levels: number
  readonly where: Where
  readonly kept: ReadonlyArray<string>
  /** The commands below are no parts of their own to people and to allow rules. */
  readonly hidden: boolean
  readonly input: Input
  readonly background: boolean
  readonly piped: boolean
  readonly endless: boolean
  /** Functions whose bodies are gone through. */
  readonly functions: ReadonlyArray<string>
  /** Wrappers around wrappers. */
  readonly wrapped: number
  /** How often the command is in other words already. */
  readonly restated: number
  /** Calls of functions inside each other. */
  readonly calls: number
  /** What stands here is gone through once more, as a loop does. */
  readonly again: boolean
  /** What stands here was gone through before with other values. */
  readonly repeated: boolean
  /** A substitution takes what is printed. */
  readonly captured: boolean
}

export const outermost: WalkContext = {
  wrappers: [],
  depth: 0,
  levels: 0,
  where: "here",
  kept: [],
  hidden: false,
  input: noInput,
  background: false,
  piped: false,
  endless: false,
  functions: [],
  wrapped: 0,
  restated: 0,
  calls: 0,
  again: false,
  repeated: false,
  captured: false
}
