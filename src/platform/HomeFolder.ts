/** An empty or relative HOME names no place, and whatever is protected in the home folder would be missed: the account's own counts. */
export const settle = (): void => {
  const home = process.env["HOME"]
  if (home !== undefined && !process.getBuiltinModule("node:path").isAbsolute(home)) delete process.env["HOME"]
}
