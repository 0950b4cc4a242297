import { Context, Effect, Scope } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import { SessionMissing, type SessionRecord, SessionStore } from "../../store/SessionStore.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { ModelCatalog } from "../../model/ModelCatalog.ts"
import { Agents } from "./Agents.ts"
import { checkSame, open } from "./Folders.ts"
import { newId } from "../../domain/Id.ts"
import { PolicyService } from "../policy/PolicyService.ts"
import type { Session } from "./Session.ts"
import * as SessionActor from "./SessionActor.ts"
import { type Creation, type SessionQuota, type Setup, withinLimit } from "./Setup.ts"
import type { Mode } from "../SessionContext.ts"
import { TurnLoop } from "../turn/TurnLoop.ts"

export interface Active {
  readonly session: Session
  readonly scope: Scope.Closeable
}

interface Surroundings {
  readonly mode: Mode
  readonly room: SessionQuota
  readonly present: (sessionId: string) => Effect.Effect<Session | undefined>
  readonly add: (sessionId: string, active: Active) => void
}

/** Making sessions active, new ones and stored ones, as far as there is room. */
export const make = Effect.fnUntraced(function*({ add, mode, present, room }: Surroundings) {
  const store = yield* SessionStore
  const agents = yield* Agents
  const desk = yield* PolicyService
  const { configDir } = yield* Settings
  const { last } = yield* LiveSettings
  const context = yield* Effect.context<LiveSettings | ModelCatalog | SessionStore | Settings | TurnLoop>()
  const scope = yield* Effect.scope

  const register = Effect.fnUntraced(
    function*(record: SessionRecord, workspace: Workspace, agent: AgentSettings, { mcpServers = [] }: Setup) {
      const own = yield* Scope.fork(scope, "sequential")
      // Nothing of the call that opens a session may live as long as the session.
      const session = yield* Effect.updateContext(
        SessionActor.make(record, workspace, agent, mode, mcpServers),
        (_: Context.Context<never>) => Context.add(context, Scope.Scope, own)
      )
      add(record.sessionId, { session, scope: own })
      // The first of these loads the engine, which must not keep the answer waiting.
      yield* Effect.forkIn(desk.look(session), own, { startImmediately: true })
      return session
    }
  )

  const create = Effect.fn("Sessions.create")(function*(creation: Creation) {
    const {
      additionalDirectories,
      agent,
      cwd,
      excludesMemory = false,
      forbids,
      owner,
      sessionId = newId(),
      surface
    } = creation
    const profile = last().riskProfiles.get(agent.riskProfile)
    const workspace = yield* open(agent, { cwd, additional: additionalDirectories, profile, configDir, forbids })
    const record = yield* store.create({
      sessionId,
      agent: agent.alias,
      cwd: workspace.cwd,
      additionalDirectories: workspace.roots.slice(1),
      excludesMemory,
      owner: owner ?? null,
      surface: surface ?? null
    })
    return yield* register(record, workspace, agent, creation)
  }, withinLimit(room))

  const activateStored = Effect.fnUntraced(function*(sessionId: string, setup: Setup) {
    const record = yield* store.get(sessionId)
    if (record.killedAt !== null) return yield* new SessionMissing({ sessionId })
    yield* checkSame(record.cwd, setup.cwd)
    const agent = yield* agents.restore(record.agent)
    const profile = last().riskProfiles.get(agent.riskProfile)
    const workspace = yield* open(agent, {
      cwd: record.cwd,
      additional: setup.additionalDirectories,
      profile,
      configDir,
      forbids: setup.forbids
    })
    const additionalDirectories = workspace.roots.slice(1)
    yield* store.setRoots(sessionId, workspace.cwd, additionalDirectories)
    return yield* register({ ...record, agent: agent.alias, additionalDirectories }, workspace, agent, setup)
  }, withinLimit(room))

  const activated = Effect.fn("Sessions.activate")(function*(sessionId: string, setup: Setup) {
    const found = yield* present(sessionId)
    if (found === undefined) return yield* activateStored(sessionId, setup)
    yield* checkSame(found.workspace.cwd, setup.cwd)
    yield* found.touch
    return found
  })

  return { create, activated }
})
