import { Effect, Layer } from "effect"
import { Settings, type SettingsFlags } from "../../config/Settings.ts"
import { type Failure, failure } from "../Failure.ts"
import { oneLine } from "../terminal/Text.ts"
import { find, type Listed, Shelf } from "./SessionRepository.ts"

const plainly = (id: string) => failure(`no session ${oneLine(id)}; see postern sessions list`)

const because = ({ killedAt, mode, sessionId }: Listed): Failure => {
  const id = oneLine(sessionId)
  if (killedAt !== null) {
    return failure(`session ${id} was killed and cannot go on; postern sessions show ${id} shows it`)
  }
  return mode === "chat"
    ? failure(`session ${id} is a chat session of the daemon, which goes on there and not here`)
    : plainly(sessionId)
}

/** Why the agent of this installation cannot go on with a session of this id, or of an id that begins like this, as its files tell. */
export const why = (flags: SettingsFlags) => (id: string): Effect.Effect<Failure> =>
  Effect.gen(function*() {
    const { layer } = yield* Effect.promise(() => import("./StoredSessions.ts"))
    const sessions = yield* Effect.provide(
      Effect.flatMap(Shelf, ({ all }) => all),
      Layer.provide(layer, Settings.layer(flags))
    )
    const acp = sessions.filter(({ mode }) => mode === "acp")
    return because(yield* Effect.catch(find(acp, id), () => find(sessions, id)))
  }).pipe(Effect.orElseSucceed(() => plainly(id)))
