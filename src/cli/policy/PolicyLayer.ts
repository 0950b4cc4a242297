import { Layer } from "effect"
import { layerBase } from "../../app/App.ts"
import { layerPolicy } from "../../app/EngineLayer.ts"
import { type Options, PolicyDryRun } from "./PolicyDryRun.ts"
import type { SettingsFlags } from "../../config/Settings.ts"

/** Rules and gates as a new session would have them. */
export const layer = (flags: SettingsFlags, options: Options) =>
  PolicyDryRun.layer(options).pipe(
    Layer.provideMerge(layerPolicy),
    Layer.provideMerge(layerBase(flags))
  )
