import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asked, calls, finish, models, type Question, text } from "./Asked.ts"
import { type Answer, event, type Json, pieces, Server, status } from "./Server.ts"

/** Answers of real servers that are not as their documents say, over both wires. */

const delta = (delta: Json, finish_reason: string | null = null) =>
  event({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })
const say = (content: string) => delta({ content })
const stop = delta({}, "stop")
const done = "data: [DONE]\n\n"
const piece = (index: number, args: string, more: Json = {}) =>
  delta({ tool_calls: [{ index, ...more, function: { arguments: args, ...more["function"] } }] })

const wires = {
  openai: (url: string, more = "") => `[providers.local]\nkind = "openai-compatible"\nbase_url = "${url}/v1"\n${more}`,
  anthropic: (url: string, more = "") =>
    `[providers.local]\nkind = "anthropic"\nbase_url = "${url}"\napi_key = "k"\n${more}`
}

const answers = Effect.fnUntraced(
  function*(wire: keyof typeof wires, given: ReadonlyArray<Answer>, question: Partial<Question> = {}, more = "") {
    const server = yield* Server.make(...given)
    const answer = yield* asked({ toml: wires[wire](server.url, more), model: "local/m", ...question })
    return { ...answer, seen: server.seen }
  }
)

const chat = (...parts: ReadonlyArray<string>) => answers("openai", [pieces(...parts)], { tools: ["file_list"] })

const typed = (type: string, body: string): Answer => ({ response }) =>
  void response.writeHead(200, { "content-type": type }).end(body)

