import { Layer } from "effect"
import { Settings, type SettingsFlags } from "../../src/config/Settings.ts"
import { Environment, type EnvironmentVariables } from "../../src/platform/Environment.ts"

/** The settings of a process that has these variables and no others. */
export const layerSettings = (flags: SettingsFlags, environment: EnvironmentVariables) =>
  Layer.provide(Settings.layer(flags), Layer.succeed(Environment, environment))
