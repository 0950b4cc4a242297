import { Effect, Fiber, Option } from "effect"

/** What is cancelled has so long to end; a tool that does not is left to itself (zeroclaw §1.3). */
const grace = "5 seconds"

export interface Detached<A, E> {
  /** Whoever stops waiting interrupts it. */
  readonly join: Effect.Effect<A, E>
  /** Interrupts it, waits for its end, and stops waiting after the grace; then nothing that it still does counts. */
  readonly letGo: Effect.Effect<void>
}

/** Work in a fiber that nothing waits for but who joins it. `what` is its name in the log. */
export const start = <A, E, R>(work: Effect.Effect<A, E, R>, what: string): Effect.Effect<Detached<A, E>, never, R> =>
  Effect.map(Effect.forkDetach(work, { startImmediately: true }), (fiber) => {
    const ended = Effect.timeoutOption(Fiber.interrupt(fiber), grace)
    return {
      // At once: what comes in after a cancel must find nobody.
      join: Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe())),
      // In another fiber: the one that lets go is mostly interrupted itself, and could not stop waiting.
      letGo: Effect.flatMap(Effect.forkDetach(ended, { startImmediately: true }), Fiber.join).pipe(
        Effect.flatMap((end) =>
          Option.isSome(end)
            ? Effect.void
            : Effect.logWarning(`${what} did not end within ${grace} of being cancelled and is left behind`)
        )
      )
    }
  })
