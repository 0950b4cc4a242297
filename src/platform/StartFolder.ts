/**
 * Makes the process independent of the folder it was started in, which may be removed while it runs: Node.js asks the system for the
 * folder once and remembers it. Where it is gone already, the root takes its place.
 */
export const settle = (): void => {
  try {
    process.cwd()
  } catch {
    process.chdir("/")
  }
}
