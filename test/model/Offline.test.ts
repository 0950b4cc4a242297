import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import type { Prompt } from "effect/ai"
import { TestClock } from "effect/testing"
import { RequestOptions } from "../../src/model/RequestOptions.ts"
import { type Part, request, wholeAnswer } from "./Asked.ts"
import * as OfflineModel from "../../src/model/offline/OfflineModel.ts"

const options = { configFile: "/home/me/.postern/config.toml" }
const all = ["file_list", "file_read", "shell", "TodoWrite"]

const model = OfflineModel.make(options)

const stream = (prompt: Prompt.RawInput, tools: ReadonlyArray<string> = all) =>
  Effect.succeed(model(request(prompt, tools)))

const answer = (prompt: Prompt.RawInput, tools?: ReadonlyArray<string>) =>
  Effect.flatMap(stream(prompt, tools), (parts) => Stream.runCollect(parts))

const text = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part) => part.type === "text-delta" ? [part.delta] : []).join("")
const calls = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => part.type === "tool-call" ? [part] : [])
const finish = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => part.type === "finish" ? [part] : [])

const answered = (
  messages: ReadonlyArray<Prompt.MessageEncoded>,
  name: string,
  result: string,
  isFailure = false
): ReadonlyArray<Prompt.MessageEncoded> => [
  ...messages,
  { role: "assistant", content: [{ type: "tool-call", id: `id-${messages.length}`, name, params: {} }] },
  { role: "tool", content: [{ type: "tool-result", id: `id-${messages.length}`, name, isFailure, result }] }
]

describe("the offline model", () => {
  const noticesOf = Effect.fnUntraced(function*(prompt: Prompt.RawInput) {
    const notices: Array<string> = []
    yield* Effect.provideService(answer(prompt), RequestOptions, {
      thoughtLevel: "default",
      onNotice: (message) => Effect.sync(() => void notices.push(message))
    })
    return notices
  })

  it.effect(
    "says what it is once, where something that is no script is first asked",
    Effect.fnUntraced(function*() {
      const free = { role: "user", content: "fix my bug" } as const
      const script = { role: "user", content: "say hi" } as const
      const told = [expect.stringContaining("postern setup")]
      expect(yield* noticesOf([free])).toEqual(told)
      expect(yield* noticesOf([script])).toEqual([])
      expect(yield* noticesOf([script, { role: "assistant", content: "hi" }, free])).toEqual(told)
      expect(yield* noticesOf([free, { role: "assistant", content: "I am" }, { role: "user", content: "more" }]))
        .toEqual([])
      expect(yield* noticesOf(answered([free], "file_list", "a.txt"))).toEqual([])
    })
  )
})

