import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { Prompt } from "effect/ai"
import { messages as anthropic } from "../../src/model/anthropic/AnthropicMessages.ts"
import * as Images from "../../src/model/Images.ts"
import { messages as openAi } from "../../src/model/openai/OpenAiMessages.ts"
import { either } from "../support/Arbitraries.ts"
import type { Json } from "./Server.ts"
import { anthropicProblem, openAiProblem } from "./Validators.ts"

type Message = Prompt.MessageEncoded

const openAiMessages = (prompt: Prompt.Prompt, provider = "p", shortIds = false) =>
  openAi(prompt, { images: Images.none, provider, shortIds }) as ReadonlyArray<Json>
const anthropicMessages = (prompt: Prompt.Prompt) =>
  anthropic(prompt, "m", Images.none) as unknown as ReadonlyArray<Json>

const valueOf = <A>(...values: ReadonlyArray<A>) => either(...values.map((value) => Arbitrary.Constant(value)))

const text = valueOf("a", "", " ", "\n\n", "b c", "x".repeat(20), "😀 ")
const id = valueOf("a", "b", "call_1", "", "toolu_01:x", "x".repeat(80), "é", "functions.f:0")
const name = valueOf("f", "file_read<|channel|>commentary", "functions.file_list", "", "n".repeat(80), "a b ", "日本")
const params = valueOf<unknown>({}, { path: "a" }, "{'path': '.'}", "", null, [1], 7, "\"x\"", "{\"a\":1}}")
const thought = valueOf<Prompt.ReasoningPartEncoded>(
  { type: "reasoning", text: "hm" },
  { type: "reasoning", text: "hm", options: { openai: { by: "p", field: "reasoning_content" } } },
  { type: "reasoning", text: "hm", options: { openai: { by: "q", field: "reasoning" } } },
  { type: "reasoning", text: "hm", options: { anthropic: { model: "m", signature: "s" } } }
)
const call = Arbitrary.all({ id, name, params }).pipe(
  Arbitrary.map((one) => ({ type: "tool-call" as const, ...one }))
)
const said = Arbitrary.map(text, (one) => ({ type: "text" as const, text: one }))
const result = Arbitrary.all({ id, name, result: text, isFailure: valueOf(true, false) }).pipe(
  Arbitrary.map((one) => ({ type: "tool-result" as const, ...one }))
)
const several = <A>(one: Arbitrary.Arbitrary<A>, maxLength: number) => Arbitrary.array(one, { maxLength })
const message: Arbitrary.Arbitrary<Message> = either<Message>(
  Arbitrary.map(several(said, 2), (content) => ({ role: "user" as const, content })),
  Arbitrary.map(
    several(either<Prompt.AssistantMessagePartEncoded>(said, thought, call), 4),
    (content) => ({ role: "assistant" as const, content })
  ),
  Arbitrary.map(several(result, 3), (content) => ({ role: "tool" as const, content }))
)
const history = Arbitrary.map(
  several(message, 12),
  (messages) => Prompt.make([{ role: "system", content: "s" }, ...messages, { role: "user", content: "and now?" }])
)

describe("A history of anything that models, stops and other providers left in it", () => {
  it.prop(
    "is one that the strictest chat completions take",
    { history },
    ({ history }) => {
      const sent = openAiMessages(history)
      assert.isUndefined(openAiProblem(sent), JSON.stringify(sent))
    },
    { arbitrary: { runs: 3000 } }
  )

  it.prop(
    "is one that the Messages API takes",
    { history },
    ({ history }) => {
      const sent = anthropicMessages(history)
      assert.isUndefined(anthropicProblem(sent), JSON.stringify(sent))
    },
    { arbitrary: { runs: 3000 } }
  )

  it.prop(
    "is sent alike however often, and begins alike when more follows",
    { history },
    ({ history }) => {
      const sent = JSON.stringify(openAiMessages(history).slice(0, -1))
      const more = Prompt.concat(history, [{ role: "assistant", content: "yes" }, { role: "user", content: "more" }])
      assert.isTrue(JSON.stringify(openAiMessages(more)).startsWith(sent.slice(0, -1)))
    }
  )
})

