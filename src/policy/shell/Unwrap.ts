import type { Command } from "./Command.ts"
import { fromFind, fromParallel } from "./Feeders.ts"
import { isHook } from "./programs/Hooks.ts"
import { shells } from "./programs/Languages.ts"
import { scriptOptions } from "./ScriptOptions.ts"
import { shellScript } from "./Started.ts"
import type { Arg } from "./Words.ts"
import { joined } from "./Words.ts"
import { type Inner, wrapped } from "./Wrapped.ts"

/** Everything that a command runs in turn. */
export const innerOf = (command: Command): ReadonlyArray<Inner> => {
  const { args, program } = command
  if (program === "") return []
  const here = { where: command.fields.where, visible: true } as const
  const script = (arg: Arg | undefined, visible = true): ReadonlyArray<Inner> =>
    arg === undefined ? [] : [{ ...here, visible, kind: "script", script: arg }]
  const commands = (lists: ReadonlyArray<ReadonlyArray<Arg>>): ReadonlyArray<Inner> =>
    lists.map((words) => ({ ...here, kind: "command", words, assignments: [] }))
  if (shells.has(program) || program === "fish") return shellScript(command).flatMap((each) => script(each))
  switch (program) {
    case "eval":
      return args.length === 0 || (args.length === 1 && isHook(args[0]!.inner)) ? [] : script(joined(args))
    case "trap":
      return ofTrap(args).flatMap((arg) => script(arg))
    case "alias":
      return args.flatMap((arg) =>
        arg.guess.includes("=") ? script({ ...arg, guess: arg.guess.slice(arg.guess.indexOf("=") + 1) }, false) : []
      )
    case "find":
    case "gfind":
    case "fd":
    case "fdfind":
      return commands(fromFind(command))
    case "parallel":
    case "sem":
      return fromParallel(command).flatMap((each) => (each.length === 1 ? script(each[0]) : commands([each])))
  }
  return [...scriptOptions(command).flatMap((arg) => script(arg)), ...wrapped(command)]
}

const ofTrap = (args: ReadonlyArray<Arg>): ReadonlyArray<Arg> => {
  const dashes = args[0]?.guess === "--"
  const [action, ...signals] = dashes ? args.slice(1) : args
  if (action === undefined || signals.length === 0 || action.guess === "") return []
  return (dashes ? action.guess === "-" : action.guess.startsWith("-")) ? [] : [action]
}
