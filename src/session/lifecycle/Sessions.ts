import { Clock, Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { LiveSettings } from "../../config/LiveSettings.ts"
import { ModelCatalog } from "../../model/ModelCatalog.ts"
import {
  type BadCursor,
  SessionMissing,
  type SessionPage,
  SessionStore,
  type StoreFailed
} from "../../store/SessionStore.ts"
import * as Activating from "./Activating.ts"
import { absolute, canonical, type DirectoryRefused } from "./Folders.ts"
import * as KeyedLock from "../../platform/KeyedLock.ts"
import * as Presence from "./Presence.ts"
import type { Session } from "./Session.ts"
import type { Activation } from "./SessionFault.ts"
import type { Creation, Options, Setup } from "./Setup.ts"

/**
 * Every session of this process (spec §4). Operations on one session happen one after the other, in the order they were asked
 * for; different sessions never wait for each other.
 */
export class Sessions extends Context.Service<Sessions, {
  readonly create: (creation: Creation) => Effect.Effect<Session, Activation>
  readonly active: () => ReadonlyArray<Session>
  /** Makes a stored session active, or takes the active one, and runs with it before anything else is done with this session. */
  readonly activate: <A, E, R>(
    sessionId: string,
    setup: Setup,
    use: (session: Session) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Activation | SessionMissing, R>
  /** Runs with the active session, after whatever was asked of it before. */
  readonly within: <A, E, R>(
    sessionId: string,
    use: (session: Session) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SessionMissing, R>
  /**
   * Whether the session still is the active one of its id. One that another process killed or deleted is deactivated, once its turn is over;
   * every other operation on it notices as well.
   */
  readonly isPresent: (session: Session) => Effect.Effect<boolean>
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
  ) => Effect.Effect<SessionPage, BadCursor | DirectoryRefused | StoreFailed>
}>()("postern/session/Sessions") {
  static readonly make = Effect.fnUntraced(function*({ keepIdle = false, mode, room: shared }: Options) {
    const store = yield* SessionStore
    const { last } = yield* LiveSettings
    const active = new Map<string, Activating.Active>()
    const lock = KeyedLock.make()
    const room = shared ?? { limit: () => last().acp.maxSessions, taken: 0 }

    const deactivate = (sessionId: string) =>
      Effect.suspend(() => {
        const live = active.get(sessionId)
        if (active.delete(sessionId)) room.taken--
        return live ? Scope.close(live.scope, Exit.void) : Effect.void
      })

    const { isGone, present } = Presence.make(store, (sessionId) => active.get(sessionId)?.session, deactivate)

    const live = (sessionId: string): Effect.Effect<Session, SessionMissing> =>
      Effect.filterOrFail(
        present(sessionId),
        (found) => found !== undefined,
        () => new SessionMissing({ sessionId })
      )

    const { activated, create } = yield* Activating.make({
      mode,
      room,
      present,
      add: (sessionId, one) => void active.set(sessionId, one)
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
