import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import { join } from "node:path"
import * as FileLock from "../../src/platform/FileLock.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const holder = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const code = `import { Effect } from "effect"
        import * as FileLock from ${JSON.stringify(new URL("../../src/platform/FileLock.ts", import.meta.url).href)}
        setInterval(() => {}, 60_000)
        await Effect.runPromise(FileLock.within(${
        JSON.stringify(file)
      })(Effect.andThen(Effect.sync(() => console.log("held")), Effect.never)))`
      const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
        cwd: process.cwd(),
        stdio: ["ignore", "pipe", "inherit"]
      })
      await once(child.stdout, "data")
      return child
    }),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit")
      })
  )

describe("A file lock", () => {
  it.effect("is taken in turn within a process, and leaves an empty private file", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "new", "x.lock")
      const said: Array<string> = []
      const release = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        FileLock.within(file)(Effect.andThen(Effect.sync(() => said.push("first")), Deferred.await(release))),
        { startImmediately: true }
      )
      const second = yield* Effect.forkChild(FileLock.within(file)(Effect.sync(() => said.push("second"))), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(said, ["first"])
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(first)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(second)
      assert.deepStrictEqual(said, ["first", "second"])
      const { mode, size } = statSync(file)
      assert.deepStrictEqual([mode & 0o777, size], [0o600, 0])
    }))

  it.live("is held against other processes and free as soon as its holder is killed", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "x.lock")
      const child = yield* holder(file)
      const refused = yield* Effect.flip(FileLock.within(file, "20 millis")(Effect.void))
      assert.strictEqual(refused.reason, "held")
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      yield* FileLock.within(file, "20 millis")(Effect.void)
    }))

  it.effect("says why where no file can be", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(FileLock.within("/dev/null/x.lock")(Effect.void))
      assert.strictEqual(error.reason, "unusable")
      assert.match(error.message, /^\/dev\/null\/x\.lock cannot be locked: /)
    }))
})
