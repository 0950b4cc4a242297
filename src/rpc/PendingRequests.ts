import { Deferred, Effect, Exit } from "effect"
import { comparable, faultFrom, type Inbound, type RequestId, type RpcFault } from "./Wire.ts"

/** Our requests that wait for an answer. `E` is the error of a request that can have none. */
export interface PendingRequests<E> {
  /** Sends and waits. An interruption runs `withdraw`; an answer that comes after it is dropped. */
  readonly request: (
    id: RequestId,
    send: Effect.Effect<void>,
    withdraw: Effect.Effect<void>
  ) => Effect.Effect<unknown, RpcFault | E>
  /** Whether it is the answer to a request that waits. */
  readonly onResponse: (message: Extract<Inbound, { _tag: "Response" }>) => boolean
  /** Fails one request, or all that wait. */
  readonly fail: (error: E, id?: RequestId) => void
  /** Every request that waits fails, and so does every later one. */
  readonly close: (error: E) => void
}

export const make = <E>(): PendingRequests<E> => {
  // By the id as it is compared: our own are of one type, so `7`, `"7"` and `7.0` can only mean the same.
  const pending = new Map<string, Deferred.Deferred<unknown, RpcFault | E>>()
  let closed: { readonly error: E } | undefined

  const settle = (id: RequestId, exit: Exit.Exit<unknown, RpcFault | E>): boolean => {
    const answer = pending.get(comparable(id))
    return answer !== undefined && Deferred.doneUnsafe(answer, exit)
  }

  const fail = (error: E, id?: RequestId): void => {
    for (const one of id === undefined ? Array.from(pending.keys()) : [id]) settle(one, Exit.fail(error))
  }

  return {
    request: (id, send, withdraw) =>
      Effect.suspend(() => {
        if (closed !== undefined) return Effect.fail(closed.error)
        const answer: Deferred.Deferred<unknown, RpcFault | E> = Deferred.makeUnsafe()
        pending.set(comparable(id), answer)
        return send.pipe(
          Effect.andThen(Deferred.await(answer)),
          Effect.onInterrupt(() => withdraw),
          Effect.ensuring(Effect.sync(() => pending.delete(comparable(id))))
        )
      }),
    onResponse: ({ error, id, result }) =>
      settle(id, error === undefined ? Exit.succeed(result) : Exit.fail(faultFrom(error))),
    fail,
    close: (error) => {
      closed ??= { error }
      fail(error)
    }
  }
}
