import type { EnvironmentVariables } from "../../platform/Environment.ts"

export const prefix = "POSTERN_"

const reserved = new Set(["POSTERN_CONFIG_DIR", "POSTERN_DATA_DIR", "POSTERN_SOCKET", "POSTERN_LOG_LEVEL"])

/** Others belong to somebody else, as `POSTERN_SERVICE_HOST` does, which Kubernetes sets beside a service of that name. */
const isPath = (rest: string): boolean => /[a-z]|__/.test(rest)

/**
 * Names of the variables that set a key of `config.toml` (docs/configuration.md#environment-variables). Whether the key exists is
 * checked where they are decoded.
 */
export const overridesIn = (environment: EnvironmentVariables): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !reserved.has(name) && isPath(name.slice(prefix.length))).sort()
