import type { ActionContext, CallAction, CommandAction, FileOperand } from "../decision/CallAction.ts"
import * as Touches from "../rules/Touches.ts"
import { Command } from "./Command.ts"
import { resolve } from "./Paths.ts"
import type { Around, Scope } from "./Scope.ts"
import type { SyntaxNode } from "./ShellParser.ts"
import { touchedBy } from "./Reached.ts"
import type { Walk } from "./Walk.ts"
import { type Arg, HOLE } from "./Words.ts"

/** Every folder the shell may be in, the likeliest first; `null` stands for any other. */
export type Folders = ReadonlyArray<string | null>

/** More than these are as good as any. */
const maxFolders = 16

export const merge = (...all: ReadonlyArray<Folders>): Folders => {
  const found = [...new Set(all.flat())]
  return found.length > maxFolders ? [...found.filter((each) => each !== null).slice(0, maxFolders), null] : found
}

/** Where the shell may be after something that may succeed or fail. */
export const settle = (scope: Scope, ok: Folders, failed: Folders): void => {
  scope.ok = ok
  scope.failed = failed
  stand(scope, merge(ok, failed))
}

/** What runs next starts in one of these. */
export const stand = (scope: Scope, at: Folders): void => {
  // Nothing gets there; what stands there is looked at all the same.
  if (at.length > 0) scope.at = at
  scope.cwd = scope.at[0]!
}

/** It certainly ends the shell it runs in: `exit 1 2` and an `exit` with a redirect may fail, and what follows runs. */
export const isExit = (node: SyntaxNode): boolean => {
  if (node.type === "Pipeline") return node.commands.length === 1 && isExit(node.commands[0]!)
  if (node.type === "BraceGroup") {
    const last = node.body.commands.at(-1)
    return last !== undefined && last.background !== true && isExit(last.command)
  }
  if (node.type !== "Command" || node.name?.text !== "exit" || node.prefix.length > 0) return false
  return node.suffix.length === 0 ||
    (node.suffix.length === 1 && /^\d+$/.test(node.suffix[0]!.type === "Word" ? node.suffix[0]!.text : ""))
}

/** What a shell changes about itself when it runs these words. */
export const runsHere = /^(eval|source|\.|command|builtin|time|exec|trap|alias)$/

/** A function or an alias of that name changes what the words of the language mean. */
export const isBuiltin = (name: string): boolean =>
  /^(:|\.|\[|true|false|pwd|exit|return|break|continue|echo|printf|test|set|unset|shift|cd|chdir|pushd|popd|dirs|export|declare|typeset|local|readonly|let|read|mapfile|readarray|getopts|eval|source|command|builtin|exec|trap|alias|unalias|enable|hash|shopt|type|wait|kill|jobs|bg|fg|disown|umask|ulimit|times|logout|suspend|time|nice|nohup|timeout|env|stdbuf|ionice)$/
    .test(name)

/** Files of redirects, for every folder but the first, which is noted where they are read. */
export const noteElsewhere = (
  walk: Walk,
  args: ReadonlyArray<Arg>,
  kind: "read" | "write",
  scope: Scope,
  around: Around
): void => {
  for (const arg of args) {
    if (arg.value === null || arg.guess.startsWith("/")) continue
    for (const folder of scope.at.slice(1)) {
      walk.into(around).push({
        kind,
        text: `${kind === "read" ? "<" : ">"} ${arg.text}`,
        path: resolve(arg.guess, folder) ?? null
      })
    }
  }
}

/** The same command in the other folders it may run in. */
export const elsewhere = (command: Command, at: Folders): ReadonlyArray<Command> =>
  command.fields.where === "here" ? at.slice(1).map((cwd) => new Command({ ...command.fields, cwd })) : []

/** Where the folder is not sure, a deny rule should see what is named in each. */
export const withElsewhere = (
  part: CommandAction,
  others: ReadonlyArray<Command>,
  place: ActionContext
): CommandAction => {
  if (others.length === 0) return part
  const folders = [part.cwd, ...others.map((each) => each.fields.cwd)]
  const words = Touches.of(part, part.program === null ? null : others[0]!.program).reads
  const read: ReadonlyArray<FileOperand> = folders.flatMap((folder) =>
    words.flatMap((word) => {
      const path = word.includes(HOLE) || word.startsWith("~") ? undefined : resolve(word, folder)
      return path === undefined ? [] : [{ kind: "read" as const, path }]
    })
  )
  const known = [...part.touches, ...others.flatMap((each) => touchedBy(each, place)), ...read]
  const touches = [...new Map(known.map((touch) => [`${touch.kind} ${touch.below} ${touch.path}`, touch])).values()]
  return { ...part, cwd: null, touches }
}

/** These run somewhere nobody can tell: no rule may allow them. */
export const unsettled = (parts: ReadonlyArray<CallAction>): ReadonlyArray<CallAction> =>
  parts.flatMap((part): ReadonlyArray<CallAction> => {
    if (part.kind === "command") return [{ ...part, opaque: true }]
    const relative = (part.kind === "read" || part.kind === "write") && !/^\S+ ["']?\//.test(part.text)
    return relative ? [part, { ...part, path: null }] : [part]
  })
