import { Effect } from "effect"
import { LiveSettings } from "../config/LiveSettings.ts"
import * as Wire from "../rpc/Wire.ts"
import * as PromptContent from "../session/turn/PromptContent.ts"
import { Sessions } from "../session/lifecycle/Sessions.ts"
import { AcpConnection } from "./AcpConnection.ts"
import { SessionAgent } from "./Agent.ts"
import { detach, onSession } from "./Attaching.ts"
import { faulty } from "./Faulty.ts"
import * as Initializing from "./Initializing.ts"
import * as Opening from "./Opening.ts"
import * as PromptResult from "./PromptResult.ts"

/** ACP's methods on top of the sessions, built once per process: any front door can serve them. */
export const layer = SessionAgent.toLayer(Effect.gen(function*() {
  const sessions = yield* Sessions
  const { last } = yield* LiveSettings
  const { create, open } = yield* Opening.make

  const ofConnection = (sessionId: string) =>
    onSession(sessions, sessionId, (_, connection) => Effect.succeed(connection))

  const cancel = Effect.fnUntraced(function*({ sessionId }: { readonly sessionId: string }) {
    const session = yield* Effect.option(onSession(sessions, sessionId, Effect.succeed))
    if (session._tag === "Some") yield* session.value.cancel
    return {}
  })

  const stop = Effect.fnUntraced(function*({ sessionId }: { readonly sessionId: string }) {
    const connection = yield* ofConnection(sessionId)
    yield* sessions.stop(sessionId)
    detach(connection, sessionId)
    return { sessionId, stopped: true }
  }, faulty)

  const inbound = Effect.fnUntraced(function*(payload: {
    readonly sessionId: string
    readonly type?: string | undefined
    readonly update?: { readonly sessionUpdate?: string | undefined } | undefined
  }) {
    const { sessionId, type, update } = payload
    yield* onSession(sessions, sessionId, (session) => session.touch)
    return { sessionId, type: type ?? update?.sessionUpdate ?? "unknown", status: "processed" as const }
  }, faulty)

  return SessionAgent.of({
    initialize: yield* Initializing.make,
    "session/new": create,

    "session/load": (payload) => open(payload, true),
    "session/resume": (payload) => open(payload, false),

    "session/list": Effect.fnUntraced(function*({ cursor, cwd }) {
      const page = yield* sessions.list({ cwd: cwd ?? undefined, cursor: cursor ?? undefined })
      return {
        sessions: page.sessions.map(({ additionalDirectories, cwd, sessionId, title, updatedAt }) => ({
          sessionId,
          cwd,
          updatedAt,
          ...(title === null ? {} : { title }),
          ...(additionalDirectories.length === 0 ? {} : { additionalDirectories })
        })),
        ...(page.nextCursor === null ? {} : { nextCursor: page.nextCursor })
      }
    }, faulty),

    "session/set_title": Effect.fnUntraced(function*({ sessionId, title }) {
      if (!last().acp.unstable) {
        return yield* Wire.methodNotFound(
          { method: "session/set_title" },
          "session/set_title is unstable: set acp.unstable"
        )
      }
      const trimmed = title.trim()
      if (trimmed === "") {
        return yield* Wire.invalidParams({ reason: "empty_title", field: "title" }, "title: it is empty")
      }
      return yield* onSession(
        sessions,
        sessionId,
        (session) => Effect.map(session.rename(trimmed), (title) => ({ title }))
      )
    }, faulty),

    "session/delete": Effect.fnUntraced(function*({ sessionId }) {
      yield* sessions.remove(sessionId)
      detach(yield* AcpConnection, sessionId)
      return {}
    }, faulty),

    "session/close": Effect.fnUntraced(function*({ sessionId }) {
      const connection = yield* ofConnection(sessionId)
      yield* sessions.close(sessionId)
      detach(connection, sessionId)
      return {}
    }, faulty),

    "session/prompt": Effect.fnUntraced(function*({ prompt, sessionId }) {
      const connection = yield* AcpConnection
      const { stopReason, text: whole } = yield* yield* onSession(
        sessions,
        sessionId,
        (session) => Effect.flatMap(PromptContent.prepare(prompt, session.model.seesImages()), session.begin)
      )
      return PromptResult.of(connection.dialect, sessionId, stopReason, whole)
    }, faulty),

    "session/cancel": cancel,
    "session/stop": stop,
    "_zeroclaw/session/stop": stop,
    "session/update": inbound,
    "session/event": inbound
  })
}))
