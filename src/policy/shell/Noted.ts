import type { CommandAction } from "../decision/CallAction.ts"
import type { Command, Variable } from "./Command.ts"
import { withElsewhere } from "./Folders.ts"
import { environmentNames } from "./programs/Environment.ts"
import { touchedBy } from "./Reached.ts"
import type { Around } from "./Scope.ts"
import type { Walk } from "./Walk.ts"
import { type Arg, HOLE } from "./Words.ts"

/** Adds the parts that rules and people see for a command. */
export const note = (walk: Walk, command: Command, others: ReadonlyArray<Command>, around: Around): void => {
  const { assignments, cwd, name, text } = command.fields
  if (name === undefined && !assignments.some((each) => environmentNames.has(each.name))) return
  const words = name === undefined ? [] : [name, ...command.args]
  // `$PWD` is sure only where the folder is.
  const word = (arg: Arg) => (others.length > 0 && /PWD|^~\+/.test(arg.text) ? arg.value : plain(arg))
  const part: CommandAction = {
    kind: "command",
    text,
    program: name === undefined ? "" : word(name),
    argv: words.map(word),
    assignments: assignments.map((each) => ({ name: each.name, value: plain(each.value) })),
    wrappers: around.wrappers,
    cwd,
    touches: touchedBy(command, walk.place),
    ...(command.fields.where === "contained" ? { contained: true as const } : {}),
    opaque: command.opaque
  }
  walk.into(around).push(withElsewhere(part, others, walk.place))
  const likely = words.map(probable)
  if (likely.some((each, index) => each !== part.argv[index])) {
    walk.inner.push(withElsewhere({ ...part, program: likely[0] ?? "", argv: likely }, others, walk.place))
  }
}

/** What a word will be unless something changes it meanwhile. */
const probable = (arg: Arg): string | null => (arg.glob || arg.guess.includes(HOLE) ? arg.value : arg.guess)

/** As written where it is literal, filled in where only `$HOME` and `$PWD` are not. */
const plain = (arg: Arg): string | null =>
  arg.value ??
    (arg.certain && !arg.glob && !arg.guess.includes(HOLE) && !/\$[($!?#{]|`|RANDOM|SECONDS|PID|\{/.test(arg.text)
      ? arg.guess
      : null)

export const textOf = (words: ReadonlyArray<Arg>, assignments: ReadonlyArray<Variable>): string =>
  [
    ...assignments.map((each) => `${each.name}=${each.value.text}`),
    ...words.map((word) => word.text).filter((text) => text !== "")
  ].join(" ")
