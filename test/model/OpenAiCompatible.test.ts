import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asked, calls, finish, models, type Question, text, wholeAnswer } from "./Asked.ts"
import { type Answer, event, type Json, pieces, Server, status } from "./Server.ts"

const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}) =>
  event({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
    ...more
  })

const say = (content: string) => chunk({ content })
const stop = chunk({}, "stop")
const done = "data: [DONE]\n\n"
const usage = event({
  id: "c1",
  object: "chat.completion.chunk",
  choices: [],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 3 }
  }
})

const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) =>
  chunk({
    tool_calls: [{
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id, type: "function" }),
      function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) }
    }]
  })

const local = (url: string, more = "") => `[providers.local]\nkind = "openai-compatible"\nbase_url = "${url}"\n${more}`

const answered = Effect.fnUntraced(function*(answer: Answer, question: Partial<Question> = {}) {
  const server = yield* Server.make(answer)
  const given = yield* asked({ toml: local(`${server.url}/v1`), model: "local/m", ...question })
  return { ...given, request: server.seen[0]! }
})

const bytes = (text: string) => Array.from(Buffer.from(text), (byte) => Buffer.of(byte))

describe("A chat completion", () => {
  it.live(
    "gives text as it comes, then why it ended and what it cost",
    Effect.fnUntraced(function*() {
      const { fault, parts } = yield* answered(
        pieces(chunk({ role: "assistant", content: "" }), say("Hel"), say("lo"), stop, usage, done)
      )
      assert.isUndefined(fault)
      assert.strictEqual(text(parts), "Hello")
      assert.deepStrictEqual(parts.map(({ type }) => type).filter((type) => type !== "text-delta"), [
        "text-start",
        "text-end",
        "finish"
      ])
      assert.deepInclude(finish(parts), { reason: "stop" })
      assert.deepInclude(finish(parts)!.usage.inputTokens, { total: 100, cacheRead: 60, uncached: 40 })
      assert.deepInclude(finish(parts)!.usage.outputTokens, { total: 7, reasoning: 3 })
    })
  )

  it.live(
    "is the same however the network cuts it",
    Effect.fnUntraced(function*() {
      const whole = `: OPENROUTER PROCESSING\r\n\r\n${say("Grüße, 世界 👋🏽").replaceAll("\n", "\r\n")}${
        call(0, "a", "read", "{\"path\":\"é\"}")
      }\r\n: ping\n\n${chunk({}, "tool_calls")}${done}`
      const { parts } = yield* answered(pieces(...bytes(whole)), { tools: ["read"] })
      assert.strictEqual(text(parts), "Grüße, 世界 👋🏽")
      assert.deepStrictEqual(calls(parts), [{ id: "a", name: "read", params: { path: "é" } }])
    })
  )

  it.live(
    "with a byte order mark, spaces missing behind the colon and no blank line at the end is still one",
    Effect.fnUntraced(function*() {
      const { fault, parts } = yield* answered(pieces("\uFEFF", say("a").replace("data: ", "data:"), stop.trimEnd()))
      assert.isUndefined(fault)
      assert.strictEqual(text(parts), "a")
    })
  )

  it.live(
    "with deltas that came in together gives them as one part",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(
        pieces(Array.from({ length: 1000 }, (_, i) => say(`${i} `)).join("") + stop + done)
      )
      assert.isBelow(parts.length, 50)
      assert.strictEqual(text(parts), Array.from({ length: 1000 }, (_, i) => `${i} `).join(""))
    })
  )

  for (const field of ["reasoning_content", "reasoning"]) {
    it.live(
      `has thoughts in ${field}, apart from the text`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* answered(
          pieces(chunk({ [field]: "let me " }), chunk({ [field]: "see", content: null }), say("42"), stop, done)
        )
        assert.strictEqual(text(parts, "reasoning"), "let me see")
        assert.strictEqual(text(parts), "42")
        const order = parts.map(({ type }) => type)
        assert.isBelow(order.indexOf("reasoning-end"), order.indexOf("text-start"))
      })
    )
  }

  const tagged: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, string]> = [
    ["in tags at its beginning", ["<think>\nlet me see\n</think>\n\n42"], "let me see\n", "42"],
    ["in tags cut anywhere", Array.from("\n<think>a < b</think>42"), "a < b", "42"],
    ["in a tag that never ends", ["<think>so ", "on </thi"], "so on </thi", ""],
    ["in tags later on, which are text", ["x <think>y</think>"], "", "x <think>y</think>"],
    ["in something that only looks like a tag", ["<thi", "s is text"], "", "<this is text"],
    ["in the beginning of a tag alone", ["<thi"], "", "<thi"]
  ]
  for (const [where, pieces_, thought, said] of tagged) {
    it.live(
      `may have thoughts ${where}`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* answered(pieces(...pieces_.map(say), stop, done))
        assert.deepStrictEqual([text(parts, "reasoning"), text(parts)], [thought, said])
      })
    )
  }

  it.live(
    "that says its thoughts in both fields says them once",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(
        pieces(chunk({ reasoning: "hm", reasoning_content: "hm" }), say("x"), stop, done)
      )
      assert.strictEqual(text(parts, "reasoning"), "hm")
    })
  )

  const shapes: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<Json>]> = [
    ["split over deltas", [
      call(0, "a", "read", ""),
      call(0, undefined, undefined, "{\"pa"),
      call(0, undefined, undefined, "th\":\"x\"}")
    ], [{ id: "a", name: "read", params: { path: "x" } }]],
    ["two at a time, mixed", [
      call(0, "a", "read", "{\"path\":"),
      call(1, "b", "list", "{\"path\":"),
      call(0, undefined, undefined, "\"x\"}"),
      call(1, undefined, undefined, "\"y\"}")
    ], [
      { id: "a", name: "read", params: { path: "x" } },
      { id: "b", name: "list", params: { path: "y" } }
    ]],
    ["whole calls in one delta, without numbers", [
      call(undefined, "a", "read", "{}"),
      call(undefined, "b", "read", "{\"path\":\"y\"}")
    ], [
      { id: "a", name: "read", params: {} },
      { id: "b", name: "read", params: { path: "y" } }
    ]],
    ["whole calls that are all number 0", [call(0, "a", "read", "{}"), call(0, "b", "list", "{}")], [{
      id: "a",
      name: "read",
      params: {}
    }, { id: "b", name: "list", params: {} }]],
    ["arguments as an object", [call(0, "a", "read", { path: "x" })], [{
      id: "a",
      name: "read",
      params: { path: "x" }
    }]],
    ["no arguments at all", [call(0, "a", "read", undefined)], [{ id: "a", name: "read", params: {} }]],
    ["the name in every delta", [call(0, "a", "read", "{"), call(0, "a", "read", "}")], [{
      id: "a",
      name: "read",
      params: {}
    }]],
    ["arguments that are no JSON", [call(0, "a", "read", "{\"path\": oops")], [{
      id: "a",
      name: "read",
      params: "{\"path\": oops"
    }]]
  ]
  for (const [shape, deltas, expected] of shapes) {
    it.live(
      `makes calls: ${shape}`,
      Effect.fnUntraced(function*() {
        // Some servers say "stop" although there are calls.
        const { parts } = yield* answered(pieces(...deltas, stop, done), { tools: ["read", "list"] })
        assert.deepStrictEqual<unknown>(calls(parts), expected)
        assert.strictEqual(finish(parts)?.reason, "tool-calls")
      })
    )
  }

  it.live(
    "gives calls without an id, or with the same one, ids of their own",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(
        pieces(call(0, undefined, "read", "{}"), call(1, "x", "read", "{}"), call(2, "x", "list", "{}"), stop, done),
        { tools: ["read", "list"] }
      )
      const ids = calls(parts).map(({ id }) => id)
      assert.lengthOf(ids, 3)
      assert.strictEqual(new Set(ids).size, 3)
      assert.isTrue(ids.every((id) => id !== ""))
    })
  )

  it.live(
    "cut off by the limit in the middle of a call makes no call",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(pieces(call(0, "a", "read", "{\"path\": \"/et"), chunk({}, "length"), done), {
        tools: ["read"]
      })
      assert.deepStrictEqual(calls(parts), [])
      assert.strictEqual(finish(parts)?.reason, "length")
    })
  )

  const endings: ReadonlyArray<readonly [string, string]> = [
    ["stop", "stop"],
    ["eos", "stop"],
    ["end_turn", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["content_filter", "content-filter"],
    ["SAFETY", "content-filter"],
    ["whatever", "other"]
  ]
  for (const [said, meant] of endings) {
    it.live(
      `that ends with ${said} ended with ${meant}`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* answered(pieces(say("a"), chunk({}, said), done))
        assert.strictEqual(finish(parts)?.reason, meant)
      })
    )
  }

  it.live(
    "may lack [DONE], a finish reason before [DONE], or streaming altogether",
    Effect.fnUntraced(function*() {
      const unmarked = yield* answered(pieces(say("a"), chunk({ content: "b" }, "stop")))
      assert.deepStrictEqual([text(unmarked.parts), unmarked.fault], ["ab", undefined])
      const unfinished = yield* answered(pieces(say("a"), done))
      assert.deepStrictEqual([text(unfinished.parts), unfinished.fault, finish(unfinished.parts)?.reason], [
        "a",
        undefined,
        "unknown"
      ])
      const body = {
        choices: [{
          index: 0,
          message: {
            role: "assistant",
            content: "whole",
            tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }]
          },
          finish_reason: "tool_calls"
        }],
        usage: { prompt_tokens: 1, completion_tokens: 2 }
      }
      const whole = yield* answered(
        ({ response }) =>
          void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
        { tools: ["read"] }
      )
      assert.deepStrictEqual([
        text(whole.parts),
        calls(whole.parts).length,
        finish(whole.parts)?.usage.outputTokens.total
      ], ["whole", 1, 2])
    })
  )

  it.live(
    "has its usage wherever the server puts it",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(
        pieces(
          say("a"),
          chunk({}, "stop", { usage: { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4 } }),
          event({ choices: [], usage: null }),
          done
        )
      )
      assert.deepInclude(finish(parts)!.usage.inputTokens, { total: 9, cacheRead: 4, uncached: 5 })
    })
  )

  it.live(
    "has cached tokens in the whole prompt, also where the server leaves them out of it",
    Effect.fnUntraced(function*() {
      const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 90 } }
      const { parts } = yield* answered(pieces(say("a"), chunk({}, "stop", { usage }), done))
      assert.deepInclude(finish(parts)!.usage.inputTokens, { total: 100, cacheRead: 90, uncached: 10 })
    })
  )

  it.live(
    "may hold events that say nothing",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answered(
        pieces(
          event({ choices: [] }),
          event({ choices: [{ index: 0, delta: null, finish_reason: null }] }),
          event({ choices: null }),
          "event: ping\n\n",
          "retry: 100\n\n",
          say("a"),
          stop,
          done
        )
      )
      assert.strictEqual(text(parts), "a")
    })
  )
})

