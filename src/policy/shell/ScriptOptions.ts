import type { Command } from "./Command.ts"
import type { Arg } from "./Words.ts"
import { literal } from "./Words.ts"

/** Scripts in option values, as in `su -c`. */
export const scriptOptions = (command: Command): ReadonlyArray<Arg> => {
  const { line, program } = command
  switch (program) {
    case "su":
    case "runuser":
    case "script":
    case "scriptlive":
      return line.values("-c", "--command")
    case "sg":
      return line.operands.slice(1)
    case "split":
      return line.values("--filter")
    case "env":
      return line.values("-S", "--split-string")
    case "nix-shell":
      return [...optionValues(command, "--run"), ...optionValues(command, "--command")]
    case "mapfile":
    case "readarray":
    case "compgen":
      return optionValues(command, "-C")
    case "vagrant":
      return optionValues(command, "-c")
    case "gcloud":
      return optionValues(command, "--command")
    case "nodemon":
      return [...optionValues(command, "--exec"), ...optionValues(command, "-x")]
    case "zip":
      return [...optionValues(command, "-TT"), ...optionValues(command, "--unzip-command")]
    case "npx":
      return line.values("-c", "--call")
    case "npm":
      return line.verb() === "exec" || line.verb() === "x" ? line.values("-c", "--call") : []
    case "git":
      return line.verb() === "rebase" ? line.values("-x", "--exec") : []
    case "ansible":
      return /^(shell|command|raw|script)?$/.test(line.values("-m", "--module-name")[0]?.guess ?? "")
        ? line.values("-a", "--args")
        : []
  }
  return []
}

const optionValues = (command: Command, name: string): ReadonlyArray<Arg> => {
  const at = command.args.findIndex((arg) => arg.guess === name || arg.guess.startsWith(`${name}=`))
  if (at < 0) return []
  const arg = command.args[at]!
  const value = arg.guess === name ? command.args[at + 1] : literal(arg.guess.slice(name.length + 1))
  return value === undefined ? [] : [value]
}
