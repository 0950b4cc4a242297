import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import type { LiveSettings } from "../../../src/config/LiveSettings.ts"
import type { Settings } from "../../../src/config/Settings.ts"
import type { Engine } from "../../../src/session/Engine.ts"
import type { SessionEvent, TranscriptEntry } from "../../../src/domain/SessionEvent.ts"
import * as PromptContent from "../../../src/session/turn/PromptContent.ts"
import type { Session } from "../../../src/session/lifecycle/Session.ts"
import { SessionManager } from "../../../src/session/lifecycle/SessionManager.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { make as makeHarness, newSession, prompt, tagOf } from "../../support/SessionHarness.ts"
import { make, told } from "../../support/ScriptedModel.ts"

const read = (path: string) => ({ name: "file_read", params: { path } })

const say = (session: Session, text: string) =>
  Effect.flatMap(PromptContent.prepare([{ type: "text", text }]), session.steer)

const line = (entry: TranscriptEntry): string => {
  switch (entry._tag) {
    case "User":
      return `user: ${entry.content.map((block) => block.type === "text" ? block.text : block.type).join()}`
    case "Agent":
      return `agent: ${entry.text}`
    case "ToolCall":
      return `tool: ${entry.call.status}`
    default:
      return entry._tag
  }
}

/** A session whose events a test can act on, as its user would, the moment they are heard. */
const open = Effect.fnUntraced(function*(onEvent: (session: Session, event: SessionEvent) => Effect.Effect<unknown>) {
  const session = yield* newSession()
  const events: Array<SessionEvent> = []
  session.attach({
    publish: (event) => {
      events.push(event)
      return Effect.asVoid(onEvent(session, event))
    },
    ask: () => Effect.never,
    choose: () => Effect.never
  })
  const store = yield* SessionStore
  const transcript = Effect.map(store.transcript(session.sessionId), (entries) => entries.map(line))
  return { session, events, transcript }
})

const provided = (engine: Layer.Layer<Engine, never, LiveSettings | Settings>) =>
  Effect.provide(makeHarness({}, { engine }).layer)

/** At the first event of a kind. */
const once = (tag: SessionEvent["_tag"], act: (session: Session) => Effect.Effect<unknown, unknown>) => {
  let done = false
  return (session: Session, event: SessionEvent) => {
    if (done || event._tag !== tag) return Effect.void
    done = true
    return Effect.orDie(act(session))
  }
}

