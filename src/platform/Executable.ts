import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { isInside } from "./FilePath.ts"

/** A program for the host's own use, from the absolute entries of `path`; never one that lies in a session's folder. */
export const find = (name: string, path: string | undefined, untrusted: ReadonlyArray<string>): string | undefined => {
  for (const folder of path?.split(":") ?? []) {
    if (!folder.startsWith("/")) continue
    const candidate = join(folder, name)
    if (!isProgram(candidate)) continue
    const places = [candidate, realpathSync(candidate)]
    if (!untrusted.some((root) => places.some((place) => isInside(root, place)))) return candidate
  }
  return undefined
}

/** Whether this process may execute the file. */
export const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
