import type { Known } from "./Words.ts"
import { HOLE } from "./Words.ts"

/** Folders that have a short name. */
interface Folders {
  readonly home: string
  readonly cwd: string | null
  readonly variables: ReadonlyMap<string, Known>
}

/** The kernel has other names for the folder a command runs in. */
export const placed = (path: string, context: Folders): string => {
  const found = /^\/+(?:\.\/+)*proc\/+(self|thread-self|\d+)\/+(cwd|root)(?=\/|$)/.exec(path)
  if (found === null) return path
  const rest = path.slice(found[0].length)
  if (/^\d/.test(found[1]!)) return HOLE + rest
  return found[2] === "root" ? rest || "/" : (context.cwd ?? HOLE) + rest
}

export const untilde = (value: string, context: Folders): string => {
  if (value === "~" || value.startsWith("~/")) {
    return (context.variables.get("HOME")?.guess ?? context.home) + value.slice(1)
  }
  if (/^~\+(\/|$)/.test(value)) return (context.cwd ?? HOLE) + value.slice(2)
  const earlier = /^~(-|[-+]?\d+)(?=\/|$)/.exec(value)
  if (earlier !== null) return HOLE + value.slice(earlier[0].length)
  const user = /^~([a-z_][a-z0-9_-]*)(\/.*)?$/.exec(value)
  if (user === null) return value
  return (user[1] === "root" ? "/root" : `/home/${user[1]}`) + (user[2] ?? "")
}
