import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { SessionEvent } from "../../../src/domain/SessionEvent.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import { make as makeHarness, newSession, prompt } from "../../support/SessionHarness.ts"
import { type Answer, make, told } from "../../support/ScriptedModel.ts"

const read = (path: string, more: object = {}) => ({ name: "file_read", params: { path, ...more } })

const scenario = (answers: ReadonlyArray<Answer>, variables: Readonly<Record<string, string>> = {}) => {
  const { engine, requests } = make(answers)
  return { requests, harness: makeHarness(variables, { engine }) }
}

const open = Effect.fnUntraced(function*(files: Readonly<Record<string, string>> = {}) {
  const session = yield* newSession()
  const { cwd } = session.workspace
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const events: Array<SessionEvent> = []
  session.attach({
    publish: (event) => Effect.sync(() => void events.push(event)),
    ask: () => Effect.never,
    choose: () => Effect.never
  })
  const store = yield* SessionStore
  const calls = Effect.map(
    store.transcript(session.sessionId),
    (entries) => entries.flatMap((entry) => entry._tag === "ToolCall" ? [entry.call] : [])
  )
  return {
    session,
    events,
    calls,
    say: (text: string) => Effect.flatMap(prompt(session.sessionId, text), ({ end }) => end)
  }
})

describe("A turn that meets its limit of model requests", () => {
  const limit = { POSTERN_runtime_profiles__default__max_tool_iterations: "2" }
  const twice: ReadonlyArray<Answer> = [{ calls: [read("a.txt")] }, { calls: [read("b.txt")] }]

  it.live("ends with a summary the model was asked for without tools, and a note", () => {
    const { harness, requests } = scenario([...twice, { text: "Read two files." }, { text: "on" }], limit)
    return Effect.gen(function*() {
      const { events, say } = yield* open({ "a.txt": "A", "b.txt": "B" })
      const end = yield* say("read all")
      assert.strictEqual(end.stopReason, "max_turn_requests")
      assert.strictEqual(end.text, "Read two files.")
      const notices = events.flatMap((event) => event._tag === "Notice" ? [event.title] : [])
      assert.match(notices.join(), /^Stopped after 2 model requests, /)
      assert.strictEqual(requests[2]!.toolChoice, "none")
      assert.match(told(requests[2]!).at(-1)!, /^user: You have used all 2 model requests/)
      yield* say("go on")
      assert.deepStrictEqual(told(requests[3]!).slice(-2), ["assistant: Read two files.", "user: go on"])
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("fails with the name of the limit when there is no summary", () => {
    const { harness } = scenario([...twice, { text: " " }], limit)
    return Effect.gen(function*() {
      const { say } = yield* open()
      const failed = yield* Effect.flip(say("read all"))
      assert.include(failed.message, "limit of 2 model requests (max_tool_iterations)")
      assert.deepInclude(failed, { reason: "max_turn_requests" })
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("The end of a model's answer", () => {
  it.live("ends the turn with max_tokens when the answer was cut at its limit", () => {
    const { harness } = scenario([{ text: "cut", finish: "length" }])
    return Effect.gen(function*() {
      assert.strictEqual((yield* (yield* open()).say("go")).stopReason, "max_tokens")
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("ends the turn with refusal when the model refuses, and the next request leaves out its prompt", () => {
    const { harness, requests } = scenario([{ text: "hello" }, { calls: [read("a.txt")] }, {
      text: "no",
      finish: "content-filter"
    }, { text: "fine" }])
    return Effect.gen(function*() {
      const { say } = yield* open()
      yield* say("first")
      assert.strictEqual((yield* say("something bad")).stopReason, "refusal")
      yield* say("something good")
      assert.deepStrictEqual(told(requests[3]!), ["user: first", "assistant: hello", "user: something good"])
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("keeps the text in the transcript and in the context when the request fails", () => {
    const { harness, requests } = scenario([{ text: "half an ans", fails: "the stream broke" }, { text: "fine" }])
    return Effect.gen(function*() {
      const { say, session } = yield* open()
      const failed = yield* Effect.flip(say("first"))
      assert.include(failed.message, "the stream broke")
      const store = yield* SessionStore
      const entries = yield* store.transcript(session.sessionId)
      assert.deepInclude(entries.at(-1), { _tag: "Agent", text: "half an ans" })
      yield* say("second")
      assert.deepStrictEqual(told(requests[1]!), ["user: first", "assistant: half an ans", "user: second"])
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("The loop guard", () => {
  it.live("warns about the same call with the same result, then blocks it, then ends the turn", () => {
    const { harness, requests } = scenario(Array.from({ length: 9 }, () => ({ calls: [read("a.txt")] })))
    return Effect.gen(function*() {
      const { calls, events, say } = yield* open({ "a.txt": "A" })
      assert.strictEqual((yield* say("loop")).stopReason, "end_turn")
      assert.deepStrictEqual((yield* calls).map(({ status }) => status), [
        "completed",
        "completed",
        "completed",
        "failed",
        "failed"
      ])
      assert.lengthOf(requests, 5)
      assert.notInclude(told(requests[2]!).at(-1)!, "[Note:")
      assert.include(told(requests[3]!).at(-1)!, "[Note: file_read was called 3 times in a row")
      assert.include(told(requests[4]!).at(-1)!, "This call was not run: file_read was called 4 times in a row")
      const notices = events.filter((event) => event._tag === "Notice")
      assert.lengthOf(notices, 1)
      assert.include(notices[0]!.title, "file_read was called 5 times in a row")
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("lets the same call run as long as its result changes", () => {
    const again = { name: "shell", params: { command: "cat n; echo x >> n" } }
    const { harness, requests } = scenario([...Array.from({ length: 7 }, () => ({ calls: [again] })), { text: "ok" }])
    return Effect.gen(function*() {
      const { calls, say, session } = yield* open({ n: "" })
      yield* session.policy.set("tool_approval", "universal_accept", "user")
      assert.strictEqual((yield* say("watch")).text, "ok")
      assert.isTrue((yield* calls).every(({ status }) => status === "completed"))
      assert.notInclude(told(requests[7]!).join("\n"), "[Note:")
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("warns about two alternating calls in the fourth round, blocks them in the fifth and ends the turn in the sixth", () => {
    const { harness, requests } = scenario(
      Array.from({ length: 20 }, (_, i) => ({ calls: [read(i % 2 === 0 ? "a.txt" : "b.txt")] }))
    )
    return Effect.gen(function*() {
      const { calls, say } = yield* open({ "a.txt": "A", "b.txt": "B" })
      yield* say("swing")
      const statuses = (yield* calls).map(({ status }) => status)
      assert.deepStrictEqual(statuses, [...Array.from({ length: 9 }, () => "completed"), "failed", "failed", "failed"])
      assert.notInclude(told(requests[7]!).at(-1)!, "[Note:")
      assert.include(told(requests[8]!).at(-1)!, "[Note: the same two calls took turns 4 times")
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("ends the turn when a tool keeps failing in the same way, whatever its arguments", () => {
    const { harness, requests } = scenario(
      Array.from({ length: 9 }, (_, i) => ({ calls: [{ name: "nothing", params: { i } }] }))
    )
    return Effect.gen(function*() {
      const { say } = yield* open()
      yield* say("try")
      assert.lengthOf(requests, 5)
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("runs a call that stands twice in one answer once, and gives both a result", () => {
    const { harness, requests } = scenario([{ calls: [read("a.txt"), read("a.txt"), read("b.txt")] }])
    return Effect.gen(function*() {
      const { calls, say } = yield* open({ "a.txt": "A", "b.txt": "B" })
      yield* say("twice")
      assert.lengthOf(yield* calls, 2)
      assert.match(told(requests[1]!).at(-1)!, /^tool: 1: A.+ \| Skipped: the same call.+ \| 1: B/s)
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("A long tool result", () => {
  it.live("reaches the model with its first two thirds, its last third and a count", () => {
    const { harness, requests } = scenario([{ calls: [read("a.txt")] }], {
      POSTERN_runtime_profiles__default__max_tool_result_chars: "300"
    })
    return Effect.gen(function*() {
      const { calls, say } = yield* open({ "a.txt": `${"x".repeat(1000)}END` })
      yield* say("read")
      const result = told(requests[1]!).at(-1)!
      assert.match(result, /^tool: 1: x{147}\n\[… \d+ of \d+ characters left out …\]\nx+END\n\[1 line\]$/)
      assert.include(JSON.stringify((yield* calls)[0]!.content), "x".repeat(1000))
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("Calls of one answer that only read", () => {
  const three: ReadonlyArray<Answer> = [{ calls: [read("a.txt"), read("b.txt"), read("c.txt")] }]
  const files = { "a.txt": "A", "b.txt": "B", "c.txt": "C" }

  /** The first call that is shown as running waits for the last one to be shown. */
  const meeting = Effect.fnUntraced(
    function*(variables: Readonly<Record<string, string>>, patience: "5 seconds" | "50 millis") {
      const { harness, requests } = scenario(three, variables)
      return yield* Effect.gen(function*() {
        const { say, session } = yield* open(files)
        const third = yield* Deferred.make<void>()
        let running = 0
        let met = false
        session.attach({
          publish: (event) => {
            if (event._tag !== "ToolCallChanged" || event.call.status !== "in_progress") return Effect.void
            running++
            if (running === 3) return Deferred.succeed(third, undefined)
            return running > 1 ?
              Effect.void :
              Effect.map(Effect.timeoutOption(Deferred.await(third), patience), ({ _tag }) => {
                met = _tag === "Some"
              })
          },
          ask: () => Effect.never,
          choose: () => Effect.never
        })
        yield* say("read three")
        return { met, results: told(requests[1]!).at(-1)! }
      }).pipe(Effect.provide(harness.layer))
    }
  )

  it.live("run together with parallel_tools, and their results keep the order of the calls", () =>
    Effect.gen(function*() {
      const { met, results } = yield* meeting(
        { POSTERN_runtime_profiles__default__parallel_tools: "true" },
        "5 seconds"
      )
      assert.isTrue(met)
      assert.match(results, /^tool: 1: A.+ \| 1: B.+ \| 1: C/s)
    }))

  it.live("run one after the other without it", () =>
    Effect.gen(function*() {
      const { met, results } = yield* meeting({}, "50 millis")
      assert.isFalse(met)
      assert.match(results, /^tool: 1: A.+ \| 1: B.+ \| 1: C/s)
    }))

  it.live("wait with parallel_tools only for their own question, and questions come one at a time", () => {
    const { harness } = scenario(three, { POSTERN_runtime_profiles__default__parallel_tools: "true" })
    return Effect.gen(function*() {
      const { calls, say, session } = yield* open(files)
      yield* session.policy.set("tool_approval", "manual", "user")
      let asked = 0
      let pending = 0
      let most = 0
      const firstDone = Deferred.makeUnsafe<void>()
      session.attach({
        publish: (event) =>
          event._tag === "ToolCallChanged" && event.final ? Deferred.succeed(firstDone, undefined) : Effect.void,
        ask: () =>
          Effect.gen(function*() {
            asked++
            most = Math.max(most, ++pending)
            // Would never come if calls waited for the questions of others.
            if (asked === 3) yield* Deferred.await(firstDone)
            yield* Effect.yieldNow
            pending--
            return { _tag: "AllowOnce" } as const
          }),
        choose: () => Effect.never
      })
      yield* say("read three")
      assert.strictEqual(most, 1)
      assert.strictEqual(asked, 3)
      assert.isTrue((yield* calls).every(({ status }) => status === "completed"))
    }).pipe(Effect.provide(harness.layer))
  })
})
