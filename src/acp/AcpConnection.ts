import { Context, type Effect } from "effect"
import { RpcMiddleware } from "effect/rpc"
import type { Connection } from "../rpc/Peer.ts"
import type { TranscriptEntry } from "../domain/SessionEvent.ts"
import type { Attachment } from "../session/lifecycle/Attachment.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { AcpAccess } from "./AcpAccess.ts"
import type { ClientCapabilities } from "./protocol/Capabilities.ts"
import type { KnownCalls } from "./updates/KnownCalls.ts"
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
  /** Where places outlive connections. */
  readonly seat: Seat | undefined
}

/** The place of a connection in a session, which outlives it. */
export interface Seat {
  /** What is read here is not sent as a missed update. */
  readonly read: <E>(
    transcript: Effect.Effect<ReadonlyArray<TranscriptEntry>, E>
  ) => Effect.Effect<ReadonlyArray<TranscriptEntry>, E>
  /** Sends what was missed, and lets updates and questions through. */
  readonly flow: Effect.Effect<void>
  /** The client does not read at the moment: updates are kept for it, and questions wait. */
  readonly pause: () => void
  /** It reads again, and `flow` is next; `false` where another connection took the place meanwhile. */
  readonly reopen: () => boolean
  readonly isTaken: () => boolean
  /** The place is given up. */
  readonly detach: () => void
  /** The connection is lost, and its place is kept. */
  readonly leave: () => void
}

/**
 * `link` makes what a connection takes part with, from the tool calls that its client knows already; `post` sends a
 * frame behind everything that was sent before.
 */
export type Retain = (
  session: Session,
  link: (known: KnownCalls) => Attachment,
  timeoutSecs: number,
  post: (frame: string) => Effect.Effect<void>
) => Seat

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
  /** Where sessions outlive connections. */
  readonly retain: Retain | undefined
  readonly peer: Connection["Service"]
  readonly attached: Map<SessionId, AttachedSession>
}

export class AcpConnection extends Context.Service<AcpConnection, AcpConnectionState>()("postern/acp/AcpConnection") {}

/** Gives each handler, built once per process, the connection that called it. */
export class PerAcpConnection
  extends RpcMiddleware.Service<PerAcpConnection, { provides: AcpConnection }>()("postern/acp/PerAcpConnection")
{}
