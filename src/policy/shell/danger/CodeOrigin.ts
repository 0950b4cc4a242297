import type { ActionContext } from "../../decision/CallAction.ts"
import { isHook, readsCode } from "../interpret/InnerCommands.ts"
import { isInside, resolve } from "../parse/Paths.ts"
import { type Arg, type Command, HOLE } from "../programs/Command.ts"
import { fromNetwork, isDownloaded } from "../programs/Network.ts"

/** Findings about the origin of the code that a command runs: from the network, or unknown. */

const origin = (command: Command, commands: ReadonlyArray<Command>): string => {
  if (fromNetwork(commands)) return "remote-exec"
  command.opaque = true
  return "obfuscated"
}

const isStandardInput = (word: string | undefined): boolean => word === "-" || word === "/dev/stdin"

const takesText = ({ program, row }: Command): boolean =>
  program === "eval" || program === "trap" || row.is("shell") || row.is("evaluates")

/** Text given to `eval`, `sh -c`, `trap`: known, from the network, or anything. */
const evaluated = (command: Command): string | undefined => {
  const { args, fields: { name }, line, opaque, program, row } = command
  if (takesText(command)) {
    const values = line.values("-c", "--command")
    const given = values.length > 0 ? values : line.has("-c", "--command") ? line.operands.slice(0, 1) : []
    const texts = program === "eval" ? args : program === "trap" ? args.slice(0, 1) : given
    if (fromNetwork(texts.flatMap((arg) => arg.inner))) return "remote-exec"
  } else if (program === "" || row.language !== undefined) return undefined
  return opaque && name?.certain === true ? "obfuscated" : undefined
}

/** Code that arrives on standard input. */
const arriving = (command: Command): string | undefined => {
  const { fields: { cwd, downloads, input }, row } = command
  if (!runsInput(command)) return undefined
  if (fromNetwork(input.from)) return "remote-exec"
  if (input.file !== undefined) {
    return downloads.has(resolve(input.file.guess, cwd) ?? "") ? "remote-exec" : undefined
  }
  const isUnknown = input.text === undefined
    ? input.fed
    : input.text.includes(HOLE) && row.language === undefined
  return isUnknown && row.statements === undefined ? origin(command, input.from) : undefined
}

const runsInput = (command: Command): boolean => {
  const { line, row } = command
  if (readsCode(command)) return true
  const { language, statements } = row
  if (statements !== undefined) return !statements.code.some((option) => line.has(option))
  if (row.has("input-script")) {
    return line.values(...row.words("input-script")).some((arg) => isStandardInput(arg.guess))
  }
  if (row.words("batch")[0] === "jobs") return line.operands.length === 0
  const first = line.operands[0]?.guess
  return language?.input === true && !line.has(...language.code, ...language.data) &&
    (first === undefined || isStandardInput(first))
}

/** Start-up scripts that are made to be sourced, wherever they are. */
const startupScript = new RegExp(
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

const sourced = (command: Command, place: ActionContext): string | undefined => {
  const { fields: { cwd, downloads }, line: { operands: [file] }, program } = command
  if (file === undefined || !(program === "source" || program === ".")) return undefined
  if (file.text.startsWith("<(") || (file.inner.length > 0 && file.guess === "/dev/fd/63")) {
    return isHook(file.inner) ? undefined : origin(command, file.inner)
  }
  const path = resolve(file.guess, cwd)
  if (path !== undefined && downloads.has(path)) return "remote-exec"
  if (startupScript.test(file.guess) && !/^\/(tmp|var\/tmp|dev\/shm)\//.test(file.guess)) return undefined
  if (file.guess.includes(HOLE) || (!file.certain && path === undefined)) {
    command.opaque = true
    return "obfuscated"
  }
  return isInside(path, place) || (cwd === null && !file.guess.startsWith("/")) ? undefined : "obfuscated"
}

/** A script or program that this same command line has downloaded, or that comes from a substitution. */
const downloaded = (command: Command): string | undefined => {
  const { args, fields: { cwd, downloads, name }, line, row, words } = command
  const pathOf = (arg: Arg): string => resolve(arg.guess, cwd) ?? ""
  const isUnpacked = (arg: Arg | undefined): boolean => arg !== undefined && isDownloaded(pathOf(arg), downloads)
  if (name !== undefined && name.guess.includes("/") && isUnpacked(name)) return "remote-exec"
  const [script, second] = line.operands
  if (row.is("shell") && isUnpacked(script)) return "remote-exec"
  if (!row.is("shell") && !row.is("foreign-shell") && !row.is("runs-file") && row.language === undefined) {
    return undefined
  }
  const named = args.find((_, at) => words[at - 1] === "-jar" || words[at - 1] === "-i")
  if ([script, named].some((arg) => arg !== undefined && downloads.has(pathOf(arg)))) return "remote-exec"
  const substituted = args.filter((arg) => arg.guess === "/dev/fd/63").flatMap((arg) => arg.inner)
  if (substituted.length > 0 && script?.guess === "/dev/fd/63") return origin(command, substituted)
  return row.words("remote-code").includes(line.verb()) && second !== undefined &&
      /^https?:\/\/(?!deno\.land\/std|jsr\.io)/.test(second.guess)
    ? "remote-exec"
    : undefined
}

const inlineFetch = (command: Command): string | undefined => {
  const { line, row: { language } } = command
  if (language === undefined) return undefined
  const codes = line.values(...language.code)
  const inner = codes.flatMap((arg) => arg.inner)
  if (fromNetwork(inner)) return "remote-exec"
  return codes.some((arg) => arg.guess.replaceAll(HOLE, "").trim() === "") ? origin(command, inner) : undefined
}

/** Packages installed from a URL instead of a registry. */
const packaged = ({ line, row }: Command): string | undefined =>
  row.is("installs") && /^(install|i|add|ci|download|tool|global)$/.test(line.verb()) &&
    [...line.operands, ...line.values("-r", "--requirement")].some(({ guess }) =>
      /^(https?|ftp):\/\/\S+/.test(guess) &&
      !/^https?:\/\/(www\.)?(github|gitlab|bitbucket)\.(com|org)\/[^/]+\/[^/]+(\.git)?(#.*)?$/.test(guess)
    )
    ? "remote-exec"
    : undefined

/** The program's own name is made up when it runs. */
const unnamed = ({ fields: { name }, opaque, program }: Command): string | undefined => {
  if (name === undefined) return opaque ? "obfuscated" : undefined
  if (!opaque || (name.certain && !name.glob && program !== "")) return undefined
  return fromNetwork(name.inner) ? "remote-exec" : "obfuscated"
}

export const codeOrigin = (command: Command, place: ActionContext): ReadonlyArray<string | undefined> => [
  unnamed(command),
  downloaded(command),
  evaluated(command),
  sourced(command, place),
  arriving(command),
  inlineFetch(command),
  packaged(command)
]
