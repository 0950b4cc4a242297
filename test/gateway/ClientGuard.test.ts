import { assert, describe, it } from "@effect/vitest"
import * as ClientGuard from "../../src/gateway/ClientGuard.ts"

describe("the guard against guessing", () => {
  it("locks an address out for 300 s after five failures, and no other", () => {
    const guard = ClientGuard.make()
    for (let n = 0; n < 4; n++) guard.failed("a", n)
    assert.isUndefined(guard.lockedFor("a", 4))
    guard.failed("a", 1000)
    assert.strictEqual(guard.lockedFor("a", 1000), 300)
    assert.strictEqual(guard.lockedFor("a", 300_999), 1)
    assert.isUndefined(guard.lockedFor("b", 1000))
    assert.isUndefined(guard.lockedFor("a", 301_000))
  })

  it("forgets failures after a success, but ends no lock-out with one", () => {
    const guard = ClientGuard.make()
    for (let n = 0; n < 4; n++) guard.failed("a", n)
    guard.succeeded("a")
    guard.failed("a", 5)
    assert.isUndefined(guard.lockedFor("a", 6))
    for (let n = 0; n < 4; n++) guard.failed("a", 10 + n)
    guard.succeeded("a")
    assert.isDefined(guard.lockedFor("a", 20))
  })

  it("counts ten pairings a minute", () => {
    const guard = ClientGuard.make()
    for (let n = 0; n < 10; n++) assert.isUndefined(guard.pairing("a", n * 1000))
    assert.strictEqual(guard.pairing("a", 10_000), 50)
    assert.isUndefined(guard.pairing("b", 10_000))
    assert.isUndefined(guard.pairing("a", 60_000))
  })

  it("tracks 10,000 addresses, and forgets the one that was away longest", () => {
    const guard = ClientGuard.make()
    for (let n = 0; n < 5; n++) guard.failed("first", 0)
    for (let n = 0; n < 20_000; n++) guard.failed(`address ${n}`, n)
    assert.strictEqual(guard.size(), 10_000)
    assert.isUndefined(guard.lockedFor("first", 20_000))
  })
})