describe("A chat completions request", () => {
  const ok = pieces(say("ok"), stop, done)

  const requested = Effect.fnUntraced(function*(more: string, question: Partial<Question> = {}, path = "/v1") {
    const server = yield* Server.make(ok)
    yield* asked({ toml: local(server.url + path, more), model: "local/m", ...question })
    return server.seen[0]!
  })

  it.live(
    "holds the conversation, its calls and the tools as the API has them",
    Effect.fnUntraced(function*() {
      const { body } = yield* requested("max_tokens = 500\napi_key = \"sk-1\"\nheaders = { X-Title = \"Postern\" }", {
        tools: ["read"],
        prompt: [
          { role: "system", content: "Be good." },
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: [{ type: "text", text: "Reading." }, {
              type: "tool-call",
              id: "a",
              name: "read",
              params: { path: "x" }
            }]
          },
          { role: "tool", content: [{ type: "tool-result", id: "a", name: "read", isFailure: false, result: "data" }] },
          { role: "assistant", content: [{ type: "tool-call", id: "b", name: "read", params: {} }] },
          { role: "tool", content: [{ type: "tool-result", id: "b", name: "read", isFailure: true, result: "no" }] }
        ]
      })
      assert.deepStrictEqual(body, {
        model: "m",
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 500,
        tools: [{
          type: "function",
          function: {
            name: "read",
            description: "What read does",
            parameters: { type: "object", properties: { path: { type: "string" } } }
          }
        }],
        messages: [
          { role: "system", content: "Be good." },
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: "Reading.",
            tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{\"path\":\"x\"}" } }]
          },
          { role: "tool", tool_call_id: "a", content: "data" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "b", type: "function", function: { name: "read", arguments: "{}" } }]
          },
          { role: "tool", tool_call_id: "b", content: "no" }
        ]
      })
    })
  )

  it.live(
    "carries the key and the headers of the configuration, and nothing of a trace",
    Effect.fnUntraced(function*() {
      const { headers } = yield* requested("api_key_env = \"LOCAL_KEY\"\nheaders = { X-Title = \"Postern\" }", {
        env: { LOCAL_KEY: "sk-1" }
      })
      assert.deepInclude(headers, {
        "authorization": "Bearer sk-1",
        "x-title": "Postern",
        "content-type": "application/json"
      })
      assert.notProperty(headers, "traceparent")
      assert.notProperty((yield* requested("")).headers, "authorization")
    })
  )

  for (
    const [path, expected] of [
      ["", "/v1/chat/completions"],
      ["/", "/v1/chat/completions"],
      ["/v1/", "/v1/chat/completions"],
      ["/api/v1", "/api/v1/chat/completions"],
      ["/v1/chat/completions", "/v1/chat/completions"]
    ] as const
  ) {
    it.live(
      `to base URL "${path}" goes to ${expected}`,
      Effect.fnUntraced(function*() {
        assert.strictEqual((yield* requested("", {}, path)).path, expected)
      })
    )
  }

  it.live(
    "without tools in it, or with none to be called, offers none",
    Effect.fnUntraced(function*() {
      assert.notProperty((yield* requested("")).body, "tools")
      assert.notProperty((yield* requested("", { tools: ["read"], toolChoice: "none" })).body, "tools")
    })
  )

  it.live(
    "asks for as much thought as is wished, and for a temperature",
    Effect.fnUntraced(function*() {
      const { body } = yield* requested("", { wishes: { thoughtLevel: "high", temperature: 0.2 } })
      assert.deepInclude(body, { reasoning_effort: "high", temperature: 0.2 })
      assert.deepInclude((yield* requested("", { wishes: { thoughtLevel: "off" } })).body, { reasoning_effort: "none" })
      assert.notProperty((yield* requested("")).body, "reasoning_effort")
    })
  )

  it.live(
    "repeats thoughts under their own name until the user speaks again",
    Effect.fnUntraced(function*() {
      const thought = { type: "reasoning", text: "hm", options: { openai: { field: "reasoning_content" } } } as const
      const { body } = yield* requested("", {
        prompt: [
          { role: "user", content: "one" },
          { role: "assistant", content: [thought, { type: "text", text: "1" }] },
          { role: "user", content: "two" },
          {
            role: "assistant",
            content: [thought, {
              type: "tool-call",
              id: "a",
              name: "read",
              params: {},
              options: { openai: { extra: { sign: "s" } } }
            }]
          },
          { role: "tool", content: [{ type: "tool-result", id: "a", name: "read", isFailure: false, result: "x" }] }
        ]
      })
      assert.notProperty(body["messages"][1], "reasoning_content")
      assert.deepInclude(body["messages"][3], { reasoning_content: "hm" })
      assert.deepInclude(body["messages"][3].tool_calls[0], { extra_content: { sign: "s" } })
    })
  )

  it.live(
    "gives back the details of a thought put together again",
    Effect.fnUntraced(function*() {
      const detail = (more: Json) =>
        chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, format: "f", ...more }] })
      const { parts } = yield* answered(
        pieces(
          detail({ text: "a" }),
          detail({ text: "b" }),
          detail({ signature: "s" }),
          call(0, "c", "read", "{}"),
          stop,
          done
        ),
        { tools: ["read"] }
      )
      const end = parts.findLast((part) => part.type === "reasoning-end")
      assert.deepStrictEqual<unknown>(end?.metadata, {
        openai: {
          by: "local",
          details: [{ type: "reasoning.text", index: 0, format: "f", text: "ab", signature: "s" }]
        }
      })
    })
  )

  it.live(
    "is whole Unicode, whatever a tool has cut in half",
    Effect.fnUntraced(function*() {
      const { body } = yield* requested("", { prompt: "half \ud83d and \\ud83d as text and whole 👋" })
      assert.strictEqual(body["messages"][0].content, "half \ufffd and \\ud83d as text and whole 👋")
    })
  )

  it.live(
    "goes again without counting tokens where the server does not know how",
    Effect.fnUntraced(function*() {
      const server = yield* Server.make(
        status(400, { error: { message: "Unrecognized request argument supplied: stream_options" } }),
        ok,
        ok
      )
      const found = yield* models(local(server.url))
      const model = yield* found.get("local/m")
      assert.strictEqual((yield* wholeAnswer(model, "a")).text, "ok")
      yield* wholeAnswer(model, "b")
      assert.deepStrictEqual(server.seen.map(({ body }) => "stream_options" in body), [true, false, false])
    })
  )
})
