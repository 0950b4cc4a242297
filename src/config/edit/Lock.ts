import { dirname, join } from "node:path"
import * as FileLock from "../../platform/FileLock.ts"

/** Whoever reads the configuration to write it back does so alone, among all processes of this machine. */
export const locked = (configFile: string) => FileLock.within(join(dirname(configFile), ".config.lock"))
