import { homedir } from "node:os"
import * as path from "node:path"
import type { EnvironmentVariables } from "./load/EnvironmentOverrides.ts"

/** Where configuration and data are, whether or not anything is there (spec §2). Absolute. */
export interface Places {
  readonly configDir: string
  readonly configFile: string
  readonly dataDir: string
  /** `POSTERN_SOCKET`, when set. */
  readonly socket: string | undefined
  /** Against another base, with `~` for the home folder. */
  readonly absolute: (base: string, text: string) => string
}

/** A text that says something. */
export const given = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text

export const places = (configDirFlag: string | undefined, environment: EnvironmentVariables): Places => {
  const home = given(environment["HOME"]) ?? homedir()
  const absolute = (base: string, text: string) =>
    path.resolve(base, /^~(?=$|[/\\])/.test(text) ? path.join(home, text.slice(1)) : text)
  const configDir = absolute(".", given(configDirFlag) ?? given(environment["POSTERN_CONFIG_DIR"]) ?? "~/.postern")
  const dataDir = given(environment["POSTERN_DATA_DIR"])
  const socket = given(environment["POSTERN_SOCKET"])?.trim()
  return {
    configDir,
    configFile: path.join(configDir, "config.toml"),
    dataDir: dataDir === undefined ? path.join(configDir, "data") : absolute(".", dataDir),
    socket: socket === undefined ? undefined : absolute(".", socket),
    absolute
  }
}
