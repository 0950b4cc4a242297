import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import * as RegularFile from "../platform/RegularFile.ts"

/** The few questions about the disk that a plan asks, right before a call. */

/** `closed`: a parent folder denies access at the moment. A command of the same user can change its mode. */
type PathKind = "folder" | "file" | "link" | "missing" | "closed"

export const kind = (path: string): PathKind => {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? "missing" : found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file"
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "closed" : "missing"
  }
}

/** The path itself, or the parent folder that denies access to it. */
export const orClosedFolder = (path: string): string => kind(path) === "closed" ? orClosedFolder(dirname(path)) : path

const attempt = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

export const real = (path: string): string | undefined => attempt(() => realpathSync.native(path))
export const target = (path: string): string | undefined => attempt(() => readlinkSync(path))
export const text = (path: string): string | undefined => attempt(() => RegularFile.read(path).toString("utf8"))
/** Nothing where it cannot be listed. */
export const names = (path: string): ReadonlyArray<string> | undefined => attempt(() => readdirSync(path))

/** The existing paths, with links resolved; for an inaccessible path, the parent folder that denies access. */
export const existing = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(paths.flatMap((path) => kind(path) === "missing" ? [] : real(orClosedFolder(path)) ?? []))
]

/** A folder below another one, made where it is missing. */
export const make = (parent: string, name: string): string => {
  const path = join(parent, name)
  mkdirSync(path, { recursive: true })
  return path
}
