import { Context, Effect, Layer, type LogLevel } from "effect"
import { ConfigInvalid, load } from "./load/ConfigFile.ts"
import type { ConfigTable } from "./schema/Schema.ts"
import type { EnvironmentVariables } from "./load/EnvironmentOverrides.ts"
import { defaults } from "./Defaults.ts"
import { LiveSettings } from "./LiveSettings.ts"
import { logLevelWords, parseLogLevel } from "./LogLevels.ts"
import { given, places } from "./Paths.ts"
import { type Proxy, proxyOf } from "./Providers.ts"
import { type Snapshot, snapshot } from "./Snapshot.ts"

export type { Agent } from "./Snapshot.ts"

/** Command-line flags that are stronger than everything else. */
export interface SettingsFlags {
  readonly configDir?: string | undefined
  readonly logLevel?: string | undefined
}

export interface ProcessSettings {
  /** Absolute; need not exist. */
  readonly configDir: string
  readonly configFile: string
  readonly dataDir: string
  /** `POSTERN_SOCKET`, when set. */
  readonly socket: string | undefined
  /** The proxy variables of the environment; this machine itself is never asked through one. */
  readonly proxy: Proxy
  /** Of the listener. */
  readonly maxLocalConnections: number
  readonly started: Snapshot
  /** Another reading of the configuration, with the same flags and environment. */
  readonly read: (table: ConfigTable) => Snapshot
  /** The same from the beginning, with the file as it is now. */
  readonly again: Effect.Effect<ProcessSettings, ConfigInvalid>
}

export const maxLocalConnections = (table: ConfigTable): number =>
  table.rpc?.max_local_connections ?? defaults.rpc.max_local_connections

/**
 * What this process, or this generation of a daemon, started with and keeps (spec §2): flags over environment over `config.toml` over
 * defaults. What can change while it runs is in `LiveSettings`.
 */
export class Settings extends Context.Service<Settings, ProcessSettings>()("postern/app/Settings") {
  static readonly load = Effect.fnUntraced(function*(
    flags: SettingsFlags = {},
    environment: EnvironmentVariables = process.env
  ): Effect.fn.Return<ProcessSettings, ConfigInvalid> {
    const { absolute, configDir, configFile, dataDir, socket } = places(flags.configDir, environment)
    const logLevel = (yield* levelFrom("--log-level", flags.logLevel)) ??
      (yield* levelFrom("POSTERN_LOG_LEVEL", environment["POSTERN_LOG_LEVEL"]))
    const table = yield* load(configFile, environment)
    const read = (table: ConfigTable) => snapshot(table, { absolute, configDir, environment, logLevel })
    return Settings.of({
      configDir,
      configFile,
      dataDir,
      socket,
      proxy: proxyOf(environment),
      maxLocalConnections: maxLocalConnections(table),
      started: read(table),
      read,
      again: Effect.suspend(() => Settings.load(flags, environment))
    })
  })

  /** For processes that take the configuration as they found it; whoever follows it puts another `LiveSettings` on top. */
  static readonly layer = (
    flags: SettingsFlags = {},
    environment: EnvironmentVariables = process.env
  ): Layer.Layer<Settings | LiveSettings, ConfigInvalid> =>
    Layer.effectContext(Effect.map(Settings.load(flags, environment), contextOf))
}

const contextOf = (settings: ProcessSettings): Context.Context<Settings | LiveSettings> =>
  Context.make(Settings, settings).pipe(Context.add(LiveSettings, LiveSettings.constant(settings.started)))

const levelFrom = (
  name: string,
  word: string | undefined
): Effect.Effect<LogLevel.LogLevel | undefined, ConfigInvalid> => {
  if (given(word) === undefined) return Effect.undefined
  const level = parseLogLevel(word ?? "")
  return level === undefined
    ? new ConfigInvalid({ message: `${name} must be one of ${logLevelWords.join(", ")}, not ${JSON.stringify(word)}` })
    : Effect.succeed(level)
}
