import type { Command } from "./Command.ts"
import { downloadedBy } from "./Downloads.ts"
import { merge, settle } from "./Folders.ts"
import { resolve } from "./Paths.ts"
import type { Scope } from "./Scope.ts"
import type { Walk } from "./Walk.ts"
import type { Arg } from "./Words.ts"
import { freshFolder, HOLE } from "./Words.ts"

const declarations = new Set(["export", "declare", "typeset", "local", "readonly"])
const readers = new Set(["read", "mapfile", "readarray", "getopts", "unset", "let"])

/** What a command changes for the ones after it: the folder, variables, and files that came from the network. */
export const followEffects = (walk: Walk, command: Command, others: ReadonlyArray<Command>, scope: Scope): void => {
  const { args, program } = command
  settle(scope, scope.at, scope.at)
  if (command.fields.name === undefined) {
    for (const { name, value } of command.fields.assignments) set(scope, name, value)
    return
  }
  if (command.fields.where !== "here") return
  if (program === "cd" || program === "pushd" || program === "popd" || program === "chdir") {
    move(walk, command, scope)
  } else if (program === "shift") scope.positional = scope.positional?.slice(Number(args[0]?.guess ?? 1) || 1)
  else if (program === "set" && args[0]?.guess === "--") scope.positional = args.slice(1)
  else if (declarations.has(program)) {
    for (const arg of args) {
      const equals = arg.guess.indexOf("=")
      if (equals > 0) set(scope, arg.guess.slice(0, equals), { ...arg, guess: arg.guess.slice(equals + 1) })
    }
  } else if (readers.has(program)) {
    for (const arg of args) scope.variables.set(arg.guess, { guess: HOLE, certain: false })
  } else if (program === "printf" && args[0]?.guess === "-v" && args[1] !== undefined) {
    scope.variables.set(args[1].guess, { guess: HOLE, certain: false })
  }
  for (const each of [command, ...others]) for (const path of downloadedBy(each)) walk.downloads.add(path)
}

const maxMoves = 64

// Only a fresh temporary folder is trusted later on: any other variable may have been changed by what ran in between.
const set = (scope: Scope, name: string, value: Arg): void => {
  scope.variables.set(name, { guess: value.guess, certain: value.certain && value.guess === freshFolder })
}

const move = (walk: Walk, command: Command, scope: Scope): void => {
  if (++walk.moves > maxMoves) {
    // Nobody writes so many, and each doubles where the shell may be.
    walk.tooDeep = true
    settle(scope, [null], [null])
    return
  }
  const target = command.line.operands[0]
  const before = scope.at
  const to = (folder: string | null): string | null => {
    if (target === undefined) return scope.variables.get("HOME")?.guess ?? walk.place.home
    if (target.guess === "-" || target.guess.includes(HOLE) || target.glob) return null
    return resolve(target.guess, folder) ?? null
  }
  if (command.program === "popd") {
    settle(scope, command.args.length > 0 || scope.pushed.length === 0 ? [null] : scope.pushed, before)
    return
  }
  if (command.program === "pushd") scope.pushed = merge(before, scope.pushed)
  const turns = command.program === "pushd" && (target === undefined || /^[-+]/.test(command.args[0]!.guess))
  settle(scope, turns ? [null] : merge(before.map(to)), before)
}
