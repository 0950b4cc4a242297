import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionEvent } from "../../../src/domain/SessionEvent.ts"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as PromptContent from "../../../src/session/turn/PromptContent.ts"
import { make as makeHarness, newSession, prompt } from "../../support/SessionHarness.ts"
import { type Answer, make, told } from "../../support/ScriptedModel.ts"

const profile = (name: string, value: number) => ({ [`POSTERN_runtime_profiles__default__${name}`]: String(value) })

const scenario = (
  answers: ReadonlyArray<Answer>,
  variables: Readonly<Record<string, string>> = {},
  options: Parameters<typeof make>[1] = {}
) => {
  const { engine, requests } = make(answers, { contextWindow: 12_000, ...options })
  return { requests, harness: makeHarness(variables, { engine }) }
}

const open = Effect.fnUntraced(function*() {
  const session = yield* newSession()
  const events: Array<SessionEvent> = []
  session.attach({
    publish: (event) => Effect.sync(() => void events.push(event)),
    ask: () => Effect.never,
    choose: () => Effect.never
  })
  const store = yield* SessionStore
  return {
    session,
    events,
    transcript: store.transcript(session.sessionId),
    say: (text: string) => Effect.flatMap(prompt(session.sessionId, text), ({ end }) => end),
    of: <T extends SessionEvent["_tag"]>(tag: T) =>
      events.filter((event): event is Extract<SessionEvent, { _tag: T }> => event._tag === tag)
  }
})

const full: Answer = { text: "answer", usage: { input: 11_000, output: 10 } }

