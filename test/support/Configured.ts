import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer, Path } from "effect"
import { Environment, type EnvironmentVariables } from "../../src/platform/Environment.ts"
import { Settings, type SettingsFlags } from "../../src/config/Settings.ts"

export interface Machine {
  /** The text of `config.toml`; no file when absent. */
  readonly toml?: string
  readonly env?: EnvironmentVariables
  readonly flags?: SettingsFlags
}

/** A home of its own, and the configuration folder in it. */
export const machine = Effect.fnUntraced(function*({ env = {}, flags = {}, toml }: Machine) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "postern-settings-" })
  const configDir = path.join(home, ".postern")
  const file = path.join(configDir, "config.toml")
  if (toml !== undefined) {
    yield* fs.makeDirectory(configDir)
    yield* fs.writeFileString(file, toml)
  }
  return {
    home,
    configDir,
    file,
    layer: Layer.provide(Settings.layer(flags), Layer.succeed(Environment, { HOME: home, ...env }))
  }
}, Effect.provide(NodeServices.layer))

export const settings = Effect.fnUntraced(function*(options: Machine) {
  const { layer, ...where } = yield* machine(options)
  const context = yield* Layer.build(layer)
  const { started, ...kept } = yield* Settings.pipe(Effect.provide(context))
  return { ...where, settings: { ...kept, ...started } }
})

/** The one line a broken configuration is reported with; the folder of the file is left out. */
export const complaint = Effect.fnUntraced(function*(options: Machine) {
  const { configDir, layer } = yield* machine(options)
  const error = yield* Effect.flip(Layer.build(layer))
  return error.message.replaceAll(`${configDir}/`, "")
})
