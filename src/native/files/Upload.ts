import type { Session } from "../../session/lifecycle/Session.ts"
import type { NativeState } from "../protocol/NativeConnection.ts"

/** A file that is being sent, in memory until it is whole. */
export interface Upload {
  readonly id: string
  readonly connection: NativeState
  /** This very session, not a later one of the same id. */
  readonly session: Session
  readonly principal: string
  readonly agent: string
  readonly filename: string
  readonly sha256: string | undefined
  readonly size: number
  cost: number
  bytes: Buffer
  /** Where each piece that was taken begins and ends. */
  readonly pieces: Map<number, number>
  received: number
  /** Milliseconds since the epoch. */
  touched: number
}
