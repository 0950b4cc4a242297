import { Deferred, Effect, Exit } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Wire from "../../rpc/Wire.ts"
import { type Answer, bodyOf, notAllowed, refusal } from "../Answers.ts"
import type { GatewayCaller } from "../GatewayCaller.ts"
import { HttpConnection, sessionIn } from "./HttpConnection.ts"

/** ACP over HTTP: one message of the client in each `POST`, those of the agent on event streams. See docs/gateway.md#streamable-http. */

export interface StreamableHttpOptions {
  /** Serves a connection until it ends, and then closes it. */
  readonly serve: (connection: HttpConnection, query: URLSearchParams) => Effect.Effect<void>
  readonly fork: (effect: Effect.Effect<void>) => unknown
  /** The refusal while there is no room for one more connection. */
  readonly full: () => Answer | undefined
  /** Whether there is such a session that the caller may see. */
  readonly knowsSession: (caller: GatewayCaller, sessionId: string) => Effect.Effect<boolean>
  readonly now: () => number
}

export interface StreamableHttp {
  /** How many events wait for readers. */
  readonly depth: () => number
  /** Without an answer the response is an event stream. */
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    caller: GatewayCaller,
    query: URLSearchParams,
    headers: Readonly<Record<string, string>>
  ) => Effect.Effect<Answer | undefined, Answer>
}

/** Bytes of a message. */
export const maxMessage = 32 * 1024 * 1024
const initializeTime = "10 seconds"
/** Event streams of sessions in one connection. */
const maxStreams = 256

const accepted: Answer = { status: 202, text: "" }

const jsonBody = (status: number, text: string, headers: Answer["headers"] = {}): Answer => ({
  status,
  text,
  headers: { "content-type": "application/json", ...headers }
})

/** Methods of a session; the others are when they name one. */
const sessionMethods = new Set([
  "session/cancel",
  "session/close",
  "session/delete",
  "session/fork",
  "session/load",
  "session/prompt",
  "session/resume",
  "session/set_config_option",
  "session/set_mode",
  "session/set_model"
])

const header = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const newline = 10
const space = 32

/** A line break inside a message is white space of its JSON. */
const asLine = (body: Buffer): Buffer =>
  Buffer.concat([
    body.includes(newline) ? body.map((byte) => byte === newline ? space : byte) : body,
    Buffer.from("\n")
  ])

