import { Effect, Exit, Schema, Scope } from "effect"
import type { SessionMode } from "../SessionContext.ts"
import type { Session } from "./Session.ts"

/** As many sessions are live as the configuration allows. */
export class SessionLimit extends Schema.TaggedError<SessionLimit>()("SessionLimit", { limit: Schema.Int }) {}

/** A session that is open in this process. */
export interface LiveSession {
  readonly mode: SessionMode
  readonly session: Session
  /** Of everything that the session started. */
  readonly scope: Scope.Closeable
}

/** How a session stops being live. A closed one is stored and can be opened again. */
export type SessionEnding = "closed" | "killed" | "deleted"

type EndListener = (live: LiveSession, ending: SessionEnding) => Effect.Effect<void>

/** The live sessions of this process, of all modes. Each mode has its own stores, so that an id of one mode says nothing about the other. */
export interface LiveSessions {
  readonly get: (mode: SessionMode, sessionId: string) => LiveSession | undefined
  readonly all: () => ReadonlyArray<LiveSession>
  readonly add: (live: LiveSession) => void
  /** Closes its scope, which ends a running turn first; then the listeners are told. */
  readonly end: (live: LiveSession, ending: SessionEnding) => Effect.Effect<void>
  /** As many are live or being opened as may be. */
  readonly isFull: () => boolean
  readonly onEnd: (listener: EndListener) => void
  /** Counts the session from the beginning of its opening, so that a burst cannot pass the limit. */
  readonly withinQuota: <A, E, R>(opens: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SessionLimit, R>
}

const keyOf = (mode: SessionMode, sessionId: string): string => `${mode} ${sessionId}`

/** `limit`: how many sessions may be live at the same time. */
export const make = (limit: () => number): LiveSessions => {
  const live = new Map<string, LiveSession>()
  const listeners: Array<EndListener> = []
  /** Sessions that are live or being opened. */
  let taken = 0
  return {
    get: (mode, sessionId) => live.get(keyOf(mode, sessionId)),
    all: () => Array.from(live.values()),
    add: (one) => void live.set(keyOf(one.mode, one.session.sessionId), one),
    end: (one, ending) =>
      Effect.suspend(() => {
        const key = keyOf(one.mode, one.session.sessionId)
        if (live.get(key) !== one) return Effect.void
        live.delete(key)
        taken--
        return Effect.ensuring(
          Scope.close(one.scope, Exit.void),
          Effect.forEach(listeners, (listener) => listener(one, ending), { discard: true })
        )
      }),
    isFull: () => taken >= limit(),
    onEnd: (listener) => void listeners.push(listener),
    withinQuota: <A, E, R>(opens: Effect.Effect<A, E, R>) =>
      Effect.suspend((): Effect.Effect<A, E | SessionLimit, R> => {
        if (taken >= limit()) return Effect.fail(new SessionLimit({ limit: limit() }))
        taken++
        return Effect.onError(opens, () => Effect.sync(() => taken--))
      })
  }
}