const step = (id: string, result: string): ReadonlyArray<Message> => [
  { role: "assistant", content: [{ type: "tool-call", id, name: "file_read", params: { path: result } }] },
  { role: "tool", content: [{ type: "tool-result", id, name: "file_read", isFailure: false, result }] }
]

describe("What is sent of a history", () => {
  it("gives each of two calls with one id its own result, also in different turns", () => {
    const twice = Prompt.make([
      { role: "user", content: "read both" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", id: "x", name: "file_read", params: { path: "a" } },
          { type: "tool-call", id: "x", name: "file_read", params: { path: "b" } }
        ]
      },
      {
        role: "tool",
        content: ["text of a", "text of b"].map((result) => (
          { type: "tool-result" as const, id: "x", name: "file_read", isFailure: false, result }
        ))
      },
      ...step("x", "text of c")
    ])
    const results = openAiMessages(twice).filter(({ role }) => role === "tool")
    assert.deepStrictEqual(results.map((one) => [one["tool_call_id"], one["content"]]), [
      ["x", "text of a"],
      ["x_2", "text of b"],
      ["x_3", "text of c"]
    ])
  })

  it("says unreadable arguments under one key, and no arguments as an empty object", () => {
    const odd = (params: unknown) =>
      openAiMessages(Prompt.make([
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "tool-call", id: "a", name: "file_list", params }] }
      ]))[1]!["tool_calls"][0]["function"]["arguments"]
    assert.strictEqual(odd("{'path': '.'}"), "{\"unreadable\":\"{'path': '.'}\"}")
    assert.strictEqual(odd(""), "{}")
    assert.strictEqual(odd(null), "{}")
    assert.strictEqual(odd([1]), "{\"unreadable\":[1]}")
  })

  it("merges what a stop left: neighbours of one role, and a user behind results", () => {
    const sent = openAiMessages(Prompt.make([
      { role: "user", content: "first" },
      { role: "user", content: "second" },
      ...step("a", "text"),
      { role: "user", content: "third" }
    ]))
    assert.deepStrictEqual(sent.map(({ content, role }) => [role, content]), [
      ["user", "first\n\nsecond"],
      ["assistant", null],
      ["tool", "text"],
      ["assistant", "(The user wrote here.)"],
      ["user", "third"]
    ])
  })

  it("gives thoughts back to the provider that sent them with every answer that has calls, and to no other", () => {
    const thoughts = (text: string, by: string): Prompt.ReasoningPartEncoded => (
      { type: "reasoning", text, options: { openai: { by, field: "reasoning_content" } } }
    )
    const [first, ...rest] = step("a", "text")
    const prompt = Prompt.make([
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [thoughts("hm", "deepseek"), ...first!.content as ReadonlyArray<Prompt.ToolCallPartEncoded>]
      },
      ...rest,
      ...step("b", "more"),
      { role: "assistant", content: [thoughts("so", "deepseek"), { type: "text", text: "done" }] },
      { role: "user", content: "and now?" }
    ])
    const fields = (provider: string) =>
      openAiMessages(prompt, provider).filter(({ role }) => role === "assistant").map((one) => one["reasoning_content"])
    assert.deepStrictEqual(fields("deepseek"), ["hm", "", undefined])
    assert.deepStrictEqual(fields("other"), [undefined, undefined, undefined])
  })

  it("has ids of nine digits for a server that wants them", () => {
    const sent = openAiMessages(Prompt.make([{ role: "user", content: "go" }, ...step("toolu_1", "a")]), "p", true)
    assert.strictEqual(sent[1]!["tool_calls"][0]["id"], "000000000")
    assert.strictEqual(sent[2]!["tool_call_id"], "000000000")
  })
})
