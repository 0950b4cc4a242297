import { Effect } from "effect"
import type { RpcFault } from "../rpc/Wire.ts"

/** What one client of a shared host may do; a process of its own user has no such limits. */
export interface CallerRights {
  /** Of the sessions that it opens; `null`: the operator. */
  readonly owner: string | null
  /** Sees the sessions of every owner. */
  readonly admin: boolean
  readonly mayUseAgent: (alias: string) => boolean
  /** Why a canonical folder may not be worked in; `undefined` where it may. */
  readonly forbids: ((folder: string) => string | undefined) | undefined
}

/** Looked up with every call: a permission that was taken away no longer counts. */
export interface AcpAccess {
  /** Whether a method may be called at all. */
  readonly permit: (method: string) => Effect.Effect<void, RpcFault>
  readonly rights: Effect.Effect<CallerRights, RpcFault>
}

export const unlimited: AcpAccess = {
  permit: () => Effect.void,
  rights: Effect.succeed({ owner: null, admin: true, mayUseAgent: () => true, forbids: undefined })
}

/** Sessions of others do not exist for a client. */
export const sees = ({ admin, owner }: CallerRights, of: string | null): boolean => admin || owner === of
