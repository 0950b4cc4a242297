import { homedir } from "node:os"
import * as path from "node:path"
import type { EnvironmentVariables } from "../platform/Environment.ts"

/** Where configuration and data are (docs/configuration.md#where-things-are). Absolute; need not exist. */
export interface Paths {
  readonly configDir: string
  readonly configFile: string
  readonly dataDir: string
  /** `POSTERN_SOCKET`, when set. */
  readonly socket: string | undefined
  /** Resolves a path against `base`; `~` is the home folder. */
  readonly absolute: (base: string, text: string) => string
}

/** `undefined` for an empty text, too. */
export const nonBlank = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text

export const pathsOf = (configDirFlag: string | undefined, environment: EnvironmentVariables): Paths => {
  const home = nonBlank(environment["HOME"]) ?? homedir()
  const absolute = (base: string, text: string) =>
    path.resolve(base, /^~(?=$|[/\\])/.test(text) ? path.join(home, text.slice(1)) : text)
  const configDir = absolute(
    ".",
    nonBlank(configDirFlag) ?? nonBlank(environment["POSTERN_CONFIG_DIR"]) ?? "~/.postern"
  )
  const dataDir = nonBlank(environment["POSTERN_DATA_DIR"])
  const socket = nonBlank(environment["POSTERN_SOCKET"])?.trim()
  return {
    configDir,
    configFile: path.join(configDir, "config.toml"),
    dataDir: dataDir === undefined ? path.join(configDir, "data") : absolute(".", dataDir),
    socket: socket === undefined ? undefined : absolute(".", socket),
    absolute
  }
}
