import { Effect, Queue } from "effect"

const listen = (queue: Queue.Queue<void>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const offer = () => void Queue.offerUnsafe(queue, undefined)
      process.removeAllListeners("SIGHUP").on("SIGHUP", offer)
      return offer
    }),
    (offer) => Effect.sync(() => process.off("SIGHUP", offer))
  )

/**
 * Until the scope ends, SIGHUP does not end the process. The effect waits for the next SIGHUP; those that came
 * unawaited count as one.
 */
export const hangUps = Queue.sliding<void>(1).pipe(
  Effect.tap(listen),
  Effect.map((queue) => ({ next: Queue.take(queue) }))
)

/** Exit codes of a process that was told to stop: 128 and the signal's number. */
const codes = { SIGHUP: 129, SIGTERM: 143 } as const

/**
 * The exit code of the first signal that came; Ctrl-C is left to its own handlers. A terminal that goes
 * away ends the process in order, like SIGTERM.
 */
export const watch = (): () => number | undefined => {
  let first: number | undefined
  for (const [signal, code] of Object.entries(codes)) process.on(signal, () => void (first ??= code))
  process.on("SIGHUP", () => void process.emit("SIGTERM"))
  return () => first
}

/** Ignores SIGHUP for the rest of the process. */
export const ignoreHangUp = (): void => {
  process.removeAllListeners("SIGHUP")
  process.on("SIGHUP", () => {})
}
