import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ServerResponse } from "node:http"
import { Writable } from "node:stream"
import { EventStream } from "../../src/gateway/http/EventStream.ts"
import { HttpConnection, maxWaiting } from "../../src/gateway/http/HttpConnection.ts"

/** A response whose client takes nothing until it is told to. */
class FakeResponse extends Writable {
  text = ""
  reads = true
  private taken: (() => void) | undefined

  constructor() {
    super({ highWaterMark: 64, decodeStrings: false })
  }

  writeHead(): this {
    return this
  }

  flushHeaders(): void {}

  override _write(chunk: string, _: BufferEncoding, done: () => void): void {
    this.text += chunk
    if (this.reads) done()
    else this.taken = done
  }

  readOn(): void {
    this.reads = true
    this.taken?.()
  }

  get asResponse(): ServerResponse {
    return this as unknown as ServerResponse
  }
}

const caller = { principal: "token:1", tokenId: "1", address: "127.0.0.1" }

describe("a stream of events", () => {
  it("counts what waits, sends it to the next reader, and has one reader", () => {
    let waiting = 0
    const stream = new EventStream((characters) => waiting += characters, () => {})
    stream.push("{\"a\":1}")
    assert.strictEqual(waiting, 7)
    const reader = new FakeResponse()
    assert.isTrue(stream.open(reader.asResponse, {}))
    assert.isFalse(stream.open(new FakeResponse().asResponse, {}))
    stream.push("{\"b\":2}")
    assert.strictEqual(reader.text, "data: {\"a\":1}\n\ndata: {\"b\":2}\n\n")
    assert.strictEqual(waiting, 0)
  })

  it("keeps what a slow reader has not taken, and disconnects one that takes nothing", async () => {
    let isLost = false
    const stream = new EventStream(() => {}, () => isLost = true)
    const reader = new FakeResponse()
    reader.reads = false
    stream.open(reader.asResponse, {})
    stream.push("x".repeat(100))
    stream.push("{}")
    stream.keepAlive()
    reader.readOn()
    await new Promise(setImmediate)
    assert.match(reader.text, /data: \{\}\n\n$/)
    reader.reads = false
    stream.push("x".repeat(100))
    stream.keepAlive()
    assert.isFalse(reader.destroyed)
    stream.keepAlive()
    await new Promise(setImmediate)
    assert.isTrue(reader.destroyed)
    assert.isTrue(isLost)
  })
})

describe("a connection over HTTP", () => {
  it.effect("sends comments while it is silent, and ends a minute after its last reader", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const now = () => clock.currentTimeMillisUnsafe()
      const connection = new HttpConnection(caller, now(), () => {})
      const reader = new FakeResponse()
      connection.open(reader.asResponse, {})
      const alive = yield* Effect.forkChild(connection.keepAlive(now), { startImmediately: true })
      yield* TestClock.adjust("45 seconds")
      assert.strictEqual(reader.text, ":\n\n:\n\n:\n\n")
      reader.destroy()
      yield* Effect.promise(() => new Promise(setImmediate))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(alive.pollUnsafe())
      yield* TestClock.adjust("16 seconds")
      yield* Fiber.join(alive)
    }))

  it.effect("makes its sessions wait where nobody reads, and lets them go on when somebody does", () =>
    Effect.gen(function*() {
      const connection = new HttpConnection(caller, 0, () => {})
      yield* connection.transport.write(`{"jsonrpc":"2.0","id":0,"result":{}}\n`)
      const update = (text: string) =>
        `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", text } })}\n`
      const large = update("x".repeat(1024 * 1024))
      const writing = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 32 }), () => connection.transport.write(large), { discard: true }),
        { startImmediately: true }
      )
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.isUndefined(writing.pollUnsafe())
      const reader = new FakeResponse()
      yield* connection.openSession("s", reader.asResponse, {}) ?? Effect.die("it has a reader")
      yield* Fiber.join(writing)
      assert.isAbove(reader.text.length, maxWaiting)
    }))
})
