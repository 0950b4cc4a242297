import { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import { canonical, DirectoryRefused } from "../session/lifecycle/Folders.ts"
import { type AcpAccess, type CallerRights, sees } from "./AcpAccess.ts"
import { AcpConnection, type AcpConnectionState } from "./AcpConnection.ts"
import type { McpSettings } from "../config/Snapshot.ts"
import { defaults, type McpServerConfig } from "../domain/McpServerConfig.ts"
import type { AcpMcpServer } from "./protocol/SessionSetup.ts"
import { all } from "../session/commands/SlashCommands.ts"
import type { Session } from "../session/lifecycle/Session.ts"
import type { TranscriptEntry } from "../domain/SessionEvent.ts"
import * as SessionUpdates from "./updates/SessionUpdates.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"
import * as Wire from "../rpc/Wire.ts"
import { Agents } from "../session/lifecycle/Agents.ts"
import { SessionManager } from "../session/lifecycle/SessionManager.ts"
import { SessionMissing, SessionStore } from "../store/SessionStore.ts"
import type { SessionFork, SessionLoad, SessionNew } from "./protocol/AgentMethods.ts"
import { attach, onSession } from "./AttachSession.ts"
import { mapRpcErrors } from "./Errors.ts"
import { policyOf } from "./PolicyHandlers.ts"
import { PolicyService } from "../session/policy/PolicyService.ts"
import * as Chunk from "../platform/Chunk.ts"

/**
 * Clients send `.` or the configuration folder as a `cwd` that means "no folder in particular": the agent's own folder is
 * used instead. See docs/sessions.md#folders.
 */
const placeholderCwd = Effect.fnUntraced(function*(installRoot: string, cwd: string | undefined) {
  if (cwd === undefined || cwd === ".") return undefined
  return (yield* canonical(cwd)) === (yield* canonical(installRoot)) ? undefined : cwd
})

const record = (pairs: ReadonlyArray<{ readonly name: string; readonly value: string }> | null | undefined) =>
  Object.fromEntries((pairs ?? []).map(({ name, value }) => [name, value]))

/** The MCP servers of `session/new`, `load` and `resume`, limited by `[mcp.clients]`. */
const clientServers = (
  servers: ReadonlyArray<AcpMcpServer> | null | undefined,
  { clients }: McpSettings
): Effect.Effect<ReadonlyArray<McpServerConfig>> => {
  const given = servers ?? []
  if (clients === undefined) {
    const names = given.map(({ name }) => JSON.stringify(name)).join(", ")
    return Effect.as(
      given.length === 0 ? Effect.void : Effect.logWarning(`not started, as mcp.clients.enabled is false: ${names}`),
      []
    )
  }
  return Effect.succeed(given.map((server): McpServerConfig => ({
    ...defaults,
    ...clients,
    name: server.name,
    transport: "url" in server
      ? { _tag: "Http", url: server.url, headers: record(server.headers), sse: server.type === "sse" }
      : { _tag: "Stdio", command: server.command, args: server.args ?? [], env: record(server.env), cwd: undefined }
  })))
}

/**
 * Sends title, usage and slash commands of a session, after the result of `session/new`, `load` and `resume` and never before:
 * clients drop updates of a session that they do not know yet. Skills are read meanwhile, so that no answer waits for
 * them.
 */
const announceSession = (connection: AcpConnectionState, session: Session): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { notify } = SessionUpdates.make(connection, session)
    const { title, updatedAt, usage } = session.record()
    const commands = yield* all(session.workspace)
    if (connection.attached.get(session.sessionId)?.session !== session) return
    if (title !== null) yield* notify({ sessionUpdate: "session_info_update", title, updatedAt })
    if (usage !== null) yield* notify(SessionUpdates.usageUpdate(usage))
    yield* notify({
      sessionUpdate: "available_commands_update",
      availableCommands: commands.map(({ description, hint, name }) => ({
        name,
        description,
        ...(hint === undefined ? {} : { input: { hint } })
      }))
    })
  }).pipe(Effect.delay("5 millis"))

const loadRestrictions = Chunk.make(() => import("./ClientRestrictions.ts"))

/** Most clients restrict nothing, and what reads it is loaded for those that do. */
const isRestricting = ({ _meta, systemPrompt }: Pick<Rpc.Payload<typeof SessionNew>, "_meta" | "systemPrompt">) =>
  systemPrompt !== undefined || ["postern", "claudeCode", "systemPrompt"].some((key) => _meta?.[key] !== undefined)

/** An agent that is not allowed is refused, whoever opened the session. */
export const mayUse = (rights: CallerRights, alias: string) =>
  rights.mayUseAgent(alias)
    ? Effect.void
    : Effect.fail(
      Wire.invalidParams({ reason: "agent_forbidden", field: "agentAlias" }, `you may not use agent "${alias}"`)
    )

/** Whether a client may see such a session, which is stored or live. */
export const isVisible = ({ rights }: AcpAccess, sessionId: string) =>
  Effect.zipWith(
    rights,
    Effect.flatMap(SessionStore, (store) => store.get(sessionId)),
    (rights, { owner }) => sees(rights, owner)
  ).pipe(Effect.orElseSucceed(() => false))

