import { Effect, Semaphore } from "effect"

/** Mutual exclusion by key, first come first served. A free key costs nothing. */
export interface KeyedLock {
  readonly within: (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make = (): KeyedLock => {
  const held = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return {
    within: (key) => (effect) =>
      Effect.suspend(() => {
        const lock = held.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        held.set(key, lock)
        lock.users++
        return Effect.ensuring(
          lock.semaphore.withPermits(1)(effect),
          Effect.sync(() => {
            if (--lock.users === 0) held.delete(key)
          })
        )
      })
  }
}
