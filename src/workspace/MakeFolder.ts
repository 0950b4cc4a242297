import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const codeOf = (error: unknown) => (error as { readonly code?: string }).code

/** A folder and its parents. Node's own recursive `mkdir` never returns where a parent cannot be made, below `/proc` for one. */
export const makeFolder = (path: string, mode = 0o777): void => {
  try {
    mkdirSync(path, mode)
  } catch (error) {
    if (codeOf(error) === "EEXIST" && statSync(path).isDirectory()) return
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error
    makeFolder(dirname(path), mode)
    mkdirSync(path, mode)
  }
}
