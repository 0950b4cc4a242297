import { Effect } from "effect"
import type * as Wire from "../../rpc/Wire.ts"
import type { SessionFault } from "../../session/lifecycle/SessionFault.ts"
import * as Faults from "./Errors.ts"

/** Errors of the domain as the protocol's; what a store could not do is also logged with its cause. */
export const faulty = <A, R>(
  effect: Effect.Effect<A, SessionFault | Wire.RpcFault, R>
): Effect.Effect<A, Wire.RpcFault, R> =>
  effect.pipe(
    Effect.tapError((error) =>
      error._tag === "StoreFailed" ? Effect.logError(error.message, error.cause) : Effect.void
    ),
    Effect.mapError((error) => error._tag === "RpcFault" ? error : Faults.of(error))
  )
