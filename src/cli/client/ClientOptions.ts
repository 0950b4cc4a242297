import { Effect, Result } from "effect"
import { realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { text } from "node:stream/consumers"
import { find } from "../../platform/Executable.ts"
import { isInside } from "../../platform/FilePath.ts"
import { type Failure, wrongUsage } from "../Failure.ts"
import type { ResumeRequest } from "./Resume.ts"

/**
 * Splits a command line into words as a POSIX shell does, without expanding anything. A backslash only escapes quotes, blanks
 * and itself, so that Windows paths survive.
 */
export const splitCommandLine = (line: string): Result.Result<ReadonlyArray<string>, string> => {
  const found: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    const next = line.charAt(at + 1)
    if (char === "\\" && quote !== "'" && next !== "" && (quote === undefined ? /[\s"'\\]/ : /["\\]/).test(next)) {
      word = (word ?? "") + next
      at++
    } else if (quote !== undefined) {
      if (char === quote) quote = undefined
      else word = (word ?? "") + char
    } else if (char === "'" || char === "\"") {
      quote = char
      word ??= ""
    } else if (/\s/.test(char)) {
      if (word !== undefined) found.push(word)
      word = undefined
    } else {
      word = (word ?? "") + char
    }
  }
  if (quote !== undefined) return Result.fail(`a ${quote} is never closed`)
  if (word !== undefined) found.push(word)
  return found.length === 0 ? Result.fail("it is empty") : Result.succeed(found)
}

interface Invocation {
  /** The script Node was started with. */
  readonly script: string | undefined
  readonly path: string | undefined
  readonly cwd: string
}

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** npx adds these folders to the path of what it starts; the user's shell does not have them. */
const isNpxFolder = (folder: string) => folder.endsWith(join("node_modules", ".bin"))

/** The folder where npx finds this program: the checkout, or the project it is installed in. */
const projectOf = (script: string): string => {
  const checkout = dirname(dirname(script))
  const at = checkout.indexOf(`${sep}node_modules${sep}`)
  return at === -1 ? checkout : checkout.slice(0, at)
}

/** The words that start this program again in the folder of the user. */
export const programWords = ({ cwd, path, script = "" }: Invocation): ReadonlyArray<string> => {
  const file = real(script)
  const installed =
    find("postern", path?.split(":").filter((folder) => !isNpxFolder(folder)).join(":"), []) !== undefined
  if (installed || basename(dirname(file)) !== "dist") return ["postern"]
  return isInside(projectOf(file), real(cwd)) ? ["npx", "postern"] : ["node", file]
}

/** The flags and arguments of `postern client`. */
export interface ClientOptions {
  readonly prompt: ReadonlyArray<string>
  readonly cwd: string | undefined
  readonly resume: string | undefined
  readonly last: boolean
  readonly agent: string | undefined
  readonly model: string | undefined
  readonly mode: string | undefined
  readonly json: boolean
  readonly quiet: boolean
  readonly server: string | undefined
  readonly configDir: string | undefined
  readonly logLevel: string | undefined
}

const folder = (path: string): Result.Result<string, Failure> => {
  try {
    const real = realpathSync(resolve(path))
    return statSync(real).isDirectory() ? Result.succeed(real) : Result.fail(wrongUsage(`${path} is not a folder`))
  } catch {
    return Result.fail(wrongUsage(`there is no folder ${path}`))
  }
}

/** Starts the agent of this installation with the same global flags. */
const ownCommand = ({ configDir, logLevel }: ClientOptions): ReadonlyArray<string> => [
  process.execPath,
  ...process.execArgv,
  process.argv[1] ?? "",
  "acp",
  ...(configDir === undefined ? [] : ["--config-dir", configDir]),
  ...(logLevel === undefined ? [] : ["--log-level", logLevel])
]

const commandOf = (options: ClientOptions) =>
  options.server === undefined
    ? Effect.succeed(ownCommand(options))
    : Effect.mapError(Effect.fromResult(splitCommandLine(options.server)), (why) =>
      wrongUsage(`--server is no command line: ${why}`))

/** The prompt of the one turn to run; `undefined` for a conversation at the terminal. */
const promptOf = Effect.fnUntraced(function*({ json, prompt, quiet }: ClientOptions) {
  const piped = prompt.length === 0 && process.stdin.isTTY !== true
  if (!piped && prompt.length === 0) {
    if (json || quiet) return yield* wrongUsage("--json and --quiet need a prompt, as an argument or on standard input")
    if (process.stdout.isTTY !== true) {
      return yield* wrongUsage(
        "a prompt is needed where the output is not a terminal, as an argument or on standard input"
      )
    }
    return undefined
  }
  const asked = piped ? yield* Effect.promise(() => text(process.stdin)) : prompt.join(" ")
  if (asked.trim() === "") return yield* wrongUsage("the prompt is empty")
  return piped ? asked.trimEnd() : asked
})

/** Checks everything that can be checked before an agent is started. */
export const readOptions = Effect.fnUntraced(function*(options: ClientOptions) {
  if (options.last && options.resume !== undefined) return yield* wrongUsage("--last and --resume exclude each other")
  if (options.resume?.trim() === "") return yield* wrongUsage("--resume needs the id of a session")
  if (options.json && options.quiet) return yield* wrongUsage("--json and --quiet exclude each other")
  const here = yield* Effect.fromResult(folder("."))
  const given = options.cwd === undefined ? undefined : yield* Effect.fromResult(folder(options.cwd))
  const resume: ResumeRequest | undefined = options.last
    ? "newest"
    : options.resume === undefined
    ? undefined
    : { id: options.resume }
  const command = yield* commandOf(options)
  return { command, cwd: { given, here }, resume, prompt: yield* promptOf(options) }
})
