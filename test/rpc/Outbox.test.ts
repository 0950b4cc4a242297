import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Outbox from "../../src/rpc/Outbox.ts"

const delta = (key: string, text: string): Outbox.TextDelta => ({ key, text, frame: (all) => `<${key}:${all}>` })

describe("Merging", () => {
  it("joins neighbours of one message and never changes the order", () => {
    const items = [
      delta("a", "1"),
      delta("a", "2"),
      delta("b", "3"),
      "|",
      delta("b", "4"),
      delta("a", "5"),
      delta("a", "6")
    ]
    assert.strictEqual(Outbox.coalesce(items), "<a:12><b:3>|<b:4><a:56>")
  })

  it("stops at 16 KiB", () => {
    const half = "x".repeat(10 * 1024)
    assert.strictEqual(Outbox.coalesce([delta("a", half), delta("a", half)]), `<a:${half}><a:${half}>`)
  })
})

describe("The outbox", () => {
  it.effect(
    "makes producers wait while the far side is slow, merges what queued up, and flushes at the end",
    Effect.fnUntraced(function*() {
      const written: Array<string> = []
      const drained = yield* Deferred.make<void>()
      const outbox = yield* Outbox.make({
        write: (text) => Effect.suspend(() => written.push(text) === 1 ? Deferred.await(drained) : Effect.void),
        flush: Effect.sync(() => void written.push("flushed"))
      }, { capacity: 2, stall: "30 seconds" })
      const writer = yield* Effect.forkChild(outbox.run, { startImmediately: true })
      yield* outbox.offer(delta("a", "0"))
      yield* Effect.yieldNow
      const producer = yield* Effect.forkChild(
        Effect.forEach(["1", "2", "3", "4"], (text) => outbox.offer(delta("a", text))),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      assert.isUndefined(producer.pollUnsafe())
      yield* Deferred.succeed(drained, undefined)
      yield* Fiber.join(producer)
      yield* outbox.end
      yield* Fiber.join(writer)
      assert.strictEqual(written[0], "<a:0>")
      assert.strictEqual(written.at(-1), "flushed")
      assert.strictEqual(written.slice(1, -1).join("").replace(/<a:|>/g, ""), "1234")
      assert.isBelow(written.length, 6)
    })
  )

  it.effect(
    "holds no more characters than fit, besides the frame that passes it, and lets go of whoever waits at the end",
    Effect.fnUntraced(function*() {
      const outbox = yield* Outbox.make({ write: () => Effect.never, flush: Effect.void }, {
        capacity: 64,
        stall: "30 seconds"
      })
      yield* Effect.forkChild(outbox.run, { startImmediately: true })
      const frame = "x".repeat(3 * 1024 * 1024)
      const offered: Array<number> = []
      const producers = yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
        Effect.forkChild(
          Effect.andThen(outbox.offer(frame), Effect.sync(() => void offered.push(n))),
          { startImmediately: true }
        ))
      yield* Effect.yieldNow
      assert.deepStrictEqual(offered, [1, 2, 3], "3 MiB each, 8 MiB in all")
      yield* outbox.shutdown
      yield* Fiber.awaitAll(producers)
    })
  )

  it.effect(
    "waits for a far side that takes a little of one long write now and then, and gives it up once it takes nothing",
    Effect.fnUntraced(function*() {
      let unsent = 1000
      const outbox = yield* Outbox.make({ write: () => Effect.never, flush: Effect.void, unsent: () => unsent }, {
        capacity: 1,
        stall: "30 seconds"
      })
      const writer = yield* Effect.forkChild(Effect.exit(outbox.run), { startImmediately: true })
      yield* outbox.offer("a\n")
      for (let taken = 0; taken < 10; taken++) {
        yield* TestClock.adjust("25 seconds")
        unsent--
      }
      assert.isUndefined(writer.pollUnsafe())
      yield* TestClock.adjust("34 seconds")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(writer)))
    })
  )

  it.effect(
    "gives up a far side that takes nothing for the stall time, and releases everybody",
    Effect.fnUntraced(function*() {
      const outbox = yield* Outbox.make({ write: () => Effect.never, flush: Effect.void }, {
        capacity: 1,
        stall: "30 seconds"
      })
      const writer = yield* Effect.forkChild(Effect.exit(outbox.run), { startImmediately: true })
      yield* outbox.offer("a\n")
      yield* Effect.yieldNow
      const producer = yield* Effect.forkChild(Effect.forEach(["b\n", "c\n", "d\n"], outbox.offer), {
        startImmediately: true
      })
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(writer.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const exit = yield* Fiber.join(writer)
      assert.isTrue(
        Exit.isFailure(exit) &&
          exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error._tag === "ClientTooSlow")
      )
      yield* Fiber.join(producer)
    })
  )
})