export const make = ({ fork, full, knowsSession, now, serve }: StreamableHttpOptions): StreamableHttp => {
  const connections = new Map<string, HttpConnection>()

  /** The connection that the request names, where it is of the same token. */
  const find = Effect.fnUntraced(function*(
    request: IncomingMessage,
    caller: GatewayCaller
  ): Effect.fn.Return<HttpConnection, Answer> {
    const id = header(request, "acp-connection-id")
    if (id === undefined) return yield* Effect.fail(refusal(400, "The header Acp-Connection-Id is missing."))
    const found = connections.get(id)
    const isOwn = found?.caller.tokenId === caller.tokenId && found?.caller.principal === caller.principal
    if (found === undefined || !isOwn) {
      return yield* Effect.fail(refusal(404, "There is no such connection: send `initialize` again."))
    }
    found.seen(now())
    return found
  })

  const initialize = Effect.fnUntraced(function*(
    message: Wire.Inbound,
    line: Buffer,
    caller: GatewayCaller,
    query: URLSearchParams
  ) {
    const refused = full()
    if (refused !== undefined) return refused
    const first = Deferred.makeUnsafe<string>()
    const connection = new HttpConnection(caller, now(), (answer) => Deferred.doneUnsafe(first, Exit.succeed(answer)))
    connections.set(connection.id, connection)
    fork(Effect.ensuring(serve(connection, query), Effect.sync(() => connections.delete(connection.id))))
    yield* connection.receive(message, line, undefined)
    const answer = yield* Effect.timeoutOption(Deferred.await(first), initializeTime)
    if (answer._tag === "Some" && "result" in (JSON.parse(answer.value) as object)) {
      return jsonBody(200, answer.value, { "acp-connection-id": connection.id })
    }
    connections.delete(connection.id)
    connection.endInput()
    return answer._tag === "None" ? refusal(503, "The agent has not answered in time.") : jsonBody(400, answer.value)
  })

  /** The session of a message, which the header has to name as well. */
  const sessionOf = (request: IncomingMessage, connection: HttpConnection, message: Wire.Inbound) =>
    Effect.suspend((): Effect.Effect<string | undefined, Answer> => {
      const named = header(request, "acp-session-id")
      const isAnswer = message._tag === "Response"
      const own = isAnswer
        ? connection.sessionOfAnswer(message.id)
        : message._tag === "Request" || message._tag === "Notification"
        ? sessionIn(message.params)
        : undefined
      const isScoped = own !== undefined || "method" in message && sessionMethods.has(message.method)
      if (isScoped && named === undefined) {
        return Effect.fail(refusal(400, "The header Acp-Session-Id is missing."))
      }
      if (own !== undefined && named !== own) {
        return Effect.fail(refusal(400, "The header Acp-Session-Id names another session than the message."))
      }
      return Effect.succeed(named)
    })

  const post = Effect.fnUntraced(function*(
    request: IncomingMessage,
    caller: GatewayCaller,
    query: URLSearchParams
  ): Effect.fn.Return<Answer, Answer> {
    const type = header(request, "content-type")?.split(";", 1)[0]?.trim().toLowerCase()
    if (type !== "application/json") return refusal(415, "The body has to be application/json.")
    const isNew = header(request, "acp-connection-id") === undefined
    const refused = isNew ? full() : undefined
    if (refused !== undefined) return refused
    const body = yield* bodyOf(request, maxMessage)
    if (body === undefined) return refusal(413, `A message has at most ${maxMessage} bytes.`)
    const line = asLine(body)
    const message = Wire.read(line.toString("utf8"))
    if (message._tag === "Malformed") return jsonBody(400, Wire.failure(message.id, message.fault))
    if (message._tag === "Dropped") return refusal(400, `This is no message: ${message.why}.`)
    const isInitialize = message._tag !== "Response" && message.method === "initialize"
    if (isInitialize && message._tag !== "Request") return refusal(400, "`initialize` needs an id.")
    if (isInitialize && isNew) return yield* initialize(message, line, caller, query)
    const connection = yield* find(request, caller)
    if (isInitialize) return refusal(400, "This connection is initialized already.")
    const sessionId = yield* sessionOf(request, connection, message)
    // What belongs to the connection, or to a session that nobody can read the events of, is answered on its own stream.
    const isOwn = sessionId === undefined || message._tag !== "Request" || message.method === "session/load" ||
      !(connection.hasStreamOf(sessionId) || (yield* knowsSession(caller, sessionId)))
    yield* connection.receive(message, line, isOwn ? undefined : sessionId)
    return accepted
  })

  const get = Effect.fnUntraced(function*(
    request: IncomingMessage,
    response: ServerResponse,
    caller: GatewayCaller,
    headers: Readonly<Record<string, string>>
  ): Effect.fn.Return<Answer | undefined, Answer> {
    if (header(request, "accept")?.toLowerCase().includes("text/event-stream") !== true) {
      return refusal(406, "This is a WebSocket, or, with Accept: text/event-stream, a stream of events.")
    }
    const connection = yield* find(request, caller)
    const taken = refusal(409, "This stream of events has a reader, or another connection has the session.")
    const sessionId = header(request, "acp-session-id")
    if (sessionId === undefined) return connection.open(response, headers) ? undefined : taken
    if (!connection.hasStreamOf(sessionId)) {
      if (!(yield* knowsSession(caller, sessionId))) return refusal(404, "There is no such session.")
      if (connection.streams() >= maxStreams) {
        return refusal(503, `A connection has at most ${maxStreams} streams of events.`)
      }
    }
    const missed = connection.openSession(sessionId, response, headers)
    if (missed === undefined) return taken
    yield* missed
    return undefined
  })

  return {
    depth: () => Array.from(connections.values()).reduce((sum, connection) => sum + connection.depth(), 0),
    handle: (request, response, caller, query, headers) => {
      switch (request.method) {
        case "POST":
          return post(request, caller, query)
        case "GET":
          return get(request, response, caller, headers)
        case "DELETE":
          return Effect.map(find(request, caller), (connection) => {
            connections.delete(connection.id)
            connection.hasLeft = true
            connection.endInput()
            return accepted
          })
        default:
          return Effect.succeed(notAllowed("GET, POST, DELETE"))
      }
    }
  }
}
