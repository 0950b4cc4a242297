import { Effect, Semaphore } from "effect"
import type * as Wire from "../../rpc/Wire.ts"
import * as Faults from "../protocol/Errors.ts"

const depth = 32
const patience = 30

/** Calls on one session, one after the other: at most 32 wait, none longer than 30 s (zeroclaw §1.3). */
export interface Queues {
  readonly within: (
    sessionId: string
  ) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Wire.RpcFault, R>
}

export const make = (): Queues => {
  const held = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return {
    within: (sessionId) => <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | Wire.RpcFault, R> => {
        const queue = held.get(sessionId) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        if (queue.users > depth) return Effect.fail(Faults.queueFull(sessionId))
        held.set(sessionId, queue)
        queue.users++
        const alone = queue.users === 1
        let started = false
        const one = queue.semaphore.withPermits(1)(Effect.suspend(() => {
          started = true
          return call
        }))
        const tooLong = Effect.delay(
          Effect.suspend(() => started ? Effect.never : Effect.fail(Faults.queueTimeout(sessionId, patience))),
          `${patience} seconds`
        )
        return (alone ? one : Effect.raceFirst(one, tooLong)).pipe(
          Effect.ensuring(Effect.sync(() => {
            if (--queue.users === 0) held.delete(sessionId)
          }))
        )
      })
  }
}
