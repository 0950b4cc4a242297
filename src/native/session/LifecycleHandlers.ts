import { Effect } from "effect"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { AgentSettings } from "../../config/Snapshot.ts"
import type { Principal } from "../../security/Principals.ts"
import { type SessionManager, SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import type { SessionRecord, SessionStore } from "../../store/SessionStore.ts"
import { caller, type Forbids, makeForbids, mayEnter, mayTouch, mayUse } from "../access/Access.ts"
import * as Errors from "../protocol/Errors.ts"
import { DaemonInfo, NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"
import {
  activeElsewhere,
  type ClientSession,
  ClientSessions,
  type LocatedSession,
  ownerOf,
  type SessionClient,
  sessionClientOf,
  unopened
} from "./ClientSessions.ts"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import { isGone } from "../../session/lifecycle/Folders.ts"
import type { Session } from "../../session/lifecycle/Session.ts"
import type { SessionOverrides } from "../../session/SessionContext.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import { LifecycleMethods } from "../protocol/SessionContracts.ts"
import { twins } from "../protocol/Contract.ts"
import * as SessionUpdates from "./SessionUpdates.ts"

/** What `session/new` asks for, checked. */
interface OpenRequest {
  readonly manager: SessionManager["Service"]
  /** The manager of the other mode. */
  readonly other: SessionManager["Service"]
  readonly agent: AgentSettings
  readonly me: Principal
  readonly client: SessionClient
  readonly isConnected: (connection: NativeState) => boolean
  readonly cwd: string | undefined
  /** Folders that the caller may not use. */
  readonly forbids: Forbids
  readonly sessionId: string | undefined
  readonly surface: string | undefined
  readonly excludesMemory: boolean
}

const create = ({ agent, cwd, excludesMemory, forbids, manager, me, sessionId, surface }: OpenRequest) =>
  manager.create({
    agent,
    cwd,
    forbids,
    excludesMemory,
    sessionId,
    surface,
    additionalDirectories: [],
    owner: me.admin ? undefined : me.id
  })

/** Fails where the session of that id is not the one that was asked for. */
const agrees = Effect.fnUntraced(function*({ agent, cwd, forbids, surface }: OpenRequest, record: SessionRecord) {
  const { sessionId } = record
  // Of a folder that was moved, the new place is looked at when it is opened.
  if (cwd === undefined || !(yield* isGone(record.cwd))) yield* mayEnter(forbids, record.cwd)
  if (record.agent !== agent.alias) {
    return yield* Errors.invalid(`session ${sessionId} belongs to agent "${record.agent}"`, "agent_alias", "conflict")
  }
  if (surface !== undefined && record.surface !== null && record.surface !== surface) {
    return yield* Errors.invalid(
      `session ${sessionId} belongs to surface "${record.surface}"`,
      "interaction_surface",
      "conflict"
    )
  }
})

const activated = Effect.fnUntraced(function*({ cwd, forbids, manager }: OpenRequest, record: SessionRecord) {
  const { sessionId } = record
  const isMoved = cwd !== undefined && (yield* isGone(record.cwd))
  // Further folders inside the moved one went with it.
  const inside = `${record.cwd}/`
  const additionalDirectories = isMoved
    ? record.additionalDirectories.map((path) => path.startsWith(inside) ? join(cwd, path.slice(inside.length)) : path)
    : record.additionalDirectories
  return yield* manager.activate(
    sessionId,
    { cwd, forbids, additionalDirectories },
    (session) => Effect.succeed(session)
  )
})

const restore = Effect.fnUntraced(function*(wanted: OpenRequest, sessionId: string) {
  const record = yield* wanted.manager.store.get(sessionId)
  if (!mayTouch(wanted.me, ownerOf(record))) return yield* Errors.notOwned(sessionId)
  if (record.killedAt !== null) return yield* Errors.notFound(sessionId)
  yield* agrees(wanted, record)
  return yield* activated(wanted, record)
})

/** Creates the session where the other mode does not have its id: the two would hide each other. */
const createFree = Effect.fnUntraced(function*(wanted: OpenRequest, sessionId: string) {
  const { me, other } = wanted
  const record = yield* Effect.catchTag(other.store.get(sessionId), "SessionMissing", () => Effect.undefined)
  if (record === undefined) return yield* create(wanted)
  return yield* mayTouch(me, ownerOf(record))
    ? Errors.invalid(`${sessionId} is the id of a session of ${other.mode} mode`, "chat_mode", "conflict")
    : Errors.notOwned(sessionId)
})

/**
 * Takes the session over from the client that opened it last. The commands of a session run with the environment of one client: while
 * that client is connected, no client with another environment gets the session.
 */
const rebind = Effect.fnUntraced(function*(wanted: OpenRequest, active: ClientSession) {
  const { manager, client, owner, session } = active
  const { sessionId } = session
  if (!mayTouch(wanted.me, owner)) return yield* Errors.notOwned(sessionId)
  if (manager !== wanted.manager) return yield* activeElsewhere(sessionId, active)
  yield* agrees(wanted, session.record())
  const isHeld = client.connection !== wanted.client.connection && wanted.isConnected(client.connection)
  if (isHeld && !isDeepStrictEqual(client.env, wanted.client.env)) {
    return yield* Errors.forbidden(
      `session ${sessionId} is open in a client that forwards another environment`,
      { session_id: sessionId }
    )
  }
  return yield* activated(wanted, session.record())
})

/** A new session, or the session of that id: live, stored, or created now. See docs/native-rpc.md#sessions. */
export const open = (sessions: ClientSessions["Service"], wanted: OpenRequest) => {
  const { sessionId } = wanted
  if (sessionId === undefined) return create(wanted)
  return Effect.flatMap(
    sessions.living(sessionId),
    (
      active
    ):
      | ReturnType<typeof create>
      | ReturnType<typeof createFree>
      | ReturnType<typeof restore>
      | ReturnType<typeof rebind> =>
      active === undefined
        ? Effect.catchTag(restore(wanted, sessionId), "SessionMissing", () => createFree(wanted, sessionId))
        : rebind(wanted, active)
  )
}

const given = (text: string | null | undefined): string | undefined =>
  text === null || text === undefined || text.trim() === "" ? undefined : text.trim()

const longestId = 200

const checkedId = (id: string | null | undefined) =>
  id === null || id === undefined || (/^[\x21-\x7e]+$/.test(id) && id.length <= longestId)
    ? Effect.succeed(id ?? undefined)
    : Effect.fail(
      Errors.invalid(`session_id: at most ${longestId} printable ASCII characters without spaces`, "session_id")
    )

interface Changes {
  readonly model?: string | null
  readonly model_provider?: string | null
  readonly temperature?: number | null
}

/** A provider alone takes the old model's name away with it: it belonged to another provider. */
const merged = (old: SessionOverrides, { model, model_provider, temperature }: Changes): SessionOverrides => {
  const { model: oldModel, ...rest } = old
  const kept = model_provider === undefined || model_provider === null ? old : rest
  return {
    ...kept,
    ...(typeof model === "string" ? { model: model.trim() } : {}),
    ...(typeof model_provider === "string" ? { modelProvider: model_provider.trim() } : {}),
    ...(typeof temperature === "number" ? { temperature } : {})
  }
}

const shown = ({ model, modelProvider, temperature }: SessionOverrides) => ({
  ...(model === undefined ? {} : { model }),
  ...(modelProvider === undefined ? {} : { model_provider: modelProvider }),
  ...(temperature === undefined ? {} : { temperature })
})

export const layer = LifecycleMethods.toLayer(Effect.gen(function*() {
  const managers = yield* SessionManagers
  const agents = yield* Agents
  const forbids = makeForbids(yield* Settings, yield* LiveSettings)
  const clientSessions = yield* ClientSessions
  const { connections } = yield* DaemonInfo

  /** The plan of a session that was brought back is state, not history. */
  const sendPlan = Effect.fnUntraced(function*(session: Session, store: SessionStore["Service"]) {
    const { peer } = yield* NativeConnection
    const plan = yield* store.lastPlan(session.sessionId)
    if (plan !== undefined) {
      yield* SessionUpdates.make(peer, session.sessionId).publish({ _tag: "PlanChanged", entries: plan })
    }
  })

  /** Runs with a session the caller may touch, active or stored, after whatever was asked of it before. */
  const onSession = <A, E, R>(sessionId: string, use: (found: LocatedSession) => Effect.Effect<A, E, R>) =>
    clientSessions.queued(sessionId)(Effect.gen(function*() {
      const me = yield* caller
      const found = yield* clientSessions.locate(sessionId, me)
      if (!mayTouch(me, ownerOf(found.record))) return yield* Errors.notFound(sessionId)
      return yield* use(found)
    }))

  const live = ({ active, record }: LocatedSession) =>
    active ? Effect.succeed(active) : Effect.fail(Errors.notFound(record.sessionId))

  return LifecycleMethods.of({
    "session/new": Effect.fnUntraced(function*(params) {
      const connection = yield* NativeConnection
      const me = yield* caller
      const mode = params.chat_mode ?? "chat"
      const manager = managers[mode]
      const lost = unopened(manager)
      if (lost !== undefined && mode === "acp") return yield* lost
      const alias = given(params.agent_alias)
      if (alias === undefined) {
        return yield* Errors.invalid("agent_alias: name the agent of the session", "agent_alias", "agent_missing")
      }
      const agent = yield* agents.resolve(alias)
      yield* mayUse(me, alias)
      const sessionId = yield* checkedId(params.session_id)
      const excludesMemory = params.exclude_memory === true
      const wanted = {
        manager,
        other: mode === "acp" ? managers.chat : managers.acp,
        agent,
        me,
        client: sessionClientOf(connection, me),
        isConnected: (one: NativeState) => connections.has(one),
        sessionId,
        cwd: given(params.cwd),
        forbids: forbids(me),
        surface: given(params.interaction_surface),
        excludesMemory
      }
      const { client } = wanted
      const closeSiblings = params.keep_siblings === true
        ? () => Effect.void
        : (session?: Session) => clientSessions.closeSiblings(manager, client, me, session)
      const opening = Effect.tap(open(clientSessions, wanted), (session) => {
        // On resume, `exclude_memory` can only be turned on, never off.
        if (excludesMemory) session.override({ ...session.overrides(), excludeMemory: true })
        return clientSessions.admit(manager, session, client)
      })
      const opened = clientSessions.makingRoom(Effect.catchTag(
        opening,
        "SessionLimit",
        (full) => params.keep_siblings === true ? Effect.fail(full) : Effect.andThen(closeSiblings(), opening)
      ))
      const session = yield* sessionId === undefined ? opened : clientSessions.queued(sessionId)(opened)
      yield* closeSiblings(session)
      if (sessionId !== undefined) yield* sendPlan(session, manager.store)
      return twins({
        session_id: session.sessionId,
        agent_alias: session.record().agent,
        message_count: yield* manager.store.messageCount(session.sessionId),
        workspace_dir: session.workspace.cwd
      })
    }, mapRpcErrors),

    "session/configure": Effect.fnUntraced(function*({ overrides, session_id }) {
      for (const key of ["model", "model_provider"] as const) {
        if (overrides[key]?.trim() === "") {
          return yield* Errors.invalid(`overrides.${key}: a text that is not blank`, `overrides.${key}`)
        }
      }
      return yield* onSession(session_id, (found) =>
        Effect.gen(function*() {
          const { session } = yield* live(found)
          yield* mayUse(yield* caller, session.record().agent)
          session.override(merged(session.overrides(), overrides))
          return { session_id, overrides: shown(session.overrides()) }
        }))
    }, mapRpcErrors),

    "session/close": ({ session_id }) =>
      mapRpcErrors(onSession(
        session_id,
        Effect.fnUntraced(function*(found) {
          yield* (yield* live(found)).manager.close(session_id)
          return { session_id, closed: true }
        })
      )),

    "session/kill": ({ session_id }) =>
      mapRpcErrors(onSession(
        session_id,
        Effect.fnUntraced(function*({ manager }) {
          yield* manager.kill(session_id)
          return { session_id, killed: true }
        })
      )),

    "session/delete": ({ session_id }) =>
      mapRpcErrors(
        onSession(
          session_id,
          Effect.fnUntraced(function*({ manager }) {
            return { session_id, deleted: yield* manager.remove(session_id) }
          })
        ).pipe(Effect.catchTag("SessionMissing", () => Effect.succeed({ session_id, deleted: false })))
      ),

    "session/rename": Effect.fnUntraced(function*({ name, session_id }) {
      const title = given(name)
      if (title === undefined || title.length > 200) return yield* Errors.invalid("name: 1 to 200 characters", "name")
      return yield* onSession(session_id, ({ active, manager: { store } }) => {
        const renamed = active ? active.session.rename(title) : Effect.as(store.rename(session_id, title), title)
        return Effect.map(renamed, (name) => ({ session_id, name }))
      })
    }, mapRpcErrors)
  })
}))
