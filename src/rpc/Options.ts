import type { Context, Duration, Effect, Result } from "effect"
import type { Connection } from "./Connection.ts"
import type * as Wire from "./Wire.ts"

/** What one front door asks of its connections. */

/** One message on its way in: the peer asks for its final params, or for the fault to answer with. */
export type Admit = (method: string, params: unknown) => Result.Result<unknown, Wire.RpcFault>

export interface PeerOptions {
  /**
   * What JSON-RPC leaves open is refused: `params: null`, and with id null what may as well be a broken response
   * (docs/native-rpc.md#framing-and-limits).
   */
  readonly strict?: boolean
  /**
   * Bytes in one line. A longer one is answered with one −32600 `frame_too_large` and skipped, or ends the connection.
   */
  readonly maxFrame: number
  readonly endsOversize?: boolean
  /**
   * How long an unfinished line may bring no byte; a slower one is answered with −32600 `frame_timeout` and ends the
   * connection.
   */
  readonly frameTimeout?: Duration.Duration
  /** Which requests may still be running when the next message is looked at; without it all of them. */
  readonly concurrent?: (method: string) => boolean
  /** Frames queued for the far side before producers wait. */
  readonly outbox: number
  /** How long the far side may take nothing before the connection is given up. */
  readonly stall: Duration.Input
  /** Start of the ids of our own requests. */
  readonly idPrefix: string
  readonly open?: (connection: Connection["Service"]) => ConnectionSetup
}

/** What belongs to one connection only. */
export interface ConnectionSetup {
  readonly admit: Admit
  /** Asked for each message that was admitted, before its handler sees it. */
  readonly permit?: (method: string) => Effect.Effect<void, Wire.RpcFault>
  /** More services for the handlers. */
  readonly services: Context.Context<never>
  /** The connection ends when this does. */
  readonly until?: Effect.Effect<void>
  /** Runs when the far side stops sending, before running handlers are interrupted. */
  readonly onEnd: Effect.Effect<void>
}
