import { Layer } from "effect"
import { layerBase } from "../app/App.ts"
import { layerPolicy } from "../app/EngineLayer.ts"
import { type Options, PolicyDryRun } from "../app/PolicyDryRun.ts"
import { RuleFiles } from "../app/RuleFiles.ts"
import type { Flags } from "../app/Settings.ts"

/** Rules and gates as a new session would have them. */
export const layer = (flags: Flags, options: Options) =>
  Layer.mergeAll(PolicyDryRun.layer(options), RuleFiles.layer()).pipe(
    Layer.provideMerge(layerPolicy),
    Layer.provideMerge(layerBase(flags))
  )
