import { Effect, Fiber, Option } from "effect"

/** How long cancelled work may take to end; after that it is abandoned. */
const grace = "5 seconds"

export interface Detached<A, E> {
  /** Interrupting the wait interrupts the work. */
  readonly join: Effect.Effect<A, E>
  /** Interrupts the work and waits for its end, at most for the grace. */
  readonly letGo: Effect.Effect<void>
}

/** Runs work in a fiber that only `join` waits for. `what` is its name in the log. */
export const start = <A, E, R>(work: Effect.Effect<A, E, R>, what: string): Effect.Effect<Detached<A, E>, never, R> =>
  Effect.map(Effect.forkDetach(work, { startImmediately: true }), (fiber) => {
    const ended = Effect.timeoutOption(Fiber.interrupt(fiber), grace)
    return {
      // At once: input that arrives after a cancel must find no reader.
      join: Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe())),
      // In another fiber: the caller is mostly interrupted itself, and its wait could not time out.
      letGo: Effect.flatMap(Effect.forkDetach(ended, { startImmediately: true }), Fiber.join).pipe(
        Effect.flatMap((end) =>
          Option.isSome(end)
            ? Effect.void
            : Effect.logWarning(`${what} did not end within ${grace} of being cancelled and is left behind`)
        )
      )
    }
  })
