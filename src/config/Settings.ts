import { Context, Effect, Layer, type LogLevel } from "effect"
import { Environment } from "../platform/Environment.ts"
import { ConfigInvalid } from "./Errors.ts"
import { LiveSettings } from "./LiveSettings.ts"
import { load } from "./load/ConfigFile.ts"
import { logLevelWords, parseLogLevel } from "./LogLevels.ts"
import { nonBlank, pathsOf } from "./Paths.ts"
import { proxyOf, type ProxyVariables } from "./Providers.ts"
import type { ConfigTable } from "./schema/Schema.ts"
import { defaults, type Snapshot, snapshot } from "./Snapshot.ts"

/** Command-line flags, which take precedence over environment and file. */
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
  /** The proxy variables of the environment; this machine itself is never reached through a proxy. */
  readonly proxy: ProxyVariables
  readonly maxLocalConnections: number
  readonly started: Snapshot
  /** A snapshot of another table, with the same flags and environment. */
  readonly read: (table: ConfigTable) => Snapshot
  /** Loads everything again, with the file as it is now. */
  readonly again: Effect.Effect<ProcessSettings, ConfigInvalid>
}

export const maxLocalConnections = (table: ConfigTable): number =>
  table.rpc?.max_local_connections ?? defaults.rpc.max_local_connections

/**
 * What this process, or a daemon between two reloads, started with and keeps: flags over environment over `config.toml` over defaults
 * (docs/configuration.md#precedence). What can change while it runs is in `LiveSettings`.
 */
export class Settings extends Context.Service<Settings, ProcessSettings>()("postern/config/Settings") {
  static readonly load = Effect.fnUntraced(function*(
    flags: SettingsFlags = {}
  ): Effect.fn.Return<ProcessSettings, ConfigInvalid> {
    const environment = yield* Environment
    const { absolute, configDir, configFile, dataDir, socket } = pathsOf(flags.configDir, environment)
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
      again: Effect.provideService(Effect.suspend(() => Settings.load(flags)), Environment, environment)
    })
  })

  /** For processes that read the configuration once; a daemon provides another `LiveSettings` on top. */
  static readonly layer = (flags: SettingsFlags = {}): Layer.Layer<Settings | LiveSettings, ConfigInvalid> =>
    Layer.effectContext(Effect.map(Settings.load(flags), contextOf))
}

const contextOf = (settings: ProcessSettings): Context.Context<Settings | LiveSettings> =>
  Context.make(Settings, settings).pipe(Context.add(LiveSettings, LiveSettings.constant(settings.started)))

const levelFrom = (
  name: string,
  word: string | undefined
): Effect.Effect<LogLevel.LogLevel | undefined, ConfigInvalid> => {
  if (nonBlank(word) === undefined) return Effect.undefined
  const level = parseLogLevel(word ?? "")
  return level === undefined
    ? new ConfigInvalid({ message: `${name} must be one of ${logLevelWords.join(", ")}, not ${JSON.stringify(word)}` })
    : Effect.succeed(level)
}
