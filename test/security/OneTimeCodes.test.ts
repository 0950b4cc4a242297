import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as OneTimeCodes from "../../src/security/OneTimeCodes.ts"
import { codeAt, wrongAt } from "../support/Authenticator.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

const base = suiteFolder()
let folders = 0
const settings = { period: 30, maxAttempts: 3 }

const machine = () => {
  const folder = join(base, `${++folders}`)
  mkdirSync(folder)
  return { configDir: folder, dataDir: join(folder, "data") }
}

/** A secret on a machine whose clock begins at 2001. */
const enrolled = Effect.gen(function*() {
  yield* TestClock.setTime(1_000_000_000_000)
  const folders = machine()
  const codes = OneTimeCodes.make(folders)
  const address = yield* codes.enroll(settings)
  const now = () => Effect.map(Effect.clockWith((clock) => clock.currentTimeMillis), (ms) => ms)
  const code = (steps = 0) => Effect.map(now(), (ms) => codeAt(address, ms + steps * 30_000))
  const wrong = Effect.map(now(), (ms) => wrongAt(address, ms))
  return { folders, codes, address, code, wrong }
})

const reason = (verified: Effect.Effect<unknown, OneTimeCodes.CodeRefused>) =>
  Effect.match(verified, { onFailure: ({ reason }) => reason, onSuccess: () => "taken" })

describe("the authenticator of the tests", () => {
  it("has the codes of RFC 6238, appendix B, of which six digits are the last six", () => {
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    const address = `otpauth://totp/x?secret=${secret}&period=30`
    const known = [[59, "287082"], [1111111109, "081804"], [1234567890, "005924"], [20000000000, "353130"]] as const
    for (const [seconds, code] of known) assert.strictEqual(codeAt(address, seconds * 1000), code)
  })
})

describe("one-time codes", () => {
  it.effect("count once, also one step early or late, and never after a later one", () =>
    Effect.gen(function*() {
      const { code, codes } = yield* enrolled
      const verify = (given: string) => reason(codes.verify(given, settings))
      const [old, early, present, late, later] = [
        yield* code(-2),
        yield* code(-1),
        yield* code(),
        yield* code(1),
        yield* code(2)
      ]
      assert.strictEqual(yield* verify(old), "wrong_code")
      assert.strictEqual(yield* verify(later), "wrong_code")
      assert.strictEqual(yield* verify(present), "taken")
      assert.strictEqual(yield* verify(present), "wrong_code")
      assert.strictEqual(yield* verify(early), "wrong_code")
      assert.strictEqual(yield* verify(` ${late.slice(0, 3)} ${late.slice(3)} `), "taken")
    }))

  it.effect("are taken by no process for five minutes after three wrong ones, not even a right one", () =>
    Effect.gen(function*() {
      const { code, codes, folders, wrong } = yield* enrolled
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.strictEqual(yield* reason(codes.verify(yield* wrong, settings)), "wrong_code")
      }
      const other = OneTimeCodes.make(folders)
      assert.strictEqual(yield* reason(other.verify("", settings)), "paused")
      assert.strictEqual(yield* reason(codes.verify(yield* code(), settings)), "paused")
      yield* TestClock.adjust("299 seconds")
      assert.strictEqual(yield* reason(other.verify(yield* code(), settings)), "paused")
      assert.isDefined(yield* other.pausedUntil)
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(yield* other.pausedUntil)
      assert.strictEqual(yield* reason(codes.verify(yield* code(), settings)), "taken")
    }))

  it.effect("forget wrong ones after a right one", () =>
    Effect.gen(function*() {
      const { code, codes, wrong } = yield* enrolled
      for (let round = 0; round < 3; round++) {
        yield* reason(codes.verify(yield* wrong, settings))
        yield* reason(codes.verify(yield* wrong, settings))
        assert.strictEqual(yield* reason(codes.verify(yield* code(), settings)), "taken")
        yield* TestClock.adjust("30 seconds")
      }
    }))

  it.effect("have a secret that nobody else can read, and one alone", () =>
    Effect.gen(function*() {
      const { address, code, codes, folders } = yield* enrolled
      const secret = new URL(address).searchParams.get("secret") ?? ""
      assert.match(secret, /^[A-Z2-7]{32}$/)
      for (
        const name of readdirSync(folders.configDir).filter((name) => statSync(join(folders.configDir, name)).isFile())
      ) {
        assert.strictEqual(statSync(join(folders.configDir, name)).mode & 0o777, 0o600, name)
        assert.notInclude(readFileSync(join(folders.configDir, name), "latin1"), secret)
      }
      assert.strictEqual(yield* reason(codes.enroll(settings)), "enrolled")
      chmodSync(join(folders.configDir, "otp-secret"), 0o644)
      assert.strictEqual(yield* reason(codes.verify(yield* code(), settings)), "unusable")
      chmodSync(join(folders.configDir, "otp-secret"), 0o600)
      assert.strictEqual(yield* reason(codes.disable(yield* code(1), settings)), "taken")
      assert.isFalse(codes.isEnrolled())
      assert.strictEqual(yield* reason(codes.verify(yield* code(), settings)), "not_enrolled")
    }))

  it.live("answer a question from another process, once, and only with a code", () =>
    Effect.gen(function*() {
      const folders = machine()
      const [asking, answering] = [OneTimeCodes.make(folders), OneTimeCodes.make(folders)]
      const address = yield* asking.enroll(settings)
      const id = OneTimeCodes.newId()
      const waiting = yield* Effect.forkChild(asking.approved({ id, what: "shell: make deploy" }), {
        startImmediately: true
      })
      assert.strictEqual(yield* reason(answering.approve("00000000", codeAt(address, Date.now()), settings)), "unknown")
      assert.strictEqual(yield* reason(answering.approve("../../x", codeAt(address, Date.now()), settings)), "unknown")
      assert.strictEqual(yield* reason(answering.approve(id, wrongAt(address, Date.now()), settings)), "wrong_code")
      assert.isUndefined(waiting.pollUnsafe())
      assert.strictEqual(yield* answering.approve(id, codeAt(address, Date.now()), settings), "shell: make deploy")
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(readdirSync(join(folders.dataDir, "otp-questions")), [])
      assert.strictEqual(
        yield* reason(answering.approve(id, codeAt(address, Date.now() + 30_000), settings)),
        "unknown"
      )
      assert.isTrue(existsSync(join(folders.configDir, "otp-secret")))
    }))
})
