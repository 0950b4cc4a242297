import { Cause, Context, Deferred, Effect, Exit, Schema } from "effect"
import type { Rpc } from "effect/rpc"
import { codecOf } from "./Codec.ts"
import type { Outbox, Outgoing } from "./Outbox.ts"
import * as Wire from "./Wire.ts"

export class ConnectionClosed extends Schema.TaggedError<ConnectionClosed>()("ConnectionClosed", {}) {}

/** The far side of one connection. */
export class Connection extends Context.Service<Connection, {
  /** Interrupting it, a timeout included, withdraws the request with `$/cancel_request`. A late answer is dropped. */
  readonly request: <R extends Rpc.Any>(
    rpc: R,
    payload: Rpc.Payload<R>
  ) => Effect.Effect<Rpc.Success<R>, Wire.RpcFault | ConnectionClosed>
  readonly notify: <R extends Rpc.Any>(rpc: R, payload: Rpc.Payload<R>) => Effect.Effect<void>
  /** A frame encoded by the caller, or a mergeable delta. Suspends while the far side is slower than we are. */
  readonly post: (item: Outgoing) => Effect.Effect<void>
}>()("postern/rpc/Connection") {}

export interface OutgoingRequests {
  readonly connection: Connection["Service"]
  /** Whether it is one to a request of ours that waits. */
  readonly onResponse: (message: Extract<Wire.Inbound, { _tag: "Response" }>) => boolean
  /** Every request that waits fails with `ConnectionClosed`, and so does every later one. */
  readonly close: () => void
}

type Answer = Deferred.Deferred<unknown, Wire.RpcFault | ConnectionClosed>

/** The asking half of a peer. Our ids are `<prefix>N`, known to this connection and direction only. */
export const make = (outbox: Outbox, prefix: string): OutgoingRequests => {
  const pending = new Map<Wire.RequestId, Answer>()
  let next = 0
  let open = true

  const request = (rpc: Rpc.Any, payload: unknown): Effect.Effect<unknown, Wire.RpcFault | ConnectionClosed> =>
    Effect.suspend(() => {
      if (!open) return Effect.fail(new ConnectionClosed())
      const codec = codecOf(rpc)
      const id = `${prefix}${next++}`
      const answer: Answer = Deferred.makeUnsafe()
      pending.set(JSON.stringify(id), answer)
      return Effect.orDie(codec.encodePayload(payload)).pipe(
        Effect.flatMap((params) => outbox.offer(Wire.request(id, rpc._tag, params))),
        Effect.andThen(Deferred.await(answer)),
        Effect.onInterrupt(() => outbox.offer(Wire.notification("$/cancel_request", { requestId: id }))),
        Effect.ensuring(Effect.sync(() => pending.delete(JSON.stringify(id)))),
        Effect.flatMap((result) => Effect.mapError(codec.decodeSuccess(result), Wire.invalidParamsFrom))
      )
    })

  return {
    connection: Connection.of({
      request: request as Connection["Service"]["request"],
      notify: (rpc, payload) =>
        Effect.flatMap(
          Effect.orDie(codecOf(rpc).encodePayload(payload)),
          (params) => outbox.offer(Wire.notification(rpc._tag, params))
        ),
      post: outbox.offer
    }),
    onResponse({ error, id, result }) {
      const answer = pending.get(id)
      if (answer === undefined) return false
      Deferred.doneUnsafe(answer, error === undefined ? Exit.succeed(result) : Exit.fail(Wire.faultFrom(error)))
      return true
    },
    close() {
      open = false
      for (const answer of pending.values()) Deferred.doneUnsafe(answer, Exit.fail(new ConnectionClosed()))
    }
  }
}

/** Marks an interruption the far side asked for, as opposed to a lost connection. */
export class CancelledByPeer extends Context.Service<CancelledByPeer, true>()("postern/rpc/CancelledByPeer") {
  static readonly annotation = CancelledByPeer.context(true)
  static readonly in = <E>(cause: Cause.Cause<E>) =>
    Context.getOrUndefined(Cause.annotations(cause), CancelledByPeer) === true
}
