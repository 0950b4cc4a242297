import { Effect, Option } from "effect"
import * as Descriptors from "./Descriptors.ts"

/** A command and everything it started, as far as that stayed in its group. */
export interface ProcessGroup {
  /** Of the leader, and so of the group. */
  readonly pid: number
  /** A process of the command's own group, while there is one: its runner is in another. */
  readonly inner: () => number | undefined
  /** The group was seen empty: its id may belong to somebody else now. */
  gone: boolean
}

const grace = "3 seconds"

/** After SIGKILL only the system's own bookkeeping is left to wait for. */
const killGrace = "500 millis"

/**
 * Signals the whole group; false when it has no member left. Its id stays reserved while it has one, also after the
 * leader went; once it was seen empty nothing is sent any more.
 */
export const signal = (group: ProcessGroup, name: NodeJS.Signals | 0): boolean => {
  if (group.gone) return false
  const inner = name === "SIGTERM" ? group.inner() : undefined
  if (inner !== undefined) return signal(group, 0) && Descriptors.ask(inner)
  try {
    process.kill(-group.pid, name)
  } catch (error) {
    group.gone = error instanceof Error && "code" in error && error.code === "ESRCH"
  }
  return !group.gone
}

export const stop = Effect.fnUntraced(function*(group: ProcessGroup) {
  if (!signal(group, "SIGTERM")) return
  if (Option.isSome(yield* Effect.timeoutOption(awaitGone(group), grace))) return
  signal(group, "SIGKILL")
  yield* Effect.timeoutOption(awaitGone(group), killGrace)
})

export const awaitGone = Effect.fnUntraced(function*(group: ProcessGroup) {
  while (signal(group, 0)) yield* Effect.sleep("10 millis")
})
