import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as PendingRequests from "../../src/rpc/PendingRequests.ts"
import * as Wire from "../../src/rpc/Wire.ts"

const response = (id: string) => {
  const message = Wire.read(`{"jsonrpc":"2.0","id":${id},"result":"yes"}`)
  if (message._tag !== "Response") throw new Error(`${id} is no id of a response`)
  return message
}

describe("an answer is that to the request", () => {
  it.effect.each([
    ["1", `"1"`],
    ["1", "1.0"],
    ["1", `"1.0"`],
    ["1", "1e0"],
    [`"zc-out-3"`, `"zc-out-3"`],
    [`"7"`, "7"]
  ])("%s where it has the id %s", ([id, answered]) =>
    Effect.gen(function*() {
      const pending = PendingRequests.make<never>()
      const waiting = yield* Effect.forkChild(pending.request(id!, Effect.void, Effect.void), {
        startImmediately: true
      })
      assert.isTrue(pending.onResponse(response(answered!)))
      assert.strictEqual(yield* Fiber.join(waiting), "yes")
    }))

  it.effect.each([["1", "2"], ["1", `""`], ["1", `" "`], ["1", "null"], ["0", "null"], ["0", `""`], [
    `"out-1"`,
    "1"
  ], ["1", `"one"`]])("%s and not to one with the id %s", ([id, answered]) =>
    Effect.gen(function*() {
      const pending = PendingRequests.make<string>()
      const waiting = yield* Effect.forkChild(Effect.flip(pending.request(id!, Effect.void, Effect.void)), {
        startImmediately: true
      })
      assert.isFalse(pending.onResponse(response(answered!)))
      pending.close("closed")
      assert.strictEqual(yield* Fiber.join(waiting), "closed")
    }))
})
