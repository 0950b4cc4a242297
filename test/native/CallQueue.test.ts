import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeCallQueue } from "../../src/native/session/ClientSessions.ts"

const reasonOf = <A>(call: Fiber.Fiber<A, { readonly code: number; readonly data?: unknown }>) =>
  Effect.map(Effect.flip(Fiber.join(call)), ({ code, data }) => [code, (data as { reason: string }).reason])

const fork = <A, E>(call: Effect.Effect<A, E>) => Effect.forkChild(call, { startImmediately: true })

describe("Calls on one session", () => {
  it.effect("wait for each other in order, at most 32 of them; another session has a queue of its own", () =>
    Effect.gen(function*() {
      const { within } = makeCallQueue()
      const done: Array<number> = []
      const first = Deferred.makeUnsafe<void>()
      const running = yield* fork(within("s")(Deferred.await(first)))
      const waiting = yield* Effect.forEach(
        Array.from({ length: 32 }, (_, at) => at),
        (at) => fork(within("s")(Effect.sync(() => done.push(at))))
      )
      assert.deepStrictEqual(yield* reasonOf(yield* fork(within("s")(Effect.void))), [-32002, "queue_full"])
      yield* within("other")(Effect.void)
      assert.deepStrictEqual(done, [])
      yield* Deferred.succeed(first, undefined)
      yield* Fiber.awaitAll([running, ...waiting])
      assert.deepStrictEqual(done, Array.from({ length: 32 }, (_, at) => at))
      yield* within("s")(Effect.void)
    }))

  it.effect("give up after 30 s of waiting, and leave their place to others; what runs may take longer", () =>
    Effect.gen(function*() {
      const { within } = makeCallQueue()
      const first = Deferred.makeUnsafe<string>()
      const second = Deferred.makeUnsafe<string>()
      const running = yield* fork(within("s")(Deferred.await(first)))
      const early = yield* fork(within("s")(Effect.void))
      yield* TestClock.adjust("10 seconds")
      const late = yield* fork(within("s")(Deferred.await(second)))
      yield* TestClock.adjust("19999 millis")
      assert.isUndefined(early.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* reasonOf(early), [-32002, "queue_timeout"])
      yield* TestClock.adjust("5 seconds")
      yield* Deferred.succeed(first, "one")
      assert.strictEqual(yield* Fiber.join(running), "one")
      // It has begun: how long it waited does not matter any more.
      yield* TestClock.adjust("60 seconds")
      yield* Deferred.succeed(second, "two")
      assert.strictEqual(yield* Fiber.join(late), "two")
    }))
})
