import { homedir, userInfo } from "node:os"
import { isAbsolute } from "node:path"
import type { EnvironmentVariables } from "../../platform/Environment.ts"

/** What of this machine a plan has to know besides the call. */
export interface HostEnvironment {
  /** As the environment names it, and as the account has it. Absolute. */
  readonly homes: ReadonlyArray<string>
  readonly variables: EnvironmentVariables
  /** Postern's own configuration, data and socket: nobody may open a session inside the data, and nothing sees them. */
  readonly own: { readonly configDir: string; readonly dataDir: string; readonly socket?: string | undefined }
}

/** A host with another HOME than its account's reads the account's keys all the same. */
export const ownHomes = (): ReadonlyArray<string> => {
  const named = homedir()
  try {
    return [...new Set([named, userInfo().homedir])].filter((path) => isAbsolute(path) && path !== "/")
  } catch {
    return [named]
  }
}
