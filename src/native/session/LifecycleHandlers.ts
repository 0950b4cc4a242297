import { Effect } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import { Agents } from "../../session/lifecycle/Agents.ts"
import { SessionManagers } from "../../session/lifecycle/SessionManager.ts"
import type { Session } from "../../session/lifecycle/Session.ts"
import type { SessionStore } from "../../store/SessionStore.ts"
import type { SessionOverrides } from "../../session/SessionContext.ts"
import { caller, mayTouch, mayUse } from "../access/Access.ts"
import { DaemonInfo, NativeConnection, type NativeState } from "../protocol/NativeConnection.ts"
import * as Errors from "../protocol/Errors.ts"
import { mapRpcErrors } from "../protocol/Errors.ts"
import * as OpenSession from "./OpenSession.ts"
import * as FolderAccess from "../access/FolderAccess.ts"
import { ClientSessions, type LocatedSession, ownerOf, sessionClientOf, unopened } from "./ClientSessions.ts"
import { LifecycleMethods } from "../protocol/SessionContracts.ts"
import { twins } from "../protocol/Spelling.ts"
import * as SessionUpdates from "./SessionUpdates.ts"

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
  const forbids = FolderAccess.make(yield* Settings, yield* LiveSettings)
  const clientSessions = yield* ClientSessions
  const { connections } = yield* DaemonInfo

  /** The plan of a session that was brought back is state, not history. */
  const sendPlan = Effect.fnUntraced(function*(session: Session, store: SessionStore["Service"]) {
    const { peer } = yield* NativeConnection
    const plan = (yield* store.transcript(session.sessionId)).findLast((entry) => entry._tag === "Plan")
    if (plan?._tag === "Plan") {
      yield* SessionUpdates.make(peer, session.sessionId).publish({ _tag: "PlanChanged", entries: plan.entries })
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
      const opening = Effect.tap(OpenSession.open(clientSessions, wanted), (session) => {
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
