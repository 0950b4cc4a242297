import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { decode, forSystem, isLossy } from "../platform/PathBytes.ts"
import * as RegularFile from "../platform/RegularFile.ts"

/** The few questions about the disk that a plan asks, right before a call. Paths may be no UTF-8: see `PathBytes`. */

/** `closed`: a parent folder denies access at the moment. A command of the same user can change its mode. */
type PathKind = "folder" | "file" | "link" | "missing" | "closed"

export const kind = (path: string): PathKind => {
  try {
    const found = lstatSync(forSystem(path), { throwIfNoEntry: false })
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

export const real = (path: string): string | undefined =>
  attempt(() => {
    const found = realpathSync.native(forSystem(path))
    return isLossy(found) ? decode(realpathSync.native(forSystem(path), "buffer")) : found
  })

const targetOf = (path: string): string | undefined =>
  attempt(() => {
    const found = readlinkSync(forSystem(path))
    return isLossy(found) ? decode(readlinkSync(forSystem(path), "buffer")) : found
  })
export { targetOf as target }

export const text = (path: string): string | undefined => attempt(() => decode(RegularFile.read(forSystem(path))))

/** Nothing where it cannot be listed. */
export const names = (path: string): ReadonlyArray<string> | undefined =>
  attempt(() => {
    const found = readdirSync(forSystem(path))
    return found.some(isLossy) ? readdirSync(forSystem(path), "buffer").map(decode) : found
  })

interface Followed {
  /** Without links. */
  readonly target: string
  /** By the place of each link, without links on the way to it: what it says. */
  readonly links: ReadonlyArray<readonly [path: string, link: string]>
}

/** As many links as the kernel follows. */
const maxLinks = 40

/** Where a path leads, link by link; `undefined` where nothing is there. */
export const followed = (path: string): Followed | undefined => {
  const links: Array<readonly [string, string]> = []
  const names = resolve("/", path).split("/").filter((name) => name !== "")
  let target = "/"
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const at = join(target, name)
    const is = kind(at)
    if (is === "missing" || is === "closed") return undefined
    const link = is === "link" ? targetOf(at) : undefined
    if (link === undefined) {
      target = at
      continue
    }
    if (links.push([at, link]) > maxLinks) return undefined
    if (isAbsolute(link)) target = "/"
    names.unshift(...link.split("/").filter((part) => part !== "" && part !== "."))
  }
  return { target, links }
}

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
