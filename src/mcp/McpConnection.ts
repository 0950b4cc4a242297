import { Cause, Deferred, Effect, type Exit, type Fiber, FiberSet, Schema, type Scope } from "effect"
import * as PendingRequests from "../rpc/PendingRequests.ts"
import * as Wire from "../rpc/Wire.ts"

/** Bytes of one message: docs/mcp.md#size-of-a-message. */
export const maxMessage = 16_078_168

/** A server that cannot be used now; `reason` is a sentence without its subject, for people. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { reason: Schema.String }) {}

/** The reason where we ended the connection ourselves. */
export const stopped = "it was stopped"

/** The connection to a server is gone; `reason` is for people. What was asked may or may not have been done. */
export class McpConnectionClosed
  extends Schema.TaggedError<McpConnectionClosed>()("McpConnectionClosed", { reason: Schema.String })
{}

export interface McpProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/**
 * Carries whole messages, without a line end, to the server. It never fails: a broken one closes the connection
 * instead.
 */
interface McpTransport {
  /** `request` is the id of a request of ours; a transport that learns that there will be no answer fails that one. */
  readonly send: (message: string, request?: Wire.RequestId) => Effect.Effect<void>
  /** The request has its answer, or is no longer awaited. */
  readonly done?: (request: Wire.RequestId) => void
}

/** What a server may ask of us and tell us. */
export interface McpListener {
  /** Interrupted when the server withdraws its request. */
  readonly request: (method: string, params: unknown) => Effect.Effect<unknown, Wire.RpcFault>
  readonly notified: (method: string, params: unknown) => Effect.Effect<void>
  /** Its process printed something, on standard error too. */
  readonly printed?: () => void
}

/** JSON-RPC with one MCP server, over any transport. */
export interface McpConnection {
  /** Interruption withdraws the request with `notifications/cancelled`; a late answer is dropped. */
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    onProgress?: (progress: McpProgress) => void,
    /** Bytes of an answer came, or the server told of its progress. */
    onActivity?: () => void
  ) => Effect.Effect<unknown, Wire.RpcFault | McpConnectionClosed>
  readonly notify: (method: string, params?: unknown) => Effect.Effect<void>
  /** Takes one message of the server; a text that is none is dropped. */
  readonly receive: (text: string) => void
  /** Ends one request, or all of them, that the server cannot answer any more. */
  readonly fail: (reason: string, id?: Wire.RequestId) => void
  /** Every request that waits fails, and so does every later one. */
  readonly close: (reason: string) => void
  readonly closed: Effect.Effect<string>
  readonly isOpen: () => boolean
  /** A part of a message came, which is no answer yet. */
  readonly arriving: (request?: Wire.RequestId) => void
}

