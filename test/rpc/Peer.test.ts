import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Result, Schema } from "effect"
import { Rpc, RpcGroup, RpcMiddleware } from "effect/rpc"
import { TestClock } from "effect/testing"
import type { PeerOptions } from "../../src/rpc/Options.ts"
import { CancelWith, Connection, serve } from "../../src/rpc/Peer.ts"
import { RpcFault } from "../../src/rpc/Wire.ts"
import { makePeer } from "../support/ScriptedPeer.ts"

class PerConnection extends RpcMiddleware.Service<PerConnection, { provides: Connection }>()("test/PerConnection") {}

const Ask = Rpc.make("client/ask", {
  payload: { q: Schema.String },
  success: Schema.Struct({ a: Schema.String }),
  error: RpcFault
})

const Echo = Rpc.make("echo", {
  payload: { text: Schema.String },
  success: Schema.Struct({ text: Schema.String }),
  error: RpcFault
})
const Hang = Rpc.make("hang", { error: RpcFault })
const Boom = Rpc.make("boom", { error: RpcFault })
const Relay = Rpc.make("relay", {
  payload: { q: Schema.String },
  success: Schema.Struct({ a: Schema.String }),
  error: RpcFault
})
const Turn = Rpc.make("turn", { success: Schema.Struct({ end: Schema.String }), error: RpcFault }).annotate(
  CancelWith,
  "turn/stop"
)
const Stop = Rpc.make("turn/stop", { error: RpcFault })

class Api extends RpcGroup.make(Echo, Hang, Boom, Relay, Turn, Stop).middleware(PerConnection) {}

const options: PeerOptions = { maxFrame: 1000, outbox: 8, stall: "30 seconds", idPrefix: "out-" }

const start = (more: Partial<PeerOptions> = {}) =>
  Effect.gen(function*() {
    const wire = yield* makePeer
    const stopped = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const handlers = Api.toLayer(Api.of({
      echo: (payload) => Effect.succeed(payload),
      hang: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)),
      boom: () => Effect.die(new Error("secret detail")),
      relay: Effect.fnUntraced(function*(payload) {
        const connection = yield* Connection
        return yield* connection.request(Ask, payload).pipe(
          Effect.catchTag("ConnectionClosed", () => Effect.succeed({ a: "closed" })),
          Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.succeed({ a: "nobody" }) })
        )
      }),
      turn: () => Effect.as(Deferred.await(stopped), { end: "stopped" }),
      "turn/stop": () => Effect.asVoid(Deferred.succeed(stopped, undefined))
    }))
    const served = yield* Effect.forkChild(
      Effect.provide(serve(Api, wire.transport, { ...options, ...more }), handlers)
    )
    return { ...wire, served, interrupted }
  })

