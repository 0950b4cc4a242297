import { Clock, Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { LiveSettings } from "../app/LiveSettings.ts"
import { Settings } from "../app/Settings.ts"
import type { Agent } from "../app/Snapshot.ts"
import {
  type BadCursor,
  type Page,
  SessionMissing,
  type SessionRecord,
  SessionStore,
  type StoreFailed
} from "../store/SessionStore.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { ModelCatalog } from "../model/ModelCatalog.ts"
import { Agents, type AgentUnresolved } from "./Agents.ts"
import { absolute, canonical, checkSame, type DirectoryRefused, open } from "./Folders.ts"
import { newId } from "./Id.ts"
import * as KeyedLock from "./KeyedLock.ts"
import type { KnobRefused } from "./SessionPolicy.ts"
import { PolicyDesk, type RuleRefused } from "./PolicyDesk.ts"
import type { PromptInvalid } from "./PromptContent.ts"
import * as Session from "./Session.ts"
import { type Creation, type Options, SessionLimit, type Setup } from "./Setup.ts"
import type { TurnFault } from "./Turn.ts"
import { TurnLoop } from "./TurnLoop.ts"

export type SessionFault =
  | AgentUnresolved
  | BadCursor
  | DirectoryRefused
  | KnobRefused
  | PromptInvalid
  | RuleRefused
  | SessionLimit
  | TurnFault

type Activation = SessionLimit | AgentUnresolved | DirectoryRefused | StoreFailed

/**
 * Every session of this process (spec §4). Operations on one session happen one after the other, in the order they were asked
 * for; different sessions never wait for each other.
 */
export class Sessions extends Context.Service<Sessions, {
  readonly create: (creation: Creation) => Effect.Effect<Session.Session, Activation>
  readonly active: () => ReadonlyArray<Session.Session>
  /** Makes a stored session active, or takes the active one, and runs with it before anything else is done with this session. */
  readonly activate: <A, E, R>(
    sessionId: string,
    setup: Setup,
    use: (session: Session.Session) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Activation | SessionMissing, R>
  /** Runs with the active session, after whatever was asked of it before. */
  readonly within: <A, E, R>(
    sessionId: string,
    use: (session: Session.Session) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SessionMissing, R>
  /**
   * Whether the session still is the active one of its id. One that another process killed or deleted is deactivated, once its turn is over;
   * every other operation on it notices as well.
   */
  readonly isPresent: (session: Session.Session) => Effect.Effect<boolean>
  /** Cancels, waits, deactivates. History is kept. */
  readonly close: (sessionId: string) => Effect.Effect<void, SessionMissing>
  /** Waits for the running turn, then deactivates. */
  readonly stop: (sessionId: string) => Effect.Effect<void, SessionMissing>
  /** Deactivates without having been asked to cancel: a running turn is recorded as interrupted. */
  readonly release: (sessionId: string) => Effect.Effect<void>
  /** Cancels, sets the tombstone, deactivates: in this order (spec §4). */
  readonly kill: (sessionId: string) => Effect.Effect<void, SessionMissing | StoreFailed>
  /** Cancels, deletes the row, deactivates: in this order. Answers whether there was a row. */
  readonly remove: (sessionId: string) => Effect.Effect<boolean, StoreFailed>
  readonly list: (
    options: { readonly cwd?: string | undefined; readonly cursor?: string | undefined }
  ) => Effect.Effect<Page, BadCursor | DirectoryRefused | StoreFailed>
}>()("postern/session/Sessions") {
  static readonly make = Effect.fnUntraced(function*({ keepIdle = false, mode, room: shared }: Options) {
    const store = yield* SessionStore
    const agents = yield* Agents
    const desk = yield* PolicyDesk
    const { configDir } = yield* Settings
    const { last } = yield* LiveSettings
    const context = yield* Effect.context<LiveSettings | ModelCatalog | SessionStore | Settings | TurnLoop>()
    const scope = yield* Effect.scope
    const active = new Map<string, { readonly session: Session.Session; readonly scope: Scope.Closeable }>()
    const lock = KeyedLock.make()
    const room = shared ?? { limit: () => last().acp.maxSessions, taken: 0 }

    /** Counts what is being opened too, so that a burst cannot pass the limit. */
    const withinLimit = <A, E>(opens: Effect.Effect<A, E>): Effect.Effect<A, E | SessionLimit> =>
      Effect.suspend((): Effect.Effect<A, E | SessionLimit> => {
        if (room.taken >= room.limit()) return Effect.fail(new SessionLimit({ limit: room.limit() }))
        room.taken++
        return Effect.onError(opens, () => Effect.sync(() => room.taken--))
      })

    const register = Effect.fnUntraced(
      function*(record: SessionRecord, workspace: Workspace, agent: Agent, { mcpServers = [] }: Setup) {
        const own = yield* Scope.fork(scope, "sequential")
        // Nothing of the call that opens a session may live as long as the session.
        const session = yield* Effect.updateContext(
          Session.make(record, workspace, agent, mode, mcpServers),
          (_: Context.Context<never>) => Context.add(context, Scope.Scope, own)
        )
        active.set(record.sessionId, { session, scope: own })
        // The first of these loads the engine, which must not keep the answer waiting.
        yield* Effect.forkIn(desk.look(session), own, { startImmediately: true })
        return session
      }
    )

    const deactivate = (sessionId: string) =>
      Effect.suspend(() => {
        const live = active.get(sessionId)
        if (active.delete(sessionId)) room.taken--
        return live ? Scope.close(live.scope, Exit.void) : Effect.void
      })

    /** Another process may have killed or deleted it; a turn is told by the store, and a store that cannot be read says nothing. */
    const isGone = (session: Session.Session): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        if (session.idleSince() === undefined) return Effect.succeed(false)
        return Effect.map(store.get(session.sessionId), ({ killedAt }) => killedAt !== null).pipe(
          Effect.catchTags({ SessionMissing: () => Effect.succeed(true), StoreFailed: () => Effect.succeed(false) })
        )
      })

    /** Of one session, within its lock. */
    const present = (sessionId: string): Effect.Effect<Session.Session | undefined> =>
      Effect.suspend(() => {
        const found = active.get(sessionId)?.session
        if (found === undefined) return Effect.undefined
        return Effect.flatMap(
          isGone(found),
          (gone) => gone ? Effect.as(deactivate(sessionId), undefined) : Effect.succeed(found)
        )
      })

    const live = (sessionId: string): Effect.Effect<Session.Session, SessionMissing> =>
      Effect.filterOrFail(
        present(sessionId),
        (found) => found !== undefined,
        () => new SessionMissing({ sessionId })
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
    }, withinLimit)

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
    }, withinLimit)

    const activated = Effect.fn("Sessions.activate")(function*(sessionId: string, setup: Setup) {
      const found = yield* present(sessionId)
      if (found === undefined) return yield* activateStored(sessionId, setup)
      yield* checkSame(found.workspace.cwd, setup.cwd)
      yield* found.touch
      return found
    })

    const stop = Effect.fn("Sessions.stop")((sessionId: string) =>
      Effect.uninterruptibleMask((restore) =>
        restore(Effect.flatMap(lock.within(sessionId)(live(sessionId)), ({ settle }) => settle)).pipe(
          Effect.andThen(lock.within(sessionId)(deactivate(sessionId)))
        )
      )
    )

    const cancelled = (sessionId: string) => Effect.suspend(() => active.get(sessionId)?.session.cancel ?? Effect.void)

    const close = Effect.fn("Sessions.close")(function*(sessionId: string) {
      const session = yield* live(sessionId)
      yield* session.cancel
      yield* deactivate(sessionId)
    }, (effect, sessionId) => lock.within(sessionId)(effect))

    const kill = Effect.fn("Sessions.kill")(function*(sessionId: string) {
      yield* cancelled(sessionId)
      yield* store.kill(sessionId)
      yield* deactivate(sessionId)
    }, (effect, sessionId) => lock.within(sessionId)(effect))

    const remove = Effect.fn("Sessions.remove")(function*(sessionId: string) {
      yield* cancelled(sessionId)
      const removed = yield* store.remove(sessionId)
      yield* deactivate(sessionId)
      return removed
    }, (effect, sessionId) => lock.within(sessionId)(effect))

    const reap = Effect.gen(function*() {
      const { sessionTimeoutSecs } = last().acp
      const before = (yield* Clock.currentTimeMillis) - sessionTimeoutSecs * 1000
      for (const [sessionId, { session }] of active) {
        const idleSince = session.idleSince()
        if (idleSince !== undefined && idleSince <= before) {
          yield* Effect.logInfo(`session ${sessionId} was idle for ${sessionTimeoutSecs} s and is no longer active`)
          yield* lock.within(sessionId)(deactivate(sessionId))
        }
      }
    })
    if (!keepIdle) yield* Effect.forkScoped(Effect.repeat(reap, Schedule.spaced("60 seconds")))

    return Sessions.of({
      create,
      active: () => Array.from(active.values(), ({ session }) => session),
      activate: (sessionId, setup, use) => lock.within(sessionId)(Effect.flatMap(activated(sessionId, setup), use)),
      within: (sessionId, use) => lock.within(sessionId)(Effect.flatMap(live(sessionId), use)),
      isPresent: (session) =>
        Effect.flatMap(isGone(session), (gone) =>
          gone
            ? Effect.map(lock.within(session.sessionId)(present(session.sessionId)), (found) => found === session)
            : Effect.sync(() => active.get(session.sessionId)?.session === session)),
      close,
      stop,
      release: (sessionId) => lock.within(sessionId)(deactivate(sessionId)),
      kill,
      remove,
      list: Effect.fnUntraced(function*({ cursor, cwd }) {
        return yield* store.list({
          ...(cwd === undefined ? {} : { cwd: yield* Effect.andThen(absolute("cwd", cwd), canonical(cwd)) }),
          ...(cursor === undefined ? {} : { cursor })
        })
      })
    })
  })

  static readonly layer = Layer.effect(Sessions, Sessions.make({ mode: "acp" })).pipe(Layer.provide(ModelCatalog.layer))
}
