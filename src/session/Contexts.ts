import { type History, read } from "./History.ts"
import type { TurnInput } from "./TurnLoop.ts"

/** The same id is another session in another mode. */
export type Which = Pick<TurnInput, "mode" | "sessionId">

export const keyOf = ({ mode, sessionId }: Which): string => `${mode} ${sessionId}`

/** The contexts that lately running sessions ended with, and how far an estimate of each is from what its provider counts. */
export interface Contexts {
  /** One that was changed elsewhere is read again. */
  readonly get: (session: Which, context: string | null) => History
  readonly set: (session: Which, history: History) => void
  /** Tokens to add to an estimate of the messages: the system prompt, the tools, and the error. `undefined` before the first answer. */
  readonly offset: (session: Which) => number | undefined
  readonly measured: (session: Which, offset: number) => void
  readonly forget: (session: Which) => void
}

const maxSessions = 32

export const make = (): Contexts => {
  const histories = new Map<string, History>()
  const offsets = new Map<string, number>()

  const put = <A>(map: Map<string, A>, session: Which, value: A) => {
    map.delete(keyOf(session))
    map.set(keyOf(session), value)
    if (map.size > maxSessions) map.delete(map.keys().next().value!)
  }

  return {
    get: (session, context) => {
      const known = histories.get(keyOf(session))
      return known?.json === (context ?? "[]") ? known : read(context)
    },
    set: (session, history) => put(histories, session, history),
    offset: (session) => offsets.get(keyOf(session)),
    forget: (session) => void offsets.delete(keyOf(session)),
    measured: (session, offset) => put(offsets, session, offset)
  }
}
