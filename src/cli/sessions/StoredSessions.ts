import { Context, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Settings, type SettingsFlags } from "../../config/Settings.ts"
import type { SessionMode } from "../../session/SessionContext.ts"
import { SessionStore } from "../../store/SessionStore.ts"
import type { SessionMissing, SessionPage, SessionRecord, StoreFailed } from "../../store/SessionRecords.ts"
import { type Failure, failure } from "../Failure.ts"
import { oneLine } from "../terminal/Text.ts"
import { findSession, type ListedSession, SessionRepository } from "./SessionRepository.ts"

const pageSize = 500

const everything = Effect.fnUntraced(function*(store: SessionStore["Service"]) {
  const found: Array<SessionRecord> = []
  let cursor: string | null = null
  do {
    const page: SessionPage = yield* store.list({
      killed: true,
      limit: pageSize,
      ...(cursor === null ? {} : { cursor })
    })
    found.push(...page.sessions)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
})

const openIn = (file: string) =>
  Effect.map(Layer.build(Layer.fresh(SessionStore.layer(file))), (built) => Context.get(built, SessionStore))

/** Reads the files of both modes. A missing file has no sessions, an unreadable one is an error. */
export const layer = Layer.effect(
  SessionRepository,
  Effect.gen(function*() {
    const { dataDir } = yield* Settings
    const stores = new Map<SessionMode, SessionStore["Service"]>()
    for (const mode of ["chat", "acp"] as const) {
      const file = join(dataDir, "sessions", `${mode}-sessions.db`)
      if (existsSync(file)) stores.set(mode, yield* openIn(file))
    }

    /** Another process may have deleted the session since it was listed. */
    const on = <A>(
      { mode, sessionId }: ListedSession,
      use: (store: SessionStore["Service"]) => Effect.Effect<A, SessionMissing | StoreFailed>
    ): Effect.Effect<A, Failure | StoreFailed> => {
      const store = stores.get(mode)
      const gone = Effect.fail(failure(`there is no session ${JSON.stringify(sessionId)} any more`))
      return store === undefined ? gone : Effect.catchTag(use(store), "SessionMissing", () => gone)
    }

    return SessionRepository.of({
      all: Effect.gen(function*() {
        const found = yield* Effect.forEach(
          stores,
          ([mode, store]) =>
            Effect.map(
              everything(store),
              (sessions) => sessions.map((session): ListedSession => ({ ...session, mode }))
            )
        )
        return found.flat().sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
      }).pipe(Effect.catchTag("BadCursor", Effect.die)),
      document: (one) =>
        on(one, (store) =>
          Effect.all({
            session: Effect.map(store.get(one.sessionId), (session) => ({ ...session, mode: one.mode })),
            transcript: store.transcript(one.sessionId)
          })),
      trail: (one) => on(one, (store) => store.policy.trail(one.sessionId)),
      close: () => Effect.fail(failure("no daemon is running, so no session of it is active")),
      kill: (one) => on(one, (store) => store.kill(one.sessionId)),
      remove: (one) =>
        on(one, (store) => Effect.andThen(store.get(one.sessionId), Effect.asVoid(store.remove(one.sessionId))))
    })
  })
)

const unknownSession = (id: string) => failure(`no session ${oneLine(id)}; see postern sessions list`)

const reasonFor = ({ killedAt, mode, sessionId }: ListedSession): Failure => {
  const id = oneLine(sessionId)
  if (killedAt !== null) {
    return failure(`session ${id} was killed and cannot go on; postern sessions show ${id} shows it`)
  }
  return mode === "chat"
    ? failure(`session ${id} is a chat session of the daemon, which goes on there and not here`)
    : unknownSession(sessionId)
}

/** Why `postern acp` does not have a session with this id, or with an id that begins like this, as far as the files tell. */
export const whyMissing = (flags: SettingsFlags, id: string): Effect.Effect<Failure> =>
  Effect.gen(function*() {
    const sessions = yield* Effect.provide(
      SessionRepository.use(({ all }) => all),
      Layer.provide(layer, Settings.layer(flags))
    )
    const acp = sessions.filter(({ mode }) => mode === "acp")
    return reasonFor(yield* Effect.catch(findSession(acp, id), () => findSession(sessions, id)))
  }).pipe(Effect.orElseSucceed(() => unknownSession(id)))
