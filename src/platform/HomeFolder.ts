import { isAbsolute } from "node:path"

/** An empty or relative HOME names no place, and whatever is protected in the home folder would be missed: the account's own counts. */
export const settle = (): void => {
  if (!isAbsolute(process.env["HOME"] ?? "/")) delete process.env["HOME"]
}
