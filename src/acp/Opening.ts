import { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"
import * as Wire from "../rpc/Wire.ts"
import { Agents } from "../session/lifecycle/Agents.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import { Sessions } from "../session/lifecycle/Sessions.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { AcpConnection, type AcpConnectionState } from "./AcpConnection.ts"
import type { SessionLoad, SessionNew } from "./Agent.ts"
import { attach, onSession } from "./Attaching.ts"
import { clientServers } from "./ClientServers.ts"
import { faulty } from "./Faulty.ts"
import { placeholderCwd } from "./Placeholder.ts"
import { policyOf } from "./PolicyHandlers.ts"
import * as Replay from "./Replay.ts"
import * as Welcome from "./Welcome.ts"

/** `session/new`, `session/load` and `session/resume`: how a session comes to a connection. */
export const make = Effect.gen(function*() {
  const sessions = yield* Sessions
  const agents = yield* Agents
  const store = yield* SessionStore
  const { configDir } = yield* Settings
  const { current, last } = yield* LiveSettings
  const scope = yield* Effect.scope

  /** ZeroClaw's clients know nothing of what comes here, and expect silence between turns. */
  const welcome = (connection: AcpConnectionState, session: Session) =>
    connection.dialect === "zeroclaw"
      ? Effect.void
      : Effect.asVoid(Effect.forkIn(Welcome.send(connection, session), scope))

  const create = Effect.fnUntraced(function*(
    { additionalDirectories, agentAlias, cwd, mcpServers }: Rpc.Payload<typeof SessionNew>
  ) {
    const connection = yield* AcpConnection
    const agent = yield* agents.resolve(agentAlias, connection.defaultAgent)
    const session = yield* sessions.create({
      agent,
      cwd: yield* placeholderCwd(connection.dialect, configDir, cwd),
      additionalDirectories: additionalDirectories ?? [],
      mcpServers: yield* clientServers(mcpServers, last().mcp)
    })
    yield* attach(connection, session, last().acp.sessionTimeoutSecs)
    yield* welcome(connection, session)
    const workspaceDir = session.workspace.cwd
    return {
      sessionId: session.sessionId,
      ...(connection.dialect === "zeroclaw" ? { workspaceDir } : {}),
      ...policyOf(session),
      _meta: { zeroclaw: { workspaceDir } }
    }
  }, faulty)

  /** `load` and `resume`: ZeroClaw's clients expect an active session to be refused, ACP's expect to see it again. */
  const open = Effect.fnUntraced(function*(
    payload: Rpc.Payload<typeof SessionLoad>,
    replay: boolean
  ) {
    const connection = yield* AcpConnection
    const { sessionId } = payload
    const isActive = onSession(sessions, sessionId, () => Effect.succeed(true)).pipe(Effect.orElseSucceed(() => false))
    if (connection.dialect === "zeroclaw" && (yield* isActive)) {
      return yield* Wire.invalidParams(
        { reason: "session_active", sessionId, field: "sessionId" },
        "this session is active already"
      )
    }
    const cwd = yield* placeholderCwd(connection.dialect, configDir, payload.cwd)
    const setup = {
      cwd,
      additionalDirectories: payload.additionalDirectories ?? [],
      mcpServers: yield* clientServers(payload.mcpServers, (yield* current).mcp)
    }
    return yield* sessions.activate(
      sessionId,
      setup,
      Effect.fnUntraced(function*(session) {
        const entries = yield* Replay.snapshot(session, store)
        const send = (shown: typeof entries) => Replay.send(connection, session, shown)
        yield* attach(connection, session, last().acp.sessionTimeoutSecs, replay ? send(entries) : Effect.void)
        if (!replay) {
          // No history on resume; the plan is state. Only ZeroClaw's clients expect it before the result (acp.md §6 row 19).
          const plan = send(entries.filter(({ _tag }) => _tag === "Plan"))
          yield* connection.dialect === "zeroclaw" ? plan : Effect.forkIn(plan, scope)
        }
        yield* welcome(connection, session)
        return { ...policyOf(session), _meta: { zeroclaw: { workspaceDir: session.workspace.cwd } } }
      })
    )
  }, faulty)

  return { create, open }
})
