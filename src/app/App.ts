import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Handlers from "../acp/Handlers.ts"
import { Agents } from "../session/Agents.ts"
import { Sessions } from "../session/Sessions.ts"
import { TurnLoop } from "../session/TurnLoop.ts"
import { SessionStore } from "../store/SessionStore.ts"
import * as Logging from "./Logging.ts"
import { type Flags, Settings } from "./Settings.ts"

/** Where all Layers meet. */

const inDataDir = <A, E, R>(open: (file: string) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(Settings, ({ dataDir }) => open(join(dataDir, "sessions", "acp-sessions.db"))))

/** Configuration and logging: what every command needs. */
export const layerBase = (flags: Flags) => Logging.layer.pipe(Layer.provideMerge(Settings.layer(flags)))

/** The stored sessions, for commands that are about nothing else: no store is an error there. */
export const layerStore = inDataDir(SessionStore.layer)

/** Live sessions and the ACP handlers on top of them, for any front door. */
export const layerAcp = Handlers.layer.pipe(
  Layer.provideMerge(Sessions.layer),
  Layer.provide(TurnLoop.lazy(() => import("./Engine.ts").then(({ layer }) => layer))),
  Layer.provideMerge(Agents.layer),
  Layer.provideMerge(inDataDir(SessionStore.layerOrMemory))
)