describe("the offline model running a script", () => {
  it.effect(
    "goes on where the last tool call left off, result first",
    Effect.fnUntraced(function*() {
      const start = [{ role: "user", content: "say begin\nread a.txt\nsay middle\nrun ls\nsay end" }] as const
      const first = yield* answer(start)
      assert.strictEqual(text(first), "begin")
      assert.deepInclude(calls(first)[0], { name: "file_read", params: { path: "a.txt" } })
      assert.strictEqual(finish(first)[0]?.reason, "tool-calls")

      const read = answered(start, "file_read", "1: alpha\n2: beta")
      const second = yield* answer(read)
      assert.strictEqual(text(second), "`file_read`:\n```\n1: alpha\n2: beta\n```\n\nmiddle")
      assert.deepInclude(calls(second)[0], { name: "shell", params: { command: "ls" } })

      const third = yield* answer(answered(read, "shell", "no shell here", true))
      assert.strictEqual(text(third), "`shell` failed: no shell here\n\nend")
      assert.deepStrictEqual(calls(third), [])
      assert.strictEqual(finish(third)[0]?.reason, "stop")
    })
  )

  it.effect(
    "finds the first command behind what the memory put before it, and takes no command out of a memory",
    Effect.fnUntraced(function*() {
      const recalled = "[Memory context]\n- deploy: run rm -rf build\n[/Memory context]\n\n"
      const parts = yield* answer([{ role: "user", content: `${recalled}say hi\nread a.txt` }])
      assert.strictEqual(text(parts), "hi")
      assert.deepInclude(calls(parts)[0], { name: "file_read", params: { path: "a.txt" } })
      const open = yield* answer([{ role: "user", content: "[Memory context]\nrun rm -rf build" }], [])
      assert.deepStrictEqual(calls(open), [])
      assert.isTrue(text(open).startsWith("I am Postern's built-in offline model"))
    })
  )

  it.effect(
    "starts afresh with the next user message",
    Effect.fnUntraced(function*() {
      const earlier = answered([{ role: "user", content: "read a.txt" }], "file_read", "alpha")
      const parts = yield* answer([...earlier, { role: "assistant", content: "alpha" }, {
        role: "user",
        content: "read b.txt"
      }])
      assert.strictEqual(text(parts), "")
      assert.deepInclude(calls(parts)[0], { name: "file_read", params: { path: "b.txt" } })
    })
  )

  it.effect(
    "streams word by word, thoughts as reasoning",
    Effect.fnUntraced(function*() {
      const parts = yield* answer("think two words\nsay three more words")
      assert.deepStrictEqual(parts.map((part) => part.type), [
        "reasoning-start",
        "reasoning-delta",
        "reasoning-delta",
        "reasoning-end",
        "text-start",
        "text-delta",
        "text-delta",
        "text-delta",
        "text-end",
        "finish"
      ])
    })
  )

  it.effect(
    "streams exactly N deltas",
    Effect.fnUntraced(function*() {
      const parts = yield* answer("stream 1000")
      const deltas = parts.flatMap((part) => part.type === "text-delta" ? [part.delta] : [])
      assert.strictEqual(deltas.length, 1000)
      assert.strictEqual(deltas[0], "w000001 ")
      assert.strictEqual(deltas[999], "w001000 ")
    })
  )

  it.effect(
    "estimates tokens from bytes",
    Effect.fnUntraced(function*() {
      const usage = finish(yield* answer("say twelve bytes"))[0]?.usage
      assert.strictEqual(usage?.inputTokens.total, 8)
      assert.strictEqual(usage?.outputTokens.total, 3)
    })
  )

  it.effect(
    "cuts a long result at whole lines and says how much is missing",
    Effect.fnUntraced(function*() {
      const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`)
      const shown = text(yield* answer(answered([{ role: "user", content: "run x" }], "shell", lines.join("\n"))))
      assert.include(shown, "line 59\n```\n(440 more lines)")
      assert.notInclude(shown, "line 60")
      const long = text(yield* answer(answered([{ role: "user", content: "run x" }], "shell", "x".repeat(9000))))
      assert.include(long, "(5000 more characters)")
    })
  )

  it.effect(
    "fences a result that has fences itself",
    Effect.fnUntraced(function*() {
      const shown = text(
        yield* answer(answered([{ role: "user", content: "read a.md" }], "file_read", "```\ncode\n```"))
      )
      assert.include(shown, "````\n```\ncode\n```\n````")
    })
  )

  it.effect(
    "calls also a tool it was not offered, so that the gate answers",
    Effect.fnUntraced(function*() {
      assert.deepInclude(calls(yield* answer("call no_such_tool {}"))[0], { name: "no_such_tool", params: {} })
    })
  )

  it.effect(
    "says so when no tools are offered at all",
    Effect.fnUntraced(function*() {
      const parts = yield* answer("run ls\nsay on", [])
      assert.strictEqual(text(parts), "`shell` is not offered in this request.\n\non")
      assert.strictEqual(finish(parts)[0]?.reason, "stop")
    })
  )

  it.effect(
    "waits on the clock and can be interrupted meanwhile",
    Effect.fnUntraced(function*() {
      const seen: Array<string> = []
      const parts = yield* stream("say before\nwait 30\nsay after")
      const run = Stream.runForEach(
        parts,
        (part) => Effect.sync(() => part.type === "text-delta" && seen.push(part.delta))
      )
      const waiting = yield* Effect.forkChild(run, { startImmediately: true })
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(seen, ["before"])
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(seen, ["before", "\n\nafter"])

      seen.length = 0
      const cancelled = yield* Effect.forkChild(run, { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.interrupt(cancelled)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(seen, ["before"])
    })
  )

  it.effect(
    "thinks and speaks in one answer",
    Effect.fnUntraced(function*() {
      const answer = yield* wholeAnswer({ ask: model }, "think hm\nsay one two")
      assert.deepStrictEqual(answer, { text: "one two", thoughts: "hm", finish: "stop" })
    })
  )
})

describe("the offline model asked anything else", () => {
  const question = [{ role: "user", content: "What is this project about?" }] as const

  it.effect(
    "looks at the folder and its README, then says what it is",
    Effect.fnUntraced(function*() {
      const list = calls(yield* answer(question))
      assert.deepInclude(list[0], { name: "file_list", params: { path: "." } })
      const listed = answered(question, "file_list", "src/\nREADME.md\npackage.json")
      const read = calls(yield* answer(listed))
      assert.deepInclude(read[0], { name: "file_read", params: { path: "README.md", limit: 20 } })
      const last = yield* answer(
        answered(listed, "file_read", "1: <!-- logo -->\n2: # Wonderful Thing\n3: \n[3 lines]")
      )
      assert.deepStrictEqual(calls(last), [])
      for (const part of ["package.json", "Wonderful Thing", "read PATH"]) assert.include(text(last), part)
      assert.isTrue(text(last).startsWith("I am Postern's built-in offline model"))
      assert.include(text(last), "[providers.anthropic]")
      assert.notInclude(text(last), "ask QUESTION")
    })
  )

  it.effect(
    "says how it can be asked back where it can ask",
    Effect.fnUntraced(function*() {
      const [said] = OfflineModel.decide({ text: "hello", answers: [] }, new Set(["ask_user"]), options)
      const shown = said?._tag === "Say" ? said.text : ""
      for (const part of [options.configFile, "ask QUESTION"]) assert.include(shown, part)
    })
  )

  it.effect(
    "needs one call where there is no README, and none of it fails when the listing does",
    Effect.fnUntraced(function*() {
      const plain = yield* answer(answered(question, "file_list", "src/\nreadme_not.txt"))
      assert.deepStrictEqual(calls(plain), [])
      const refused = yield* answer(answered(question, "file_list", "Work mode chat does not allow reading", true))
      assert.deepStrictEqual(calls(refused), [])
      assert.include(text(refused), "I could not list the workspace: Work mode chat does not allow reading")
    })
  )

  it.effect(
    "answers without tools when it gets none",
    Effect.fnUntraced(function*() {
      const parts = yield* answer(question, [])
      assert.deepStrictEqual(calls(parts), [])
      assert.include(text(parts), "cannot look at the workspace")
    })
  )
})
