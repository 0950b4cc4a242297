import { Effect, Predicate } from "effect"
import type { Rpc } from "effect/rpc"
import { autonomyLevels } from "../domain/PolicySettings.ts"
import { LiveSettings } from "../config/LiveSettings.ts"
import type { Snapshot } from "../config/Snapshot.ts"
import { version } from "../domain/Version.ts"
import { SessionStore, TurnRunning } from "../store/SessionStore.ts"
import { sees } from "./AcpAccess.ts"
import { AcpConnection, type DialectName } from "./AcpConnection.ts"
import { type InboundUpdate, type Initialize, methods as rulesMethods, SessionAgent } from "./protocol/AgentMethods.ts"
import type { TokenCounts } from "../domain/SessionEvent.ts"
import type { TurnEnd } from "../session/turn/TurnEnd.ts"
import * as Wire from "../rpc/Wire.ts"
import * as PromptContent from "../session/turn/PromptContent.ts"
import { SessionManager } from "../session/lifecycle/SessionManager.ts"
import { detach, onSession } from "./AttachSession.ts"
import { mapRpcErrors } from "./Errors.ts"
import * as Login from "./Login.ts"
import * as OpenSession from "./OpenSession.ts"
import { mayUse } from "./OpenSession.ts"
import { beginning } from "../domain/Cut.ts"

/** Whether the default agent's model takes images; `session/prompt` checks the model of its own session. */
const seesImages = (now: Snapshot) =>
  now.providers.get(Login.defaultModelIn(now)?.split("/", 1)[0] ?? "")?.vision ?? false

/** Answers `initialize`: what this host offers by its configuration and its store. */
export const make = Effect.gen(function*() {
  const store = yield* SessionStore
  const { current } = yield* LiveSettings

  const capabilitiesOf = (now: Snapshot) => ({
    loadSession: store.durability === "durable",
    promptCapabilities: { image: seesImages(now), audio: false, embeddedContext: true },
    mcpCapabilities: { http: now.mcp.clients !== undefined, sse: now.mcp.clients !== undefined },
    sessionCapabilities: {
      ...(store.durability === "durable" ? { list: {}, delete: {}, resume: {}, close: {}, fork: {} } : {}),
      additionalDirectories: {},
      ...(now.acp.unstable ? { title: {} } : {})
    },
    _meta: { postern: { methods: rulesMethods } }
  })

  return Effect.fnUntraced(function*({ clientCapabilities }: Rpc.Payload<typeof Initialize>) {
    const connection = yield* AcpConnection
    const now = yield* current
    const defaultModel = Login.defaultModelIn(now)
    connection.initialized = true
    connection.capabilities = clientCapabilities ?? {}
    return {
      protocolVersion: 1,
      agentCapabilities: capabilitiesOf(now),
      authMethods: yield* Login.methodsFor(connection, now),
      agentInfo: { name: "postern", title: "Postern", version },
      _meta: {
        zeroclaw: {
          maxSessions: now.acp.maxSessions,
          sessionTimeoutSecs: now.acp.sessionTimeoutSecs,
          ...(defaultModel === undefined ? {} : { defaultModel }),
          methods: ["_zeroclaw/session/stop"]
        }
      }
    }
  })
})

/** Characters of the answer that the result repeats: a message has at most 32 MiB, escapes included. */
const maxText = 4 * 1024 * 1024

const cancelMarker = "[Cancelled by the client.]"

/** The result of `session/prompt` in the dialect of the client. See docs/agent-client-protocol.md#prompt-results. */
const promptResult = (dialect: DialectName, sessionId: string, { stopReason, text: whole, tokens }: TurnEnd) => {
  const usage = tokens === undefined ? {} : { usage: usageOf(tokens) }
  // The updates have the answer already.
  if (dialect === "acp") return { stopReason, ...usage }
  const text = whole.length > maxText
    ? `${beginning(whole, maxText)}\n\n[Cut off: the updates have the whole answer.]`
    : whole
  const content = stopReason === "cancelled" ? [text, cancelMarker].filter((part) => part !== "").join("\n\n") : text
  return { stopReason, sessionId, content, ...usage, _meta: { zeroclaw: { content } } }
}

const usageOf = ({ cachedRead, cachedWrite, input, output, thought }: TokenCounts) => ({
  totalTokens: input + output,
  inputTokens: input,
  outputTokens: output,
  ...(cachedRead === undefined ? {} : { cachedReadTokens: cachedRead }),
  ...(cachedWrite === undefined ? {} : { cachedWriteTokens: cachedWrite }),
  ...(thought === undefined ? {} : { thoughtTokens: thought })
})

const isUserMessage = (type: string) => type.startsWith("user_message") || type === "message" || type === "prompt"

/** A text, a text block, or a list of them. */
const textIn = (content: unknown): string | undefined => {
  if (typeof content === "string") return content.trim() === "" ? undefined : content
  if (Array.isArray(content)) {
    const texts = content.map(textIn)
    return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join("\n\n")
  }
  return Predicate.hasProperty(content, "text") ? textIn(content.text) : undefined
}

