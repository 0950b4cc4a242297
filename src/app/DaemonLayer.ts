import { join } from "node:path"
import { Clock, Deferred, Effect, Layer } from "effect"
import * as AttachHandlers from "../native/session/AttachHandlers.ts"
import { ClientApprovals } from "../native/session/Approvals.ts"
import * as CatalogueHandlers from "../native/daemon/CatalogueHandlers.ts"
import * as ConfigHandlers from "../native/config/ConfigHandlers.ts"
import * as CoreHandlers from "../native/daemon/CoreHandlers.ts"
import * as EmergencyStopHandlers from "../native/access/EmergencyStopHandlers.ts"
import * as FeedHandlers from "../native/feeds/FeedHandlers.ts"
import { Feeds } from "../native/feeds/Feeds.ts"
import { DaemonInfo } from "../native/protocol/NativeConnection.ts"
import * as FileHandlers from "../native/files/FileHandlers.ts"
import { Identities } from "../native/daemon/Identities.ts"
import * as LifecycleHandlers from "../native/session/LifecycleHandlers.ts"
import * as MemoryHandlers from "../native/agent/MemoryHandlers.ts"
import { Native } from "../native/protocol/Native.ts"
import * as OneTimeCodeHandlers from "../native/access/OneTimeCodeHandlers.ts"
import * as PairingHandlers from "../native/access/PairingHandlers.ts"
import * as PersonalityHandlers from "../native/agent/PersonalityHandlers.ts"
import { Reload } from "../native/config/Reload.ts"
import { ClientSessions } from "../native/session/ClientSessions.ts"
import * as SetupHandlers from "../native/config/SetupHandlers.ts"
import * as SkillHandlers from "../native/agent/SkillHandlers.ts"
import * as ToolHandlers from "../native/agent/ToolHandlers.ts"
import * as TurnHandlers from "../native/session/TurnHandlers.ts"
import { Uploads } from "../native/files/Uploads.ts"
import * as ViewHandlers from "../native/session/ViewHandlers.ts"
import { PairedTokens } from "../security/PairedTokens.ts"
import { Pairing } from "../security/Pairing.ts"
import { Principals } from "../security/Principals.ts"
import { Agents } from "../session/lifecycle/Agents.ts"
import { SessionManagers } from "../session/lifecycle/SessionManager.ts"
import { MemoryStore } from "../store/MemoryStore.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { Doctor } from "../session/doctor/Doctor.ts"
import * as Engine from "../session/Engine.ts"
import { ConfigStore } from "../config/edit/ConfigStore.ts"
import { Environment, type EnvironmentVariables } from "../platform/Environment.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"
import * as Chunk from "../platform/Chunk.ts"

const loadEngine = Chunk.make(() => import("./EngineLayer.ts"))
const loadDoctor = Chunk.make(() => import("./DoctorLayer.ts"))

const layerSessions = (open: (file: string) => Layer.Layer<SessionStore>) =>
  Layer.unwrap(Effect.zipWith(Settings, LiveSettings, ({ dataDir }, { last }) => {
    const inDataDir = (name: string) => open(join(dataDir, "sessions", name))
    return SessionManagers.layer(() => last().rpc.maxSessions, {
      chat: inDataDir("chat-sessions.db"),
      acp: inDataDir("acp-sessions.db")
    })
  }))

const layerMemory = Layer.unwrap(
  Effect.zipWith(
    Settings,
    LiveSettings,
    ({ dataDir }, { last }) => MemoryStore.layer(join(dataDir, "memory"), () => last().memory.conversationRetentionDays)
  )
)

const layerHandlers = (environment: EnvironmentVariables) =>
  Layer.mergeAll(
    CoreHandlers.layer(() => Array.from(Native.requests.keys())),
    FileHandlers.layer,
    LifecycleHandlers.layer,
    MemoryHandlers.layer,
    TurnHandlers.layer,
    ViewHandlers.layer,
    ConfigHandlers.layer,
    SetupHandlers.layer(environment),
    AttachHandlers.layer,
    FeedHandlers.layer,
    CatalogueHandlers.layer,
    PersonalityHandlers.layer,
    SkillHandlers.layer,
    ToolHandlers.layer,
    PairingHandlers.layer,
    EmergencyStopHandlers.layer,
    OneTimeCodeHandlers.layer
  )

const layerInfo = (endpoint: string) =>
  Layer.effect(
    DaemonInfo,
    Effect.map(
      Clock.currentTimeMillis,
      (startedAt) => ({ endpoint, startedAt, connections: new Set(), stopping: Deferred.makeUnsafe() })
    )
  )

const layerEngine = Engine.lazy(Effect.map(loadEngine, ({ layer }) => layer))

const layerDoctor = Doctor.lazy(Effect.map(loadDoctor, ({ layer }) => layer))

/** Sessions of both modes and the native protocol on top of them, for any local front door. */
export const layer = (
  endpoint: string,
  environment: EnvironmentVariables = process.env,
  open = SessionStore.layerOrMemory,
  engine: typeof layerEngine = layerEngine
) =>
  layerHandlers(environment).pipe(
    Layer.provideMerge(Uploads.layer),
    Layer.provideMerge(ClientSessions.layer),
    Layer.provideMerge(layerSessions(open)),
    Layer.provide(Principals.layerGrants),
    Layer.provideMerge(engine),
    Layer.provideMerge(ClientApprovals.layer),
    Layer.provideMerge(Layer.mergeAll(
      Agents.layer,
      layerDoctor,
      Identities.layer,
      layerMemory,
      Principals.layer,
      Reload.layer,
      layerInfo(endpoint)
    )),
    Layer.provideMerge(Pairing.layer.pipe(Layer.provideMerge(PairedTokens.layer))),
    Layer.provideMerge(Layer.provideMerge(Feeds.layerLogger, Feeds.layer)),
    Layer.provideMerge(ConfigStore.layer.pipe(Layer.provide(Layer.succeed(Environment, environment))))
  )
