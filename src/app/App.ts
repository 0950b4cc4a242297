import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Handlers from "../acp/Handlers.ts"
import * as PolicyHandlers from "../acp/PolicyHandlers.ts"
import { Agents } from "../session/lifecycle/Agents.ts"
import * as Engine from "../session/Engine.ts"
import { SessionManager } from "../session/lifecycle/SessionManager.ts"
import { SessionStore } from "../store/SessionStore.ts"
import * as Logging from "../config/Logging.ts"
import { Settings, type SettingsFlags } from "../config/Settings.ts"
import * as Chunk from "../platform/Chunk.ts"

const loadEngine = Chunk.make(() => import("./EngineLayer.ts"))

const inDataDir = <A, E, R>(open: (file: string) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(Settings, ({ dataDir }) => open(join(dataDir, "sessions", "acp-sessions.db"))))

/** Configuration and logging: what every command needs. */
export const layerBase = (flags: SettingsFlags) => Logging.layer.pipe(Layer.provideMerge(Settings.layer(flags)))

/** The stored ACP sessions, for commands that are useless without them: a store that cannot be opened is an error. */
export const layerStore = inDataDir(SessionStore.layer)

/** Live sessions and the ACP handlers, for any transport. */
export const layerAcp = Layer.merge(Handlers.layer, PolicyHandlers.layer).pipe(
  Layer.provideMerge(SessionManager.layer),
  Layer.provide(Engine.lazy(Effect.map(loadEngine, ({ layer }) => layer))),
  Layer.provideMerge(Agents.layer),
  Layer.provideMerge(inDataDir(SessionStore.layerOrMemory))
)
