import { Effect, Equal, Layer, Result, Semaphore } from "effect"
import { statSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { load } from "./load/ConfigFile.ts"
import type { EnvironmentVariables } from "./load/EnvironmentOverrides.ts"
import { LiveSettings } from "./LiveSettings.ts"
import { Settings } from "./Settings.ts"
import type { Snapshot } from "./Snapshot.ts"

/** Milliseconds. Who writes a file bit by bit leaves states that look whole: only one that has stood for so long is taken over. */
const settled = 100
/** A timer may be early by a millisecond, and file times are rounded. */
const slack = 5

/** A state of a file, told apart from others without reading it. */
const stateOf = (file: string) => {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found === undefined
      ? { stamp: "none", isThere: false, age: settled }
      : {
        stamp: `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
        isThere: found.size > 0n,
        // A clock that was set back makes nobody wait for longer.
        age: Math.max(0, Date.now() - Number(found.ctimeMs))
      }
  } catch {
    return { stamp: "unreadable", isThere: true, age: settled }
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
 * Follows `config.toml`, from what the process started with. A broken file, or one that is gone or empty, leaves everything as it was,
 * which is logged once; a program that writes a file by removing or emptying it first does not open a moment without limits.
 */
export const layer = (environment: EnvironmentVariables = process.env) => Layer.effect(LiveSettings, make(environment))

const make = Effect.fnUntraced(function*(environment: EnvironmentVariables) {
  const { configFile, read, started } = yield* Settings
  const scope = yield* Effect.scope
  const watchers = new Set<Effect.Effect<void>>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let last = started
  let isThere = stateOf(configFile).isThere
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

  /** Gives the milliseconds to wait for a file that may still be written. */
  const take = (isWhole: boolean) =>
    oneAtATime(Effect.gen(function*() {
      const now = stateOf(configFile)
      if (now.stamp === stamp) return 0
      const found = yield* Effect.result(load(configFile, environment))
      const isSame = Result.isSuccess(found) && isDeepStrictEqual(found.success, last.table)
      if (!isSame && !isWhole && (now.age < settled || stateOf(configFile).stamp !== now.stamp)) {
        return Math.max(1, settled - now.age) + slack
      }
      stamp = now.stamp
      if (Result.isFailure(found)) yield* stays(found.failure.message)
      else if (isSame) isThere = isWhole ? now.isThere : isThere || now.isThere
      else if (!now.isThere && !isWhole) yield* stays(`${configFile} is gone, or empty`)
      else {
        isThere = now.isThere
        yield* adopt(read(found.success))
      }
      return 0
    }))

  /** For everybody who asks meanwhile. File times are the system's, and so is the wait for them. */
  const look = yield* Effect.cachedWithTTL(
    Effect.gen(function*() {
      const wait = yield* take(false)
      if (wait === 0) return
      yield* Effect.promise((signal) => sleep(wait, undefined, { signal }))
      // What is written on and on is looked at again with the next call.
      yield* take(false)
    }),
    0
  )

  return LiveSettings.of({
    current: Effect.suspend(() =>
      stateOf(configFile).stamp === stamp ? Effect.succeed(last) : Effect.map(look, () => last)
    ),
    last: () => last,
    adopt: Effect.asVoid(take(true)),
    rules: () => last.table.policy?.rules,
    isGone: () => isThere && !stateOf(configFile).isThere,
    onChange: (run) =>
      Effect.asVoid(
        Effect.acquireRelease(Effect.sync(() => watchers.add(run)), () => Effect.sync(() => watchers.delete(run)))
      )
  })
})
