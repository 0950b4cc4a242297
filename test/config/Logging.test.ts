import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted, References } from "effect"
import { parseLogLevel } from "../../src/config/LogLevels.ts"
import { defaultLevel, formatter, redactor } from "../../src/config/Logging.ts"

const lines = Effect.fnUntraced(function*(effect: Effect.Effect<void>, colour = false) {
  const written: Array<string> = []
  const format = formatter(redactor([Redacted.make("sk-\"very\"-secret"), Redacted.make("abc")]), colour)
  const logger = Logger.make((options) => {
    written.push(format.log(options))
  })
  yield* effect.pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Info"))
  return written
})

describe("log lines", () => {
  it.effect(
    "are one line of logfmt, also with a cause",
    Effect.fnUntraced(function*() {
      const [line = "", ...rest] = yield* lines(
        Effect.logError("two\nlines", new Error("broken")).pipe(Effect.annotateLogs("session", "s 1"))
      )
      assert.deepStrictEqual(rest, [])
      assert.notInclude(line, "\n")
      assert.include(line, "level=ERROR")
      assert.include(line, "session=\"s 1\"")
    })
  )

  it.effect(
    "hold no character that a terminal obeys",
    Effect.fnUntraced(function*() {
      const [line = ""] = yield* lines(Effect.logError("a\u001b[2J\u009b31m\u202eb", "/x\u200fy"))
      assert.notMatch(line, /\p{C}/u)
      assert.include(line, "\\u001b[2J\\u009b31m\\u202eb")
    })
  )

  it.effect(
    "never show a secret, quoted or not",
    Effect.fnUntraced(function*() {
      const written = yield* lines(Effect.andThen(
        Effect.logInfo("key is sk-\"very\"-secret"),
        Effect.logInfo("plain", Redacted.make("abc"), "abcdef").pipe(Effect.annotateLogs("key", "sk-\"very\"-secret"))
      ))
      assert.notInclude(written.join("\n"), "-secret")
      assert.include(written[1], "abcdef")
    })
  )

  it.effect(
    "below the level are left out, and colours are for terminals",
    Effect.fnUntraced(function*() {
      const effect = Effect.andThen(Effect.logDebug("no"), Effect.logWarning("yes"))
      const [plain = "", ...rest] = yield* lines(effect)
      assert.deepStrictEqual(rest, [])
      assert.notInclude(plain, "\u001b")
      const [bright = ""] = yield* lines(effect, true)
      assert.match(bright, /^\u001b\[33m.*\u001b\[0m$/)
    })
  )

  it("have every level that the help of --log-level offers", () => {
    const offered = "all|trace|debug|info|warn|warning|error|fatal|none".split("|")
    assert.deepStrictEqual(offered.map(parseLogLevel), [
      "All",
      "Trace",
      "Debug",
      "Info",
      "Warn",
      "Warn",
      "Error",
      "Fatal",
      "None"
    ])
  })

  it.effect(
    "are fewer at a terminal",
    Effect.fnUntraced(function*() {
      assert.deepStrictEqual([defaultLevel(true), defaultLevel(false)], ["Warn", "Info"])
    })
  )
})
