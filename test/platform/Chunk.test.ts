import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer } from "effect"
import * as Chunk from "../../src/platform/Chunk.ts"
import * as Wire from "../../src/rpc/Wire.ts"
import * as Engine from "../../src/session/Engine.ts"
import { make, newSession, prompt } from "../support/SessionHarness.ts"

const gone = "./NoSuchChunk.js"
const sentence = "Postern was updated, restart it"

describe("A part of the program", () => {
  it.effect("is loaded once, and again only where that failed", () =>
    Effect.gen(function*() {
      const tries: Array<string> = []
      const part = Chunk.make(async () => {
        tries.push("try")
        if (tries.length === 1) throw new Error("not now")
        return tries.length
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(part)))
      assert.deepStrictEqual([yield* part, yield* part, tries.length], [2, 2, 2])
    }))

  it.live("whose file is gone answers requests with what to do", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(Chunk.make(() => import(gone)))
      const cause = Exit.isFailure(exit) ? exit.cause : Cause.empty
      assert.deepInclude(Wire.faultOf(cause), {
        code: -32603,
        message: sentence,
        data: { reason: "program_replaced" }
      })
      const other = Cause.die(new Error("a secret"))
      assert.deepInclude(Wire.faultOf(other), { message: "Internal error" })
    }))

  it.live("whose file is gone ends the turn that needs it with what to do", () => {
    const engine = Engine.lazy(Chunk.make(() => import(gone) as Promise<Layer.Layer<Engine.Engine>>))
    return Effect.gen(function*() {
      const { sessionId } = yield* newSession()
      const failed = yield* Effect.flip((yield* prompt(sessionId, "say hi")).end)
      assert.deepInclude(failed, { _tag: "TurnFailed", message: sentence, reason: "program_replaced" })
    }).pipe(Effect.provide(make({}, { engine }).layer))
  })
})
