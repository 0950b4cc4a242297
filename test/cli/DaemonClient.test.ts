import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { connect } from "../../src/cli/daemon/DaemonClient.ts"
import { layerSettings } from "../support/Settings.ts"
import { suiteFolder } from "../support/SuiteFolder.ts"

describe("the client of the daemon", () => {
  it.effect("gives up a daemon that does not answer initialize within 10 s", () =>
    Effect.gen(function*() {
      const folder = suiteFolder()
      mkdirSync(join(folder, "data"))
      let heard = () => {}
      const greeted = new Promise<void>((resolve) => heard = resolve)
      const server = createServer((socket) => socket.once("data", heard)).listen(join(folder, "data", "daemon.sock"))
      const waiting = yield* Effect.forkChild(
        Effect.flip(Effect.scoped(connect)).pipe(Effect.provide(layerSettings({ configDir: folder }, {})))
      )
      yield* Effect.promise(() => greeted)
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(waiting)
      assert.match(error.message, /does not answer within 10 seconds/)
      server.close()
    }))
})
