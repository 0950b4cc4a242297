import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const codeOf = (error: unknown) => (error as { readonly code?: string }).code

/** Whether the folder is there now. Another process may have made it meanwhile. */
const make = (path: string, mode: number): boolean => {
  try {
    mkdirSync(path, mode)
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST" && statSync(path).isDirectory()) return true
    if (codeOf(error) === "ENOENT") return false
    throw error
  }
}

/**
 * A folder and its parents. Node's own recursive `mkdir` never returns where a parent cannot be made, below `/proc` for
 * one.
 */
export const makeFolder = (path: string, mode = 0o777): void => {
  if (make(path, mode)) return
  if (dirname(path) !== path) makeFolder(dirname(path), mode)
  if (!make(path, mode)) throw Object.assign(new Error(`ENOENT: ${path} cannot be made`), { code: "ENOENT" })
}
