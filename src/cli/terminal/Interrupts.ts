import { Effect, Queue, type Scope } from "effect"
import { Interrupted } from "../Failure.ts"

export interface Interrupts {
  /** The next Ctrl-C. */
  readonly next: Effect.Effect<void>
  /** A Ctrl-C that came as a key instead of a signal. */
  readonly signal: () => void
  /** Drops those that have not been handled yet. */
  readonly clear: Effect.Effect<void>
  /** Runs to its end, or fails at the next Ctrl-C. */
  readonly orInterrupt: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Interrupted, R>
}

/** Replaces the listeners of SIGINT, which would end the process: while a client runs, the first Ctrl-C cancels its turn. */
export const make: Effect.Effect<Interrupts, never, Scope.Scope> = Effect.gen(function*() {
  const queue = yield* Queue.unbounded<void>()
  const signal = () => void Queue.offerUnsafe(queue, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const others = process.listeners("SIGINT")
      process.removeAllListeners("SIGINT")
      process.on("SIGINT", signal)
      return others
    }),
    (others) =>
      Effect.sync(() => {
        process.off("SIGINT", signal)
        for (const other of others) process.on("SIGINT", other)
      })
  )
  const next = Queue.take(queue)
  return {
    next,
    signal,
    clear: Effect.asVoid(Queue.clear(queue)),
    orInterrupt: (effect) => Effect.raceFirst(effect, Effect.andThen(next, Effect.fail(new Interrupted())))
  }
})
