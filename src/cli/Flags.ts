import { Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import * as Chunk from "../platform/Chunk.ts"
import { Exit, unreadCode } from "./Failure.ts"

/** A flag with a value, which need not be given. */
export const optionalFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)
/** A flag without a value; off unless it is given. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const ConfigDir = GlobalFlag.Setting("config-dir")({
  flag: optionalFlag(
    "config-dir",
    "DIR",
    "Folder of config.toml and data (default: $POSTERN_CONFIG_DIR, else ~/.postern)"
  )
})

/** The global flags, as `Settings` takes them. */
export const settingsFlags = Effect.gen(function*() {
  const logLevel = yield* GlobalFlag.LogLevel
  return {
    configDir: Option.getOrUndefined(yield* ConfigDir),
    logLevel: Option.getOrUndefined(logLevel)?.toLowerCase()
  }
})

/** Loads a command when it runs: help must not wait for what only the command itself needs. */
export const lazily = <M, A, E, R>(load: () => Promise<M>, use: (module: M) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Chunk.make(load), use)

/** Runs to its end, or until the reader of stdout is gone (`… | head -1`): then what it started is stopped, without a message. */
export const whileRead = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Exit, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never, Exit>((resume) => {
      // The listener stays: writes that are still pending when the command is done can fail too.
      process.stdout.on("error", () => {
        process.exitCode = unreadCode
        resume(Effect.fail(new Exit({ code: unreadCode })))
      })
    })
  )
