import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asked, calls, finish, models, type Question, text, wholeAnswer } from "./Asked.ts"
import { type Answer, cut, event, type Json, pieces, Server, status } from "./Server.ts"

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
    "that is empty or blank is asked for once more, then it is an error",
    Effect.fnUntraced(function*() {
      const { parts, seen } = yield* answers("openai", [pieces(say(" \n"), stop, done), pieces(say("ok"), stop, done)])
      assert.strictEqual(text(parts), "ok")
      assert.lengthOf(seen, 2)
      const never = yield* answers("openai", [pieces(stop, done), pieces(say("\n"), stop, done)])
      assert.include(never.fault?.message, "it is empty")
      assert.lengthOf(never.seen, 2)
    })
  )

  for (const reason of ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "content_filter"]) {
    it.live(
      `that ends with ${reason} was refused, with text or without`,
      Effect.fnUntraced(function*() {
        for (const before of ["", say("half")]) {
          const { fault, parts, seen } = yield* chat(before, delta({}, reason), done)
          assert.isUndefined(fault)
          assert.strictEqual(finish(parts)?.reason, "content-filter")
          assert.lengthOf(seen, 1)
        }
      })
    )
  }

  it.live(
    "that blocks the prompt was refused",
    Effect.fnUntraced(function*() {
      for (
        const feedback of [{ promptFeedback: { blockReason: "OTHER" } }, {
          prompt_feedback: { block_reason: "SAFETY" }
        }]
      ) {
        assert.strictEqual(finish((yield* chat(event(feedback))).parts)?.reason, "content-filter")
      }
    })
  )

  it.live(
    "cut off by a limit in any spelling has no half of a call",
    Effect.fnUntraced(function*() {
      const half = piece(0, "{\"path\":\"a", { id: "a", function: { name: "file_list" } })
      const { parts } = yield* chat(say("x"), half, delta({}, "MAX_TOKENS"), done)
      assert.deepStrictEqual(calls(parts), [])
      assert.strictEqual(finish(parts)?.reason, "length")
    })
  )

  const hello = say("Hel") + say("lo") + stop + done
  for (
    const [what, body] of [
      ["without blank lines", hello.replaceAll("\n\n", "\n")],
      ["with CR alone", hello.replaceAll("\n", "\r")],
      ["with CR LF", hello.replaceAll("\n", "\r\n")],
      ["without a space behind data:", hello.replaceAll("data: ", "data:")],
      ["with data: twice", hello.replaceAll("data: ", "data: data: ")],
      ["with data over lines", hello.replaceAll("\"choices\"", "\ndata: \"choices\"")],
      ["with names, ids and pauses", hello.replaceAll("data: ", "id: 1\nevent: message\nretry: 10\ndata: ")],
      [
        "with words between, and no blank lines",
        `: x\n${hello.replaceAll("data: ", "data: ping\ndata: ").replaceAll("\n\n", "\n")}`
      ],
      ["as lines of JSON", hello.replaceAll("data: ", "").replaceAll("\n\n", "\n")],
      ["as a list of JSON", `[${hello.replaceAll("data: ", "").replace("[DONE]", "").trim().replaceAll("\n\n", ",")}]`]
    ] as const
  ) {
    it.live(
      `is read ${what}, as a whole and in single bytes`,
      Effect.fnUntraced(function*() {
        for (const given of [[body], Array.from(body)]) {
          const { fault, parts } = yield* chat(...given)
          assert.isUndefined(fault)
          assert.strictEqual(text(parts), "Hello")
        }
      })
    )
  }

  it.live(
    "as lines of JSON is given line by line",
    Effect.fnUntraced(function*() {
      const line = hello.replaceAll("data: ", "").split("\n\n", 1)
      const { fault, parts } = yield* answers("openai", [cut(`${line.join("")}\n`)])
      assert.strictEqual(fault?.reason, "model_broken_off")
      assert.strictEqual(text(parts), "Hel")
    })
  )

  for (
    const [encoding, compress] of [["gzip", gzipSync], ["deflate", deflateSync], ["br", brotliCompressSync]] as const
  ) {
    it.live(
      `compressed with ${encoding} unasked is read, and so is a refusal`,
      Effect.fnUntraced(function*() {
        const packed = (code: number, body: string): Answer => ({ response }) =>
          void response.writeHead(code, { "content-encoding": encoding }).end(compress(Buffer.from(body)))
        assert.strictEqual(text((yield* answers("openai", [packed(200, hello)])).parts), "Hello")
        const refused = yield* answers("openai", [packed(400, JSON.stringify({ error: { message: "bad thing" } }))])
        assert.include(refused.fault?.message, "bad thing")
      })
    )
  }

  for (
    const [what, event] of [
      ["text", "event: error\ndata: boom happened\n\n"],
      ["an object without error", "event: error\ndata: {\"message\":\"boom happened\"}\n\n"],
      ["a sentence", "data: {\"error\":\"boom happened\"}\n\n"],
      [
        "JSON in text",
        `data: ${JSON.stringify({ error: { message: JSON.stringify({ message: "boom happened" }) } })}\n\n`
      ]
    ] as const
  ) {
    it.live(
      `that an error event breaks off says why: ${what}`,
      Effect.fnUntraced(function*() {
        const { fault, parts } = yield* chat(say("half"), event)
        assert.match(fault?.message ?? "", /: boom happened$/)
        assert.strictEqual(text(parts), "half")
      })
    )
  }

  it.live(
    "that is none says what came in its place",
    Effect.fnUntraced(function*() {
      const body = JSON.stringify({ base_resp: { status_code: 1008, status_msg: "insufficient balance" } })
      const { fault } = yield* answers("openai", [typed("application/json", body)])
      assert.strictEqual(fault?.reason, "model_no_credit")
      assert.include(fault?.message, "insufficient balance")
    })
  )

  const repeated = { role: "assistant", content: "Hello" }
  for (
    const [what, ...given] of [
      [
        "that a last message repeats",
        say("Hel"),
        say("lo"),
        event({ choices: [{ message: repeated, finish_reason: "stop" }] })
      ],
      [
        "in a last message alone",
        delta({ role: "assistant", content: "" }),
        event({ choices: [{ message: repeated, finish_reason: "stop" }] })
      ],
      [
        "of the first of several choices",
        event({ choices: [{ index: 1, delta: { content: "No" } }, { index: 0, delta: { content: "Hel" } }] }),
        event({ choices: [{ index: 1, delta: {}, finish_reason: "stop" }] }),
        say("lo"),
        stop
      ],
      ["in a list of parts", delta({ content: [{ type: "text", text: "Hel" }, "lo"] }), stop],
      ["in an object", delta({ content: { type: "text", text: "Hello" } }), stop]
    ] as ReadonlyArray<[string, ...ReadonlyArray<string>]>
  ) {
    it.live(
      `has the text ${what}`,
      Effect.fnUntraced(function*() {
        const { fault, parts } = yield* chat(...given, done)
        assert.isUndefined(fault)
        assert.strictEqual(text(parts), "Hello")
      })
    )
  }

  for (
    const [what, thoughts] of [
      ["reasoning_content", { reasoning_content: "hm" }],
      ["reasoning", { reasoning: "hm" }],
      ["both", { reasoning: "hm", reasoning_content: "hm" }],
      ["reasoning_text", { reasoning_text: "hm" }],
      ["thinking", { thinking: { content: "hm" } }],
      ["a list", { reasoning_content: [{ type: "text", text: "hm" }] }],
      ["details alone", { reasoning_details: [{ type: "reasoning.text", index: 0, text: "hm" }] }],
      ["a summary alone", { reasoning_details: [{ type: "reasoning.summary", index: 0, summary: "hm" }] }],
      ["a field and details", {
        reasoning: "hm",
        reasoning_details: [{ type: "reasoning.text", index: 0, text: "hm" }]
      }],
      ["a part of the content", { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }]
    ] as const
  ) {
    it.live(
      `has its thoughts in ${what}`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* chat(delta(thoughts), say("yes"), stop, done)
        assert.deepStrictEqual([text(parts, "reasoning"), text(parts)], ["hm", "yes"])
      })
    )
  }

  const called = (at: number | undefined, id: unknown, args: string, name = "file_list") =>
    delta({ tool_calls: [{ ...(at === undefined ? {} : { index: at }), id, function: { name, arguments: args } }] })
  const [a, b] = ["{\"path\":\"a\"}", "{\"path\":\"b\"}"]
  for (
    const [what, ...given] of [
      ["empty ids and one index", called(0, "", a), called(0, "", b)],
      ["no ids and one index", called(0, undefined, a), called(0, undefined, b)],
      ["no ids and no index", called(undefined, null, a), called(undefined, null, b)],
      ["one id, and indexes", called(0, "x", a), called(1, "x", b)],
      ["one id and one index", called(0, "x", a), called(0, "x", b)],
      ["one id and no index", called(undefined, "x", a), called(undefined, "x", b)],
      ["ids that are numbers", called(0, 1, a), called(1, 2, b)],
      [
        "the index 0 each, in one piece",
        delta({ tool_calls: [a, b].map((args) => ({ index: 0, function: { name: "file_list", arguments: args } })) })
      ],
      [
        "no function around them",
        delta({ tool_calls: [a, b].map((args, index) => ({ index, name: "file_list", arguments: args })) })
      ],
      [
        "pieces that take turns",
        called(0, "x", "{\"path\":"),
        called(1, "y", "{\"path\":"),
        piece(0, "\"a\"}"),
        piece(1, "\"b\"}")
      ],
      ["an id of its own for each piece", called(0, "x", "{\"path\":"), called(0, "x2", "\"a\"}"), called(1, "y", b)],
      ["arguments that come as a whole again", called(0, "x", a), called(0, "x", a), called(1, "y", "{}"), piece(1, b)]
    ] as ReadonlyArray<[string, ...ReadonlyArray<string>]>
  ) {
    it.live(
      `has both calls with ${what}`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* chat(...given, delta({}, "tool_calls"), done)
        assert.deepStrictEqual<unknown>(calls(parts).map(({ params }) => params), [{ path: "a" }, { path: "b" }])
        assert.strictEqual(new Set(calls(parts).map(({ id }) => id)).size, 2)
      })
    )
  }

  for (
    const [what, ...given] of [
      [
        "in pieces",
        delta({ function_call: { name: "file_list", arguments: "" } }),
        delta({ function_call: { arguments: a } })
      ],
      [
        "with its name in each piece",
        delta({ function_call: { name: "file_list", arguments: "{\"path\":" } }),
        delta({ function_call: { name: "file_list", arguments: "\"a\"}" } })
      ],
      [
        "in a message",
        event({ choices: [{ message: { content: null, function_call: { name: "file_list", arguments: a } } }] })
      ]
    ] as ReadonlyArray<[string, ...ReadonlyArray<string>]>
  ) {
    it.live(
      `has the call of a function_call ${what}`,
      Effect.fnUntraced(function*() {
        const { parts } = yield* chat(...given, delta({}, "function_call"), done)
        assert.deepStrictEqual<unknown>(calls(parts).map(({ params }) => params), [{ path: "a" }])
      })
    )
  }

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
      const model = yield* ask
      const first = yield* wholeAnswer(model, "2 + 2")
      assert.strictEqual(first.text, "4")
      const second = yield* wholeAnswer(model, "2 + 2")
      assert.deepStrictEqual([second.thoughts, second.text], ["I must add them.", "4"])
      const third = yield* wholeAnswer(model, "2 + 3")
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

  const said = (...pieces: ReadonlyArray<string>) =>
    pieces.map((piece) => change(0, { type: "text_delta", text: piece })).join("")
  for (
    const [what, ...given] of [
      ["of a block that nothing began", said("hi")],
      ["of a block of an unknown type", open(0, { type: "output_text" }), said("hi"), shut(0)],
      ["of a block without a type", open(0, {}), said("hi"), shut(0)],
      [
        "beside blocks of unknown types",
        open(1, { type: "news", x: 1 }),
        change(1, { type: "news_delta" }),
        shut(1),
        said("hi")
      ],
      [
        "beside a piece of a call",
        open(0, { type: "text", text: "" }),
        said("hi"),
        change(0, { type: "input_json_delta", partial_json: "{}" }),
        shut(0)
      ]
    ] as ReadonlyArray<[string, ...ReadonlyArray<string>]>
  ) {
    it.live(
      `has the text ${what}`,
      Effect.fnUntraced(function*() {
        const { fault, parts } = yield* anthropic(...given, end("end_turn"))
        assert.isUndefined(fault)
        assert.strictEqual(text(parts), "hi")
      })
    )
  }

  it.live(
    "has the thoughts that a block of text holds apart from the text",
    Effect.fnUntraced(function*() {
      const thought = change(0, { type: "thinking_delta", thinking: "hm" })
      const { parts } = yield* anthropic(
        open(0, { type: "text", text: "" }),
        thought,
        said("hi"),
        shut(0),
        end("end_turn")
      )
      assert.deepStrictEqual([text(parts, "reasoning"), text(parts)], ["hm", "hi"])
    })
  )

  it.live(
    "needs its last event alone, or the mark of the other wire",
    Effect.fnUntraced(function*() {
      for (const last of [event({ type: "message_stop" }), done]) {
        const { fault, parts } = yield* anthropic(use(0, "a"), args(0, "a.txt"), shut(0), last)
        assert.isUndefined(fault)
        assert.lengthOf(calls(parts), 1)
      }
      const broken = yield* anthropic(said("half"))
      assert.include(broken.fault?.message, "ended before the answer did")
      assert.strictEqual(text(broken.parts), "half")
    })
  )

  it.live(
    "may say what its events are by their names alone",
    Effect.fnUntraced(function*() {
      const named = [start, open(0, { type: "text", text: "" }), said("hi"), shut(0), end("end_turn")].join("")
        .replaceAll(/(?:event: .*\n)?data: \{"type":"(message_\w+|content_\w+)",?/g, "event: $1\ndata: {")
      const { fault, parts } = yield* answers("anthropic", [pieces(named)])
      assert.isUndefined(fault)
      assert.strictEqual(text(parts), "hi")
    })
  )

  const json = (partial_json: unknown) => change(0, { type: "input_json_delta", partial_json })
  const path = JSON.stringify({ path: "a" })
  for (
    const [what, input, ...given] of [
      ["as text", path],
      ["at its start", { path: "a" }],
      ["at its start and in pieces", { path: "a" }, json(path)],
      ["at its start, and empty behind it", { path: "a" }, json("{}")],
      ["encoded twice", {}, json(JSON.stringify(path))],
      ["twice", {}, json(path), json(path)],
      ["empty, then whole", {}, json("{}"), json(path)],
      ["as an object", {}, json({ path: "a" })]
    ] as ReadonlyArray<[string, unknown, ...ReadonlyArray<string>]>
  ) {
    it.live(
      `has the input of a call ${what}`,
      Effect.fnUntraced(function*() {
        const block = open(0, { type: "tool_use", id: "t", name: "file_list", input })
        const { parts } = yield* anthropic(block, ...given, shut(0), end("tool_use"))
        assert.deepStrictEqual<unknown>(calls(parts).map(({ params }) => params), [{ path: "a" }])
      })
    )
  }

  it.live(
    "cut off by a limit has no call that had no arguments yet",
    Effect.fnUntraced(function*() {
      const { parts } = yield* anthropic(use(0, "a"), shut(0), use(1, "b"), shut(1), end("max_tokens"))
      assert.deepStrictEqual(calls(parts).map(({ id }) => id), ["a"])
    })
  )

  it.live(
    "calls the tool that a name means",
    Effect.fnUntraced(function*() {
      const block = open(0, { type: "tool_use", id: "t", name: "functions.File-List ", input: {} })
      const { parts } = yield* anthropic(block, shut(0), end("tool_use"))
      assert.deepStrictEqual(calls(parts).map(({ name }) => name), ["file_list"])
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
        const model = yield* (yield* models(wires.openai(server.url, more))).get("local/m")
        yield* wholeAnswer(model, "a")
        yield* wholeAnswer(model, "b")
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