/** The client's own id of a prompt, by which another connection asks for the end of its turn. */
const promptIdIn = (meta: Readonly<Record<string, unknown>> | null | undefined): string | undefined => {
  const own = meta?.["postern"]
  return Predicate.hasProperty(own, "promptId") && typeof own.promptId === "string" ? own.promptId : undefined
}

/** The autonomy level of a turn, which the client may lower. See docs/policy.md#autonomy-levels. */
const levelIn = (meta: Readonly<Record<string, unknown>> | null | undefined) => {
  const own = meta?.["postern"]
  if (!Predicate.hasProperty(own, "level")) return Effect.undefined
  const level = autonomyLevels.find((one) => one === own.level)
  return level !== undefined ? Effect.succeed(level) : Effect.fail(
    Wire.invalidParams(
      { reason: "unknown_level", field: "_meta.postern.level" },
      `_meta.postern.level must be one of ${autonomyLevels.join(", ")}`
    )
  )
}

/** Handlers of ACP's session methods, built once per process for every transport. */
export const layer = SessionAgent.toLayer(Effect.gen(function*() {
  const sessions = yield* SessionManager
  const store = yield* SessionStore
  const { last } = yield* LiveSettings
  const { create, fork, open } = yield* OpenSession.make

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
  }, mapRpcErrors)

  /** What the client adds to a session: a user's message is a turn of its own where none is running. */
  const inbound = Effect.fnUntraced(function*(payload: Rpc.Payload<typeof InboundUpdate>) {
    const { content, data, sessionId, type: given, update } = payload
    const type = given ?? update?.sessionUpdate ?? "unknown"
    const what = update?.content ?? content ?? data
    yield* onSession(sessions, sessionId, (session) => {
      const text = textIn(what)
      if (text === undefined && what === undefined) return session.touch
      if (text !== undefined && isUserMessage(type)) return session.say(text)
      return session.note(`<event type=${JSON.stringify(type)}>\n${text ?? JSON.stringify(what)}\n</event>`)
    }).pipe(Effect.catchTag("SteeringFull", () => Effect.fail(new TurnRunning({ sessionId }))))
    return { sessionId, type, status: "processed" as const }
  }, mapRpcErrors)

  return SessionAgent.of({
    initialize: yield* make,
    authenticate: yield* Login.makeAuthenticate,
    "session/new": create,

    "session/fork": fork,
    "session/load": (payload) => open(payload, true),
    "session/resume": (payload) => open(payload, false),

    "session/list": Effect.fnUntraced(function*({ cursor, cwd }) {
      const { admin, owner } = yield* (yield* AcpConnection).access.rights
      const page = yield* sessions.list({
        cwd: cwd ?? undefined,
        cursor: cursor ?? undefined,
        owner: admin ? undefined : owner ?? undefined
      })
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
    }, mapRpcErrors),

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
    }, mapRpcErrors),

    "session/delete": Effect.fnUntraced(function*({ sessionId }) {
      const connection = yield* AcpConnection
      const rights = yield* connection.access.rights
      if (!rights.admin) {
        const record = yield* Effect.option(store.get(sessionId))
        if (record._tag === "Some" && !sees(rights, record.value.owner)) return {}
      }
      yield* sessions.remove(sessionId)
      detach(connection, sessionId)
      return {}
    }, mapRpcErrors),

    "session/close": Effect.fnUntraced(function*({ sessionId }) {
      const connection = yield* ofConnection(sessionId)
      yield* sessions.close(sessionId)
      detach(connection, sessionId)
      return {}
    }, mapRpcErrors),

    "session/prompt": Effect.fnUntraced(function*({ _meta, prompt, sessionId }) {
      const connection = yield* AcpConnection
      const rights = yield* connection.access.rights
      const end = yield* yield* onSession(
        sessions,
        sessionId,
        (session) =>
          mayUse(rights, session.record().agent).pipe(
            Effect.andThen(PromptContent.prepare(prompt, session.model.seesImages())),
            Effect.flatMap((prepared) =>
              Effect.flatMap(levelIn(_meta), (level) => session.begin(prepared, promptIdIn(_meta), level))
            )
          )
      )
      return promptResult(connection.dialect, sessionId, end)
    }, mapRpcErrors),

    "_postern/session/turn": Effect.fnUntraced(function*({ promptId, sessionId }) {
      const connection = yield* AcpConnection
      const end = yield* onSession(sessions, sessionId, (session) => Effect.succeed(session.turnOf(promptId)))
      if (end === undefined) {
        return yield* Wire.invalidParams(
          { reason: "turn_unknown", field: "promptId" },
          "no turn began with this prompt"
        )
      }
      return promptResult(connection.dialect, sessionId, yield* end)
    }, mapRpcErrors),

    "session/cancel": cancel,
    "session/stop": stop,
    "_zeroclaw/session/stop": stop,
    "session/update": inbound,
    "session/event": inbound
  })
}))
