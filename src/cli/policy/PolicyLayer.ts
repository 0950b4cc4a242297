import { Layer } from "effect"
import { layerBase } from "../../app/App.ts"
import { layerPolicy } from "../../app/EngineLayer.ts"
import { type Options, PolicyDryRun } from "./PolicyDryRun.ts"
import type { Flags } from "../../config/Settings.ts"

/** Rules and gates as a new session would have them. */
export const layer = (flags: Flags, options: Options) =>
  PolicyDryRun.layer(options).pipe(
    Layer.provideMerge(layerPolicy),
    Layer.provideMerge(layerBase(flags))
  )
