import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Effect, Layer } from "effect"
import * as McpServers from "../mcp/McpServers.ts"
import { Models } from "../model/Models.ts"
import { Gate } from "../session/policy/Gate.ts"
import { RuleBooks } from "../policy/rules/source/RuleBooks.ts"
import { Trust } from "../policy/rules/source/Trust.ts"
import * as ModelTurn from "../session/turn/ModelTurn.ts"
import { Processes } from "../sandbox/process/Processes.ts"
import { Toolbox } from "../tool/Toolbox.ts"
import { RuleFiles } from "../session/policy/RuleFiles.ts"
import { layerSandbox } from "./SandboxLayer.ts"
import { Settings } from "../config/Settings.ts"
import { LeakDetection } from "../domain/secrets/LeakDetector.ts"
import { defaults, FetchAccess, RequestAccess, requestDefaults } from "../tool/web/WebAccess.ts"
import { LiveSettings } from "../config/LiveSettings.ts"

/** Settings of the web tools and of the leak detection, as the configuration has them now. */
const layerToolSettings = Layer.unwrap(Effect.map(LiveSettings, ({ last }) =>
  Layer.mergeAll(
    Layer.effect(
      LeakDetection,
      Effect.map(LeakDetection, (usual) => () => ({ ...usual(), ...last().leakDetection }))
    ),
    Layer.succeed(FetchAccess, () => ({ ...defaults, ...last().web.fetch })),
    Layer.succeed(RequestAccess, () => ({
      ...requestDefaults,
      ...last().web.request,
      secrets: last().webSecrets
    }))
  )))

const layerTrust = Layer.unwrap(Effect.map(Settings, ({ configDir }) => Trust.layer(configDir)))

/** Rules, their files, and the gate, for the engine and for dry runs. */
export const layerPolicy = RuleFiles.layer.pipe(
  Layer.provideMerge(RuleBooks.layer),
  Layer.provide(Toolbox.layerVocabulary),
  Layer.provideMerge(layerTrust),
  Layer.provideMerge([
    Toolbox.layer,
    Gate.layer.pipe(Layer.provideMerge(layerSandbox)),
    NodeFileSystem.layer,
    NodePath.layer
  ]),
  Layer.provide(layerToolSettings)
)

/** The turn loop and the policy service with everything they use. Loaded when a first session needs it. */
export const layer = Layer.mergeAll(ModelTurn.layer, McpServers.layer.pipe(Layer.provide(Processes.layer)))
  .pipe(
    Layer.provide(Models.layer),
    Layer.provide(layerPolicy),
    Layer.provide(layerToolSettings)
  )
