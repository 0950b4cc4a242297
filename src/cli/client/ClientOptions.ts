import { Effect, Result } from "effect"
import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { text } from "node:stream/consumers"
import { type Failure, wrongUsage } from "../Failure.ts"
import type { Wanted } from "./Resume.ts"
import { words } from "./Words.ts"

/** The command line of `postern client` as it was given. */
export interface ClientOptions {
  readonly prompt: ReadonlyArray<string>
  readonly cwd: string | undefined
  readonly resume: string | undefined
  readonly last: boolean
  readonly agent: string | undefined
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

/** Flags the agent of this installation shares with its client. */
const own = ({ configDir, logLevel }: ClientOptions): ReadonlyArray<string> => [
  process.execPath,
  ...process.execArgv,
  process.argv[1] ?? "",
  "acp",
  ...(configDir === undefined ? [] : ["--config-dir", configDir]),
  ...(logLevel === undefined ? [] : ["--log-level", logLevel])
]

const commandOf = (options: ClientOptions) =>
  options.server === undefined
    ? Effect.succeed(own(options))
    : Effect.mapError(Effect.fromResult(words(options.server)), (why) =>
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
export const read = Effect.fnUntraced(function*(options: ClientOptions) {
  if (options.last && options.resume !== undefined) return yield* wrongUsage("--last and --resume exclude each other")
  if (options.resume?.trim() === "") return yield* wrongUsage("--resume needs the id of a session")
  if (options.json && options.quiet) return yield* wrongUsage("--json and --quiet exclude each other")
  const here = yield* Effect.fromResult(folder("."))
  const given = options.cwd === undefined ? undefined : yield* Effect.fromResult(folder(options.cwd))
  const wanted: Wanted | undefined = options.last
    ? "newest"
    : options.resume === undefined
    ? undefined
    : { id: options.resume }
  const command = yield* commandOf(options)
  return { command, cwd: { given, here }, wanted, prompt: yield* promptOf(options) }
})
