import { Effect, Equal, Layer, Semaphore } from "effect"
import { statSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { load } from "./ConfigFile.ts"
import type { Environment } from "./Environment.ts"
import { LiveSettings } from "./LiveSettings.ts"
import { Settings } from "./Settings.ts"
import type { Snapshot } from "./Snapshot.ts"

const missing = "none"

/** Tells two states of a file apart without reading it. */
const stampOf = (file: string): string => {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? missing : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
  } catch {
    return "unreadable"
  }
}

/** Providers that say the same stay the same objects: what was asked of them holds. */
const keepingProviders = (now: Snapshot, { providers: before }: Snapshot): Snapshot => ({
  ...now,
  providers: new Map(
    Array.from(now.providers, ([alias, provider]) => {
      const old = before.get(alias)
      return [alias, Equal.equals(old, provider) ? old ?? provider : provider]
    })
  )
})

/**
 * Follows `config.toml`, from what the process started with. A broken file, or one that has gone, leaves everything as it was, which is
 * logged once; a program that writes a file by removing it first does not open a moment without limits.
 */
export const layer = (environment: Environment = process.env) => Layer.effect(LiveSettings, make(environment))

const make = Effect.fnUntraced(function*(environment: Environment) {
  const { configFile, read, started } = yield* Settings
  const scope = yield* Effect.scope
  const watchers = new Set<Effect.Effect<void>>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let last = started
  // Unlike any file's: what changed since the start is found by the first look.
  let stamp = ""

  const adopt = (now: Snapshot) => {
    const before = last
    last = keepingProviders(now, before)
    const news = now.notes.filter((note) => !before.notes.includes(note))
    return Effect.andThen(
      Effect.forEach(news, (note) => Effect.logWarning(note), { discard: true }),
      Effect.forEach(watchers, (run) => Effect.forkIn(run, scope), { discard: true })
    )
  }

  const stays = (why: string) => Effect.logWarning(`the configuration stays as it was: ${why}`)

  const look = oneAtATime(Effect.suspend(() => {
    const now = stampOf(configFile)
    if (now === stamp) return Effect.void
    const seen = Effect.sync(() => void (stamp = now))
    return Effect.matchEffect(load(configFile, environment), {
      onFailure: ({ message }) => stays(message),
      onSuccess: (table) =>
        isDeepStrictEqual(table, last.table)
          ? Effect.void
          : now === missing
          ? stays(`${configFile} is gone`)
          : adopt(read(table))
    }).pipe(Effect.andThen(seen))
  }))

  return LiveSettings.of({
    current: Effect.suspend(() => stampOf(configFile) === stamp ? Effect.succeed(last) : Effect.map(look, () => last)),
    last: () => last,
    onChange: (run) =>
      Effect.asVoid(
        Effect.acquireRelease(Effect.sync(() => watchers.add(run)), () => Effect.sync(() => watchers.delete(run)))
      )
  })
})
