import { Context, Effect } from "effect"
import type { Opened, Options } from "../rpc/Options.ts"
import { type Connection, serve } from "../rpc/Peer.ts"
import type { Transport } from "../rpc/Transport.ts"
import { Sessions } from "../session/lifecycle/Sessions.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { AcpConnection, type AcpConnectionState, type Attached } from "./AcpConnection.ts"
import { Served } from "./Agent.ts"
import { admit } from "./Dialect.ts"

/** 32 MiB a line: what the protocol's own SDK takes, and room for the largest attachment. */
const limits = { maxFrame: 32 * 1024 * 1024, outbox: 256, stall: "30 seconds", idPrefix: "zc-out-" } satisfies Partial<
  Options
>

/**
 * ACP for one client over any transport. Sessions that no other connection watches end with it; their history stays.
 * `agent` is the alias for sessions that name none.
 */
export const serveConnection = Effect.fnUntraced(function*(transport: Transport, agent?: string) {
  const sessions = yield* Sessions
  const { durability } = yield* SessionStore

  const release = ({ detach, session }: Attached) =>
    session.attachments() > 1
      ? Effect.sync(detach)
      : Effect.ensuring(sessions.release(session.sessionId), Effect.sync(detach))

  const open = (peer: Connection["Service"]): Opened => {
    const state: AcpConnectionState = {
      dialect: "acp",
      initialized: false,
      capabilities: {},
      defaultAgent: agent,
      peer,
      attached: new Map()
    }
    return {
      admit: admit(state, durability === "durable"),
      services: Context.make(AcpConnection, state) as Context.Context<never>,
      onEnd: Effect.suspend(() =>
        Effect.forEach(state.attached.values(), release, { concurrency: "unbounded", discard: true })
      )
    }
  }
  yield* serve(Served, transport, { ...limits, open })
})
