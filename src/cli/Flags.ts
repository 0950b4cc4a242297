import { Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { Exit, unreadCode } from "./Failure.ts"

/** A flag with a value that may be left out. */
export const maybe = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)
/** A flag that is on when it is there. */
export const on = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const ConfigDir = GlobalFlag.Setting("config-dir")({
  flag: maybe("config-dir", "DIR", "Folder of config.toml and data (default: $POSTERN_CONFIG_DIR, else ~/.postern)")
})

/** The global flags as the other parts of the program take them. */
export const shared = Effect.gen(function*() {
  const logLevel = yield* GlobalFlag.LogLevel
  return {
    configDir: Option.getOrUndefined(yield* ConfigDir),
    logLevel: Option.getOrUndefined(logLevel)?.toLowerCase()
  }
})

/** Help must not wait for what only the command itself needs. */
export const lazily = <M, A, E, R>(load: () => Promise<M>, use: (module: M) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.promise(load), use)

/** Runs to its end, or as long as somebody reads stdout (`… | head -1`): what it started is ended then, and nothing is said. */
export const whileRead = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Exit, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never, Exit>((resume) => {
      // For good: what is still on its way when the command is done can fail too.
      process.stdout.on("error", () => {
        process.exitCode = unreadCode
        resume(Effect.fail(new Exit({ code: unreadCode })))
      })
    })
  )
