import { Effect } from "effect"
import { Settings } from "../app/Settings.ts"
import { version } from "../app/Version.ts"
import * as Wire from "../rpc/Wire.ts"
import { Agents } from "../session/Agents.ts"
import * as PromptContent from "../session/PromptContent.ts"
import type { Session } from "../session/Session.ts"
import { Sessions } from "../session/Sessions.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { AcpConnection, type AcpConnectionState } from "./AcpConnection.ts"
import { SessionAgent } from "./Agent.ts"
import { attach, detach, onSession } from "./Attaching.ts"
import { clientServers } from "./ClientServers.ts"
import { faulty } from "./Faulty.ts"
import { policyOf } from "./PolicyHandlers.ts"
import { placeholderCwd } from "./Placeholder.ts"
import { methods as rulesMethods } from "./Rules.ts"
import * as PromptResult from "./PromptResult.ts"
import * as Replay from "./Replay.ts"
import * as Welcome from "./Welcome.ts"
import type { McpServer } from "./SessionSetup.ts"

/** ACP's methods on top of the sessions, built once per process: any front door can serve them. */
export const layer = SessionAgent.toLayer(Effect.gen(function*() {
  const sessions = yield* Sessions
  const agents = yield* Agents
  const store = yield* SessionStore
  const { acp, agents: configured, configDir, mcp, providers } = yield* Settings
  const scope = yield* Effect.scope

  const defaultModel = Array.from(configured.values()).find(({ alias }) =>
    acp.defaultAgent === undefined || alias === acp.defaultAgent
  )?.model

  /** For sessions of the usual agent; another's may take none, and say so. */
  const seesImages = providers.get(defaultModel?.split("/", 1)[0] ?? "")?.vision ?? false

  const capabilities = {
    loadSession: store.durability === "durable",
    promptCapabilities: { image: seesImages, audio: false, embeddedContext: true },
    mcpCapabilities: { http: mcp.clients !== undefined, sse: mcp.clients !== undefined },
    sessionCapabilities: {
      ...(store.durability === "durable" ? { list: {}, delete: {}, resume: {}, close: {} } : {}),
      additionalDirectories: {},
      ...(acp.unstable ? { title: {} } : {})
    },
    _meta: { postern: { methods: rulesMethods } }
  }

  /** ZeroClaw's clients know nothing of what comes here, and expect silence between turns. */
  const welcome = (connection: AcpConnectionState, session: Session) =>
    connection.dialect === "zeroclaw"
      ? Effect.void
      : Effect.asVoid(Effect.forkIn(Welcome.send(connection, session), scope))

  /** `load` and `resume`: ZeroClaw's clients expect an active session to be refused, ACP's expect to see it again. */
  const open = Effect.fnUntraced(function*(
    payload: {
      readonly sessionId: string
      readonly cwd?: string
      readonly additionalDirectories?: ReadonlyArray<string> | null
      readonly mcpServers?: ReadonlyArray<McpServer> | null
    },
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
      mcpServers: yield* clientServers(payload.mcpServers, mcp)
    }
    return yield* sessions.activate(
      sessionId,
      setup,
      Effect.fnUntraced(function*(session) {
        const entries = yield* Replay.snapshot(session, store)
        const send = (shown: typeof entries) => Replay.send(connection, session, shown)
        yield* attach(connection, session, acp.sessionTimeoutSecs, replay ? send(entries) : Effect.void)
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

  const ofConnection = (sessionId: string) =>
    onSession(sessions, sessionId, (_, connection) => Effect.succeed(connection))

  const cancel = Effect.fnUntraced(function*({ sessionId }: { readonly sessionId: string }) {
    const session = yield* Effect.option(onSession(sessions, sessionId, Effect.succeed))
    if (session._tag === "Some") yield* session.value.cancel
    return {}
  })

  const stop = Effect.fnUntraced(function*({ sessionId }: { readonly sessionId: string }) {
    const connection = yield* ofConnection(sessionId)
    yield* sessions.stop(sessionId)
    detach(connection, sessionId)
    return { sessionId, stopped: true }
  }, faulty)

  const inbound = Effect.fnUntraced(function*(payload: {
    readonly sessionId: string
    readonly type?: string | undefined
    readonly update?: { readonly sessionUpdate?: string | undefined } | undefined
  }) {
    const { sessionId, type, update } = payload
    yield* onSession(sessions, sessionId, (session) => session.touch)
    return { sessionId, type: type ?? update?.sessionUpdate ?? "unknown", status: "processed" as const }
  }, faulty)

  return SessionAgent.of({
    initialize: Effect.fnUntraced(function*({ clientCapabilities }) {
      const connection = yield* AcpConnection
      connection.initialized = true
      connection.capabilities = clientCapabilities ?? {}
      return {
        protocolVersion: 1,
        agentCapabilities: capabilities,
        authMethods: [],
        agentInfo: { name: "postern", title: "Postern", version },
        _meta: {
          zeroclaw: {
            maxSessions: acp.maxSessions,
            sessionTimeoutSecs: acp.sessionTimeoutSecs,
            ...(defaultModel === undefined ? {} : { defaultModel }),
            methods: ["_zeroclaw/session/stop"]
          }
        }
      }
    }),

    "session/new": Effect.fnUntraced(function*({ additionalDirectories, agentAlias, cwd, mcpServers }) {
      const connection = yield* AcpConnection
      const agent = yield* agents.resolve(agentAlias, connection.defaultAgent)
      const session = yield* sessions.create({
        agent,
        cwd: yield* placeholderCwd(connection.dialect, configDir, cwd),
        additionalDirectories: additionalDirectories ?? [],
        mcpServers: yield* clientServers(mcpServers, mcp)
      })
      yield* attach(connection, session, acp.sessionTimeoutSecs)
      yield* welcome(connection, session)
      const workspaceDir = session.workspace.cwd
      return {
        sessionId: session.sessionId,
        ...(connection.dialect === "zeroclaw" ? { workspaceDir } : {}),
        ...policyOf(session),
        _meta: { zeroclaw: { workspaceDir } }
      }
    }, faulty),

    "session/load": (payload) => open(payload, true),
    "session/resume": (payload) => open(payload, false),

    "session/list": Effect.fnUntraced(function*({ cursor, cwd }) {
      const page = yield* sessions.list({ cwd: cwd ?? undefined, cursor: cursor ?? undefined })
      return {
        sessions: page.sessions.map(({ additionalDirectories, cwd, sessionId, title, updatedAt }) => ({
          sessionId,
          cwd,
          updatedAt,
          ...(title === null ? {} : { title }),
          ...(additionalDirectories.length === 0 ? {} : { additionalDirectories })
        })),
        ...(page.nextCursor === null ? {} : { nextCursor: page.nextCursor })
      }
    }, faulty),

    "session/set_title": Effect.fnUntraced(function*({ sessionId, title }) {
      if (!acp.unstable) {
        return yield* Wire.methodNotFound(
          { method: "session/set_title" },
          "session/set_title is unstable: set acp.unstable"
        )
      }
      const trimmed = title.trim()
      if (trimmed === "") {
        return yield* Wire.invalidParams({ reason: "empty_title", field: "title" }, "title: it is empty")
      }
      return yield* onSession(
        sessions,
        sessionId,
        (session) => Effect.map(session.rename(trimmed), (title) => ({ title }))
      )
    }, faulty),

    "session/delete": Effect.fnUntraced(function*({ sessionId }) {
      yield* sessions.remove(sessionId)
      detach(yield* AcpConnection, sessionId)
      return {}
    }, faulty),

    "session/close": Effect.fnUntraced(function*({ sessionId }) {
      const connection = yield* ofConnection(sessionId)
      yield* sessions.close(sessionId)
      detach(connection, sessionId)
      return {}
    }, faulty),

    "session/prompt": Effect.fnUntraced(function*({ prompt, sessionId }) {
      const connection = yield* AcpConnection
      const { stopReason, text: whole } = yield* yield* onSession(
        sessions,
        sessionId,
        (session) => Effect.flatMap(PromptContent.prepare(prompt, session.model.seesImages()), session.begin)
      )
      return PromptResult.of(connection.dialect, sessionId, stopReason, whole)
    }, faulty),

    "session/cancel": cancel,
    "session/stop": stop,
    "_zeroclaw/session/stop": stop,
    "session/update": inbound,
    "session/event": inbound
  })
}))
