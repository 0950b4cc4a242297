import { Effect, Equal, Layer, Result, Semaphore } from "effect"
import { statSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import { Environment } from "../platform/Environment.ts"
import { LiveSettings } from "./LiveSettings.ts"
import { load } from "./load/ConfigFile.ts"
import { Settings } from "./Settings.ts"
import type { Snapshot } from "./Snapshot.ts"

/** Milliseconds. A file that is written piece by piece may look complete in between: it is read when it has not changed for this long. */
const settleTime = 100
/** Milliseconds: timers may be early by one, and file times are rounded. */
const slack = 5

/** Tells states of a file apart without reading it. */
const stateOf = (file: string) => {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found === undefined
      ? { stamp: "none", isThere: false, age: settleTime }
      : {
        stamp: `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`,
        isThere: found.size > 0n,
        // A clock that was set back must not make the wait longer.
        age: Math.max(0, Date.now() - Number(found.ctimeMs))
      }
  } catch {
    return { stamp: "unreadable", isThere: true, age: settleTime }
  }
}

/** Providers that did not change stay the same objects, so that what is cached for them stays valid. */
const withSameProviders = (now: Snapshot, { providers: before }: Snapshot): Snapshot => ({
  ...now,
  providers: new Map(
    Array.from(now.providers, ([alias, provider]) => {
      const old = before.get(alias)
      return [alias, Equal.equals(old, provider) ? old ?? provider : provider]
    })
  )
})

/**
 * Watches `config.toml`. A broken, missing or empty file leaves the configuration as it was, which is logged once: a program that writes
 * the file by removing or emptying it first must not leave a moment without limits.
 */
export const layer = Layer.effect(LiveSettings, Effect.suspend(() => make))

const make = Effect.gen(function*() {
  const environment = yield* Environment
  const { configFile, read, started } = yield* Settings
  const scope = yield* Effect.scope
  const watchers = new Set<Effect.Effect<void>>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let last = started
  let isThere = stateOf(configFile).isThere
  // No file has this stamp, so the first look finds what changed since the start.
  let stamp = ""

  const adopt = (now: Snapshot) => {
    const before = last
    last = withSameProviders(now, before)
    const news = now.notes.filter((note) => !before.notes.includes(note))
    return Effect.andThen(
      Effect.forEach(news, (note) => Effect.logWarning(note), { discard: true }),
      Effect.forEach(watchers, (run) => Effect.forkIn(run, scope), { discard: true })
    )
  }

  const logKept = (why: string) => Effect.logWarning(`the configuration stays as it was: ${why}`)

  /** Succeeds with the milliseconds to wait for a file that may still be written; 0 when it was taken over. */
  const takeOver = (isWhole: boolean) =>
    oneAtATime(Effect.gen(function*() {
      const now = stateOf(configFile)
      if (now.stamp === stamp) return 0
      const found = yield* Effect.result(load(configFile, environment))
      const isSame = Result.isSuccess(found) && isDeepStrictEqual(found.success, last.table)
      if (!isSame && !isWhole && (now.age < settleTime || stateOf(configFile).stamp !== now.stamp)) {
        return Math.max(1, settleTime - now.age) + slack
      }
      stamp = now.stamp
      if (Result.isFailure(found)) yield* logKept(found.failure.message)
      else if (isSame) isThere = isWhole ? now.isThere : isThere || now.isThere
      else if (!now.isThere && !isWhole) yield* logKept(`${configFile} is gone, or empty`)
      else {
        isThere = now.isThere
        yield* adopt(read(found.success))
      }
      return 0
    }))

  /** Shared by all callers meanwhile. The wait uses the system clock, as file times do. */
  const look = yield* Effect.cachedWithTTL(
    Effect.gen(function*() {
      const wait = yield* takeOver(false)
      if (wait === 0) return
      yield* Effect.promise((signal) => sleep(wait, undefined, { signal }))
      // A file that is still being written is looked at again with the next call.
      yield* takeOver(false)
    }),
    0
  )

  return LiveSettings.of({
    current: Effect.suspend(() =>
      stateOf(configFile).stamp === stamp ? Effect.succeed(last) : Effect.map(look, () => last)
    ),
    last: () => last,
    adopt: Effect.asVoid(takeOver(true)),
    rules: () => last.table.policy?.rules,
    isGone: () => isThere && !stateOf(configFile).isThere,
    onChange: (run) =>
      Effect.asVoid(
        Effect.acquireRelease(Effect.sync(() => watchers.add(run)), () => Effect.sync(() => watchers.delete(run)))
      )
  })
})
