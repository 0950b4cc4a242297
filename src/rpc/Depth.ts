const maxDepth = 1000

/** Whether a JSON value is nested beyond 1000 levels: whoever walks such a value by recursion, `JSON.stringify` included, may run out of stack. */
export const isTooDeep = (value: unknown): boolean => {
  let level: Array<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((node) => typeof node === "object" && node !== null ? Object.values(node) : [])
  }
  return false
}
