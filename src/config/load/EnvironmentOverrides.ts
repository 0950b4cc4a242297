export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

export const prefix = "POSTERN_"

const reserved = new Set(["POSTERN_CONFIG_DIR", "POSTERN_DATA_DIR", "POSTERN_SOCKET", "POSTERN_LOG_LEVEL"])

/** Names of the variables that are paths into `config.toml` (spec §2); whether the paths exist is not checked here. */
export const overridesIn = (environment: EnvironmentVariables): ReadonlyArray<string> =>
  Object.keys(environment).filter((name) => name.startsWith(prefix) && !reserved.has(name)).sort()
