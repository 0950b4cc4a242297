import { Effect } from "effect"

/** How long a piece of long work may hold the loop before others run, in ms. */
export const sliceTime = 10

/** Long work in slices. */
export interface Slices {
  /** Between two steps of the work: lets others run once a slice is over. */
  readonly pause: Effect.Effect<void>
  /** Milliseconds of work so far in this slice. */
  readonly elapsed: () => number
}

/** Others are timers, sockets and files as well, which run only between two turns of the loop. */
const others: Effect.Effect<void> = Effect.callback<void>((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})

export const make: Effect.Effect<Slices> = Effect.sync(() => {
  let began = performance.now()
  const elapsed = () => performance.now() - began
  return {
    elapsed,
    pause: Effect.suspend(() =>
      elapsed() < sliceTime ? Effect.void : Effect.map(others, () => {
        began = performance.now()
      })
    )
  }
})
