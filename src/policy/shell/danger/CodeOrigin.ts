import type { ActionContext } from "../../decision/CallAction.ts"
import type { Command } from "../Command.ts"
import { fromNetwork, isDownloaded } from "../Downloads.ts"
import { isInside, resolve } from "../Paths.ts"
import { databases, foreignShells, languages, shells } from "../programs/Languages.ts"
import { isHook } from "../programs/Hooks.ts"
import { readsCode } from "../Started.ts"
import { type Arg, HOLE } from "../Words.ts"

/** Where the code comes from that a command runs (policy §3.1: remote-exec, obfuscated). */

const origin = (command: Command, commands: ReadonlyArray<Command>): string => {
  if (fromNetwork(commands)) return "remote-exec"
  command.opaque = true
  return "obfuscated"
}

/** Text given to `eval`, `sh -c`, `trap`: known, from the network, or anything. */
const evaluated = (command: Command): string | undefined => {
  const text = command.program === "eval"
    ? command.args
    : command.program === "trap"
    ? command.args.slice(0, 1)
    : codeArgs(command)
  const inner = text.flatMap((arg) => arg.inner)
  if (fromNetwork(inner)) return "remote-exec"
  return command.opaque && command.fields.name?.certain === true ? "obfuscated" : undefined
}

const codeArgs = (command: Command): ReadonlyArray<Arg> => {
  if (!command.line.has("-c", "--command")) return []
  const values = command.line.values("-c", "--command")
  return values.length > 0 ? values : command.line.operands.slice(0, 1)
}

/** Code that arrives on standard input. */
const arriving = (command: Command): string | undefined => {
  const { input } = command.fields
  if (!runsInput(command)) return undefined
  if (fromNetwork(input.from)) return "remote-exec"
  if (input.file !== undefined) {
    return command.fields.downloads.has(resolve(input.file.guess, command.fields.cwd) ?? "") ? "remote-exec" : undefined
  }
  if (input.text !== undefined) {
    if (!input.text.includes(HOLE)) return undefined
    if (databases.has(command.program) || languages.has(command.program)) return undefined
    return origin(command, input.from)
  }
  if (!input.fed || databases.has(command.program)) return undefined
  return origin(command, input.from)
}

const runsInput = (command: Command): boolean => {
  const { line, program } = command
  if (program === "xargs" && line.operands.length === 0) return false
  if (readsCode(command)) return true
  if (databases.has(program)) return databases.get(program)!.code.every((option) => !line.has(option))
  if (program === "at" || program === "batch" || program === "crontab") return false
  if (/^(make|gmake)$/.test(program)) {
    return line.values("-f", "--file").some((arg) => arg.guess === "-" || arg.guess === "/dev/stdin")
  }
  if (program === "parallel") return line.operands.length === 0
  const language = languages.get(program)
  if (
    language === undefined ||
    !language.input ||
    line.has(...language.code) ||
    language.notInput.some((option) => line.has(option))
  ) {
    return false
  }
  const first = line.operands[0]?.guess
  return first === undefined || first === "-" || first === "/dev/stdin"
}

/** Start-up scripts that are made to be sourced, wherever they are. */
const sourced = new RegExp(
  "(^|/)(" +
    [
      String.raw`bin/activate(\.\w+)?|(nvm|asdf|conda|sdkman-init|bash_completion|chruby|auto|nix|nix-daemon)\.sh`,
      String.raw`bash_completion`,
      String.raw`(emsdk_env|setvars|export|setup)\.(ba|z)?sh|gvm|rvm|environment-setup-[\w-]+`,
      String.raw`git-(completion|prompt)\.(ba)?sh`,
      String.raw`\.env(\.[\w-]+)?`,
      String.raw`\.(bashrc|bash_profile|profile|zshrc|zprofile|zshenv|bash_aliases)`,
      String.raw`\.(cargo|ghcup|rye|deno|local/bin|fzf|acme\.sh|nvm|poetry|bun|opam|config/envman)/[\w./-]*`,
      String.raw`etc/(os-release|lsb-release|profile(\.d/[\w.-]+)?|bashrc|bash\.bashrc|default/[\w-]+|environment)`
    ].join("|") +
    ")$"
)

