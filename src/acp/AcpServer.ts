import { Context, Effect } from "effect"
import type { ConnectionSetup, PeerOptions } from "../rpc/Options.ts"
import { type Connection, serve } from "../rpc/Peer.ts"
import type { Transport } from "../rpc/Transport.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import { SessionManager } from "../session/lifecycle/SessionManager.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { type AcpAccess, unlimited } from "./AcpAccess.ts"
import {
  AcpConnection,
  type AcpConnectionState,
  type AttachedSession,
  type Retain,
  type Seat
} from "./AcpConnection.ts"
import { ServedAgent } from "./protocol/AgentMethods.ts"
import { admit } from "./Dialect.ts"

/**
 * A line has at most 32 MiB, as in the protocol's own SDK: enough for the largest attachment. See
 * docs/agent-client-protocol.md#size-of-a-message.
 */
const limits = { maxFrame: 32 * 1024 * 1024, outbox: 256, stall: "30 seconds", idPrefix: "zc-out-" } satisfies Partial<
  PeerOptions
>

export interface ServeOptions {
  /** The alias for sessions that name none. */
  readonly agent?: string | undefined
  /** The folder of new sessions that name none. */
  readonly cwd?: string | undefined
  readonly access?: AcpAccess
  /** Sessions and their turns go on when the connection is lost. */
  readonly retain?: Retain
  /** Whether the client ended the connection on purpose: then its sessions end as well. */
  readonly hasLeft?: () => boolean
}

/**
 * Serves ACP to one client over any transport. When the connection ends, sessions that no other connection is attached
 * to are released; their history stays. Fails where the client stopped reading.
 */
export const serveConnection = Effect.fnUntraced(function*(
  transport: Transport,
  { access = unlimited, agent, cwd, hasLeft = () => false, retain }: ServeOptions = {}
) {
  const sessions = yield* SessionManager
  const store = yield* SessionStore

  const endUnlessShared = (seat: Seat, session: Session) =>
    Effect.suspend(() => {
      const isTaken = seat.isTaken()
      seat.detach()
      return isTaken || session.attachments() > 0 ? Effect.void : sessions.release(session.sessionId)
    })

  const release = ({ detach, seat, session }: AttachedSession) =>
    seat !== undefined
      ? hasLeft() ? endUnlessShared(seat, session) : Effect.sync(seat.leave)
      : session.attachments() > 1
      ? Effect.sync(detach)
      : Effect.ensuring(sessions.release(session.sessionId), Effect.sync(detach))

  const open = (peer: Connection["Service"]): ConnectionSetup => {
    const state: AcpConnectionState = {
      dialect: "acp",
      initialized: false,
      capabilities: {},
      defaultAgent: agent,
      defaultCwd: cwd,
      access,
      retain,
      peer,
      attached: new Map()
    }
    return {
      admit: admit(state, () => store.durability === "durable"),
      ...(access === unlimited ? {} : { permit: access.permit }),
      services: Context.make(AcpConnection, state) as Context.Context<never>,
      onEnd: Effect.suspend(() =>
        Effect.forEach(state.attached.values(), release, { concurrency: "unbounded", discard: true })
      )
    }
  }
  yield* serve(ServedAgent, transport, { ...limits, open })
})
