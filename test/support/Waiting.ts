/** Polls for what has no event to wait for: the process table, a file of another process. */
export const eventually = async (holds: () => boolean, ms = 5000): Promise<void> => {
  const end = Date.now() + ms
  while (!holds()) {
    if (Date.now() > end) throw new Error("did not happen in time")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