describe("A peer", () => {
  it.effect(
    "answers every kind of failure with its own code and nothing private",
    Effect.fnUntraced(function*() {
      const { hear, say } = yield* start()
      yield* say({ id: 1, method: "echo", params: { text: "a" } })
      assert.deepStrictEqual(yield* hear, { jsonrpc: "2.0", id: 1, result: { text: "a" } })
      yield* say({ id: "1", method: "nope" })
      assert.deepInclude((yield* hear)["error"] as object, {
        code: -32601,
        data: { reason: "method_not_found", method: "nope" }
      })
      yield* say({ id: 2, method: "echo", params: { text: 7 } })
      const invalid = (yield* hear)["error"] as { code: number; message: string; data: object }
      assert.strictEqual(invalid.code, -32602)
      assert.include(invalid.message, "text")
      assert.deepStrictEqual(invalid.data, { reason: "invalid_params", field: "text" })
      yield* say({ id: 3, method: "boom" })
      assert.deepStrictEqual((yield* hear)["error"], {
        code: -32603,
        message: "Internal error",
        data: { reason: "internal_error" }
      })
    })
  )

  it.effect(
    "refuses an id that is in use, and honours $/cancel_request",
    Effect.fnUntraced(function*() {
      const { hear, interrupted, say } = yield* start()
      yield* say({ id: 1, method: "hang" })
      yield* say({ id: 1, method: "echo", params: { text: "a" } })
      assert.deepInclude(yield* hear, { id: 1 })
      yield* say({ id: "1", method: "echo", params: { text: "other id" } })
      assert.deepStrictEqual((yield* hear)["id"], "1")
      yield* say({ method: "$/cancel_request", params: { requestId: 1 } })
      yield* Deferred.await(interrupted)
      assert.deepInclude((yield* hear)["error"] as object, { code: -32800 })
    })
  )

  it.effect(
    "lets a request end in its own way when the contract names another method for cancelling",
    Effect.fnUntraced(function*() {
      const { hear, say } = yield* start()
      yield* say({ id: 9, method: "turn" })
      yield* say({ method: "$/cancel_request", params: { requestId: 9 } })
      assert.deepStrictEqual(yield* hear, { jsonrpc: "2.0", id: 9, result: { end: "stopped" } })
    })
  )

  it.effect(
    "asks the far side, takes the answer, withdraws what it no longer waits for and drops what comes late",
    Effect.fnUntraced(function*() {
      const { hear, heard, say } = yield* start()
      yield* say({ id: 1, method: "relay", params: { q: "x" } })
      assert.deepStrictEqual(yield* hear, { jsonrpc: "2.0", id: "out-0", method: "client/ask", params: { q: "x" } })
      yield* say({ id: 1, method: "relay", params: { q: "same id, other direction" } })
      assert.deepInclude((yield* hear)["error"] as object, { code: -32600 })
      yield* say({ id: "out-0", result: { a: "yes" } })
      assert.deepStrictEqual(yield* hear, { jsonrpc: "2.0", id: 1, result: { a: "yes" } })
      yield* say({ id: 2, method: "relay", params: { q: "y" } })
      yield* hear
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* hear, {
        jsonrpc: "2.0",
        method: "$/cancel_request",
        params: { requestId: "out-1" }
      })
      assert.deepStrictEqual(yield* hear, { jsonrpc: "2.0", id: 2, result: { a: "nobody" } })
      yield* say({ id: "out-1", result: { a: "late" } })
      yield* say({ id: 3, method: "relay", params: { q: "z" } })
      assert.deepStrictEqual((yield* hear)["id"], "out-2")
      yield* say({ id: "out-2", error: { code: 5, message: "no", data: { why: "because" } } })
      assert.deepStrictEqual((yield* hear)["error"], { code: 5, message: "no", data: { why: "because" } })
      assert.deepStrictEqual(yield* heard, [])
    })
  )

  it.effect(
    "never answers a notification, known or unknown, good or bad",
    Effect.fnUntraced(function*() {
      const { heard, say } = yield* start()
      yield* say({ method: "echo", params: { text: 1 } })
      yield* say({ method: "boom" })
      yield* say({ method: "$/whatever", params: {} })
      yield* say({ id: 1, method: "echo", params: { text: "end" } })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* heard).map(({ id }) => id), [1])
    })
  )

  it.effect(
    "skips a line that is too long and stays usable",
    Effect.fnUntraced(function*() {
      const { hear, say } = yield* start()
      yield* say("x".repeat(2000) + "\n")
      assert.deepInclude((yield* hear)["error"] as object, {
        code: -32600,
        data: { reason: "frame_too_large", limit_bytes: 1000 }
      })
      yield* say({ id: 1, method: "echo", params: { text: "still here" } })
      assert.deepInclude(yield* hear, { id: 1 })
    })
  )

  it.effect(
    "lets its owner refuse or rewrite what comes in, and tells it when the far side is done",
    Effect.fnUntraced(function*() {
      let ended = false
      const { hangUp, hear, say, served } = yield* start({
        open: () => ({
          services: Context.empty(),
          onEnd: Effect.sync(() => {
            ended = true
          }),
          admit: (method, params) =>
            method === "hang"
              ? Result.fail(new RpcFault({ code: 42, message: "not you" }))
              : Result.succeed({ text: "rewritten", ...(params as object) })
        })
      })
      yield* say({ id: 1, method: "hang" })
      assert.deepInclude((yield* hear)["error"] as object, { code: 42 })
      yield* say({ id: 2, method: "echo" })
      assert.deepStrictEqual((yield* hear)["result"], { text: "rewritten" })
      yield* hangUp
      yield* Fiber.join(served)
      assert.isTrue(ended)
    })
  )

  it.effect(
    "ends when the far side hangs up: waiting questions fail, running handlers are interrupted, replies still leave",
    Effect.fnUntraced(function*() {
      const { hangUp, heard, interrupted, say, served } = yield* start()
      yield* say({ id: 1, method: "hang" })
      yield* say({ id: 2, method: "relay", params: { q: "x" } })
      yield* hangUp
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(served)
      yield* Deferred.await(interrupted)
      const replies = (yield* heard).filter((message) => message["method"] === undefined)
      assert.deepStrictEqual(replies.map(({ id, result }) => [id, result]), [[2, { a: "closed" }], [1, undefined]])
    })
  )

  it.effect(
    "gives up a far side that stops reading, even with replies and a handler still waiting",
    Effect.fnUntraced(function*() {
      const wire = yield* makePeer
      const handlers = Api.toLayer(Api.of({
        echo: (payload) => Effect.succeed(payload),
        hang: () => Effect.never,
        boom: () => Effect.void,
        relay: () => Effect.succeed({ a: "" }),
        turn: () => Effect.never,
        "turn/stop": () => Effect.void
      }))
      const served = yield* Effect.forkChild(
        Effect.provide(serve(Api, { ...wire.transport, write: () => Effect.never }, options), handlers)
      )
      yield* wire.say({ id: 0, method: "hang" })
      for (let id = 1; id < 40; id++) yield* wire.say({ id, method: "echo", params: { text: "unread" } })
      yield* TestClock.adjust("32 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(served)))._tag, "ClientTooSlow")
    })
  )

  it.effect(
    "reads no further while the far side takes no replies, and goes on where it stopped",
    Effect.fnUntraced(function*() {
      const wire = yield* makePeer
      const reads = yield* Deferred.make<void>()
      let asked = 0
      const handlers = Api.toLayer(Api.of({
        echo: (payload) => Effect.delay(Effect.sync(() => (asked++, payload)), "1 millis"),
        hang: () => Effect.never,
        boom: () => Effect.void,
        relay: () => Effect.succeed({ a: "" }),
        turn: () => Effect.never,
        "turn/stop": () => Effect.void
      }))
      const write = (text: string) => Effect.andThen(Deferred.await(reads), wire.transport.write(text))
      yield* Effect.forkChild(Effect.provide(serve(Api, { ...wire.transport, write }, options), handlers))
      for (let id = 0; id < 1000; id++) {
        yield* wire.say({ id, method: "echo", params: { text: "unread" } })
        yield* TestClock.adjust("1 millis")
      }
      // What is being written, what is queued, and what waits for the queue: eight of each.
      assert.isAtMost(asked, 3 * options.outbox + 1)
      yield* Deferred.succeed(reads, undefined)
      for (let id = 0; id < 1000; id++) {
        yield* TestClock.adjust("1 millis")
        assert.deepInclude(yield* wire.hear, { id, result: { text: "unread" } })
      }
    })
  )

  it.effect(
    "takes what is not concurrent in order, notifications too",
    Effect.fnUntraced(function*() {
      const { hear, heard, say } = yield* start({ concurrent: (method) => method === "turn" })
      yield* say({ method: "relay", params: { q: "x" } })
      yield* say({ id: 1, method: "echo", params: { text: "after" } })
      assert.deepInclude(yield* hear, { id: "out-0" })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* heard, [])
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* hear, { method: "$/cancel_request" })
      assert.deepInclude(yield* hear, { id: 1 })
    })
  )
})