describe("An answer over chat completions", () => {
  const heartbeats = ["data: \n\n", "data: ping\n\n", "event: ping\n\n", ": x\n\n", "data:\n\n"]
  for (const beat of heartbeats) {
    it.live(
      `counts without ${JSON.stringify(beat)} between its pieces and behind its end`,
      Effect.fnUntraced(function*() {
        const { fault, parts, seen } = yield* chat(
          beat,
          say("a"),
          beat,
          say("b"),
          stop,
          "data:  [DONE] \n\n",
          beat,
          say("c")
        )
        assert.isUndefined(fault)
        assert.strictEqual(text(parts), "ab")
        assert.lengthOf(seen, 1)
      })
    )
  }

  const whole = JSON.stringify({ choices: [{ message: { role: "assistant", content: "ab" }, finish_reason: "stop" }] })
  for (
    const [type, body] of [
      ["application/json", say("a") + say("b") + stop + done],
      ["text/plain", say("a") + say("b") + stop + done],
      ["text/html", say("a") + say("b") + stop + done],
      ["text/event-stream", whole],
      ["text/plain", `\uFEFF\n ${whole}\n`],
      ["application/json", whole]
    ] as const
  ) {
    it.live(
      `is what its first bytes say, not what its type ${type} says: ${body.slice(0, 12).trim()}`,
      Effect.fnUntraced(function*() {
        const { fault, parts } = yield* answers("openai", [typed(type, body)])
        assert.isUndefined(fault)
        assert.strictEqual(text(parts), "ab")
      })
    )
  }

  it.live(
    "that is a page is no answer of a model",
    Effect.fnUntraced(function*() {
      const { fault } = yield* answers("openai", [typed("text/event-stream", "<html><body>hello</body></html>")])
      assert.strictEqual(fault?.reason, "model_unreachable")
    })
  )

  it.live(
    "has a call whose pieces go on at a new index without id and name",
    Effect.fnUntraced(function*() {
      const { parts } = yield* chat(
        piece(0, "", { id: "a", function: { name: "file_list" } }),
        piece(1, "{\"path\":"),
        piece(1, "\"f.txt\"}"),
        delta({}, "tool_calls"),
        done
      )
      assert.deepStrictEqual(calls(parts), [{ id: "a", name: "file_list", params: { path: "f.txt" } }])
    })
  )

  for (const names of [["file_", "list"], ["file_list", "file_list"], ["file_", "file_list"], ["f", "ile_", "list"]]) {
    it.live(
      `has the name that comes in the pieces ${names.join(" + ")}`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* chat(
          ...names.map((name, at) => piece(0, "", at === 0 ? { id: "a", function: { name } } : { function: { name } })),
          piece(0, "{}"),
          delta({}, "tool_calls"),
          done
        )
        assert.deepStrictEqual(calls(parts).map(({ name }) => name), ["file_list"])
      })
    )
  }

  for (
    const odd of ["file_list<|channel|>commentary", "functions.file_list", " file_list ", "functions.file_list<|x|>"]
  ) {
    it.live(
      `calls the tool that ${JSON.stringify(odd)} means`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* chat(
          piece(0, "{}", { id: "a", function: { name: odd } }),
          delta({}, "tool_calls"),
          done
        )
        assert.deepStrictEqual(calls(parts).map(({ name }) => name), ["file_list"])
      })
    )
  }

  for (
    const reason of [
      "malformed_function_call",
      "network_error",
      "error_finish",
      "abort",
      "insufficient_system_resource"
    ]
  ) {
    it.live(
      `that ends with ${reason} before anything was seen is asked for again`,
      Effect.fnUntraced(function*() {
        const { fault, parts, seen } = yield* answers("openai", [
          pieces(delta({}, reason), done),
          pieces(say("ok"), stop, done)
        ])
        assert.isUndefined(fault)
        assert.strictEqual(text(parts), "ok")
        assert.lengthOf(seen, 2)
      })
    )

    it.live(
      `that ends with ${reason} behind half a text is an error, and the text stays`,
      Effect.fnUntraced(function*() {
        const { fault, parts, seen } = yield* chat(say("half a"), delta({}, reason), done)
        assert.strictEqual(fault?.reason, "model_broken_off")
        assert.include(fault?.message, reason)
        assert.strictEqual(text(parts), "half a")
        assert.lengthOf(seen, 1)
      })
    )
  }

  it.live(
    "that is empty is asked for again",
    Effect.fnUntraced(function*() {
      const { parts, seen } = yield* answers("openai", [pieces(stop, done), pieces(say("ok"), stop, done)])
      assert.strictEqual(text(parts), "ok")
      assert.lengthOf(seen, 2)
    })
  )

  it.live(
    "of thoughts alone is an error",
    Effect.fnUntraced(function*() {
      const { fault, parts } = yield* chat(delta({ reasoning_content: "hm" }), stop, done)
      assert.include(fault?.message, "thoughts and no answer")
      assert.strictEqual(text(parts, "reasoning"), "hm")
    })
  )

  const tagged: ReadonlyArray<readonly [ReadonlyArray<string>, string, string]> = [
    [["<thinking>a</thinking>\n\n4"], "a", "4"],
    [["<thought>a", "</thought>4"], "a", "4"],
    [["[THINK]a[/THI", "NK]\n4"], "a", "4"],
    [["<think>a</think>4<think>b</think>5"], "ab", "45"],
    [["<think>a</think>", "\n\n", "4"], "a", "4"],
    [["about `</think>` tags"], "", "about `</think>` tags"],
    [["a < b and c </ d"], "", "a < b and c </ d"]
  ]
  for (const [given, thought, said] of tagged) {
    it.live(
      `has its thoughts apart in ${given.join("|")}`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* chat(...given.map(say), stop, done)
        assert.deepStrictEqual([text(parts, "reasoning"), text(parts)], [thought, said])
      })
    )
  }

  it.live(
    "whose thoughts have a closing tag alone takes back what it said, and knows its thoughts the next time",
    Effect.fnUntraced(function*() {
      const answer = (...more: ReadonlyArray<string>) =>
        pieces(say("I must add them.</th"), say("ink>\n\n4"), ...more, stop, done)
      const server = yield* Server.make(answer(), answer(), pieces(say("5"), stop, done))
      const ask = yield* Effect.map(models(wires.openai(server.url)), (known) => known.get("local/m"))
      const { languageModel } = yield* ask
      const first = yield* languageModel.generateText({ prompt: "2 + 2" })
      assert.strictEqual(first.text, "4")
      const second = yield* languageModel.generateText({ prompt: "2 + 2" })
      assert.deepStrictEqual([second.reasoningText, second.text], ["I must add them.", "4"])
      const third = yield* languageModel.generateText({ prompt: "2 + 3" })
      assert.strictEqual(third.text, "5")
    })
  )

  it.live(
    "with both halves of a character in different pieces gives them together",
    Effect.fnUntraced(function*() {
      const { parts } = yield* chat(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"smile \\ud83d\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\ude00\"}}]}\n\n",
        stop,
        done
      )
      assert.strictEqual(text(parts), "smile 😀")
      for (const part of parts) if (part.type === "text-delta") assert.isTrue(part.delta.isWellFormed(), part.delta)
    })
  )
})

const start = event({ type: "message_start", message: { usage: { input_tokens: 1 } } }, "message_start")
const open = (index: number, content_block: Json) => event({ type: "content_block_start", index, content_block })
const change = (index: number, delta: Json) => event({ type: "content_block_delta", index, delta })
const shut = (index: number) => event({ type: "content_block_stop", index })
const end = (stop_reason: string | null) =>
  event({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 1 } }) +
  event({ type: "message_stop" })
const use = (index: number, id: string) => open(index, { type: "tool_use", id, name: "file_list", input: {} })
const args = (index: number, path: string) =>
  change(index, { type: "input_json_delta", partial_json: JSON.stringify({ path }) })

