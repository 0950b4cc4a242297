import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Environment, type EnvironmentVariables } from "../../src/platform/Environment.ts"
import * as ConfigWatcher from "../../src/config/ConfigWatcher.ts"
import { LiveSettings } from "../../src/config/LiveSettings.ts"
import { Settings } from "../../src/config/Settings.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const toml = `[agents.main]
model = "local/qwen"

[providers.local]
kind = "openai-compatible"
base_url = "http://127.0.0.1:1"
api_key = "sk-the-first"
headers = { "X-A" = "one" }

[acp]
max_sessions = 3
`

const follow = Effect.fnUntraced(function*(text: string | undefined = toml, environment: EnvironmentVariables = {}) {
  const configDir = join(yield* temporaryFolder, "config")
  mkdirSync(configDir)
  const file = join(configDir, "config.toml")
  const write = (text: string) => Effect.sync(() => writeFileSync(file, text))
  if (text !== undefined) yield* write(text)
  const context = yield* Layer.build(
    ConfigWatcher.layer.pipe(
      Layer.provideMerge(Settings.layer({ configDir })),
      Layer.provide(Layer.succeed(Environment, environment))
    )
  )
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
  const { current, ...live } = Context.get(context, LiveSettings)
  return { file, write, logged, live, current: Effect.provide(current, logger) }
})

describe("ConfigWatcher", () => {
  it.effect("reads the file after any change, and returns the same object until then", () =>
    Effect.gen(function*() {
      const { current, live, write } = yield* follow()
      const before = yield* current
      assert.strictEqual(before.acp.maxSessions, 3)
      assert.strictEqual(yield* current, before)
      yield* write(toml.replace("= 3", "= 44"))
      assert.strictEqual(live.last(), before)
      const after = yield* current
      assert.strictEqual(after.acp.maxSessions, 44)
      assert.strictEqual(live.last(), after)
      yield* write(`# a remark\n${toml.replace("= 3", "= 44")}`)
      assert.strictEqual(yield* current, after)
    }))

  it.effect("reads changes made while the process started", () =>
    Effect.gen(function*() {
      const { current, write } = yield* follow()
      yield* write(toml.replace("= 3", "= 5"))
      assert.strictEqual((yield* current).acp.maxSessions, 5)
    }))

  it.effect("keeps the last configuration while the file is broken, and logs that once", () =>
    Effect.gen(function*() {
      const { current, file, logged, write } = yield* follow()
      const before = yield* current
      yield* write("[broken")
      assert.strictEqual(yield* current, before)
      assert.strictEqual(yield* current, before)
      assert.lengthOf(logged, 1)
      assert.include(logged[0], `the configuration stays as it was: ${file}:1`)
      yield* write(toml.replace("= 3", "= 5"))
      assert.strictEqual((yield* current).acp.maxSessions, 5)
      assert.lengthOf(logged, 1)
    }))

  it.effect("keeps the last configuration when the file is removed, also before the first look", () =>
    Effect.gen(function*() {
      const { current, file, logged, write } = yield* follow()
      rmSync(file)
      assert.strictEqual((yield* current).acp.maxSessions, 3)
      assert.strictEqual((yield* current).acp.maxSessions, 3)
      assert.deepStrictEqual(logged, [`the configuration stays as it was: ${file} is gone, or empty`])
      yield* write(toml.replace("= 3", "= 5"))
      assert.strictEqual((yield* current).acp.maxSessions, 5)
    }))

  it.effect("waits for the end of a file that is written piece by piece", () =>
    Effect.gen(function*() {
      const { current, file, live, logged, write } = yield* follow()
      const before = yield* current
      // Each of them could be a whole configuration: no limits, then no sessions.
      for (const part of ["", "[agents.main]\n", toml.slice(0, toml.indexOf("max_sessions")), "[half"]) {
        yield* write(part)
        const seen = yield* Effect.forkChild(current, { startImmediately: true })
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
        yield* write(toml.replace("= 3", "= 8"))
        assert.strictEqual(yield* Fiber.join(seen), before, part)
        yield* write(toml)
      }
      assert.deepStrictEqual(logged, [])
      yield* write(toml.replace("= 3", "= 8"))
      assert.strictEqual((yield* current).acp.maxSessions, 8)
      assert.isFalse(live.isGone())
      yield* write("")
      assert.isTrue(live.isGone())
      assert.strictEqual((yield* current).acp.maxSessions, 8)
      assert.deepStrictEqual(logged, [`the configuration stays as it was: ${file} is gone, or empty`])
    }))

  it.effect("keeps the last configuration when a pipe or a too large file replaces it", () =>
    Effect.gen(function*() {
      const { current, file, logged, write } = yield* follow()
      const before = yield* current
      rmSync(file)
      execFileSync("mkfifo", [file])
      assert.strictEqual(yield* current, before)
      rmSync(file)
      symlinkSync("/dev/zero", file)
      assert.strictEqual(yield* current, before)
      rmSync(file)
      yield* write(`# ${"x".repeat(1024 * 1024)}\n`)
      assert.strictEqual(yield* current, before)
      const plain = `the configuration stays as it was: ${file}: cannot be read: it is not a plain file`
      assert.deepStrictEqual(logged, [
        plain,
        plain,
        plain.replace("is not a plain file", "has more than 1048576 bytes")
      ])
    }))

  it.effect("reads a file that was replaced as a whole without waiting", () =>
    Effect.gen(function*() {
      const { current, live, write } = yield* follow()
      yield* current
      yield* write(toml.replace("= 3", "= 9"))
      yield* live.adopt
      assert.strictEqual(live.last().acp.maxSessions, 9)
      yield* write("")
      yield* live.adopt
      assert.deepStrictEqual([live.last().acp.maxSessions, live.isGone()], [10, false])
    }))

  it.effect("reads a file that is created later", () =>
    Effect.gen(function*() {
      const { current, logged, write } = yield* follow("", { POSTERN_acp__max_sessions: "7" })
      assert.deepStrictEqual(Array.from((yield* current).agents.keys()), ["default"])
      yield* write(toml)
      const { acp, agents } = yield* current
      assert.deepStrictEqual([acp.maxSessions, ...agents.keys()], [7, "main"])
      assert.deepStrictEqual(logged, [])
    }))

  it.effect("reports nothing when config.toml never existed", () =>
    Effect.gen(function*() {
      const { current, file, logged } = yield* follow("", { POSTERN_acp__max_sessions: "7" })
      rmSync(file)
      assert.strictEqual((yield* current).acp.maxSessions, 7)
      assert.deepStrictEqual(logged, [])
    }))

  it.effect("keeps the objects of unchanged providers only", () =>
    Effect.gen(function*() {
      const { current, write } = yield* follow()
      const local = (yield* current).providers.get("local")
      const next = Effect.fnUntraced(function*(text: string) {
        yield* write(text)
        return (yield* current).providers.get("local")
      })
      assert.strictEqual(yield* next(toml.replace("= 3", "= 4")), local)
      for (const [old, other] of [["the-first", "the-second"], ["\"one\"", "\"two\""], [":1\"", ":2\""]] as const) {
        const found = yield* next(toml.replace(old, other))
        assert.notStrictEqual(found, local)
      }
      assert.strictEqual(Redacted.value((yield* next(toml.replace("the-first", "the-third")))!.apiKey!), "sk-the-third")
    }))

  it.live("runs the callbacks of onChange until their scope ends", () =>
    Effect.gen(function*() {
      const { current, live, write } = yield* follow()
      const told: Array<number> = []
      const watch = live.onChange(Effect.sync(() => told.push(live.last().acp.maxSessions)))
      yield* Effect.scoped(Effect.gen(function*() {
        yield* watch
        yield* current
        yield* write(toml.replace("= 3", "= 6"))
        yield* current
        yield* Effect.yieldNow
      }))
      yield* write(toml.replace("= 3", "= 7"))
      yield* current
      yield* Effect.yieldNow
      assert.deepStrictEqual(told, [6])
    }))
})
