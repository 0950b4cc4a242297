import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Progress from "../../src/rpc/Progress.ts"

it.effect("a limit counts from the last sign of progress, not from the beginning", () =>
  Effect.gen(function*() {
    const progress = yield* Progress.make
    const waiting = yield* Effect.never.pipe(
      Progress.unlessSilent(progress, "30 seconds", () => Effect.fail("silent")),
      Effect.flip,
      Effect.forkChild({ startImmediately: true })
    )
    for (let sign = 0; sign < 10; sign++) {
      yield* TestClock.adjust("29 seconds")
      progress.mark()
    }
    yield* TestClock.adjust("29 seconds")
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* Fiber.join(waiting), "silent")
  }))
