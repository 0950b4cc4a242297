import { Clock, Context, Effect, Layer, Schedule, Scope } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { Settings } from "../../config/Settings.ts"
import type { AgentSettings } from "../../config/Snapshot.ts"
import { newId } from "../../domain/Id.ts"
import type { McpServerConfig } from "../../domain/McpServerConfig.ts"
import { ModelCatalog } from "../../model/ModelCatalog.ts"
import * as KeyedLock from "../../platform/KeyedLock.ts"
import {
  type BadCursor,
  SessionMissing,
  type SessionPage,
  type SessionRecord,
  SessionStore,
  type StoreFailed,
  TurnRunning
} from "../../store/SessionStore.ts"
import type { Workspace } from "../../workspace/Workspace.ts"
import { PolicyService } from "../policy/PolicyService.ts"
import type { SessionMode } from "../SessionContext.ts"
import { TurnLoop } from "../turn/TurnLoop.ts"
import { Agents } from "./Agents.ts"
import { absolute, canonical, type DirectoryRefused, folderOf, open } from "./Folders.ts"
import * as LiveSessions from "./LiveSessions.ts"
import type { Session } from "./Session.ts"
import * as SessionActor from "./SessionActor.ts"
import type { ActivationFault } from "./SessionFault.ts"

interface OpenOptions {
  readonly cwd?: string | undefined
  readonly additionalDirectories: ReadonlyArray<string>
  /** Returns why the caller may not use a canonical path; `undefined` if it may. */
  readonly forbids?: ((folder: string) => string | undefined) | undefined
  /** Servers that the client brings, beside the configured ones. A session that is live keeps the servers it has. */
  readonly mcpServers?: ReadonlyArray<McpServerConfig>
}

interface NewSession extends OpenOptions {
  readonly agent: AgentSettings
  /** A new id without it. */
  readonly sessionId?: string | undefined
  /** The principal that the session belongs to; without it the operator. */
  readonly owner?: string | undefined
  /** A chat session that does without the agent's memory. */
  readonly excludesMemory?: boolean | undefined
  /** Which clients may bring the session back; any without it. */
  readonly surface?: string | undefined
}

/** In ms. */
const usedWithin = 60_000

interface ManagerOptions {
  /**
   * Chat sessions have what outlives a session, such as the agent's memory; ACP sessions have not. See
   * docs/sessions.md#chat-and-acp-sessions.
   */
  readonly mode: SessionMode
  readonly live: LiveSessions.LiveSessions
  /** Sessions stay live until they are closed, however long they are idle. */
  readonly keepIdle?: boolean
}

/**
 * The sessions of one mode in this process. Operations on one session happen one after the other, in the order they
 * were asked for; different sessions never wait for each other. See docs/sessions.md#sessions.
 */
