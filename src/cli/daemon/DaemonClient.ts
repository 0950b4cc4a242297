import { Context, Deferred, Effect, Result, Schema } from "effect"
import { RpcGroup } from "effect/rpc"
import { connect as open } from "node:net"
import { Settings } from "../../config/Settings.ts"
import {
  type ContractOf,
  Native,
  type NativeMethod,
  type ParamsOf,
  type ResultOf
} from "../../native/protocol/Native.ts"
import { resolve } from "../../platform/socket/Endpoint.ts"
import { type Connection, type ConnectionClosed, serve } from "../../rpc/Peer.ts"
import { fromStreams } from "../../rpc/Transport.ts"
import * as Wire from "../../rpc/Wire.ts"
import { type Failure, failure } from "../Failure.ts"

/** No daemon answers at the endpoint. */
export class NoDaemon extends Schema.TaggedError<NoDaemon>()("NoDaemon", { endpoint: Schema.String }) {}

export interface Daemon {
  readonly endpoint: string
  readonly call: <M extends NativeMethod>(method: M, params: ParamsOf<M>) => Effect.Effect<ResultOf<M>, Failure>
}

type Request<M extends NativeMethod> = (
  contract: ContractOf<M>,
  params: ParamsOf<M>
) => Effect.Effect<ResultOf<M>, Wire.RpcFault | ConnectionClosed>

const patience = "10 seconds"

const dial = (endpoint: string) =>
  Effect.callback<ReturnType<typeof open>, NoDaemon>((resume) => {
    const socket = open(endpoint)
    socket.once("connect", () => resume(Effect.succeed(socket))).on("error", () =>
      resume(Effect.fail(new NoDaemon({ endpoint }))))
    return Effect.sync(() =>
      socket.destroy()
    )
  })

const nothing = Result.fail(Wire.methodNotFound())

/**
 * A greeted connection to the daemon of this configuration, until the scope ends; its end fails every call that waits.
 */
export const connect = Effect.gen(function*() {
  const endpoint = resolve(yield* Settings)
  const socket = yield* Effect.acquireRelease(dial(endpoint), (socket) => Effect.sync(() => socket.destroy()))
  const ready = Deferred.makeUnsafe<Connection["Service"]>()
  yield* Effect.forkScoped(
    serve(RpcGroup.make(), fromStreams(socket, socket), {
      maxFrame: 32 * 1024 * 1024,
      outbox: 64,
      stall: patience,
      idPrefix: "postern-",
      open: (peer) => {
        Deferred.doneUnsafe(ready, Effect.succeed(peer))
        return { admit: () => nothing, services: Context.empty(), onEnd: Effect.void }
      }
    }),
    { startImmediately: true }
  )
  const peer = yield* Deferred.await(ready)
  const call: Daemon["call"] = <M extends NativeMethod>(method: M, params: ParamsOf<M>) =>
    (peer.request as Request<M>)(Native.requests.get(method) as unknown as ContractOf<M>, params).pipe(
      Effect.mapError((error) =>
        failure(
          error._tag === "RpcFault"
            ? `the daemon answers: ${error.message}`
            : `the daemon at ${endpoint} has ended the connection`
        )
      )
    )
  yield* call("initialize", { protocol_version: 1, client_capabilities: { client_kind: "cli" } }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(failure(`the daemon at ${endpoint} does not answer within ${patience}`))
    })
  )
  return { endpoint, call } satisfies Daemon
})

/** For commands that are of no use without one. */
export const needed = Effect.catchTag(
  connect,
  "NoDaemon",
  ({ endpoint }) => Effect.fail(failure(`no daemon is running at ${endpoint}; start one with: postern daemon`))
)
