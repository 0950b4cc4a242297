import { Effect } from "effect"
import type { RpcFault } from "../../rpc/Wire.ts"
import { type Principal, Principals } from "../../security/Principals.ts"
import * as Faults from "../protocol/Errors.ts"
import { isLocal, NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"

/** Who is calling, as the configuration stands now. */
export const caller: Effect.Effect<Principal, RpcFault, NativeConnection | Principals> = Effect.gen(function*() {
  const { principal } = yield* NativeConnection
  const { find } = yield* Principals
  const found = yield* find(principal)
  return found ?? (yield* Faults.notAuthenticated(`principal "${principal}" is not known any more`))
})

/** People see their own sessions; the others do not exist for them. */
export const mayTouch = ({ admin, id }: Principal, owner: string): boolean => admin || id === owner

/** Whom the sessions belong to that somebody opens. */
export const ownerFor = ({ admin, id }: Principal): string => admin ? "operator" : id

/** What of its shell a client forwards to the commands of its sessions: only of this machine, and unconstrained (zeroclaw §1.5). */
export const forwarded = ({ admin }: Principal, { env, far }: NativeState): NativeState["env"] =>
  admin && isLocal(far) ? env : {}
