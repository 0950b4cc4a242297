import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { PassThrough } from "node:stream"
import { connect } from "../../src/cli/Agent.ts"
import { fromStreams } from "../../src/rpc/Transport.ts"

const silent = Effect.gen(function*() {
  const notes: Array<string> = []
  const transport = fromStreams(new PassThrough(), new PassThrough())
  const process = { transport, ended: Effect.never, tail: () => "" }
  const far = { process, command: "sleep 60", own: false, junk: yield* Deferred.make<string>(), onSlow: () => void notes.push("slow") }
  const agent = connect(far, { onUpdate: () => {}, onRawUpdate: () => {}, onPermission: () => Effect.die("not asked here") })
  return { agent: yield* Effect.forkScoped(agent, { startImmediately: true }), notes }
})

describe("an agent that does not answer initialize", () => {
  it.effect("is told about after three seconds, once, and given up after a minute", () =>
    Effect.gen(function*() {
      const { agent, notes } = yield* silent
      yield* TestClock.adjust("2900 millis")
      expect(notes).toEqual([])
      yield* TestClock.adjust("100 millis")
      expect(notes).toEqual(["slow"])
      yield* TestClock.adjust("60 seconds")
      const error = yield* Effect.flip(Fiber.join(agent))
      expect(error.message).toBe("sleep 60 does not speak ACP: no answer to initialize within 60 seconds")
      expect(notes).toEqual(["slow"])
    }))
})