describe("An answer of the Messages API", () => {
  const anthropic = (...parts: ReadonlyArray<string>) =>
    answers("anthropic", [pieces(start, ...parts)], { tools: ["file_list"] })

  it.live(
    "keeps blocks apart that are open at the same time",
    Effect.fnUntraced(function*() {
      const { parts } = yield* anthropic(
        use(0, "a"),
        use(1, "b"),
        args(0, "a.txt"),
        args(1, "b.txt"),
        shut(0),
        shut(1),
        end("tool_use")
      )
      assert.deepStrictEqual<unknown>(calls(parts), [
        { id: "a", name: "file_list", params: { path: "a.txt" } },
        { id: "b", name: "file_list", params: { path: "b.txt" } }
      ])
    })
  )

  it.live(
    "has calls with ids of their own where it gives two the same, or none",
    Effect.fnUntraced(function*() {
      const { parts } = yield* anthropic(
        ...["x", "x", "", ""].flatMap((id, at) => [use(at, id), args(at, `${at}`), shut(at)]),
        end("tool_use")
      )
      assert.strictEqual(new Set(calls(parts).map(({ id }) => id)).size, 4)
      assert.deepStrictEqual<unknown>(
        calls(parts).map(({ params }) => params),
        [0, 1, 2, 3].map((at) => ({ path: `${at}` }))
      )
    })
  )

  it.live(
    "that uses an index again begins a new block",
    Effect.fnUntraced(function*() {
      const { parts } = yield* anthropic(use(0, "a"), args(0, "a"), use(0, "b"), args(0, "b"), shut(0), end("tool_use"))
      assert.deepStrictEqual<unknown>(calls(parts).map(({ params }) => params), [{ path: "a" }, { path: "b" }])
    })
  )

  it.live(
    "may come as a whole",
    Effect.fnUntraced(function*() {
      const { parts } = yield* answers("anthropic", [typed(
        "text/event-stream",
        JSON.stringify({
          type: "message",
          content: [{ type: "text", text: "hi" }, {
            type: "tool_use",
            id: "a",
            name: "file_list",
            input: { path: "." }
          }],
          stop_reason: "tool_use",
          usage: { input_tokens: 3, output_tokens: 2 }
        })
      )], { tools: ["file_list"] })
      assert.strictEqual(text(parts), "hi")
      assert.lengthOf(calls(parts), 1)
      assert.strictEqual(finish(parts)?.usage.outputTokens.total, 2)
    })
  )

  it.live(
    "that is empty is asked for again, and thoughts alone are an error",
    Effect.fnUntraced(function*() {
      const again = yield* answers("anthropic", [
        pieces(start, end("end_turn")),
        pieces(start, open(0, { type: "text", text: "ok" }), shut(0), end("end_turn"))
      ])
      assert.strictEqual(text(again.parts), "ok")
      const thoughts = yield* anthropic(
        open(0, { type: "thinking", thinking: "hm", signature: "s" }),
        shut(0),
        end("end_turn")
      )
      assert.include(thoughts.fault?.message, "thoughts and no answer")
    })
  )
})

describe("A refusal", () => {
  const refusal = (message: string) => status(400, { error: { message } })
  const ok = pieces(say("ok"), stop, done)

  for (
    const [said, more, check] of [
      [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_tokens = 77",
        (body: Json) => body["max_completion_tokens"] === 77 && !("max_tokens" in body)
      ],
      ["stream_options is not supported", "", (body: Json) => !("stream_options" in body)],
      ["include_usage: extra inputs are not permitted", "", (body: Json) => !("stream_options" in body)]
    ] as const
  ) {
    it.live(
      `that says "${said}" is repaired once and remembered`,
      Effect.fnUntraced(function*() {
        const server = yield* Server.make(refusal(said), ok, ok)
        const { languageModel } = yield* (yield* models(wires.openai(server.url, more))).get("local/m")
        yield* languageModel.generateText({ prompt: "a" })
        yield* languageModel.generateText({ prompt: "b" })
        assert.lengthOf(server.seen, 3)
        assert.deepStrictEqual(server.seen.map(({ body }) => check(body)), [false, true, true])
      })
    )
  }

  it.live(
    "of a tool's schema leaves that tool out, with a notice",
    Effect.fnUntraced(function*() {
      const notices: Array<string> = []
      const { parts, seen } = yield* answers(
        "openai",
        [refusal("Invalid schema for function 'bad': None is not of type 'array'."), ok],
        {
          tools: ["good", "bad"],
          wishes: { thoughtLevel: "default", onNotice: (text) => Effect.sync(() => void notices.push(text)) }
        }
      )
      assert.strictEqual(text(parts), "ok")
      assert.deepStrictEqual(seen[1]!.body["tools"].map((tool: Json) => tool["function"]["name"]), ["good"])
      assert.include(notices.join(), "bad")
    })
  )

  for (
    const said of [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      "prompt token count of 140000 exceeds the limit of 128000",
      "Invalid request: Your request exceeded model token limit: 131072",
      "Range of input length should be [1, 129024]",
      "Prompt exceeds max length",
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens"
    ]
  ) {
    it.live(
      `is an overflow where it says "${said.slice(0, 40)}…"`,
      Effect.fnUntraced(function*() {
        const { fault } = yield* answers("openai", [refusal(said)])
        assert.strictEqual(fault?.reason, "context_overflow")
      })
    )
  }
})
