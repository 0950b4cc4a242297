import { join } from "node:path"
import { Clock, Deferred, Effect, Layer } from "effect"
import * as AttachHandlers from "../native/AttachHandlers.ts"
import { Approvals } from "../native/Approvals.ts"
import * as CatalogueHandlers from "../native/CatalogueHandlers.ts"
import * as ConfigHandlers from "../native/ConfigHandlers.ts"
import * as CoreHandlers from "../native/CoreHandlers.ts"
import * as CostHandlers from "../native/CostHandlers.ts"
import * as FeedHandlers from "../native/FeedHandlers.ts"
import { Feeds } from "../native/Feeds.ts"
import { Facts } from "../native/Facts.ts"
import * as FileHandlers from "../native/FileHandlers.ts"
import { Identities } from "../native/Identities.ts"
import * as LifecycleHandlers from "../native/LifecycleHandlers.ts"
import * as MemoryHandlers from "../native/MemoryHandlers.ts"
import { Native } from "../native/Native.ts"
import * as PersonalityHandlers from "../native/PersonalityHandlers.ts"
import { Reload } from "../native/Reload.ts"
import { Residents } from "../native/Residents.ts"
import * as SetupHandlers from "../native/SetupHandlers.ts"
import * as SkillChangeHandlers from "../native/SkillChangeHandlers.ts"
import * as SkillHandlers from "../native/SkillHandlers.ts"
import * as ToolHandlers from "../native/ToolHandlers.ts"
import * as TurnHandlers from "../native/TurnHandlers.ts"
import { Uploads } from "../native/Uploads.ts"
import * as ViewHandlers from "../native/ViewHandlers.ts"
import { Principals } from "../security/Principals.ts"
import { Agents } from "../session/Agents.ts"
import { Hosts } from "../session/Hosts.ts"
import { MemoryStore } from "../store/MemoryStore.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { Doctor } from "../session/doctor/Doctor.ts"
import * as Engine from "../session/Engine.ts"
import { ConfigStore } from "../config/edit/ConfigStore.ts"
import type { EnvironmentVariables } from "../config/load/EnvironmentOverrides.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"

const layerHosts = (open: (file: string) => Layer.Layer<SessionStore>) =>
  Layer.unwrap(Effect.zipWith(Settings, LiveSettings, ({ dataDir }, { last }) => {
    const inDataDir = (name: string) => open(join(dataDir, "sessions", name))
    return Hosts.layer(() => last().rpc.maxSessions, {
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
    CostHandlers.layer,
    PersonalityHandlers.layer,
    SkillChangeHandlers.layer,
    SkillHandlers.layer,
    ToolHandlers.layer
  )

const layerFacts = (endpoint: string) =>
  Layer.effect(
    Facts,
    Effect.map(
      Clock.currentTimeMillis,
      (startedAt) => ({ endpoint, startedAt, connections: new Set(), stopping: Deferred.makeUnsafe() })
    )
  )

const layerEngine = Engine.lazy(() => import("./EngineLayer.ts").then(({ layer }) => layer))

const layerDoctor = Doctor.lazy(() => import("./DoctorLayer.ts").then(({ layer }) => layer))

/** Sessions of both modes and the native protocol on top of them, for any local front door. */
export const layer = (
  endpoint: string,
  environment: EnvironmentVariables = process.env,
  open = SessionStore.layerOrMemory,
  engine: typeof layerEngine = layerEngine
) =>
  layerHandlers(environment).pipe(
    Layer.provideMerge(Uploads.layer),
    Layer.provideMerge(Residents.layer),
    Layer.provideMerge(layerHosts(open)),
    Layer.provide(Principals.layerToolGrants),
    Layer.provide(engine),
    Layer.provideMerge(Approvals.layer),
    Layer.provideMerge(Layer.mergeAll(
      Agents.layer,
      layerDoctor,
      Identities.layer,
      layerMemory,
      Principals.layer,
      Reload.layer,
      layerFacts(endpoint)
    )),
    Layer.provideMerge(Layer.provideMerge(Feeds.layerLogger, Feeds.layer)),
    Layer.provideMerge(ConfigStore.layer(environment))
  )
