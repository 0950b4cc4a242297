import { type History, read } from "./History.ts"

/** The contexts that lately running sessions ended with, and how far an estimate of each is from what its provider counts. */
export interface Contexts {
  /** One that was changed elsewhere is read again. */
  readonly get: (sessionId: string, context: string | null) => History
  readonly set: (sessionId: string, history: History) => void
  /** Tokens to add to an estimate of the messages: the system prompt, the tools, and the error. `undefined` before the first answer. */
  readonly offset: (sessionId: string) => number | undefined
  readonly measured: (sessionId: string, offset: number) => void
  readonly forget: (sessionId: string) => void
}

const maxSessions = 32

export const make = (): Contexts => {
  const histories = new Map<string, History>()
  const offsets = new Map<string, number>()

  const put = <A>(map: Map<string, A>, sessionId: string, value: A) => {
    map.delete(sessionId)
    map.set(sessionId, value)
    if (map.size > maxSessions) map.delete(map.keys().next().value!)
  }

  return {
    get: (sessionId, context) => {
      const known = histories.get(sessionId)
      return known?.json === (context ?? "[]") ? known : read(context)
    },
    set: (sessionId, history) => put(histories, sessionId, history),
    offset: (sessionId) => offsets.get(sessionId),
    forget: (sessionId) => void offsets.delete(sessionId),
    measured: (sessionId, offset) => put(offsets, sessionId, offset)
  }
}
