import { Effect, Layer } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { Settings } from "./Settings.ts"

/** The sandbox of this machine, which hides Postern's own places from every command. */
export const layerSandbox = Layer.unwrap(
  Effect.map(
    Settings,
    ({ configDir, dataDir, policy, socket }) =>
      Sandbox.layer({ own: { configDir, dataDir, socket }, partial: { files: policy.allow_partial_sandbox ?? true } })
  )
)
