import { Cause, Context, Effect, Schema } from "effect"
import type { Rpc } from "effect/rpc"
import type * as Progress from "./Progress.ts"
import { codecOf } from "./Routes.ts"
import type { Outbox, Outgoing } from "./Outbox.ts"
import * as PendingRequests from "./PendingRequests.ts"
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
  /** Bytes that the far side sent or took: limits of time for its answers count from them. */
  readonly progress: Progress.Progress
}>()("postern/rpc/Connection") {}

interface OutgoingRequests extends Pick<PendingRequests.PendingRequests<ConnectionClosed>, "onResponse"> {
  readonly connection: Connection["Service"]
  /** Every request that waits fails with `ConnectionClosed`, and so does every later one. */
  readonly close: () => void
}

/** The asking half of a peer. Our ids are `<prefix>N`, known to this connection and direction only. */
export const make = (outbox: Outbox, prefix: string, progress: Progress.Progress): OutgoingRequests => {
  const pending = PendingRequests.make<ConnectionClosed>()
  let next = 0

  const request = (rpc: Rpc.Any, payload: unknown): Effect.Effect<unknown, Wire.RpcFault | ConnectionClosed> =>
    Effect.suspend(() => {
      const codec = codecOf(rpc)
      const id = `${prefix}${next++}`
      return pending.request(
        JSON.stringify(id),
        Effect.flatMap(
          Effect.orDie(codec.encodePayload(payload)),
          (params) => outbox.offer(Wire.request(id, rpc._tag, params))
        ),
        outbox.offer(Wire.notification("$/cancel_request", { requestId: id }))
      ).pipe(Effect.flatMap((result) => Effect.mapError(codec.decodeSuccess(result), Wire.invalidParamsFrom)))
    })

  return {
    connection: Connection.of({
      request: request as Connection["Service"]["request"],
      notify: (rpc, payload) =>
        Effect.flatMap(
          Effect.orDie(codecOf(rpc).encodePayload(payload)),
          (params) => outbox.offer(Wire.notification(rpc._tag, params))
        ),
      post: outbox.offer,
      progress
    }),
    onResponse: pending.onResponse,
    close: () => pending.close(new ConnectionClosed())
  }
}

/** Marks an interruption the far side asked for, as opposed to a lost connection. */
export class CancelledByPeer extends Context.Service<CancelledByPeer, true>()("postern/rpc/CancelledByPeer") {
  static readonly annotation = CancelledByPeer.context(true)
  static readonly in = <E>(cause: Cause.Cause<E>) =>
    Context.getOrUndefined(Cause.annotations(cause), CancelledByPeer) === true
}
