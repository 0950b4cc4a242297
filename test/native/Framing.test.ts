import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { promise, served } from "../support/ServedDaemon.ts"

const limit = 8 * 1024 * 1024

/** A request of exactly so many bytes, newline not counted. */
const padded = (bytes: number) => {
  const frame = (fill: string) => JSON.stringify({ jsonrpc: "2.0", id: "big", method: "status", params: { fill } })
  return frame("x".repeat(bytes - frame("").length))
}

describe("A frame", () => {
  it.live("of 8 MiB is taken, and one byte more is answered with −32600 and the end of the connection", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const fits = yield* greet()
      fits.write(`${padded(limit)}\n`)
      assert.isDefined((yield* promise(() => fits.answer("big"))).result)
      const large = yield* greet()
      const before = large.messages.length
      large.write(padded(limit + 1))
      yield* promise(() => large.ended)
      assert.deepStrictEqual(large.messages.slice(before).map(({ error, id }) => [id, error?.code, error?.data]), [
        [null, -32600, { reason: "frame_too_large", limit_bytes: limit }]
      ])
      assert.isDefined((yield* promise(() => fits.request("status")))["server_version"], "others do not notice")
    }))

  it.effect("of which nothing comes for 30 s before its end ends the connection, and one that is only slow does not", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      client.write("{\"jsonrpc\":\"2.0\",")
      yield* promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
      for (let byte = 0; byte < 5; byte++) {
        client.write(" ")
        yield* promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        yield* TestClock.adjust("29 seconds")
      }
      assert.isFalse(client.over)
      yield* TestClock.adjust("1 second")
      yield* promise(() => client.ended)
      assert.deepStrictEqual(client.messages.at(-1)?.error?.data, { reason: "frame_timeout", limit_ms: 30_000 })
    }))

  it.effect("may be late by any time between frames", () =>
    Effect.gen(function*() {
      const { greet } = yield* served()
      const client = yield* greet()
      yield* TestClock.adjust("3 hours")
      assert.isDefined((yield* promise(() => client.request("status")))["server_version"])
    }))

  it.live("that is malformed is answered as its direction says, and the connection goes on", () =>
    Effect.gen(function*() {
      const { connect } = yield* served()
      const client = yield* connect()
      client.write([
        "{nonsense",
        "[]",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}]",
        "{\"id\":2,\"method\":\"status\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"status\",\"result\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":1,\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"zc-out-0\",\"result\":null}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such/method\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/list\"}",
        "",
        "  {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"no/such/method\"}  ",
        "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"status\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"zc-out-0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"zc-out-1\",\"method\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"initialize\",\"params\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\",\"params\":[]}",
        ""
      ].join("\n"))
      yield* promise(() => client.answer(7))
      assert.deepStrictEqual(client.messages.map(({ error, id }) => [id, error?.code]), [
        [null, -32700],
        [null, -32600],
        [null, -32600],
        [2, -32600],
        [null, -32600],
        [5, -32601],
        [6, -32010],
        [null, -32600],
        [null, -32600],
        [8, -32600],
        [7, -32602]
      ])
    }))
})

describe("A connection", () => {
  it.effect("that is not greeted within 30 s is closed without a word", () =>
    Effect.gen(function*() {
      const { connect, greet } = yield* served()
      const silent = yield* connect()
      const talks = yield* connect()
      const greeted = yield* greet()
      assert.strictEqual((yield* promise(() => talks.failure("status"))).code, -32010)
      yield* TestClock.adjust("30 seconds")
      yield* promise(() => Promise.all([silent.ended, talks.ended]))
      assert.deepStrictEqual([silent.messages.length, talks.messages.length], [0, 1])
      assert.isDefined((yield* promise(() => greeted.request("status")))["server_version"])
    }))

  it.live("beyond the limit gets one −32004 and the end; a place that becomes free is taken again", () =>
    Effect.gen(function*() {
      const { connect, greet } = yield* served({ maxConnections: 2 })
      const first = yield* greet()
      yield* greet()
      const refused = yield* connect()
      yield* promise(() => refused.ended)
      assert.deepStrictEqual(refused.messages.map(({ error, id }) => [id, error?.code, error?.data]), [
        [null, -32004, { reason: "connection_limit", limit: 2 }]
      ])
      first.close()
      const deadline = Date.now() + 10_000
      for (;;) {
        const next = yield* connect()
        next.send({ id: 1, method: "initialize" })
        const answered = yield* promise(() => next.answer(1).then(() => true, () => false))
        if (answered) break
        assert.isBelow(Date.now(), deadline, "the place is free at some time")
      }
    }))
})
