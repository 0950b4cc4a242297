import { Effect } from "effect"
import type * as Wire from "../rpc/Wire.ts"
import type { SessionFault } from "../session/lifecycle/SessionFault.ts"
import { AcpConnection } from "./AcpConnection.ts"
import * as Faults from "./Faults.ts"

/** Errors of the domain as errors of the connection's dialect; what a store could not do is also logged with its cause. */
export const faulty = Effect.fnUntraced(function*<A, R>(effect: Effect.Effect<A, SessionFault | Wire.RpcFault, R>) {
  const { dialect } = yield* AcpConnection
  const logged = Effect.tapError(
    effect,
    (error) => error._tag === "StoreFailed" ? Effect.logError(error.message, error.cause) : Effect.void
  )
  return yield* Effect.mapError(logged, (error) => error._tag === "RpcFault" ? error : Faults.of(dialect)(error))
})