export class SessionManager extends Context.Service<SessionManager, {
  readonly mode: SessionMode
  /** The sessions of this mode; each mode has a store of its own. */
  readonly store: SessionStore["Service"]
  readonly create: (session: NewSession) => Effect.Effect<Session, ActivationFault>
  /** Opens a new session that begins as a copy of a stored or live one without a running turn. Folders are not inherited. */
  readonly fork: (
    sessionId: string,
    options: OpenOptions & Pick<NewSession, "owner">
  ) => Effect.Effect<Session, ActivationFault | SessionMissing | TurnRunning>
  readonly active: () => ReadonlyArray<Session>
  /** Opens a stored session, or takes the live one, and runs with it before anything else is done with this session. */
  readonly activate: <A, E, R>(
    sessionId: string,
    options: OpenOptions,
    use: (session: Session) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ActivationFault | SessionMissing, R>
  /** Runs with the live session, after whatever was asked of it before. */
  readonly within: <A, E, R>(
    sessionId: string,
    use: (session: Session) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SessionMissing, R>
  /**
   * Whether the session still is the live one of its id. A session that another process killed or deleted ends here,
   * once its turn is over; every other operation on it notices as well.
   */
  readonly isPresent: (session: Session) => Effect.Effect<boolean>
  /** Cancels the turn, waits for its end, and closes the session. Its history is kept. */
  readonly close: (sessionId: string) => Effect.Effect<void, SessionMissing>
  /** Waits for the running turn, then closes the session. */
  readonly stop: (sessionId: string) => Effect.Effect<void, SessionMissing>
  /** Closes the session without a request to cancel: a running turn is recorded as interrupted. */
  readonly release: (sessionId: string) => Effect.Effect<void>
  /** Cancels the turn, sets the tombstone, ends the session: in this order. */
  readonly kill: (sessionId: string) => Effect.Effect<void, SessionMissing | StoreFailed>
  /** Cancels the turn, deletes the row, ends the session: in this order. Answers whether there was a row. */
  readonly remove: (sessionId: string) => Effect.Effect<boolean, StoreFailed>
  readonly list: (
    options: {
      readonly cwd?: string | undefined
      readonly cursor?: string | undefined
      /** Only sessions of this principal. */
      readonly owner?: string | undefined
    }
  ) => Effect.Effect<SessionPage, BadCursor | DirectoryRefused | StoreFailed>
}>()("postern/session/SessionManager") {
  static readonly make = Effect.fnUntraced(function*({ keepIdle = false, live, mode }: ManagerOptions) {
    const store = yield* SessionStore
    const agents = yield* Agents
    const policy = yield* PolicyService
    const { configDir } = yield* Settings
    const { last } = yield* LiveSettings
    const context = yield* Effect.context<LiveSettings | ModelCatalog | SessionStore | Settings | TurnLoop>()
    const scope = yield* Effect.scope
    const lock = KeyedLock.make()

    const find = (sessionId: string): LiveSessions.LiveSession | undefined => live.get(mode, sessionId)

    const all = () => live.all().filter((one) => one.mode === mode)

    const end = (sessionId: string, ending: LiveSessions.SessionEnding) =>
      Effect.suspend(() => {
        const found = find(sessionId)
        return found === undefined ? Effect.void : live.end(found, ending)
      })

    /**
     * How another process ended the session, if it did: processes may share one store. A session with a running turn
     * hears of it from the store, and a store that cannot be read says nothing.
     */
    const endedElsewhere = (session: Session): Effect.Effect<"killed" | "deleted" | undefined> =>
      Effect.suspend(() => {
        if (session.idleSince() === undefined) return Effect.undefined
        return Effect.map(store.get(session.sessionId), ({ killedAt }) => killedAt === null ? undefined : "killed")
          .pipe(
            Effect.catchTags({
              // Its next turn says that the database is another one.
              SessionMissing: () => store.isReplaced ? Effect.undefined : Effect.succeed("deleted" as const),
              StoreFailed: () => Effect.undefined
            })
          )
      })

    /** The live session, unless another process ended it. Within the session's lock. */
    const present = (sessionId: string): Effect.Effect<Session | undefined> =>
      Effect.suspend(() => {
        const found = find(sessionId)
        if (found === undefined) return Effect.undefined
        return Effect.flatMap(
          endedElsewhere(found.session),
          (ending) =>
            ending === undefined ? Effect.succeed(found.session) : Effect.as(live.end(found, ending), undefined)
        )
      })

    const existing = (sessionId: string): Effect.Effect<Session, SessionMissing> =>
      Effect.filterOrFail(
        present(sessionId),
        (found) => found !== undefined,
        () => new SessionMissing({ sessionId })
      )

    const register = Effect.fnUntraced(
      function*(record: SessionRecord, workspace: Workspace, agent: AgentSettings, { mcpServers = [] }: OpenOptions) {
        const own = yield* Scope.fork(scope, "sequential")
        // The session must not retain the services of the call that opened it.
        const session = yield* Effect.updateContext(
          SessionActor.make(record, workspace, agent, mode, mcpServers),
          (_: Context.Context<never>) => Context.add(context, Scope.Scope, own)
        )
        live.add({ mode, session, scope: own })
        // The first of these loads the engine, which must not keep the answer waiting.
        yield* Effect.forkIn(policy.look(session), own, { startImmediately: true })
        return session
      }
    )

    /** Of the sessions that no turn is in, and that were not used within the last minute, the one that is idle for longest. */
    const longestIdle = Effect.map(Clock.currentTimeMillis, (now) =>
      all().flatMap(({ session }) => {
        const since = session.idleSince()
        return since !== undefined && (session.isUnprompted() || since <= now - usedWithin) ? [{ session, since }] : []
      }).sort((one, other) => one.since - other.since)[0]?.session)

    /** Sessions that nobody uses are put away where the limit is met; they are stored, and can be loaded again. */
    const makeRoom: Effect.Effect<void> = Effect.suspend(() =>
      keepIdle || !live.isFull() ? Effect.void : Effect.flatMap(longestIdle, (found) => {
        if (found === undefined) return Effect.void
        const { sessionId } = found
        const put = Effect.suspend(() => found.idleSince() === undefined ? Effect.void : end(sessionId, "closed"))
        return Effect.logInfo(`session ${sessionId} was idle and made room for another one`).pipe(
          Effect.andThen(lock.within(sessionId)(put)),
          Effect.andThen(makeRoom)
        )
      })
    )

    const withinQuota = <A, E, R>(opens: Effect.Effect<A, E, R>) => Effect.andThen(makeRoom, live.withinQuota(opens))

    const create = Effect.fn("SessionManager.create")(function*(wanted: NewSession) {
      const {
        additionalDirectories,
        agent,
        cwd,
        excludesMemory = false,
        forbids,
        owner,
        sessionId = newId(),
        surface
      } = wanted
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
      return yield* register(record, workspace, agent, wanted)
    }, withinQuota)

    const openStored = Effect.fnUntraced(function*(sessionId: string, options: OpenOptions) {
      const record = yield* store.get(sessionId)
      if (record.killedAt !== null) return yield* new SessionMissing({ sessionId })
      const cwd = yield* folderOf(record.cwd, options.cwd)
      const agent = yield* agents.restore(record.agent)
      const profile = last().riskProfiles.get(agent.riskProfile)
      const workspace = yield* open(agent, {
        cwd,
        additional: options.additionalDirectories,
        profile,
        configDir,
        forbids: options.forbids
      })
      const additionalDirectories = workspace.roots.slice(1)
      yield* store.setRoots(sessionId, workspace.cwd, additionalDirectories)
      return yield* register(
        { ...record, cwd: workspace.cwd, agent: agent.alias, additionalDirectories },
        workspace,
        agent,
        options
      )
    }, withinQuota)

    const fork = Effect.fn("SessionManager.fork")(function*(
      from: string,
      options: OpenOptions & Pick<NewSession, "owner">
    ) {
      const record = yield* store.get(from)
      if (record.killedAt !== null) return yield* new SessionMissing({ sessionId: from })
      const active = find(from)
      if (active !== undefined && active.session.idleSince() === undefined) {
        return yield* new TurnRunning({ sessionId: from })
      }
      const agent = yield* agents.restore(record.agent)
      const workspace = yield* open(agent, {
        cwd: options.cwd ?? record.cwd,
        additional: options.additionalDirectories,
        profile: last().riskProfiles.get(agent.riskProfile),
        configDir,
        forbids: options.forbids
      })
      const copy = yield* store.fork(from, {
        sessionId: newId(),
        agent: agent.alias,
        cwd: workspace.cwd,
        additionalDirectories: workspace.roots.slice(1),
        owner: options.owner ?? null
      })
      return yield* register(copy, workspace, agent, options)
    })

    const activated = Effect.fn("SessionManager.activate")(function*(sessionId: string, options: OpenOptions) {
      const found = yield* present(sessionId)
      if (found === undefined) return yield* openStored(sessionId, options)
      const cwd = options.cwd === undefined ? found.workspace.cwd : yield* folderOf(found.workspace.cwd, options.cwd)
      if (cwd !== found.workspace.cwd && (yield* canonical(cwd)) !== found.workspace.cwd) {
        // A running turn works in the folder that is gone.
        yield* found.cancel
        yield* end(sessionId, "closed")
        return yield* openStored(sessionId, options)
      }
      yield* found.touch
      return found
    })

    const stop = Effect.fn("SessionManager.stop")((sessionId: string) =>
      Effect.uninterruptibleMask((restore) =>
        restore(Effect.flatMap(lock.within(sessionId)(existing(sessionId)), ({ settle }) => settle)).pipe(
          Effect.andThen(lock.within(sessionId)(end(sessionId, "closed")))
        )
      )
    )

    const cancelled = (sessionId: string) => Effect.suspend(() => find(sessionId)?.session.cancel ?? Effect.void)

    const close = Effect.fn("SessionManager.close")(function*(sessionId: string) {
      const session = yield* existing(sessionId)
      yield* session.cancel
      yield* end(sessionId, "closed")
    }, (effect, sessionId) => lock.within(sessionId)(effect))

    const kill = Effect.fn("SessionManager.kill")(function*(sessionId: string) {
      yield* cancelled(sessionId)
      yield* store.kill(sessionId)
      yield* end(sessionId, "killed")
    }, (effect, sessionId) => lock.within(sessionId)(effect))

    const remove = Effect.fn("SessionManager.remove")(function*(sessionId: string) {
      yield* cancelled(sessionId)
      const removed = yield* store.remove(sessionId)
      yield* end(sessionId, "deleted")
      return removed
    }, (effect, sessionId) => lock.within(sessionId)(effect))

    const closeIdle = Effect.gen(function*() {
      const { sessionTimeoutSecs } = last().acp
      const before = (yield* Clock.currentTimeMillis) - sessionTimeoutSecs * 1000
      for (const { session } of all()) {
        const idleSince = session.idleSince()
        if (idleSince !== undefined && idleSince <= before) {
          const { sessionId } = session
          yield* Effect.logInfo(`session ${sessionId} was idle for ${sessionTimeoutSecs} s and is no longer active`)
          yield* lock.within(sessionId)(end(sessionId, "closed"))
        }
      }
    })
    if (!keepIdle) yield* Effect.forkScoped(Effect.repeat(closeIdle, Schedule.spaced("60 seconds")))

    const removeUnprompted = Effect.gen(function*() {
      const live = new Set(all().map(({ session }) => session.sessionId))
      const removed = yield* store.removeUnprompted(live, yield* Clock.currentTimeMillis)
      if (removed > 0) yield* Effect.logInfo(`${removed} sessions of ${mode} mode that never had a prompt were removed`)
    }).pipe(Effect.ignore({ log: "Warn" }))
    // Late, so that no client waits for it: processes of a few seconds leave it to others.
    yield* Effect.forkScoped(
      Effect.delay(Effect.repeat(removeUnprompted, Schedule.spaced("6 hours")), "3 seconds")
    )

    return SessionManager.of({
      mode,
      store,
      create,
      // Room is made before the session is held: it may be the one that makes it.
      fork: (sessionId, options) =>
        Effect.andThen(makeRoom, lock.within(sessionId)(live.withinQuota(fork(sessionId, options)))),
      active: () => all().map(({ session }) => session),
      activate: (sessionId, options, use) => lock.within(sessionId)(Effect.flatMap(activated(sessionId, options), use)),
      within: (sessionId, use) => lock.within(sessionId)(Effect.flatMap(existing(sessionId), use)),
      isPresent: (session) =>
        Effect.flatMap(endedElsewhere(session), (ending) =>
          ending === undefined
            ? Effect.sync(() => find(session.sessionId)?.session === session)
            : Effect.map(lock.within(session.sessionId)(present(session.sessionId)), (found) => found === session)),
      close,
      stop,
      release: (sessionId) => lock.within(sessionId)(end(sessionId, "closed")),
      kill,
      remove,
      list: Effect.fnUntraced(function*({ cursor, cwd, owner }) {
        return yield* store.list({
          ...(cwd === undefined ? {} : { cwd: yield* Effect.andThen(absolute("cwd", cwd), canonical(cwd)) }),
          ...(cursor === undefined ? {} : { cursor }),
          ...(owner === undefined ? {} : { owner })
        })
      })
    })
  })

  /** The sessions of a process with one client, at most `acp.max_sessions`. */
  static readonly layer = Layer.effect(
    SessionManager,
    Effect.flatMap(
      LiveSettings,
      ({ last }) => SessionManager.make({ mode: "acp", live: LiveSessions.make(() => last().acp.maxSessions) })
    )
  ).pipe(Layer.provide(ModelCatalog.layer))
}

/** Chat and ACP sessions of a long-running process, which share one limit and are never closed for being idle. */
export class SessionManagers extends Context.Service<SessionManagers, {
  readonly chat: SessionManager["Service"]
  readonly acp: SessionManager["Service"]
  readonly live: LiveSessions.LiveSessions
}>()("postern/session/SessionManagers") {
  static readonly layer = (limit: () => number, stores: { readonly [M in SessionMode]: Layer.Layer<SessionStore> }) =>
    Layer.effect(
      SessionManagers,
      Effect.gen(function*() {
        const live = LiveSessions.make(limit)
        const manager = Effect.fnUntraced(function*(mode: SessionMode) {
          const store = Context.get(yield* Layer.build(Layer.fresh(stores[mode])), SessionStore)
          return yield* Effect.provideService(SessionManager.make({ mode, live, keepIdle: true }), SessionStore, store)
        })
        return { chat: yield* manager("chat"), acp: yield* manager("acp"), live }
      })
    ).pipe(Layer.provideMerge(ModelCatalog.layer))
}
