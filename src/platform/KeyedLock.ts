import { Duration, Effect, Scope, Semaphore } from "effect"

/** Mutual exclusion by key, first come first served. A free key costs nothing. */
export interface KeyedLock<E = never> {
  readonly within: (key: string) => <A, E2, R>(effect: Effect.Effect<A, E2, R>) => Effect.Effect<A, E | E2, R>
  /** How many wait, for all keys. */
  readonly waiting: () => number
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

  /** Fails where the lock is not free in time; once it is taken, the effect may take as long as it needs. */
  const inTime = <A, E2, R>(
    key: string,
    { late, patience }: QueueBound<E>,
    lock: Semaphore.Semaphore,
    effect: Effect.Effect<A, E2, R>
  ): Effect.Effect<A, E | E2, R> =>
    Effect.scopedWith((scope) =>
      // A permit that is taken at the moment of the timeout belongs to the scope, which gives it back.
      Scope.provide(lock.takeScoped(1), scope).pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(late(key)) }),
        Effect.andThen(effect)
      )
    )

  return {
    waiting: () => Array.from(held.values()).reduce((sum, { users }) => sum + users - 1, 0),
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
