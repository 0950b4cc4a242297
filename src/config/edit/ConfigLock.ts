import { dirname, join } from "node:path"
import * as FileLock from "../../platform/FileLock.ts"

/** A process that reads the configuration to write it back holds this lock, which excludes all other processes of the machine. */
export const locked = (file: string) => FileLock.within(join(dirname(file), ".config.lock"))
