import { Context, Result } from "effect"
import type { Admit } from "../rpc/Peer.ts"
import * as Wire from "../rpc/Wire.ts"
import type { Principals } from "../security/Principals.ts"
import { Needs } from "./Contract.ts"
import * as Faults from "./Faults.ts"
import { Native } from "./Native.ts"
import type { NativeState } from "./NativeConnection.ts"
import { canonical, isRecord } from "./Spelling.ts"

const needs: ReadonlyMap<string, string | undefined> = new Map(
  Array.from(Native.requests, ([method, rpc]) => [method, Context.get(rpc.annotations, Needs)])
)

/** Known to the protocol, not part of this daemon: clients that meet this error leave the feature out (zeroclaw §1.6). */
const isOutOfScope = (method: string) => method.startsWith("sops/")

/** The gate in front of the handlers: known, greeted, permitted, readable, in this order (zeroclaw §1.2). */
export const admit = (state: NativeState, principals: Principals["Service"]): Admit => (method, raw) => {
  if (!needs.has(method) && !isOutOfScope(method)) return Result.fail(Wire.methodNotFound({ method }, method))
  if (!state.initialized && method !== "initialize") return Result.fail(Faults.notInitialized())
  if (isOutOfScope(method)) return Result.fail(Faults.disabled("SOP subsystem not enabled", "sop_disabled"))
  const need = needs.get(method)
  if (need !== undefined) {
    const principal = principals.find(state.principal)
    if (principal === undefined) return Result.fail(Faults.notAuthenticated(`principal "${state.principal}" is not known any more`))
    if (!principal.allows(need)) return Result.fail(Faults.missingGrant(principal.id, need, method))
  }
  if (raw !== undefined && !isRecord(raw)) return Result.fail(Wire.invalidParams(undefined, "params must be an object"))
  return Result.succeed(canonical(raw ?? {}))
}
