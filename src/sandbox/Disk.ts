import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, realpathSync } from "node:fs"
import { join } from "node:path"

/** The few questions about the disk that a plan asks, right before a call. A path that cannot be looked at counts as missing. */

export type Kind = "folder" | "file" | "link" | "missing"

export const kind = (path: string): Kind => {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? "missing" : found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file"
  } catch {
    return "missing"
  }
}

const attempt = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

export const real = (path: string): string | undefined => attempt(() => realpathSync.native(path))
export const target = (path: string): string | undefined => attempt(() => readlinkSync(path))
export const text = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"))
export const names = (path: string): ReadonlyArray<string> => attempt(() => readdirSync(path)) ?? []

/** A folder below another one, made where it is missing. */
export const make = (parent: string, name: string): string => {
  const path = join(parent, name)
  mkdirSync(path, { recursive: true })
  return path
}
