import { Context, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Settings } from "../../config/Settings.ts"
import type { Mode } from "../../session/SessionContext.ts"
import { SessionStore } from "../../store/SessionStore.ts"
import type { SessionMissing, SessionPage, SessionRecord, StoreFailed } from "../../store/Stored.ts"
import { type Failure, failure } from "../Failure.ts"
import { type Listed, Shelf } from "./SessionRepository.ts"

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

/** The files of both modes; no agent is started. A file that is not there has no sessions, one that cannot be read is an error. */
export const layer = Layer.effect(
  Shelf,
  Effect.gen(function*() {
    const { dataDir } = yield* Settings
    const stores = new Map<Mode, SessionStore["Service"]>()
    for (const mode of ["chat", "acp"] as const) {
      const file = join(dataDir, "sessions", `${mode}-sessions.db`)
      if (existsSync(file)) stores.set(mode, yield* openIn(file))
    }

    /** Between a list and what is done with it, another process may have deleted the session. */
    const on = <A>(
      { mode, sessionId }: Listed,
      use: (store: SessionStore["Service"]) => Effect.Effect<A, SessionMissing | StoreFailed>
    ): Effect.Effect<A, Failure | StoreFailed> => {
      const store = stores.get(mode)
      const gone = Effect.fail(failure(`there is no session ${JSON.stringify(sessionId)} any more`))
      return store === undefined ? gone : Effect.catchTag(use(store), "SessionMissing", () => gone)
    }

    return Shelf.of({
      all: Effect.gen(function*() {
        const found = yield* Effect.forEach(
          stores,
          ([mode, store]) =>
            Effect.map(everything(store), (sessions) => sessions.map((session): Listed => ({ ...session, mode })))
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