describe("A message to a running turn", () => {
  it.live("is sent to the model after the results of its calls, and has its place there in the transcript", () => {
    const { engine, requests } = make([{ text: "I look.", calls: [read("a.txt")] }, { text: "ok" }, { text: "fine" }])
    return Effect.gen(function*() {
      const { events, session, transcript } = yield* open(
        once("ToolCallStarted", (session) => Effect.andThen(say(session, "not that"), say(session, "b.txt")))
      )
      writeFileSync(join(session.workspace.cwd, "a.txt"), "A")
      const { end } = yield* prompt(session.sessionId, "read")
      assert.deepStrictEqual(yield* end, { stopReason: "end_turn", text: "ok" })
      assert.deepStrictEqual(told(requests[1]!).map((text) => text.split("\n")[0]!.slice(0, 20)), [
        "user: read",
        "assistant: I look.<f",
        told(requests[1]!)[2]!.split("\n")[0]!.slice(0, 20),
        "user: not that",
        "user: b.txt"
      ])
      assert.match(told(requests[1]!)[2]!, /^tool: /)
      assert.deepStrictEqual(yield* transcript, [
        "user: read",
        "agent: I look.",
        "tool: completed",
        "user: not that",
        "user: b.txt",
        "agent: ok"
      ])
      const heard = events.flatMap((event) => event._tag === "UserSaid" ? event.content : [])
      assert.deepStrictEqual(heard, [{ type: "text", text: "not that" }, { type: "text", text: "b.txt" }])
      yield* (yield* prompt(session.sessionId, "next")).end
      assert.deepStrictEqual(told(requests[2]!).slice(3), [
        "user: not that",
        "user: b.txt",
        "assistant: ok",
        "user: next"
      ])
    }).pipe(provided(engine))
  })

  it.live("continues a turn that was about to end, and the last stop reason counts", () => {
    const { engine, requests } = make([{ text: "cut", finish: "length" }, { text: "Both." }])
    return Effect.gen(function*() {
      const { session, transcript } = yield* open(once("Delta", (session) => say(session, "and b")))
      const { end } = yield* prompt(session.sessionId, "a")
      assert.deepStrictEqual(yield* end, { stopReason: "end_turn", text: "Both." })
      assert.deepStrictEqual(told(requests[1]!), ["user: a", "assistant: cut", "user: and b"])
      assert.deepStrictEqual(yield* transcript, ["user: a", "agent: cut", "user: and b", "agent: Both."])
    }).pipe(provided(engine))
  })

  it.live("is answered by the model when it comes during a slash command, with the context as the command left it", () => {
    const { engine, requests } = make([{ text: "hi" }, { text: "afresh" }])
    return Effect.gen(function*() {
      let commands = false
      const { session, transcript } = yield* open((session, event) =>
        commands && event._tag === "Delta" && event.text.startsWith("The model has forgotten")
          ? Effect.orDie(say(session, "who am I?"))
          : Effect.void
      )
      yield* (yield* prompt(session.sessionId, "I am Ada")).end
      commands = true
      const { end } = yield* prompt(session.sessionId, "/new")
      assert.match((yield* end).text, /afresh$/)
      assert.deepStrictEqual(told(requests[1]!), ["user: who am I?"])
      assert.deepStrictEqual((yield* transcript).slice(-2), ["user: who am I?", "agent: afresh"])
    }).pipe(provided(engine))
  })

  it.live("stays in transcript and context when the turn is cancelled before the next request", () => {
    const { engine, requests } = make([{ text: "half", calls: [{ name: "ask_user", params: { question: "q" } }] }])
    return Effect.gen(function*() {
      const started = Deferred.makeUnsafe<void>()
      const { session, transcript } = yield* open(
        once(
          "ToolCallStarted",
          (session) => Effect.andThen(say(session, "remember me"), Deferred.succeed(started, undefined))
        )
      )
      const { end } = yield* prompt(session.sessionId, "go")
      yield* Deferred.await(started)
      yield* session.cancel
      assert.strictEqual((yield* end).stopReason, "cancelled")
      assert.deepStrictEqual(yield* transcript, ["user: go", "agent: half", "tool: failed", "user: remember me"])
      yield* (yield* prompt(session.sessionId, "next")).end
      assert.deepStrictEqual(told(requests[1]!).slice(-2), ["user: remember me", "user: next"])
    }).pipe(provided(engine))
  })

  it.live("stays in transcript and context when the model fails", () => {
    const { engine, requests } = make([{ text: "half", fails: "the stream broke" }, { text: "x" }])
    return Effect.gen(function*() {
      const { session, transcript } = yield* open(once("Delta", (session) => say(session, "still here")))
      const { end } = yield* prompt(session.sessionId, "go")
      assert.strictEqual(yield* tagOf(end), "TurnFailed")
      assert.deepStrictEqual(yield* transcript, ["user: go", "agent: half", "user: still here"])
      yield* (yield* prompt(session.sessionId, "next")).end
      assert.deepStrictEqual(told(requests[1]!), ["user: go", "assistant: half", "user: still here", "user: next"])
    }).pipe(provided(engine))
  })

  it.live("is refused when no turn runs, while it is being cancelled, and when 32 messages wait", () => {
    const { engine } = make([{ calls: [{ name: "ask_user", params: { question: "q" } }] }])
    return Effect.gen(function*() {
      const started = Deferred.makeUnsafe<void>()
      const { session, transcript } = yield* open(once("ToolCallStarted", () => Deferred.succeed(started, undefined)))
      assert.strictEqual(yield* tagOf(say(session, "x")), "NoTurn")
      yield* prompt(session.sessionId, "go")
      yield* Deferred.await(started)
      for (let n = 0; n < 32; n++) yield* say(session, `${n}`)
      assert.deepInclude(yield* Effect.flip(say(session, "32")), { _tag: "SteeringFull", limit: 32 })
      const cancelling = yield* Effect.forkChild(session.cancel, { startImmediately: true })
      assert.strictEqual(yield* tagOf(say(session, "late")), "NoTurn")
      yield* Fiber.join(cancelling)
      assert.deepStrictEqual((yield* transcript).slice(2), Array.from({ length: 32 }, (_, n) => `user: ${n}`))
      assert.strictEqual(yield* tagOf(say(session, "x")), "NoTurn")
    }).pipe(provided(engine))
  })

  it.live("is either sent to the model or refused, at whatever moment of a turn's end it comes", () => {
    const { engine, requests } = make([])
    return Effect.gen(function*() {
      const sessions = yield* SessionManager
      const outcomes: Array<string> = []
      for (let n = 0; n < 60; n++) {
        const { session, transcript } = yield* open(() => Effect.void)
        const { end } = yield* prompt(session.sessionId, "first")
        for (let step = 0; step < n * 2; step++) yield* Effect.yieldNow
        const outcome = yield* tagOf(say(session, "said"))
        outcomes.push(outcome)
        yield* end
        yield* (yield* prompt(session.sessionId, "last")).end
        const expected = outcome === "ok" ? ["user: first", "user: said", "user: last"] : ["user: first", "user: last"]
        const said = (lines: ReadonlyArray<string>) => lines.filter((text) => text.startsWith("user: "))
        assert.deepStrictEqual([said(yield* transcript), said(told(requests.at(-1)!))], [expected, expected])
        yield* sessions.close(session.sessionId)
      }
      assert.sameMembers([...new Set(outcomes)], ["ok", "NoTurn"])
    }).pipe(provided(engine))
  })
})
