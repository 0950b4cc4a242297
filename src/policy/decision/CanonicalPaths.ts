import { lstatSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import type { ActionContext } from "./CallAction.ts"

const isMissing = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    // The parent is no folder, the name is too long, or access is denied.
    return true
  }
}

const real = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    // A dangling link is not a missing file: its target decides where a write creates the file.
    return undefined
  }
}

/** What a path leads to. */
export const kindOf = (path: string): "file" | "folder" | "none" => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? "none" : found.isDirectory() ? "folder" : "file"
  } catch {
    return "none"
  }
}

/**
 * Follows links as the kernel does, so `link/..` is the folder above the link's target; the last parts may be missing.
 * Results are cached: use one of these per call.
 */
export const canonicalIn = ({ cwd, home, roots }: ActionContext): (path: string) => string | undefined => {
  // The session's folders are canonical; opening a file in them checks again.
  const seen = new Map<string, string | undefined>(roots.map((root) => [root, root]))
  const follow = (path: string): string | undefined => {
    if (seen.has(path)) return seen.get(path)
    const up = dirname(path)
    const above = isMissing(path) && up !== path ? follow(up) : undefined
    const found = above === undefined ? real(path) : join(above, basename(path))
    seen.set(path, found)
    return found
  }
  return (path) => {
    // The kernel takes at most 4096 bytes.
    if (path.includes("\0") || path.length > 4096) return undefined
    const named = path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path
    return follow(isAbsolute(named) ? named : `${cwd}/${named}`)
  }
}
