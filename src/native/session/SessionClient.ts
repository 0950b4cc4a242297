import type { Principal } from "../../security/Principals.ts"
import { forwarded } from "../access/Access.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"

/** A client that has a session open: its idle sessions make room for its next one. */
export interface Opener {
  readonly connection: NativeState
  readonly clientId: string
  /** What it forwards of its shell. */
  readonly env: NativeState["env"]
}

export const openerOf = (connection: NativeState, me: Principal): Opener => ({
  connection,
  clientId: connection.clientId,
  env: forwarded(me, connection)
})
