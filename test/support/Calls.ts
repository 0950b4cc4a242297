import type { Json } from "./Wire.ts"

export const callUpdates = (updates: ReadonlyArray<unknown>): ReadonlyArray<Json> =>
  (updates as ReadonlyArray<Json>).filter((u) => String(u["sessionUpdate"]).startsWith("tool_call"))

/** Tool calls as a client holds them: each update adds what it has. */
export const mergedCalls = (updates: ReadonlyArray<unknown>): ReadonlyArray<Json> => {
  const calls = new Map<string, Json>()
  for (const update of callUpdates(updates)) {
    calls.set(update["toolCallId"], { ...calls.get(update["toolCallId"]), ...update })
  }
  return Array.from(calls.values())
}
