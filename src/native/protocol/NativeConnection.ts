import { Context, Deferred, type Fiber, type Scope } from "effect"
import { RpcMiddleware } from "effect/rpc"
import type { Connection } from "../../rpc/Peer.ts"

/** Who is at the other end of a connection, as far as the system says. */
export interface PeerIdentity {
  /** For the audit: `unix:pid=P,uid=U`, `unix:unknown` where the system does not say, `pipe:local`, `ws:ADDRESS`, `wss:ADDRESS`. */
  readonly label: string
  /** Of the user behind it, where that is certain: as the system says, or the only one who can open a private socket. */
  readonly uid: number | undefined
  /** Who the client is, where it showed a token before the connection was made. */
  readonly principal?: string
}

/** Whether client and daemon are on the same machine. */
export const isLocal = ({ label }: PeerIdentity): boolean => label.startsWith("unix:") || label.startsWith("pipe:")

/** What the server knows about one client. Messages are taken one after the other, so plain fields are enough. */
export interface NativeState {
  readonly peerIdentity: PeerIdentity
  readonly peer: Connection["Service"]
  readonly connectedAt: number
  /** Ends with the connection. */
  readonly scope: Scope.Scope
  readonly subscriptions: Map<string, Fiber.Fiber<void>>
  /** Done by the first `initialize` that succeeds. */
  readonly greeted: Deferred.Deferred<void>
  /** Done when the client has left. */
  readonly gone: Deferred.Deferred<void>
  initialized: boolean
  /** Who the client acts as; what that allows is looked up with every call. */
  principal: string
  /** Its own name for itself, kept over reconnects. */
  clientId: string
  clientKind: string | undefined
  /** Takes forms of `elicitation/create`. */
  forms: boolean
  /** Turns go on when the connection that started them is gone. */
  keepsTurns: boolean
  /** Of its shell, for the commands of its sessions. */
  env: Readonly<Record<string, string>>
}

export class NativeConnection
  extends Context.Service<NativeConnection, NativeState>()("postern/native/NativeConnection")
{}

/** Lets the handlers, built once per process, use the connection they were called on. */
export class PerNativeConnection extends RpcMiddleware.Service<PerNativeConnection, { provides: NativeConnection }>()(
  "postern/native/PerNativeConnection"
) {}

/** What the daemon knows about itself. */
export class DaemonInfo extends Context.Service<DaemonInfo, {
  readonly endpoint: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly connections: Set<NativeState>
  /** Done when connections have to end: what they still have to say leaves first. */
  readonly stopping: Deferred.Deferred<void>
}>()("postern/native/DaemonInfo") {}
