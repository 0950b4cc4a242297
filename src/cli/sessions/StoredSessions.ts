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

const everything = Effect.fnUntraced(function*(store: SessionStore["Service"], unprompted: boolean) {
  const found: Array<SessionRecord> = []
  let cursor: string | null = null
  do {
    const page: SessionPage = yield* store.list({
      killed: true,
      unprompted,
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

    const list = Effect.fnUntraced(function*(unprompted: boolean) {
      const found = yield* Effect.forEach(
        stores,
        ([mode, store]) =>
          Effect.map(
            everything(store, unprompted),
            (sessions) => sessions.map((session): ListedSession => ({ ...session, mode }))
          )
      )
      return found.flat().sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    }, Effect.catchTag("BadCursor", Effect.die))

    return SessionRepository.of({
      all: list(true),
      prompted: list(false),
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

/** The session with an id, or with the only one that begins like this, as the files have it. */
const inFiles = Effect.fnUntraced(function*(flags: SettingsFlags, id: string) {
  const sessions = yield* Effect.provide(
    SessionRepository.use(({ all }) => all),
    Layer.provide(layer, Settings.layer(flags))
  )
  const acp = sessions.filter(({ mode }) => mode === "acp")
  return yield* Effect.catch(findSession(acp, id), () => findSession(sessions, id))
})

/** A session that `postern acp` has and does not list, since it never had a prompt. */
export const unlisted = (flags: SettingsFlags, id: string): Effect.Effect<ListedSession | undefined> =>
  Effect.map(inFiles(flags, id), (found) => found.mode === "acp" && found.killedAt === null ? found : undefined).pipe(
    Effect.orElseSucceed(() => undefined)
  )

/** Why `postern acp` does not have a session with this id, or with an id that begins like this, as far as the files tell. */
export const whyMissing = (flags: SettingsFlags, id: string): Effect.Effect<Failure> =>
  Effect.map(inFiles(flags, id), reasonFor).pipe(Effect.orElseSucceed(() => unknownSession(id)))
