import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { PassThrough } from "node:stream"
import { connect } from "../../src/cli/client/AgentConnection.ts"
import { fromStreams } from "../../src/rpc/Transport.ts"

const silent = Effect.gen(function*() {
  const notes: Array<string> = []
  const stdout = new PassThrough()
  const transport = fromStreams(stdout, new PassThrough())
  const process = { transport, ended: Effect.never, tail: () => "" }
  const far = {
    process,
    command: "sleep 60",
    own: false,
    junk: yield* Deferred.make<string>(),
    missing: (id: string) => Effect.die(`asked about ${id}`),
    onSlow: () => void notes.push("slow")
  }
  const onRawUpdate = () => {
    throw new RangeError("Maximum call stack\nsize exceeded")
  }
  const agent = connect(far, {
    onUpdate: () => {},
    onRawUpdate,
    onPermission: () => Effect.die("not asked here"),
    onForm: undefined
  })
  return { agent: yield* Effect.forkScoped(agent, { startImmediately: true }), notes, stdout }
})

describe("an agent that does not answer initialize", () => {
  it.effect("causes one note after 3 s, and an error after 30 s", () =>
    Effect.gen(function*() {
      const { agent, notes } = yield* silent
      yield* TestClock.adjust("2900 millis")
      expect(notes).toEqual([])
      yield* TestClock.adjust("100 millis")
      expect(notes).toEqual(["slow"])
      yield* TestClock.adjust("27 seconds")
      const error = yield* Effect.flip(Fiber.join(agent))
      expect(error.message).toBe("sleep 60 did not answer initialize within 30 s")
      expect(notes).toEqual(["slow"])
    }))
})

describe("a message that the client cannot process", () => {
  it.effect("fails the pending request with one line", () =>
    Effect.gen(function*() {
      const { agent, stdout } = yield* silent
      stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: {} })}\n`)
      const error = yield* Effect.flip(Fiber.join(agent))
      expect(error).toMatchObject({
        message: "the agent sent something that cannot be read: RangeError: Maximum call stack ⏎ size exceeded",
        exitCode: 1
      })
    }))
})
