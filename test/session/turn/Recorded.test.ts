import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EngineLayer from "../../../src/app/EngineLayer.ts"
import type { SessionEvent, ToolCallState } from "../../../src/domain/SessionEvent.ts"
import type { PermissionRequest } from "../../../src/session/lifecycle/Attachment.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { folder, make, newSession, prompt } from "../../support/SessionHarness.ts"

/** A session of the real engine; `onCall` hears of every state of a call. */
const open = Effect.fnUntraced(function*(
  onCall: (call: ToolCallState, sessionId: string) => Effect.Effect<unknown>,
  onAsk: (request: PermissionRequest) => unknown = () => {}
) {
  const cwd = folder()
  const session = yield* newSession(cwd)
  session.attach({
    publish: (event: SessionEvent) =>
      event._tag === "ToolCallStarted" || event._tag === "ToolCallChanged"
        ? Effect.asVoid(onCall(event.call, session.sessionId))
        : Effect.void,
    ask: (request) => Effect.as(Effect.sync(() => onAsk(request)), { _tag: "AllowOnce" }),
    choose: () => Effect.never
  })
  const say = Effect.fnUntraced(function*(text: string) {
    return yield* Effect.result((yield* prompt(session.sessionId, text)).end)
  })
  const { policy, transcript } = yield* SessionStore
  const calls = Effect.map(
    transcript(session.sessionId),
    (entries) => entries.flatMap((entry) => entry._tag === "ToolCall" ? [entry.call] : [])
  )
  const decided = Effect.map(
    policy.trail(session.sessionId),
    ({ decisions }) => decisions.map(({ callId, outcome }) => [callId, outcome])
  )
  return { cwd, say, calls, decided }
})

const full = { POSTERN_policy__tool_approval: "universal_accept" }

describe("A tool call", () => {
  it.live("does not begin where its record cannot be written: the turn ends with the storage error", () => {
    const { broken, layer } = make(full, { engine: EngineLayer.layer })
    let isFull = true
    return Effect.gen(function*() {
      const { calls, cwd, decided, say } = yield* open(({ status }) =>
        Effect.sync(() => isFull && status === "in_progress" && broken.add("checkpoint"))
      )
      const end = yield* say("write first.txt\nx\n.\nwrite second.txt\nx\n.")
      assert.deepInclude(end, { _tag: "Failure" })
      assert.deepInclude(end._tag === "Failure" ? end.failure : {}, {
        _tag: "StoreFailed",
        message: "The disk is full"
      })
      assert.isFalse(existsSync(join(cwd, "first.txt")))
      assert.isFalse(existsSync(join(cwd, "second.txt")))
      const [call, ...more] = yield* calls
      assert.deepStrictEqual([call?.status, more], ["failed", []])
      assert.include(JSON.stringify(call?.content), "Not run")
      assert.deepStrictEqual(yield* decided, [[call?.toolCallId, "run"]])
      isFull = false
      broken.clear()
      assert.deepInclude(yield* say("write first.txt\nx\n."), { _tag: "Success" })
    }).pipe(Effect.provide(layer))
  })

  it.live("is not asked about where the question cannot be written", () => {
    const { broken, layer } = make({}, { engine: EngineLayer.layer })
    const asked: Array<PermissionRequest> = []
    return Effect.gen(function*() {
      const { cwd, say } = yield* open(
        ({ status }) => Effect.sync(() => status === "pending" && broken.add("checkpoint")),
        (request) => asked.push(request)
      )
      const end = yield* say("write a.txt\nx\n.")
      assert.deepInclude(end._tag === "Failure" ? end.failure : {}, { _tag: "StoreFailed" })
      assert.deepStrictEqual([asked, existsSync(join(cwd, "a.txt"))], [[], false])
    }).pipe(Effect.provide(layer))
  })

  it.live("that runs has its decision, the answer to its question and its beginning in the store", () => {
    const { layer } = make({}, { engine: EngineLayer.layer })
    return Effect.gen(function*() {
      const { policy, transcript } = yield* SessionStore
      const seen: Array<unknown> = []
      const { say } = yield* open(
        Effect.fnUntraced(function*({ content, status, toolCallId }, sessionId) {
          if (status !== "in_progress" || !JSON.stringify(content).includes("begun")) return
          const { approvals, decisions } = yield* policy.trail(sessionId)
          const rows = yield* transcript(sessionId)
          seen.push({
            decided: decisions.filter(({ callId }) => callId === toolCallId).map(({ outcome }) => outcome),
            answers: approvals.filter(({ callId }) => callId === toolCallId).map(({ answer }) => answer),
            rows: rows.flatMap((row) => row._tag === "ToolCall" ? [row.call.status] : [])
          })
        }, Effect.orDie)
      )
      assert.deepInclude(yield* say("run touch x; echo begun; sleep 0.6"), { _tag: "Success" })
      assert.deepStrictEqual(seen[0], { decided: ["ask"], answers: ["AllowOnce"], rows: ["in_progress"] })
    }).pipe(Effect.provide(layer))
  })
})
