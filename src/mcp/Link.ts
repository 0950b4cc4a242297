import { Cause, Deferred, Effect, Exit, Fiber, FiberSet, Schema, type Scope } from "effect"
import * as Wire from "../rpc/Wire.ts"

/** Bytes of one message (zeroclaw.md §6.1): enough for an attachment of 10 MiB, as base64. */
export const maxMessage = 16_078_168

/** The connection to a server is gone; `reason` is for people. What was asked may or may not have been done. */
export class LinkClosed extends Schema.TaggedError<LinkClosed>()("LinkClosed", { reason: Schema.String }) {}

export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** What carries whole messages, without a line end, to the server. It must not fail: a broken connection is closed instead. */
export interface Carrier {
  /** `request` is the id of a request of ours; whoever only learns by it that there will be no answer fails that one. */
  readonly send: (message: string, request?: Wire.RequestId) => Effect.Effect<void>
  /** The request has its answer, or nobody waits for one any more. */
  readonly done?: (request: Wire.RequestId) => void
}

/** What a server may ask of us and tell us. */
export interface Listener {
  /** Interrupted when the server withdraws its request. */
  readonly request: (method: string, params: unknown) => Effect.Effect<unknown, Wire.RpcFault>
  readonly notified: (method: string, params: unknown) => Effect.Effect<void>
}

/** JSON-RPC with one MCP server, over whatever carries whole messages. */
export interface Link {
  /** Interruption withdraws the request with `notifications/cancelled`; a late answer is dropped. */
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    onProgress?: (progress: Progress) => void
  ) => Effect.Effect<unknown, Wire.RpcFault | LinkClosed>
  readonly notify: (method: string, params?: unknown) => Effect.Effect<void>
  /** Takes one message of the server; what is none is dropped. */
  readonly receive: (text: string) => void
  /** Ends one request, or all of them, that the server cannot answer any more. */
  readonly fail: (reason: string, id?: Wire.RequestId) => void
  /** Every request that waits fails, and so does every later one. */
  readonly close: (reason: string) => void
  readonly closed: Effect.Effect<string>
  readonly isOpen: () => boolean
}

interface Pending {
  readonly answer: Deferred.Deferred<unknown, Wire.RpcFault | LinkClosed>
  readonly onProgress: ((progress: Progress) => void) | undefined
}

const Progressed = Schema.Struct({
  progressToken: Schema.Union([Schema.Int, Schema.String]),
  progress: Schema.Finite,
  total: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  message: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const readProgress = Schema.decodeUnknownOption(Progressed)

const cancelled = Schema.decodeUnknownOption(Schema.Struct({ requestId: Schema.Union([Schema.Finite, Schema.String]) }))

/** Requests of the server that are being answered at the same time; more are refused. */
const maxServed = 32

export const make = Effect.fnUntraced(function*(
  { done, send }: Carrier,
  listener: Listener
): Effect.fn.Return<Link, never, Scope.Scope> {
  const fork = yield* FiberSet.makeRuntime<never, unknown, never>()
  const pending = new Map<Wire.RequestId, Pending>()
  const served = new Map<Wire.RequestId, Fiber.Fiber<unknown, unknown>>()
  const closed = Deferred.makeUnsafe<string>()
  let reason: string | undefined
  let last = 0

  const settle = (id: Wire.RequestId, exit: Exit.Exit<unknown, Wire.RpcFault | LinkClosed>) => {
    const waiting = pending.get(id)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting.answer, exit)
  }

  const reply = (id: Wire.RequestId, exit: Exit.Exit<unknown, unknown>) => {
    served.delete(id)
    return Exit.isSuccess(exit)
      ? send(Wire.success(id, exit.value).trimEnd())
      : send(Wire.failure(id, Wire.faultOf(exit.cause)).trimEnd())
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
        pending.get(JSON.stringify(progressToken))?.onProgress?.({
          progress,
          total: total ?? undefined,
          message: message ?? undefined
        })
        return
      }
      case "notifications/cancelled": {
        const found = cancelled(params)
        if (found._tag === "Some") served.get(JSON.stringify(found.value.requestId))?.interruptUnsafe()
        return
      }
      default:
        fork(listener.notified(method, params))
    }
  }

  const receive = (text: string): void => {
    // One revision of the protocol has batches.
    if (text.startsWith("[")) return batch(text, receive)
    const message = Wire.read(text)
    switch (message._tag) {
      case "Request":
        return serve(message.id, message.method, message.params)
      case "Notification":
        return notified(message.method, message.params)
      case "Response":
        return settle(
          message.id,
          message.error === undefined ? Exit.succeed(message.result) : Exit.fail(Wire.faultFrom(message.error))
        )
    }
  }

  return {
    request: (method, params, onProgress) =>
      Effect.suspend(() => {
        if (reason !== undefined) return Effect.fail(new LinkClosed({ reason }))
        const requestId = ++last
        const id = JSON.stringify(requestId)
        const answer: Pending["answer"] = Deferred.makeUnsafe()
        pending.set(id, { answer, onProgress })
        const all = onProgress === undefined ? params : { ...params, _meta: { progressToken: requestId } }
        const withdraw = send(
          JSON.stringify({
            jsonrpc: "2.0",
            method: "notifications/cancelled",
            params: { requestId, reason: "The user cancelled." }
          })
        )
        return send(JSON.stringify({ jsonrpc: "2.0", id: requestId, method, params: all }), id).pipe(
          Effect.andThen(Deferred.await(answer)),
          Effect.onInterrupt(() => method === "initialize" ? Effect.void : withdraw),
          Effect.ensuring(Effect.sync(() => {
            pending.delete(id)
            done?.(id)
          }))
        )
      }),
    notify: (method, params) => send(JSON.stringify({ jsonrpc: "2.0", method, params })),
    receive,
    fail: (why, id) => {
      for (const one of id === undefined ? Array.from(pending.keys()) : [id]) {
        settle(one, Exit.fail(new LinkClosed({ reason: why })))
      }
    },
    close: (why) => {
      if (reason !== undefined) return
      reason = why
      for (const id of Array.from(pending.keys())) settle(id, Exit.fail(new LinkClosed({ reason: why })))
      Deferred.doneUnsafe(closed, Effect.succeed(why))
    },
    closed: Deferred.await(closed),
    isOpen: () => reason === undefined
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
