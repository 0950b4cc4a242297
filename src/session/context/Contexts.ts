import { type History, read } from "./History.ts"
import type { TurnInput } from "../turn/TurnLoop.ts"

/** An active session: its workspace is the same object from its activation to its end, and no other session's. */
export type Which = Pick<TurnInput, "workspace">

/** The contexts that sessions ended their last turn with, and how far an estimate of each is from what its provider counts. */
export interface Contexts {
  /** One that was changed elsewhere is read again. */
  readonly get: (session: Which, context: string | null) => History
  readonly set: (session: Which, history: History) => void
  /** Tokens to add to an estimate of the messages: the system prompt, the tools, and the error. `undefined` before the first answer. */
  readonly offset: (session: Which) => number | undefined
  readonly measured: (session: Which, offset: number) => void
  readonly forget: (session: Which) => void
}

/** Of all contexts that are kept, as JSON; the ones used longest ago are read from the store again. */
const maxCharacters = 8 * 1024 * 1024

export const make = (): Contexts => {
  const histories = new Map<Which["workspace"], History>()
  const offsets = new WeakMap<Which["workspace"], number>()
  let characters = 0

  const drop = (key: Which["workspace"]) => {
    characters -= histories.get(key)?.json.length ?? 0
    histories.delete(key)
  }

  return {
    get: ({ workspace }, context) => {
      const known = histories.get(workspace)
      return known?.json === (context ?? "[]") ? known : read(context)
    },
    set: ({ workspace }, history) => {
      drop(workspace)
      histories.set(workspace, history)
      characters += history.json.length
      for (const oldest of histories.keys()) {
        if (characters <= maxCharacters || oldest === workspace) return
        drop(oldest)
      }
    },
    offset: ({ workspace }) => offsets.get(workspace),
    forget: ({ workspace }) => void offsets.delete(workspace),
    measured: ({ workspace }, offset) => void offsets.set(workspace, offset)
  }
}
