import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Random, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ModelFault } from "../../src/model/ModelFault.ts"
import { firstOf } from "../../src/model/Models.ts"
import { RequestOptions } from "../../src/model/RequestOptions.ts"

const fault = (message: string, more: Partial<ConstructorParameters<typeof ModelFault>[0]> = {}) =>
  new ModelFault({ reason: "model_busy", transient: true, message, ...more })

/** Tries in their order: what each gives before it fails, if it fails. */
const candidate = (name: string, ...tries: ReadonlyArray<readonly [ReadonlyArray<string>, ModelFault?]>) => {
  let at = 0
  const seen = { name, tries: () => at }
  const stream = Stream.suspend(() => {
    const [parts, failure] = tries[Math.min(at++, tries.length - 1)]!
    const given = Stream.fromIterable(parts)
    return failure === undefined ? given : Stream.concat(given, Stream.fail(failure))
  })
  return { ...seen, stream }
}

const run = Effect.fnUntraced(function*(stream: Stream.Stream<string, ModelFault>) {
  const parts: Array<string> = []
  const exit = yield* Effect.exit(Stream.runForEach(stream, (part) => Effect.sync(() => parts.push(part))))
  return { parts, why: Exit.isFailure(exit) ? Exit.findErrorOption(exit) : undefined }
})

/** No chance in it: each rest is as long as it says. */
const even = Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0.5 })

const messageOf = (result: Effect.Success<ReturnType<typeof run>>) =>
  result.why?._tag === "Some" ? result.why.value.message : undefined

describe("A model's request", () => {
  it.effect(
    "is made again after one second, then two, four and eight, and no more",
    Effect.fnUntraced(function*() {
      const busy = candidate("a/m", [[], fault("busy")])
      const running = yield* Effect.forkChild(even(run(firstOf([busy]))), { startImmediately: true })
      const tries: Array<number> = [busy.tries()]
      for (const seconds of [1, 2, 4, 8]) {
        yield* TestClock.adjust(seconds * 1000 - 1)
        tries.push(busy.tries())
        yield* TestClock.adjust(1)
      }
      const result = yield* Fiber.join(running)
      assert.deepStrictEqual([...tries, busy.tries()], [1, 1, 2, 3, 4, 5])
      assert.strictEqual(messageOf(result), "busy")
    })
  )

  it.effect(
    "that works at the second try is as if it had worked at once",
    Effect.fnUntraced(function*() {
      const shaky = candidate("a/m", [[], fault("busy")], [["x", "y"]])
      const running = yield* Effect.forkChild(run(firstOf([shaky])), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(running), { parts: ["x", "y"], why: undefined })
    })
  )

  it.effect(
    "waits as long as the provider asks, up to a minute",
    Effect.fnUntraced(function*() {
      const patient = candidate("a/m", [[], fault("busy", { retryAfter: 45_000 })], [["x"]])
      const running = yield* Effect.forkChild(run(firstOf([patient])), { startImmediately: true })
      yield* TestClock.adjust(44_999)
      assert.strictEqual(patient.tries(), 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* Fiber.join(running)).parts, ["x"])
      const closed = candidate("a/m", [[], fault("busy", { retryAfter: 3_600_000 })])
      assert.strictEqual(messageOf(yield* run(firstOf([closed]))), "busy — it asks to wait 1h")
      assert.strictEqual(closed.tries(), 1)
    })
  )

  it.effect(
    "is not made again once something of its answer was seen",
    Effect.fnUntraced(function*() {
      const broken = candidate("a/m", [["x"], fault("lost")])
      const other = candidate("b/m", [["y"]])
      const result = yield* run(firstOf([broken, other]))
      assert.deepStrictEqual([result.parts, messageOf(result), broken.tries(), other.tries()], [["x"], "lost", 1, 0])
    })
  )

  it.effect(
    "goes to the next that is configured when it cannot work, one after the other",
    Effect.fnUntraced(function*() {
      const refused = candidate("a/m", [[], fault("wrong key", { reason: "model_key_refused", transient: false })])
      const unknown = candidate("b/m", [[], fault("no such model", { reason: "model_unknown", transient: false })])
      const good = candidate("c/m", [["z"]])
      assert.deepStrictEqual((yield* run(firstOf([refused, unknown, good]))).parts, ["z"])
      const result = yield* run(firstOf([refused, unknown]))
      assert.strictEqual(messageOf(result), "wrong key; and no such model")
      assert.strictEqual(result.why?._tag === "Some" && result.why.value.reason, "model_key_refused")
    })
  )

  it.effect(
    "that is too long goes to no other",
    Effect.fnUntraced(function*() {
      const long = candidate("a/m", [[], fault("too long", { reason: "context_overflow", transient: false })])
      const other = candidate("b/m", [["y"]])
      assert.strictEqual(messageOf(yield* run(firstOf([long, other]))), "too long")
      assert.strictEqual(other.tries(), 0)
    })
  )

  it.effect(
    "tells whoever waits why it takes longer",
    Effect.fnUntraced(function*() {
      const told: Array<string> = []
      const onNotice = (message: string) => Effect.sync(() => void told.push(message))
      const busy = candidate("a/m", [[], fault("busy", { retryAfter: 3000 })], [
        [],
        fault("wrong key", { transient: false })
      ])
      const running = yield* Effect.forkChild(
        run(firstOf([busy, candidate("b/m", [["x"]])])).pipe(
          Effect.provideService(RequestOptions, { thoughtLevel: "default", onNotice })
        ),
        { startImmediately: true }
      )
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual((yield* Fiber.join(running)).parts, ["x"])
      assert.deepStrictEqual(told, ["Trying again in 3s: busy", "Going on with b/m: wrong key"])
    })
  )

  it.effect(
    "ends at once when it is interrupted while it waits",
    Effect.fnUntraced(function*() {
      const busy = candidate("a/m", [[], fault("busy")])
      const running = yield* Effect.forkChild(run(firstOf([busy])), { startImmediately: true })
      yield* Fiber.interrupt(running)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(busy.tries(), 1)
    })
  )
})
