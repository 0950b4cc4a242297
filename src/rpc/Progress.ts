import { Clock, Duration, Effect } from "effect"

/** The last sign that something goes on: bytes that came or left. Limits of time count from it. */
export interface Progress {
  /** Something went on just now. */
  readonly mark: () => void
  /** Milliseconds since then, of a clock that nobody sets. */
  readonly silence: () => number
}

export const make: Effect.Effect<Progress> = Effect.map(Clock.Clock, (clock) => {
  const now = () => Number(clock.currentTimeNanosUnsafe()) / 1e6
  let last = now()
  return {
    mark: () => {
      last = now()
    },
    silence: () => now() - last
  }
})

/** Ends once nothing went on for `limit`. */
export const silent = (progress: Progress, limit: Duration.Input): Effect.Effect<void> => {
  const ms = Duration.toMillis(Duration.fromInputUnsafe(limit))
  const wait: Effect.Effect<void> = Effect.suspend(() => {
    const left = ms - progress.silence()
    return left <= 0 ? Effect.void : Effect.andThen(Effect.sleep(Math.max(1, Math.ceil(left))), wait)
  })
  return ms === Infinity ? Effect.never : wait
}

/** Fails with `orElse` once nothing went on for `limit`, counted from the beginning of the effect at first. */
export const unlessSilent = <E2>(
  progress: Progress,
  limit: Duration.Input,
  orElse: () => Effect.Effect<never, E2>
) =>
<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Effect.suspend(() => {
    progress.mark()
    return Effect.raceFirst(self, Effect.andThen(silent(progress, limit), Effect.suspend(orElse)))
  })
