import { Context, Effect, Layer } from "effect"
import { serveConnection as serveAcp } from "../acp/AcpServer.ts"
import { isVisible } from "../acp/OpenSession.ts"
import * as Handlers from "../acp/Handlers.ts"
import * as PolicyHandlers from "../acp/PolicyHandlers.ts"
import { type GatewayOptions, serve as serveGateway } from "../gateway/GatewayServer.ts"
import { serveConnection as serveNative } from "../native/NativeServer.ts"
import { ClientSessions } from "../native/session/ClientSessions.ts"
import { SessionManager, SessionManagers } from "../session/lifecycle/SessionManager.ts"
import { SessionStore } from "../store/SessionStore.ts"

/** The daemon's ACP sessions, as the handlers of ACP know them; where the limit is reached, abandoned ones make room. */
const layerSessions = Layer.effectContext(
  Effect.zipWith(SessionManagers, ClientSessions, ({ acp }, { makingRoom }) =>
    Context.make(SessionManager, {
      ...acp,
      create: (wanted) => makingRoom(acp.create(wanted)),
      activate: (sessionId, options, use) => makingRoom(acp.activate(sessionId, options, use))
    }).pipe(Context.add(SessionStore, acp.store)))
)

const layerAcp = Layer.merge(Handlers.layer, PolicyHandlers.layer).pipe(Layer.provideMerge(layerSessions))

/** The gateway of a daemon, until the scope ends. Loaded only where `gateway.enabled` is set. */
export const serve = Effect.fnUntraced(function*(options: Pick<GatewayOptions, "counted" | "settings">) {
  const native = yield* Effect.context<Effect.Services<ReturnType<typeof serveNative>>>()
  const acp = yield* Layer.build(layerAcp)
  const { live } = yield* SessionManagers
  const clientSessions = yield* ClientSessions
  return yield* serveGateway({
    ...options,
    load: () => {
      const sessions = live.all()
      const turns = sessions.filter(({ session }) => session.idleSince() === undefined)
      return { sessions: sessions.length, turns: turns.length, calls: clientSessions.waiting() }
    },
    serveAcp: (transport, given) => Effect.ignore(Effect.provideContext(serveAcp(transport, given), acp)),
    knowsSession: (access, sessionId) => Effect.provideContext(isVisible(access, sessionId), acp),
    serveNative: (...connection) => Effect.provideContext(serveNative(...connection), native)
  })
})
