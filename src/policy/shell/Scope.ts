import { Command, noInput } from "./Command.ts"
import type { Input, Where } from "./Command.ts"
import type { Folders } from "./Folders.ts"
import type { SyntaxNode } from "./ShellParser.ts"
import type { Arg, Known } from "./Words.ts"

/** What changes from one command to the next, and is copied for a subshell. */
export interface Scope {
  /** The likeliest of `at`. */
  cwd: string | null
  at: Folders
  /** Where the shell is if the last command succeeded, and if it failed. */
  ok: Folders
  failed: Folders
  /** Everything ever pushed. */
  pushed: Folders
  readonly variables: Map<string, Known>
  /** `$1`, `$2` and on, where the call says what they are. */
  positional: ReadonlyArray<Arg> | undefined
}

/** What holds for everything below a node. */
export interface Around {
  readonly wrappers: ReadonlyArray<string>
  /** Literal scripts inside literal scripts. */
  readonly depth: number
  /** Substitutions and groups inside each other. */
  readonly levels: number
  readonly where: Where
  /** The commands below are no parts of their own to people and to allow rules. */
  readonly hidden: boolean
  readonly input: Input
  readonly background: boolean
  readonly piped: boolean
  readonly endless: boolean
  readonly functions: ReadonlyArray<string>
  /** Wrappers around wrappers. */
  readonly wrapped: number
  /** Calls of functions inside each other. */
  readonly calls: number
  /** What stands here is gone through once more, as a loop does. */
  readonly again: boolean
}

export const outermost: Around = {
  wrappers: [],
  depth: 0,
  levels: 0,
  where: "here",
  hidden: false,
  input: noInput,
  background: false,
  piped: false,
  endless: false,
  functions: [],
  wrapped: 0,
  calls: 0,
  again: false
}

export const maxDepth = 4
export const maxLevels = 32
export const maxWrapped = 16
export const maxCalls = 3
/** Calls of functions that are followed in all. */
export const mostCalls = 64

export const copy = (scope: Scope): Scope => ({
  ...scope,
  variables: new Map(scope.variables)
})

/** A redirect or an assignment without a command of its own. */
export const bare = (
  given: Pick<Command["fields"], "reads" | "writes" | "input" | "assignments">,
  scope: Scope,
  around: Around,
  downloads: ReadonlySet<string>
): Command =>
  new Command({
    ...given,
    text: [
      ...given.assignments.map((each) => `${each.name}=${each.value.text}`),
      ...given.reads.map((arg) => `< ${arg.text}`),
      ...given.writes.map((arg) => `> ${arg.text}`)
    ].join(" "),
    name: undefined,
    args: [],
    wrappers: around.wrappers,
    cwd: around.where === "here" ? scope.cwd : null,
    where: around.where,
    background: around.background,
    downloads
  })

/** A loop that only something inside it can end. */
export const isEndless = (node: SyntaxNode): boolean => {
  if (node.type === "ArithmeticFor") return node.test === undefined
  if (node.type !== "While") return false
  const first = node.clause.commands[0]?.command
  if (first?.type === "ArithmeticCommand") return node.kind === "while" && /^\s*1\s*$/.test(first.body)
  const clause = first?.type === "Command" ? first.name?.value : undefined
  return node.kind === "while" ? clause === "true" || clause === ":" || clause === "yes" : clause === "false"
}

const waits = /^(sleep|read|wait|timeout|inotifywait|break|exit|return|usleep|watch)$/
const grows = /^(mkdir|touch|fallocate|dd|cp)$/

/** What writes on and on in an endless loop that nothing slows down. */
export const floodsOf = (body: ReadonlyArray<Command>): ReadonlyArray<string> =>
  body.some((each) => waits.test(each.program))
    ? []
    : body.filter((each) => each.fields.writes.length > 0 || grows.test(each.program)).map((each) => each.fields.text)
