import { Context, Effect, Result } from "effect"
import type { Admit } from "../../rpc/Options.ts"
import * as Wire from "../../rpc/Wire.ts"
import type { Principals } from "../../security/Principals.ts"
import { RequiredGrant } from "../protocol/Contract.ts"
import * as Faults from "../protocol/Errors.ts"
import { Native } from "../protocol/Native.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"
import { canonical, isRecord } from "../protocol/Spelling.ts"

const needs: ReadonlyMap<string, string | undefined> = new Map(
  Array.from(Native.requests, ([method, rpc]) => [method, Context.get(rpc.annotations, RequiredGrant)])
)

/** Known to the protocol, not part of this daemon: clients that meet this error leave the feature out (zeroclaw §1.6). */
const isOutOfScope = (method: string) => method.startsWith("sops/")

/** The gate in front of the handlers: known, greeted, permitted, readable, in this order (zeroclaw §1.2). */
export const admit = (state: NativeState): Admit => (method, raw) => {
  if (!needs.has(method) && !isOutOfScope(method)) return Result.fail(Wire.methodNotFound({ method }, method))
  if (!state.initialized && method !== "initialize") return Result.fail(Faults.notInitialized())
  if (isOutOfScope(method)) return Result.fail(Faults.disabled("SOP subsystem not enabled", "sop_disabled"))
  return Result.succeed(raw === undefined ? {} : isRecord(raw) ? canonical(raw) : raw)
}

/** What the principal may do is looked up with each call: a grant that was taken away is gone at once. */
export const permit = (state: NativeState, principals: Principals["Service"]) =>
  Effect.fnUntraced(function*(method: string) {
    const need = needs.get(method)
    if (need === undefined) return
    const principal = yield* principals.find(state.principal)
    if (principal === undefined) {
      return yield* Faults.notAuthenticated(`principal "${state.principal}" is not known any more`)
    }
    if (!principal.allows(need)) return yield* Faults.missingGrant(principal.id, need, method)
  })
