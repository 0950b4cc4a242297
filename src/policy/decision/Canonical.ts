import { lstatSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import type { ActionContext } from "./CallAction.ts"

const isMissing = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    // Not a folder above it, too long a name, no right to look.
    return true
  }
}

const real = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    // A link that leads nowhere is no missing file: who writes there decides where the file comes to be.
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
 * The path behind a written one as the kernel would find it, so `link/..` is the folder above the link's target; the last parts may
 * be missing. One call asks for the same folders again and again, so what was found is kept: use one of these per call.
 */
export const canonicalIn = ({ cwd, home, roots }: ActionContext): (path: string) => string | undefined => {
  // The session's folders are canonical; whoever opens something in them looks again.
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
    // Longer than the kernel takes.
    if (path.includes("\0") || path.length > 4096) return undefined
    const named = path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path
    return follow(isAbsolute(named) ? named : `${cwd}/${named}`)
  }
}
