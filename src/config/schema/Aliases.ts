import type { Path } from "./Lookup.ts"
import { isTable } from "../edit/TomlTable.ts"

/** An alias becomes part of paths, folders and messages. */
export const isAlias = (key: string) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(key)

/** Tables that have no entry "default" by themselves keep that name free (zeroclaw.md §1.6). */
export const isReserved = (path: Path, key: string) =>
  key === "default" && ["providers", "users", "permission_profiles"].includes(path.join("."))

/** The reserved name that a path, or a table that is put there, has among its keys. */
export const reservedIn = (path: Path, value: unknown): Path | undefined => {
  const depth = path.findIndex((one, depth) => isReserved(path.slice(0, depth), one))
  if (depth >= 0) return path.slice(0, depth + 1)
  return isTable(value) && Object.hasOwn(value, "default") && isReserved(path, "default")
    ? [...path, "default"]
    : undefined
}
