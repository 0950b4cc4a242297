import { Context } from "effect"
import { RpcMiddleware } from "effect/rpc"
import type { Connection } from "../rpc/Peer.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { ClientCapabilities } from "./Capabilities.ts"
import type { SessionId } from "./SessionSetup.ts"

/** `acp` is the specification to the letter; `zeroclaw` is the output its own clients expect (acp.md §6). */
export type DialectName = "acp" | "zeroclaw"

/** A session active on this connection: created, loaded or resumed here, and not closed since. */
export interface Attached {
  readonly session: Session
  readonly detach: () => void
}

/** What the server knows about one client. Messages are taken in order, so plain fields are enough. */
export interface AcpConnectionState {
  dialect: DialectName
  initialized: boolean
  capabilities: ClientCapabilities
  /** Agent alias for sessions that name none (`?agent=` of a WebSocket URL). */
  readonly defaultAgent: string | undefined
  readonly peer: Connection["Service"]
  readonly attached: Map<SessionId, Attached>
}

export class AcpConnection extends Context.Service<AcpConnection, AcpConnectionState>()("postern/acp/AcpConnection") {}

/** Lets the handlers, built once per process, use the connection they were called on. */
export class PerAcpConnection
  extends RpcMiddleware.Service<PerAcpConnection, { provides: AcpConnection }>()("postern/acp/PerAcpConnection")
{}
