import { Duration, Effect, Semaphore } from "effect"

/** Mutual exclusion by key, first come first served. A free key costs nothing. */
export interface KeyedLock<E = never> {
  readonly within: (key: string) => <A, E2, R>(effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
}

/** How many may wait for one key, and how long; what runs may take longer. */
interface QueueBound<E> {
  readonly waiting: number
  readonly patience: Duration.Duration
  readonly full: (key: string) => E
  readonly late: (key: string) => E
}

/** Without a bound, any number waits for any time. */
export const make = <E = never>(bound?: QueueBound<E>): KeyedLock<E> => {
  const held = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  /** Fails where the effect has not begun in time. */
  const inTime = <A, E2, R>(
    key: string,
    { late, patience }: QueueBound<E>,
    lock: Semaphore.Semaphore,
    effect: Effect.Effect<A, E2, R>
  ): Effect.Effect<A, E | E2, R> => {
    let started = false
    const run = lock.withPermits(1)(Effect.suspend(() => {
      started = true
      return effect
    }))
    const tooLong = Effect.suspend(() => started ? Effect.never : Effect.fail(late(key)))
    // The limit is for the wait alone: once the effect has begun, it may take as long as it needs.
    // @effect-diagnostics-next-line raceFirstWithSleepToTimeout:off
    return Effect.raceFirst(run, Effect.delay(tooLong, patience))
  }

  return {
    within: (key) => <A, E2, R>(effect: Effect.Effect<A, E2, R>) =>
      Effect.suspend((): Effect.Effect<A, E | E2, R> => {
        const lock = held.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        if (bound !== undefined && lock.users > bound.waiting) return Effect.fail(bound.full(key))
        held.set(key, lock)
        const isFree = lock.users++ === 0
        return Effect.ensuring(
          bound === undefined || isFree
            ? lock.semaphore.withPermits(1)(effect)
            : inTime(key, bound, lock.semaphore, effect),
          Effect.sync(() => {
            if (--lock.users === 0) held.delete(key)
          })
        )
      })
  }
}