/** `session/new`, `session/load` and `session/resume`. */
export const make = Effect.gen(function*() {
  const sessions = yield* SessionManager
  const agents = yield* Agents
  const store = yield* SessionStore
  const { configDir } = yield* Settings
  const { current, last } = yield* LiveSettings
  const scope = yield* Effect.scope
  const policies = yield* PolicyService

  /** What a request restricts, read before anything is opened: the effect narrows the opened session to it. */
  const restrictionsOf = Effect.fnUntraced(function*(
    payload: Pick<Rpc.Payload<typeof SessionNew>, "_meta" | "systemPrompt">,
    brought: ReadonlyArray<McpServerConfig>
  ) {
    if (!isRestricting(payload)) return () => Effect.void
    const { apply, read } = yield* loadRestrictions
    const servers = [...last().mcp.servers, ...brought]
    const requested = yield* Effect.provideService(
      read(payload._meta ?? {}, payload.systemPrompt, servers),
      PolicyService,
      policies
    )
    return (session: Session) => apply(requested, session)
  })

  /** ZeroClaw's clients do not know these updates and expect none between turns. */
  const announce = (connection: AcpConnectionState, session: Session) =>
    connection.dialect === "zeroclaw"
      ? Effect.void
      : Effect.asVoid(Effect.forkIn(announceSession(connection, session), scope))

  /** A stored or live session of the caller's own, of an agent that it may use. */
  const mayOpen = Effect.fnUntraced(function*(rights: CallerRights, sessionId: string) {
    const record = yield* store.get(sessionId)
    if (!sees(rights, record.owner)) return yield* new SessionMissing({ sessionId })
    yield* mayUse(rights, (yield* agents.restore(record.agent)).alias)
    const reason = rights.forbids?.(record.cwd)
    if (reason !== undefined) return yield* new DirectoryRefused({ field: "cwd", message: reason, reason: "forbidden" })
  })

  const opened = Effect.fnUntraced(function*(connection: AcpConnectionState, session: Session) {
    yield* attach(connection, session, last().acp.sessionTimeoutSecs)
    yield* announce(connection, session)
    const workspaceDir = session.workspace.cwd
    return {
      sessionId: session.sessionId,
      ...(connection.dialect === "zeroclaw" ? { workspaceDir } : {}),
      ...policyOf(session),
      _meta: { zeroclaw: { workspaceDir } }
    }
  })

  const create = Effect.fnUntraced(function*(payload: Rpc.Payload<typeof SessionNew>) {
    const { additionalDirectories, agentAlias, cwd } = payload
    const connection = yield* AcpConnection
    const agent = yield* agents.resolve(agentAlias, connection.defaultAgent)
    const rights = yield* connection.access.rights
    yield* mayUse(rights, agent.alias)
    const mcpServers = yield* clientServers(payload.mcpServers, last().mcp)
    const restrict = yield* restrictionsOf(payload, mcpServers)
    const session = yield* sessions.create({
      agent,
      cwd: yield* placeholderCwd(configDir, cwd ?? connection.defaultCwd),
      owner: rights.owner ?? undefined,
      forbids: rights.forbids,
      additionalDirectories: additionalDirectories ?? [],
      mcpServers
    })
    yield* restrict(session)
    return yield* opened(connection, session)
  }, mapRpcErrors)

  /** Whoever may load a session may go on from it in another. Its history is known, and not sent again. */
  const fork = Effect.fnUntraced(function*(payload: Rpc.Payload<typeof SessionFork>) {
    const connection = yield* AcpConnection
    const rights = yield* connection.access.rights
    if (!rights.admin) yield* mayOpen(rights, payload.sessionId)
    const mcpServers = yield* clientServers(payload.mcpServers, (yield* current).mcp)
    const restrict = yield* restrictionsOf(payload, mcpServers)
    const session = yield* sessions.fork(payload.sessionId, {
      cwd: yield* placeholderCwd(configDir, payload.cwd),
      owner: rights.owner ?? undefined,
      forbids: rights.forbids,
      additionalDirectories: payload.additionalDirectories ?? [],
      mcpServers
    })
    yield* restrict(session)
    return yield* opened(connection, session)
  }, mapRpcErrors)

  /**
   * `load` and `resume`. An active session is refused to ZeroClaw's clients, which expect that, and opened again for
   * ACP clients.
   */
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
    const cwd = yield* placeholderCwd(configDir, payload.cwd)
    const rights = yield* connection.access.rights
    if (!rights.admin) yield* mayOpen(rights, sessionId)
    const mcpServers = yield* clientServers(payload.mcpServers, (yield* current).mcp)
    const restrict = yield* restrictionsOf(payload, mcpServers)
    const setup = {
      cwd,
      forbids: rights.forbids,
      additionalDirectories: payload.additionalDirectories ?? [],
      mcpServers
    }
    return yield* sessions.activate(
      sessionId,
      setup,
      Effect.fnUntraced(function*(session) {
        yield* restrict(session)
        const transcript = SessionUpdates.visibleTranscript(session, store)
        const send = (shown: ReadonlyArray<TranscriptEntry>) => SessionUpdates.sendReplay(connection, session, shown)
        const entries = replay && connection.retain === undefined ? yield* transcript : []
        yield* attach(connection, session, last().acp.sessionTimeoutSecs, (seat) => {
          if (seat === undefined) return replay ? send(entries) : Effect.void
          return replay
            ? Effect.flatMap(seat.read(transcript), send).pipe(Effect.andThen(seat.flow))
            // What was missed is live, not history: it follows the result.
            : Effect.asVoid(Effect.forkIn(Effect.delay(seat.flow, "5 millis"), scope))
        })
        yield* announce(connection, session)
        return { ...policyOf(session), _meta: { zeroclaw: { workspaceDir: session.workspace.cwd } } }
      })
    )
  }, mapRpcErrors)

  return { create, fork, open }
})
