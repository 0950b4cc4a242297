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

/** From here on, until the scope ends, no SIGHUP ends the process. What comes of it waits for the next one; those that nobody waited for are one. */
export const hangUps = Queue.sliding<void>(1).pipe(
  Effect.tap(listen),
  Effect.map((queue) => ({ next: Queue.take(queue) }))
)
