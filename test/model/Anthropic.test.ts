import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Prompt } from "effect/ai"
import { apiName } from "../../src/model/anthropic/Anthropic.ts"
import { asked, calls, finish, type Question, text } from "./Asked.ts"
import { type Answer, event, type Json, pieces, Server } from "./Server.ts"

const send = (type: string, more: Json = {}) => event({ type, ...more }, type)
const start = send("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    model: "claude",
    stop_reason: null,
    usage: { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 3000, output_tokens: 1 }
  }
})
const block = (index: number, content_block: Json, ...deltas: ReadonlyArray<Json>) =>
  send("content_block_start", { index, content_block }) +
  deltas.map((delta) => send("content_block_delta", { index, delta })).join("") +
  send("content_block_stop", { index })
const say = (index: number, ...texts: ReadonlyArray<string>) =>
  block(index, { type: "text", text: "" }, ...texts.map((text) => ({ type: "text_delta", text })))
const use = (index: number, id: string, name: string, ...json: ReadonlyArray<string>) =>
  block(
    index,
    { type: "tool_use", id, name, input: {} },
    ...json.map((partial_json) => ({ type: "input_json_delta", partial_json }))
  )
const end = (stop_reason: string, output_tokens = 25) =>
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } }) +
  send("message_stop")

const model = "claude-sonnet-4-6"

const provider = (url: string, more = "") =>
  `[providers.claude]\nkind = "anthropic"\nbase_url = "${url}"\napi_key = "sk-ant-secret"\n${more}`

const answered = Effect.fnUntraced(function*(answer: Answer, question: Partial<Question> = {}, more = "") {
  const server = yield* Server.make(answer)
  const given = yield* asked({ toml: provider(server.url, more), model: `claude/${model}`, ...question })
  return { ...given, request: server.seen[0]! }
})

const ok = pieces(start, say(0, "ok"), end("end_turn"))

describe("An answer of the Messages API", () => {
  it.live(
    "gives text as it comes, then why it ended and what it cost, cache included",
    Effect.fnUntraced(function*() {
      const { fault, parts } = yield* answered(
        pieces(start, send("ping"), say(0, "Hel", "lo"), send("some_later_event", { x: 1 }), end("end_turn"))
      )
      assert.isUndefined(fault)
      assert.strictEqual(text(parts), "Hello")
      assert.strictEqual(finish(parts)?.reason, "stop")
      assert.deepInclude(finish(parts)!.usage.inputTokens, {
        total: 3210,
        uncached: 10,
        cacheRead: 3000,
        cacheWrite: 200
      })
      assert.strictEqual(finish(parts)!.usage.outputTokens.total, 25)
    })
  )

  it.live(
    "is the same however the network cuts it",
    Effect.fnUntraced(function*() {
      const whole = (start + say(0, "Grüße, 👋🏽") + use(1, "toolu_1", "read", "{\"path\": \"", "ö\"}") + end("tool_use"))
        .replaceAll("\n", "\r\n")
      const { parts } = yield* answered(pieces(...Array.from(Buffer.from(whole), (byte) => Buffer.of(byte))), {
        tools: ["read"]
      })
      assert.strictEqual(text(parts), "Grüße, 👋🏽")
      assert.deepStrictEqual(calls(parts), [{ id: "toolu_1", name: "read", params: { path: "ö" } }])
    })
  )

  it.live(
    "keeps thoughts with their signature, and hidden ones as they are",
    Effect.fnUntraced(function*() {
      const thinking = block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "let me " },
        { type: "thinking_delta", thinking: "see" },
        { type: "signature_delta", signature: "EqQ" },
        { type: "signature_delta", signature: "Bab" }
      )
      const hidden = block(1, { type: "redacted_thinking", data: "opaque" })
      const { parts } = yield* answered(pieces(start, thinking, hidden, say(2, "42"), end("end_turn")))
      assert.strictEqual(text(parts, "reasoning"), "let me see")
      assert.deepStrictEqual<unknown>(parts.flatMap((part) => part.type === "reasoning-end" ? [part.metadata] : []), [
        { anthropic: { model, signature: "EqQBab" } },
        { anthropic: { model, redacted: "opaque" } }
      ])
      assert.strictEqual(text(parts), "42")
    })
  )

  it.live(
    "makes calls: in parallel, without arguments, whole at the start, unreadable",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(
        pieces(
          start,
          use(0, "a", "read", "", "{\"pa", "th\":1}"),
          use(1, "b", "list"),
          block(2, { type: "tool_use", id: "c", name: "read", input: { path: "y" } }),
          use(3, "d", "read", "{\"path\": oops"),
          end("tool_use")
        ),
        { tools: ["read", "list"] }
      )
      assert.deepStrictEqual<unknown>(calls(parts), [
        { id: "a", name: "read", params: { path: 1 } },
        { id: "b", name: "list", params: {} },
        { id: "c", name: "read", params: { path: "y" } },
        { id: "d", name: "read", params: "{\"path\": oops" }
      ])
      assert.strictEqual(finish(parts)?.reason, "tool-calls")
    })
  )

  it.live(
    "cut off by the limit in the middle of a call makes no call",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(pieces(start, use(0, "a", "read", "{\"path\": \"/et"), end("max_tokens")), {
        tools: ["read"]
      })
      assert.deepStrictEqual(calls(parts), [])
      assert.strictEqual(finish(parts)?.reason, "length")
    })
  )

  const endings: ReadonlyArray<readonly [string, string]> = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content-filter"],
    ["pause_turn", "pause"]
  ]
  for (const [said, meant] of endings) {
    it.live(
      `that ends with ${said} ended with ${meant}`,
      Effect.fnUntraced(function*() {
        assert.strictEqual(finish((yield* answered(pieces(start, say(0, "a"), end(said)))).parts)?.reason, meant)
      })
    )
  }
})

