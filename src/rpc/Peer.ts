import { Cause, Context, Deferred, Effect, Exit, Fiber, Scope, Semaphore, Stream } from "effect"
import type { Rpc, RpcGroup } from "effect/rpc"
import { CancelledByPeer, Connection, ConnectionClosed, make as makeRequester } from "./Connection.ts"
import * as Lines from "./Lines.ts"
import * as Progress from "./Progress.ts"
import type { PeerOptions } from "./Options.ts"
import * as Outbox from "./Outbox.ts"
import { CancelWith, routesOf, type RpcRoute } from "./Routes.ts"
import type { Transport } from "./Transport.ts"
import * as Wire from "./Wire.ts"

export { CancelledByPeer, CancelWith, Connection, ConnectionClosed }

interface Running {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly route: RpcRoute
  readonly params: unknown
}

const settleTime = "1 second"

/**
 * Serves one connection with the handlers in context until the far side closes its side; fails where it stopped reading. Both
 * directions share the connection; messages are taken in order, and each handler starts before the next message is
 * looked at.
 */
export const serve = <R extends Rpc.Any>(
  group: RpcGroup.RpcGroup<R>,
  transport: Transport,
  options: PeerOptions
): Effect.Effect<void, Outbox.ClientTooSlow, Rpc.ToHandler<R>> =>
  Effect.scoped(Effect.gen(function*() {
    const progress = yield* Progress.make
    const outbox = yield* Outbox.make(transport, {
      capacity: options.outbox,
      stall: options.stall,
      onProgress: progress.mark
    })
    const writer = yield* Effect.forkScoped(outbox.run)
    const requester = makeRequester(outbox, options.idPrefix, progress)
    const opened = options.open?.(requester.connection)
    const handlers = yield* Scope.fork(yield* Effect.scope, "parallel")
    // Released before the handlers: their last replies must not wait for a far side that no longer reads.
    yield* Effect.addFinalizer(() => outbox.shutdown)
    const services = Context.merge(
      Context.add(yield* Effect.context<Rpc.ToHandler<R>>(), Connection, requester.connection),
      opened?.services ?? Context.empty()
    ) as Context.Context<never>
    const routeTo = routesOf(group, services)
    const track = Fiber.runIn(handlers)
    const running = new Map<Wire.RequestId, Running>()
    const over = Deferred.makeUnsafe<void>()

    // Replies on their way into the outbox. Once as many wait there as it holds, nothing more is read.
    const leaving = Semaphore.makeUnsafe(options.outbox)

    const refuse = (id: Wire.RequestId, fault: Wire.RpcFault) =>
      leaving.withPermit(outbox.offer(Wire.failure(id, fault)))

    const reply = (id: Wire.RequestId, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
      running.delete(id)
      if (Exit.isSuccess(exit)) return leaving.withPermit(outbox.offer(Wire.success(id, exit.value)))
      const fault = Wire.faultOf(exit.cause)
      const answer = refuse(id, fault)
      return fault.code === Wire.internalError().code && !exit.cause.reasons.some(Cause.isFailReason)
        ? Effect.andThen(Effect.logError("a request failed", exit.cause), answer)
        : answer
    }

    const permitted = <A, E>(method: string, call: Effect.Effect<A, E>): Effect.Effect<A, E | Wire.RpcFault> =>
      opened?.permit ? Effect.andThen(opened.permit(method), call) : call

    /** When the message after this one may be looked at. */
    const next = (method: string, fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
      options.concurrent?.(method) === false ? Effect.asVoid(Fiber.await(fiber)) : leaving.withPermit(Effect.void)

    const onRequest = (id: Wire.RequestId, method: string, raw: unknown): Effect.Effect<void> => {
      if (running.has(id)) return refuse(id, Wire.invalidRequest({ reason: "id_in_use" }, "this id is in use"))
      const admitted = opened?.admit(method, raw)
      if (admitted?._tag === "Failure") return refuse(id, admitted.failure)
      const params = admitted ? admitted.success : raw
      const route = routeTo(method)
      if (!route) return refuse(id, Wire.methodNotFound({ method }, method))
      const fiber = route.launch(Effect.onExit(
        Effect.flatMap(
          permitted(method, route.invoke(params)),
          (value) => Effect.orDie(route.codec.encodeSuccess(value))
        ),
        (exit) => reply(id, exit)
      ))
      if (fiber.pollUnsafe() !== undefined) return Effect.void
      running.set(id, { fiber: track(fiber), route, params })
      return next(method, fiber)
    }

    const notified = (method: string, route: RpcRoute, params: unknown) =>
      track(route.launch(Effect.ignoreCause(permitted(method, route.invoke(params)), { log: "Debug" })))

    const onNotification = (method: string, raw: unknown): Effect.Effect<void> => {
      const admitted = opened?.admit(method, raw)
      if (admitted?._tag === "Failure") return Effect.void
      const params = admitted ? admitted.success : raw
      const route = routeTo(method)
      return route ? next(method, notified(method, route, params)) : Effect.void
    }

    const onCancelRequest = (params: unknown) => {
      const id = Wire.idText((params as { readonly requestId?: unknown } | undefined)?.requestId)
      const target = id === undefined ? undefined : running.get(id)
      if (target === undefined) return
      const { cancelWith = "" } = target.route
      const instead = routeTo(cancelWith)
      if (instead) void notified(cancelWith, instead, target.params)
      else target.fiber.interruptUnsafe(undefined, CancelledByPeer.annotation)
    }

    const onLine = (line: string | typeof Lines.TooLong): Effect.Effect<void> => {
      if (line === Lines.TooLong) {
        const data = { reason: "frame_too_large", limit_bytes: options.maxFrame }
        const refusal = refuse("null", Wire.invalidRequest(data, `a line is longer than ${options.maxFrame} bytes`))
        return options.endsOversize === true ? Effect.andThen(refusal, Deferred.succeed(over, undefined)) : refusal
      }
      const message = Wire.read(line, options.strict)
      switch (message._tag) {
        case "Request":
          return onRequest(message.id, message.method, message.params)
        case "Notification":
          if (message.method !== "$/cancel_request") return onNotification(message.method, message.params)
          return Effect.sync(() => onCancelRequest(message.params))
        case "Response":
          return requester.onResponse(message)
            ? Effect.void
            : Effect.logDebug("dropped an answer to no request of ours")
        case "Malformed":
          return refuse(message.id, message.fault)
        case "Dropped":
          return Effect.logDebug("dropped a frame", message.why)
      }
    }

    const takeAll = (lines: ReadonlyArray<string | typeof Lines.TooLong>) => {
      let at = 0
      return Effect.whileLoop({
        while: () => at < lines.length && !Deferred.isDoneUnsafe(over),
        body: () => onLine(lines[at++]!),
        step: () => {}
      })
    }

    const lines = Lines.make(options.maxFrame)
    const deadline = options.frameTimeout &&
      (yield* Lines.makeFrameDeadline(options.frameTimeout, lines.unfinished, (fault) =>
        Effect.andThen(refuse("null", fault), Deferred.succeed(over, undefined))))
    const takeChunks = (chunks: ReadonlyArray<Uint8Array>) => {
      const taken = chunks.flatMap(lines.push)
      // A whole line is an answer or is not; a part of one is on its way.
      if (lines.unfinished() !== undefined) {
        progress.mark()
      }
      return deadline ? deadline.around(takeAll(taken)) : takeAll(taken)
    }
    const reading = Stream.runForEachArray(transport.input, takeChunks).pipe(
      Effect.andThen(Effect.suspend(() =>
        takeAll(lines.end())
      )),
      Effect.ignore({ log: "Debug" })
    )
    let givenUp: Outbox.ClientTooSlow | undefined
    const ended = Effect.raceAllFirst([
      reading,
      Fiber.join(writer).pipe(
        Effect.catchTag("ClientTooSlow", (fault) =>
          Effect.andThen(
            Effect.logWarning(`a connection was given up: ${fault.message}`),
            Effect.sync(() => void (givenUp = fault))
          )),
        Effect.ignore({ log: "Debug" })
      ),
      transport.closed,
      Deferred.await(over),
      opened?.until ?? Effect.never
    ])

    const farewell = Effect.scoped(Effect.gen(function*() {
      // A peer that ended its input may still read, but need not: from here on a stalled peer is not waited for.
      const settled = yield* Effect.forkScoped(outbox.settle(writer, settleTime))
      if (opened) yield* opened.onEnd
      requester.close()
      yield* Fiber.awaitAll(Array.from(running.values(), ({ fiber }) => fiber)).pipe(Effect.timeoutOption(settleTime))
      yield* Scope.close(handlers, Exit.void)
      yield* outbox.end
      yield* Fiber.join(settled)
    }))

    // Open requests are answered also where this process is told to stop. In another fiber: one that is interrupted
    // cannot time out. A defect comes first: who asked hears of it, and not of the connection that it closed.
    yield* Effect.onExit(ended, (exit) =>
      Exit.hasDies(exit)
        ? Effect.void
        : Effect.flatMap(Effect.forkDetach(farewell, { startImmediately: true }), Fiber.await))
    if (givenUp !== undefined) return yield* givenUp
  }))
