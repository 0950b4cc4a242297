import { Context } from "effect"
import { RpcMiddleware } from "effect/rpc"
import type { Connection } from "../rpc/Peer.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { AcpAccess } from "./AcpAccess.ts"
import type { ClientCapabilities } from "./protocol/Capabilities.ts"
import type { SessionId } from "./protocol/SessionSetup.ts"

/**
 * `acp` follows the specification to the letter; `zeroclaw` is the output that ZeroClaw's clients expect. See
 * docs/agent-client-protocol.md#dialects.
 */
export type DialectName = "acp" | "zeroclaw"

/** A session that this connection created, loaded or resumed, and has not closed since. */
export interface AttachedSession {
  readonly session: Session
  readonly detach: () => void
}

/** What the server knows about one client. Messages are handled in order, so the fields are plain. */
export interface AcpConnectionState {
  dialect: DialectName
  initialized: boolean
  capabilities: ClientCapabilities
  /** Agent alias for sessions that name none (`?agent=` of a WebSocket URL). */
  readonly defaultAgent: string | undefined
  /** Folder for new sessions that name none (`?cwd=`). */
  readonly defaultCwd: string | undefined
  readonly access: AcpAccess
  readonly peer: Connection["Service"]
  readonly attached: Map<SessionId, AttachedSession>
}

export class AcpConnection extends Context.Service<AcpConnection, AcpConnectionState>()("postern/acp/AcpConnection") {}

/** Gives each handler, built once per process, the connection that called it. */
export class PerAcpConnection
  extends RpcMiddleware.Service<PerAcpConnection, { provides: AcpConnection }>()("postern/acp/PerAcpConnection")
{}