const thought = (more: Json): Prompt.AssistantMessagePartEncoded => ({
  type: "reasoning",
  text: "hm",
  options: { anthropic: { model, ...more } }
})
const called = (id: string): Prompt.AssistantMessagePartEncoded => ({
  type: "tool-call",
  id,
  name: "read",
  params: { path: "x" }
})
const result = (id: string, isFailure = false): Prompt.MessageEncoded => ({
  role: "tool",
  content: [{ type: "tool-result", id, name: "read", isFailure, result: isFailure ? "no" : "data" }]
})
const marked = { cache_control: { type: "ephemeral" } }

describe("A request to the Messages API", () => {
  it.live(
    "holds conversation, thoughts and tools as the API has them, with marks for its cache",
    Effect.fnUntraced(function*() {
      const { request } = yield* answered(ok, {
        tools: ["list", "read"],
        wishes: { thoughtLevel: "medium" },
        prompt: [
          { role: "system", content: "Be good." },
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: [thought({ signature: "sig" }), thought({ redacted: "opaque" }), {
              type: "text",
              text: "Reading."
            }, called("call:1")]
          },
          result("call:1"),
          { role: "assistant", content: [{ type: "text", text: " \n" }, called("b")] },
          result("b", true),
          { role: "user", content: "and now?" }
        ]
      }, "max_tokens = 9000")
      assert.deepInclude(request.headers, { "x-api-key": "sk-ant-secret", "anthropic-version": "2023-06-01" })
      assert.strictEqual(request.path, "/v1/messages")
      const tool = (name: string) => ({
        name,
        description: `What ${name} does`,
        input_schema: { type: "object", properties: { path: { type: "string" } } }
      })
      assert.deepStrictEqual(request.body, {
        model,
        max_tokens: 9000,
        stream: true,
        thinking: { type: "adaptive", display: "summarized" },
        output_config: { effort: "medium" },
        tools: [tool("list"), { ...tool("read"), ...marked }],
        system: [{ type: "text", text: "Be good.", ...marked }],
        messages: [
          { role: "user", content: [{ type: "text", text: "go" }] },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm", signature: "sig" },
              { type: "redacted_thinking", data: "opaque" },
              { type: "text", text: "Reading." },
              { type: "tool_use", id: "call_1", name: "read", input: { path: "x" } }
            ]
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "data", ...marked }] },
          { role: "assistant", content: [{ type: "tool_use", id: "b", name: "read", input: { path: "x" } }] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "b", content: "no", is_error: true },
              { type: "text", text: "and now?", ...marked }
            ]
          }
        ]
      })
    })
  )

  it.live(
    "leaves out thoughts of other models, and those without a signature",
    Effect.fnUntraced(function*() {
      const { request } = yield* answered(ok, {
        prompt: [
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: [thought({ model: "claude-opus-4-6", signature: "s" }), thought({}), {
              type: "reasoning",
              text: "x",
              options: { openai: { field: "reasoning" } }
            }, { type: "text", text: "ok" }]
          },
          { role: "user", content: "on" }
        ]
      })
      assert.deepStrictEqual(request.body["messages"][1].content, [{ type: "text", text: "ok" }])
    })
  )

  const older = Effect.fnUntraced(function*(parts: ReadonlyArray<Prompt.AssistantMessagePartEncoded>) {
    const prompt: ReadonlyArray<Prompt.MessageEncoded> = [{ role: "user", content: "go" }, {
      role: "assistant",
      content: parts
    }, result("b")]
    const { request } = yield* answered(ok, {
      model: "claude/claude-sonnet-4-5-20250929",
      wishes: { thoughtLevel: "high" },
      tools: ["read"],
      prompt
    })
    return request.body
  })

  it.live(
    "gives older models a budget, but none in the middle of a turn that began without a thought",
    Effect.fnUntraced(function*() {
      const signed = {
        type: "reasoning",
        text: "hm",
        options: { anthropic: { model: "claude-sonnet-4-5-20250929", signature: "s" } }
      } as const
      assert.deepStrictEqual((yield* older([signed, called("b")]))["thinking"], {
        type: "enabled",
        budget_tokens: 16_384
      })
      assert.notProperty(yield* older([called("b")]), "thinking")
    })
  )

  it.live(
    "turns thinking off, thoughts of the past included, and says nothing by default",
    Effect.fnUntraced(function*() {
      const prompt: ReadonlyArray<Prompt.MessageEncoded> = [{ role: "user", content: "go" }, {
        role: "assistant",
        content: [thought({ signature: "s" }), { type: "text", text: "ok" }]
      }, { role: "user", content: "on" }]
      const off = yield* answered(ok, { prompt, wishes: { thoughtLevel: "off", temperature: 0.5 } })
      assert.deepInclude(off.request.body, { thinking: { type: "disabled" } })
      assert.lengthOf(off.request.body["messages"][1].content, 1)
      const usual = yield* answered(ok, { prompt, wishes: { thoughtLevel: "default", temperature: 0.5 } })
      assert.notProperty(usual.request.body, "thinking")
      assert.strictEqual(usual.request.body["temperature"], 0.5)
    })
  )

  it.live(
    "declares tools that were called also where none can be called now",
    Effect.fnUntraced(function*() {
      const prompt: ReadonlyArray<Prompt.MessageEncoded> = [{ role: "user", content: "go" }, {
        role: "assistant",
        content: [called("b")]
      }, result("b")]
      const none = yield* answered(ok, { prompt })
      assert.deepStrictEqual(none.request.body["tools"].map(({ name }: Json) => name), ["read"])
      assert.deepStrictEqual(none.request.body["tool_choice"], { type: "none" })
      const closing = yield* answered(ok, { prompt, tools: ["list", "read"], toolChoice: "none" })
      assert.deepStrictEqual(closing.request.body["tools"].map(({ name }: Json) => name), ["list", "read"])
      assert.deepStrictEqual(closing.request.body["tool_choice"], { type: "none" })
    })
  )

  it.live(
    "shows arguments that could not be read as an object, as the API wants",
    Effect.fnUntraced(function*() {
      const { request } = yield* answered(ok, {
        prompt: [{ role: "user", content: "go" }, {
          role: "assistant",
          content: [{ type: "tool-call", id: "b", name: "read", params: "{oops" }]
        }, result("b", true)]
      })
      assert.deepStrictEqual(request.body["messages"][1].content[0].input, { unreadable: "{oops" })
    })
  )

  it("spells models as the API does", () => {
    assert.strictEqual(apiName("claude-sonnet-4.6"), "claude-sonnet-4-6")
    assert.strictEqual(apiName("claude-sonnet-4-5-20250929"), "claude-sonnet-4-5-20250929")
    assert.strictEqual(apiName("deepseek-v3.2"), "deepseek-v3.2")
  })
})