const source = (command: Command, place: ActionContext): string | undefined => {
  const file = command.line.operands[0]
  if (file === undefined) return undefined
  if (file.text.startsWith("<(") || (file.inner.length > 0 && file.guess === "/dev/fd/63")) {
    return isHook(file.inner) ? undefined : origin(command, file.inner)
  }
  const path = resolve(file.guess, command.fields.cwd)
  if (path !== undefined && command.fields.downloads.has(path)) return "remote-exec"
  if (sourced.test(file.guess) && !/^\/(tmp|var\/tmp|dev\/shm)\//.test(file.guess)) return undefined
  if (file.guess.includes(HOLE) || (!file.certain && path === undefined)) {
    command.opaque = true
    return "obfuscated"
  }
  return isInside(path, place) || (command.fields.cwd === null && !file.guess.startsWith("/"))
    ? undefined
    : "obfuscated"
}

/** A script or program that this same command line has downloaded, or that comes from a substitution. */
const downloaded = (command: Command): string | undefined => {
  const { cwd, downloads, name } = command.fields
  const isRunner = shells.has(command.program) ||
    languages.has(command.program) ||
    foreignShells.has(command.program) ||
    /^(java|dotnet|mono|wine|installer|msiexec|dpkg|rpm|open)$/.test(command.program)
  const ran = (arg: Arg): boolean => downloads.has(resolve(arg.guess, cwd) ?? "")
  const unpacked = (arg: Arg | undefined): boolean =>
    arg !== undefined && isDownloaded(resolve(arg.guess, cwd) ?? "", downloads)
  if (name !== undefined && name.guess.includes("/") && unpacked(name)) return "remote-exec"
  if (shells.has(command.program) && unpacked(command.line.operands[0])) return "remote-exec"
  if (!isRunner) return undefined
  const script = command.line.operands[0]
  const jar = command.args.find(
    (_, at) => command.args[at - 1]?.guess === "-jar" || command.args[at - 1]?.guess === "-i"
  )
  if ([script, jar].some((arg) => arg !== undefined && ran(arg))) return "remote-exec"
  const substituted = command.args.filter((arg) => arg.guess === "/dev/fd/63").flatMap((arg) => arg.inner)
  if (substituted.length > 0 && script?.guess === "/dev/fd/63") return origin(command, substituted)
  if (
    command.program === "deno" &&
    /^(run|eval|install|test)$/.test(command.line.verb()) &&
    command.line.operands.some((arg, at) => at === 1 && /^https?:\/\/(?!deno\.land\/std|jsr\.io)/.test(arg.guess))
  ) {
    return "remote-exec"
  }
  return undefined
}

const inlineFetch = (command: Command): string | undefined => {
  const language = languages.get(command.program)
  if (language === undefined) return undefined
  const inner = command.line.values(...language.code).flatMap((arg) => arg.inner)
  return fromNetwork(inner)
    ? "remote-exec"
    : command.line.values(...language.code).some((arg) => arg.guess.replaceAll(HOLE, "").trim() === "")
    ? origin(command, inner)
    : undefined
}

/** Packages given as a plain address: nobody vouches for what is behind it. */
const packaged = (command: Command): string | undefined => {
  const { line, program } = command
  const installs = /^(install|i|add|ci|download|tool|global)$/.test(line.verb())
  if (
    !installs || !/^(npm|pnpm|yarn|bun|pip|uv|gem|apt|apt-get|dnf|yum|rpm|brew|composer|poetry|pipx)$/.test(program)
  ) {
    return undefined
  }
  return line.operands.some(
      (arg) =>
        /^(https?|ftp):\/\/\S+/.test(arg.guess) &&
        !/^https?:\/\/(www\.)?(github|gitlab|bitbucket)\.(com|org)\/[^/]+\/[^/]+(\.git)?(#.*)?$/.test(arg.guess)
    )
    ? "remote-exec"
    : undefined
}

/** The program's own name is made up when it runs. */
const unnamed = (command: Command): string | undefined => {
  const name = command.fields.name
  if (name === undefined) return command.opaque ? "obfuscated" : undefined
  if (!command.opaque || (name.certain && !name.glob && command.program !== "")) return undefined
  return fromNetwork(name.inner) ? "remote-exec" : "obfuscated"
}

export const codeOrigin = (command: Command, place: ActionContext): ReadonlyArray<string | undefined> => {
  const { program } = command
  const found: Array<string | undefined> = [unnamed(command), downloaded(command)]
  if (
    program === "eval" ||
    program === "trap" ||
    shells.has(program) ||
    program === "fish" ||
    program === "ssh" ||
    program === "watch"
  ) {
    found.push(evaluated(command))
  } else if (command.opaque && command.fields.name?.certain === true && program !== "" && !languages.has(program)) {
    found.push("obfuscated")
  }
  if (program === "source" || program === ".") found.push(source(command, place))
  found.push(arriving(command), inlineFetch(command), packaged(command))
  return found
}