describe("A context that is nearly full", () => {
  it.live("is summarised before the next request, which goes on from the summary and the prompt", () => {
    const { harness, requests } = scenario([full, { text: "They want X." }, { text: "fine" }])
    return Effect.gen(function*() {
      const { of, say, session, transcript } = yield* open()
      yield* say("do X")
      const before = yield* transcript
      assert.strictEqual((yield* say("and Y")).text, "fine")
      assert.match(told(requests[1]!).at(-1)!, /^user: Summarise the conversation.+User: do X\nAssistant: answer/s)
      assert.deepStrictEqual(told(requests[2]!), [
        "user: [Earlier in this session]\nThey want X.",
        "assistant: I go on from there.",
        "user: and Y"
      ])
      assert.deepStrictEqual(of("CompactionChanged").map(({ compaction }) => compaction.status), [
        "in_progress",
        "completed"
      ])
      assert.strictEqual(of("CompactionSummary").map(({ text }) => text).join(""), "They want X.")
      // The transcript keeps its rows and their places.
      assert.deepStrictEqual((yield* transcript).slice(0, before.length), before)
      const used = of("Usage").map(({ used }) => used)
      assert.isBelow(used.at(-2)!, 11_000)
      assert.strictEqual(session.record().usage?.size, 12_000)
    }).pipe(Effect.provide(harness.layer))
  })

  const call = (path: string, input: number): Answer => ({
    calls: [{ name: "file_read", params: { path } }],
    usage: { input, output: 10 }
  })

  it.live("keeps every step of the running turn, the newest as it is, and of older ones the ends of what is long", () => {
    const { harness, requests } = scenario([
      { text: "hello" },
      call("long.txt", 10),
      call("short.txt", 11_000),
      { text: "They said hello." }
    ])
    return Effect.gen(function*() {
      const { say, session } = yield* open()
      writeFileSync(join(session.workspace.cwd, "long.txt"), "x".repeat(20_000))
      writeFileSync(join(session.workspace.cwd, "short.txt"), "y")
      yield* say("hello")
      yield* say("read both")
      const last = told(requests[4]!)
      assert.deepStrictEqual([...last.slice(0, 4), ...last.slice(5)], [
        "user: [Earlier in this session]\nThey said hello.",
        "assistant: I go on from there.",
        "user: read both",
        "assistant: <file_read>",
        "assistant: <file_read>",
        "tool: 1: y\n[1 line]"
      ])
      assert.match(last[4]!, /^tool: 1: x+\n\[… \d+ of \d+ characters left out …\]\nx+/)
      assert.isBelow(last[4]!.length, 2_200)
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("keeps what was done in the running turn before its user said more", () => {
    const { harness, requests } = scenario([{ text: "hello" }, call("a.txt", 11_000), { text: "Summary." }])
    return Effect.gen(function*() {
      const { say, session } = yield* open()
      writeFileSync(join(session.workspace.cwd, "a.txt"), "y")
      yield* say("hello")
      session.attach({
        publish: (event) =>
          event._tag === "ToolCallStarted"
            ? Effect.orDie(
              Effect.flatMap(PromptContent.prepare([{ type: "text", text: "and be quick" }]), session.steer)
            )
            : Effect.void,
        ask: () => Effect.never,
        choose: () => Effect.never
      })
      yield* say("read it")
      assert.deepStrictEqual(told(requests[3]!), [
        "user: [Earlier in this session]\nSummary.",
        "assistant: I go on from there.",
        "user: read it",
        "assistant: <file_read>",
        "tool: 1: y\n[1 line]",
        "user: and be quick"
      ])
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("is saved before clients are told of the compaction", () => {
    const { harness } = scenario([full, { text: "Summary." }])
    return Effect.gen(function*() {
      const { say, session } = yield* open()
      const store = yield* SessionStore
      let stored: ReadonlyArray<unknown> = []
      session.attach({
        publish: (event) =>
          event._tag === "CompactionChanged" && event.compaction.status === "completed"
            ? Effect.orDie(Effect.map(store.transcript(session.sessionId), (entries) => {
              stored = entries
            }))
            : Effect.void,
        ask: () => Effect.never,
        choose: () => Effect.never
      })
      yield* say("one")
      yield* say("two")
      const row = stored.find((entry) => (entry as { readonly _tag: string })._tag === "Compaction")
      assert.nestedPropertyVal(row, "compaction.status", "completed")
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("stays as it was, and no success is reported, when the summary cannot be saved", () => {
    const { harness, requests } = scenario([full, { text: "Lost summary." }, { text: "fine" }])
    return Effect.gen(function*() {
      const { of, say, session } = yield* open()
      yield* say("do X")
      session.attach({
        publish: (event) =>
          Effect.sync(() => {
            if (event._tag === "CompactionSummary") harness.broken.add("checkpoint")
            if (event._tag === "CompactionChanged" && event.compaction.status === "failed") {
              harness.broken.delete("checkpoint")
            }
          }),
        ask: () => Effect.never,
        choose: () => Effect.never
      })
      yield* say("and Y")
      assert.deepStrictEqual(told(requests[2]!).slice(-3), ["user: do X", "assistant: answer", "user: and Y"])
      assert.deepStrictEqual(of("CompactionChanged").map(({ compaction }) => compaction.status), [
        "in_progress",
        "failed"
      ])
      assert.deepStrictEqual(of("Notice"), [])
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("loses its oldest turns, and says so, when the model gives no summary", () => {
    const long = "x".repeat(40_000)
    const { harness, requests } = scenario(
      [{ text: long }, { text: "answer", usage: { input: 28_000, output: 10 } }, { fails: "no" }, { text: "fine" }],
      {},
      { contextWindow: 30_000 }
    )
    return Effect.gen(function*() {
      const { of, say } = yield* open()
      yield* say("first")
      yield* say("second")
      assert.strictEqual((yield* say("third")).text, "fine")
      const last = told(requests[3]!)
      assert.match(
        last[0]!,
        /^user: \[Earlier in this session\]\n2 messages are left out here\. The user asked:\n- first$/
      )
      assert.deepStrictEqual(last.slice(1), [
        "assistant: I go on from there.",
        "user: second",
        "assistant: answer",
        "user: third"
      ])
      assert.deepInclude(of("HistoryTrimmed")[0], {
        droppedMessages: 2,
        keptTurns: 2,
        reason: "context token budget exceeded"
      })
      assert.lengthOf(of("Notice"), 1)
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("ends the summary with the turn when that is cancelled", () => {
    const { harness, requests } = scenario([full, { text: "Half a" }])
    return Effect.gen(function*() {
      const { of, say, session, transcript } = yield* open()
      yield* say("one")
      session.attach({
        publish: (event) =>
          event._tag === "CompactionSummary"
            ? Effect.forkDetach(session.cancel).pipe(Effect.andThen(Effect.never))
            : Effect.void,
        ask: () => Effect.never,
        choose: () => Effect.never
      })
      assert.strictEqual((yield* say("two")).stopReason, "cancelled")
      assert.deepStrictEqual(of("CompactionChanged").map(({ compaction }) => compaction.status), [
        "in_progress",
        "cancelled"
      ])
      assert.isTrue(
        (yield* transcript).some((entry) => entry._tag === "Compaction" && entry.compaction.status === "cancelled")
      )
      assert.lengthOf(requests, 2)
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("A count of tokens that cannot be true", () => {
  const words = "lorem ipsum ".repeat(2_500)

  it.live("does not keep the context from being made smaller: 100 for 90,000 characters", () => {
    const usage = { input: 100, output: 1 }
    const answers = [{ text: "one", usage }, { text: "two", usage }, { text: "three", usage }, { text: "Summary." }]
    const { harness, requests } = scenario(answers, {}, { contextWindow: 33_000 })
    return Effect.gen(function*() {
      const { of, say } = yield* open()
      for (const prompt of ["a", "b", "c", "d"]) yield* say(`${prompt} ${words}`)
      assert.strictEqual(told(requests[4]!)[0], "user: [Earlier in this session]\nSummary.")
      assert.isAbove(of("Usage")[2]!.used, 20_000)
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("does not make it smaller, and is not what clients are told: 90,000 for a few words", () => {
    const { harness, requests } = scenario([{ text: "one", usage: { input: 90_000, output: 10 } }])
    return Effect.gen(function*() {
      const { of, say } = yield* open()
      yield* say("hello")
      assert.isBelow(of("Usage")[0]!.used, 10_000)
      yield* say("again")
      assert.deepStrictEqual(told(requests[1]!), ["user: hello", "assistant: one", "user: again"])
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("leaves what an earlier one taught", () => {
    const answers = [
      { text: "one", usage: { input: 6_000, output: 1 } },
      { text: "two", usage: { input: 90_000, output: 1 } },
      { text: "three", usage: { input: 1, output: 1 } }
    ]
    const { harness } = scenario(answers, {}, { contextWindow: 100_000 })
    return Effect.gen(function*() {
      const { of, say } = yield* open()
      for (const prompt of ["a", "b", "c"]) yield* say(`${prompt} ${words.slice(0, 400)}`)
      const [first, ...others] = of("Usage").map(({ used }) => used)
      assert.strictEqual(first, 6_001)
      for (const used of others) assert.approximately(used, 6_200, 200)
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("A model that says the context is too long", () => {
  it.live("gets it summarised, once, and is asked again", () => {
    const overflow: Answer = { fails: "too long", reason: "context_overflow" }
    const { harness, requests } = scenario([{ text: "hello" }, overflow, { text: "Summary." }, overflow])
    return Effect.gen(function*() {
      const { say } = yield* open()
      yield* say("one")
      const failed = yield* Effect.flip(say("two"))
      assert.deepInclude(failed, { reason: "context_overflow" })
      assert.deepStrictEqual(told(requests[3]!), [
        "user: [Earlier in this session]\nSummary.",
        "assistant: I go on from there.",
        "user: two"
      ])
      assert.lengthOf(requests, 4)
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("More messages than max_history_messages", () => {
  it.live("go in whole turns, oldest first, and leave a note", () => {
    const { harness, requests } = scenario([], profile("max_history_messages", 5))
    return Effect.gen(function*() {
      const { of, say } = yield* open()
      for (const text of ["one", "two", "three", "four", "five"]) yield* say(text)
      assert.deepStrictEqual(told(requests[2]!), [
        "user: one",
        "assistant: done",
        "user: two",
        "assistant: done",
        "user: three"
      ])
      assert.deepStrictEqual(told(requests[3]!), [
        "user: [Earlier in this session]\n4 messages are left out here. The user asked:\n- one\n- two",
        "assistant: I go on from there.",
        "user: three",
        "assistant: done",
        "user: four"
      ])
      assert.match(told(requests[4]!)[0]!, /- one\n- two\n2 messages are left out here\. The user asked:\n- three$/)
      assert.deepInclude(of("HistoryTrimmed")[0], {
        droppedMessages: 4,
        keptTurns: 2,
        reason: "history message limit exceeded"
      })
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("max_context_tokens", () => {
  it.live("below what the agent's instructions take is named in the error", () => {
    const { harness } = scenario([], profile("max_context_tokens", 100))
    return Effect.gen(function*() {
      const failed = yield* Effect.flip((yield* open()).say("hello"))
      assert.deepInclude(failed, { reason: "context_too_small" })
      assert.match(failed.message, /alone take about \d+ tokens, but max_context_tokens is 100/)
    }).pipe(Effect.provide(harness.layer))
  })

  it.live("is the size of the context that clients are told", () => {
    const { harness } = scenario([], profile("max_context_tokens", 11_000))
    return Effect.gen(function*() {
      const { of, say } = yield* open()
      yield* say("hello")
      assert.strictEqual(of("Usage")[0]?.size, 11_000)
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("The cost of a session", () => {
  it.live("is reported after each request, and adds up over turns", () => {
    const prices = { input: 200, output: 1_000 }
    const read: Answer = {
      calls: [{ name: "file_list", params: { path: "." } }],
      usage: { input: 10_000, output: 1_000 }
    }
    const { harness } = scenario(
      [read, { text: "a", usage: { input: 5_000, output: 0 } }, { text: "b", usage: { input: 0, output: 1_000 } }],
      {},
      { prices, contextWindow: 100_000 }
    )
    return Effect.gen(function*() {
      const { of, say, session } = yield* open()
      yield* say("one")
      assert.deepStrictEqual(of("Usage").map(({ cost, used }) => [used, cost]), [[11_000, 3], [5_000, 4]])
      yield* say("two")
      assert.strictEqual(of("Usage").at(-1)?.cost, 5)
      assert.strictEqual((yield* (yield* SessionStore).get(session.sessionId)).usage?.cost, 5)
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("A prompt whose turn is cancelled before the model was asked", () => {
  it.live("is known to the model in the next turn", () => {
    const { harness, requests } = scenario([full, { text: "Half a" }, { text: "Summary." }, { text: "fine" }])
    return Effect.gen(function*() {
      const { say, session } = yield* open()
      yield* say("one")
      let cancels = 1
      session.attach({
        publish: (event) =>
          event._tag === "CompactionSummary" && cancels-- > 0
            ? Effect.forkDetach(session.cancel).pipe(Effect.andThen(Effect.never))
            : Effect.void,
        ask: () => Effect.never,
        choose: () => Effect.never
      })
      assert.strictEqual((yield* say("two")).stopReason, "cancelled")
      yield* say("three")
      assert.include(JSON.stringify(requests.map(told)), "two")
      assert.include(told(requests.at(-1)!).at(-1)!, "three")
    }).pipe(Effect.provide(harness.layer))
  })
})

describe("A count of tokens that cannot be true", () => {
  it.live("does not keep a context from being trimmed", () => {
    const counted = (text: string): Answer => ({ text, usage: { input: 100, output: 10 } })
    const { harness, requests } = scenario(
      [counted("one"), counted("two"), counted("three"), counted("four"), counted("five"), counted("six")],
      {},
      { contextWindow: 16_000 }
    )
    return Effect.gen(function*() {
      const { say } = yield* open()
      for (const word of ["a", "b", "c"]) yield* say(`${word} `.repeat(16_000))
      const largest = Math.max(...requests.map((request) => told(request).join("").length))
      assert.isBelow(largest, 16_000 * 8)
      assert.isAbove(requests.length, 3)
    }).pipe(Effect.provide(harness.layer))
  })
})