const Progress = Schema.Struct({
  progressToken: Schema.Union([Schema.Int, Schema.String]),
  progress: Schema.Finite,
  total: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  message: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const readProgress = Schema.decodeUnknownOption(Progress)

const Cancelled = Schema.Struct({ requestId: Schema.Union([Schema.Finite, Schema.String]) })
const readCancelled = Schema.decodeUnknownOption(Cancelled)

/** Requests of the server that are being answered at the same time; more are refused. */
const maxServed = 32

/**
 * Not a `Peer` of src/rpc: a server's standard output may hold lines that are no messages, and these get no answer; an
 * HTTP transport has to know which request a message is, and to fail that one alone.
 */
export const make = Effect.fnUntraced(function*(
  { done, send }: McpTransport,
  listener: McpListener
): Effect.fn.Return<McpConnection, never, Scope.Scope> {
  const fork = yield* FiberSet.makeRuntime<never, unknown, never>()
  const pending = PendingRequests.make<McpConnectionClosed>()
  // By comparable ids, which are those that we send.
  const progressOf = new Map<string, (progress: McpProgress) => void>()
  const activityOf = new Map<string, () => void>()
  const served = new Map<Wire.RequestId, Fiber.Fiber<unknown, unknown>>()
  const closed = Deferred.makeUnsafe<string>()
  let last = 0

  const notification = (method: string, params?: unknown) => send(JSON.stringify({ jsonrpc: "2.0", method, params }))

  const reply = (id: Wire.RequestId, exit: Exit.Exit<unknown, unknown>) => {
    served.delete(id)
    const answer = exit._tag === "Success"
      ? Wire.success(id, exit.value)
      : Wire.failure(id, Wire.faultOf(exit.cause))
    return send(answer.trimEnd())
  }

  const serve = (id: Wire.RequestId, method: string, params: unknown) => {
    const answer = served.size >= maxServed
      ? Effect.fail(Wire.invalidRequest({ reason: "too_many_requests" }, "too many requests at the same time"))
      : listener.request(method, params)
    const fiber = fork(
      Effect.catchCause(
        Effect.onExit(answer, (exit) => reply(id, exit)),
        (cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.logDebug("a request of an MCP server was refused", cause)
      )
    )
    if (fiber.pollUnsafe() === undefined) served.set(id, fiber)
  }

  const notified = (method: string, params: unknown) => {
    switch (method) {
      case "notifications/progress": {
        const found = readProgress(params)
        if (found._tag === "None") return
        const { message, progress, progressToken, total } = found.value
        activityOf.get(Wire.comparable(JSON.stringify(progressToken)))?.()
        progressOf.get(Wire.comparable(JSON.stringify(progressToken)))?.({
          progress,
          total: total ?? undefined,
          message: message ?? undefined
        })
        return
      }
      case "notifications/cancelled": {
        const found = readCancelled(params)
        if (found._tag === "Some") served.get(JSON.stringify(found.value.requestId))?.interruptUnsafe()
        return
      }
      default:
        fork(listener.notified(method, params))
    }
  }

  const receive = (text: string): void => {
    // The revision of 2025-03-26 has batches.
    if (text.startsWith("[")) return batch(text, receive)
    const message = Wire.read(text)
    switch (message._tag) {
      case "Request":
        return serve(message.id, message.method, message.params)
      case "Notification":
        return notified(message.method, message.params)
      case "Response":
        pending.onResponse(message)
    }
  }

  return {
    request: (method, params, onProgress, onActivity) =>
      Effect.suspend(() => {
        const requestId = ++last
        const id = JSON.stringify(requestId)
        if (onProgress !== undefined) progressOf.set(id, onProgress)
        if (onActivity !== undefined) activityOf.set(id, onActivity)
        const all = onProgress === undefined ? params : { ...params, _meta: { progressToken: requestId } }
        const withdraw = notification("notifications/cancelled", { requestId, reason: "The user cancelled." })
        return pending.request(
          id,
          send(JSON.stringify({ jsonrpc: "2.0", id: requestId, method, params: all }), id),
          // The protocol does not let a client withdraw this one.
          method === "initialize" ? Effect.void : withdraw
        ).pipe(Effect.ensuring(Effect.sync(() => {
          progressOf.delete(id)
          activityOf.delete(id)
          done?.(id)
        })))
      }),
    notify: notification,
    arriving: (request) => {
      if (request === undefined) activityOf.forEach((mark) => mark())
      else activityOf.get(request)?.()
    },
    receive,
    fail: (reason, id) => pending.fail(new McpConnectionClosed({ reason }), id),
    close: (reason) => {
      if (Deferred.doneUnsafe(closed, Effect.succeed(reason))) pending.close(new McpConnectionClosed({ reason }))
    },
    closed: Deferred.await(closed),
    isOpen: () => !Deferred.isDoneUnsafe(closed)
  }
})

const batch = (text: string, receive: (text: string) => void): void => {
  try {
    const all: unknown = JSON.parse(text)
    if (Array.isArray(all)) all.forEach((one) => Array.isArray(one) || receive(JSON.stringify(one)))
  } catch {
    // Not a message at all.
  }
}
