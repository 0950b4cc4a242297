import { readdirSync, readFileSync } from "node:fs"

/** Ids of running processes whose command line contains `part` (Linux). */
export const processesWith = (part: string): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").includes(part) && !/\) Z/.test(stat)
    } catch {
      return false
    }
  })

/** Ids of running processes that are this command, and not what starts it. */
export const running = (command: string): ReadonlyArray<number> =>
  processesWith(command).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").startsWith(command)
    } catch {
      return false
    }
  })

/** Ids as of `processesWith` that run with this home folder. */
export const processesAtHome = (part: string, home: string): ReadonlyArray<number> =>
  processesWith(part).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${home}`)
    } catch {
      return false
    }
  })
