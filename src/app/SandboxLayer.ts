import { Effect, Layer } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import { Settings } from "../config/Settings.ts"

/** The sandbox of this machine; it hides Postern's own files from every command. */
export const layerSandbox = Layer.unwrap(
  Effect.zipWith(Settings, LiveSettings, ({ configDir, dataDir, socket }, { last }) =>
    Sandbox.layer({
      own: { configDir, dataDir, socket },
      partial: { files: () => last().policy.allow_partial_sandbox ?? true }
    }))
)
