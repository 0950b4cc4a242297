import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { ModelRequest } from "../../src/model/http/HttpFault.ts"
import * as HttpFault from "../../src/model/http/HttpFault.ts"
import { asked, models, request, text } from "./Asked.ts"
import { type Answer, cut, event, pieces, Server, signal, stall, status } from "./Server.ts"

const say = (content: string) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const stop = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
const claude = event({ type: "message_start", message: { usage: { input_tokens: 1 } } }, "message_start") +
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, "content_block_start") +
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "part" } }, "content_block_delta")

const key = "sk-live-0123456789"
const toml = (url: string, more = "") => `
[providers.local]
kind = "openai-compatible"
base_url = "${url}/v1"
api_key_env = "LOCAL_KEY"
${more}
[providers.claude]
kind = "anthropic"
base_url = "${url}"
api_key = "${key}"
`

const answered = Effect.fnUntraced(function*(answer: Answer, more = "", model = "local/m") {
  const server = yield* Server.make(answer)
  const given = yield* asked({ toml: toml(server.url, more), model, env: { LOCAL_KEY: key } })
  return { ...given, said: text(given.parts), url: server.url }
})

describe("A provider that refuses", () => {
  const cases: ReadonlyArray<readonly [string, Answer, string, RegExp]> = [
    [
      "a key",
      status(401, { error: { message: `Incorrect API key provided: ${key}` } }),
      "model_key_refused",
      /^local: the key was refused \(401\): Incorrect API key provided: <redacted> — check the key in LOCAL_KEY$/
    ],
    [
      "a key with 403",
      status(403, { error: "forbidden" }),
      "model_key_refused",
      /\(403\): forbidden — check the key in LOCAL_KEY$/
    ],
    [
      "a model",
      status(404, { error: { message: "model 'm' not found, try pulling it first" } }),
      "model_unknown",
      /^local: there is no model "m" at http:\/\/127\.0\.0\.1:\d+\/v1 \(404\): model 'm' not found, try pulling it first — check the model's name, and base_url$/
    ],
    [
      "an account without credit",
      status(429, {
        error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" }
      }),
      "model_no_credit",
      /no credit left \(429\)/
    ],
    [
      "payment",
      status(402, { error: { message: "Insufficient credits" } }),
      "model_no_credit",
      /\(402\): Insufficient credits/
    ],
    [
      "the request",
      status(400, { error: { message: "tools.0: bad schema" } }),
      "model_rejected_request",
      /^local: the request was rejected \(400\): tools\.0: bad schema$/
    ],
    [
      "with a page for people",
      status(400, "<html><style>p{}</style><body><h1>Bad</h1> <p>gateway</p></body></html>"),
      "model_rejected_request",
      /\(400\): Bad gateway$/
    ],
    [
      "by sending elsewhere",
      status(308, "", { location: "https://example.com" }),
      "model_unreachable",
      /put the final address into base_url$/
    ],
    [
      "OpenRouter's way",
      status(400, {
        error: {
          message: "Provider returned error",
          code: 400,
          metadata: { raw: "{\"message\":\"nope\"}", provider_name: "X" }
        }
      }),
      "model_rejected_request",
      /Provider returned error: \{"message":"nope"\}/
    ],
    [
      "vLLM's way",
      status(400, { object: "error", message: "bad thing", type: "BadRequestError", code: 400 }),
      "model_rejected_request",
      /\(400\): bad thing$/
    ],
    ["FastAPI's way", status(422, { detail: "field required" }), "model_rejected_request", /\(422\): field required$/]
  ]
  for (const [what, answer, reason, message] of cases) {
    it.live(
      `${what} is told so that a person can act on it`,
      Effect.fnUntraced(function*() {
        const { fault, parts } = yield* answered(answer)
        assert.strictEqual(fault?.reason, reason)
        assert.match(fault?.message ?? "", message)
        assert.deepStrictEqual(parts, [])
      })
    )
  }

  const overflows: ReadonlyArray<readonly [string, number, object]> = [
    ["OpenAI", 400, {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        code: "context_length_exceeded"
      }
    }],
    ["Anthropic", 400, {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }
    }],
    ["Anthropic with its output", 400, {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"
      }
    }],
    ["Anthropic in bytes", 413, {
      type: "error",
      error: { type: "request_too_large", message: "Request exceeds the maximum size" }
    }],
    ["llama.cpp", 400, {
      error: {
        code: 400,
        message: "the request exceeds the available context size. try increasing the context size",
        type: "exceed_context_size_error"
      }
    }],
    ["vLLM", 400, { object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 }],
    ["Gemini", 400, {
      error: {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
      }
    }]
  ]
  for (const [who, code, body] of overflows) {
    it.live(
      `a prompt that is too long, as ${who} says it, says just that`,
      Effect.fnUntraced(function*() {
        const { fault } = yield* answered(status(code, body))
        assert.strictEqual(fault?.reason, "context_overflow")
        assert.include(fault?.message, "is longer than m takes")
      })
    )
  }

  it.live(
    "with an error inside a stream has what it said before kept",
    Effect.fnUntraced(function*() {
      const chat = yield* answered(
        pieces(say("par") + say("t") + event({ error: { code: 502, message: `upstream died with ${key}` } }))
      )
      assert.deepStrictEqual([chat.said, chat.fault?.reason], ["part", "model_busy"])
      assert.strictEqual(chat.fault?.message, "local: the provider has trouble (502): upstream died with <redacted>")
      const router = yield* answered(
        pieces(
          say("part"),
          event({
            id: "x",
            error: { code: 400, message: "Provider returned error" },
            choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }]
          })
        )
      )
      assert.deepStrictEqual([router.said, router.fault?.reason], ["part", "model_rejected_request"])
      const anthropic = yield* answered(
        pieces(claude, event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error")),
        "",
        "claude/claude-sonnet-4.6"
      )
      assert.deepStrictEqual([anthropic.said, anthropic.fault?.message], [
        "part",
        "claude: the model is overloaded (529): Overloaded"
      ])
    })
  )

  const asker: ModelRequest = {
    alias: "a",
    model: "m",
    baseUrl: "http://h",
    apiKeyEnv: undefined,
    hasKey: true,
    hide: (text) => text
  }
  const meant: ReadonlyArray<readonly [string, number, string, string, boolean]> = [
    [
      "a rate limit that says how to pay for more",
      429,
      "Rate limit reached. Add a payment method at https://platform.openai.com/account/billing.",
      "model_busy",
      true
    ],
    ["an empty account", 400, "Your credit balance is too low to access the API.", "model_no_credit", false],
    ["an image that is too large", 400, "image exceeds the maximum size of 5 MB", "model_rejected_request", false],
    [
      "too much asked for",
      400,
      "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens",
      "model_rejected_request",
      false
    ],
    ["a model that is being loaded", 503, "Loading model", "model_busy", true],
    ["an overload", 529, "Overloaded", "model_busy", true]
  ]
  for (const [what, status, message, reason, transient] of meant) {
    it(`with ${what} is understood as ${reason}`, () => {
      const fault = HttpFault.ofStatus(asker, {
        status,
        headers: {},
        now: 0,
        body: JSON.stringify({ error: { message } })
      })
      assert.deepStrictEqual([fault.reason, fault.transient], [reason, transient])
    })
  }

  it("says when it may be asked again, in seconds, milliseconds or as a date", () => {
    const now = Date.parse("2026-11-30T12:00:00Z")
    assert.strictEqual(HttpFault.retryAfter({ "retry-after": "7" }, now), 7000)
    assert.strictEqual(HttpFault.retryAfter({ "retry-after": "Mon, 30 Nov 2026 12:00:30 GMT" }, now), 30_000)
    assert.strictEqual(HttpFault.retryAfter({ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, now), 0)
    assert.strictEqual(HttpFault.retryAfter({ "retry-after": "7", "retry-after-ms": "250" }, now), 250)
    assert.isUndefined(HttpFault.retryAfter({ "retry-after": "soon" }, now))
    assert.isUndefined(HttpFault.retryAfter({}, now))
  })

  for (
    const [said, millis] of [
      ["Rate limit reached for m. Please try again in 1.2s. Visit x.", 1200],
      ["Please try again in 250ms.", 250],
      ["Please retry in 35.5s.", 35_500],
      ["Please try again in 6m0s.", 360_000],
      ["Please try again in 1h2m3.5s.", 3_723_500],
      ["Too busy: retry after 20 seconds", 20_000],
      ["Please wait for 2 minutes and 5 seconds", 125_000],
      [JSON.stringify([{ error: { details: [{ retryDelay: "7.5s" }] } }]), 7500],
      [JSON.stringify({ retry_after: 1.5 }), 1500],
      ["Try again.", undefined],
      ["retry the request with 5 s of audio", undefined]
    ] as const
  ) {
    it(`says when it may be asked again: ${said}`, () => assert.strictEqual(HttpFault.retryAfter({}, 0, said), millis))
  }

  it("says when a quota that is exceeded comes back, and is asked again then", () => {
    const fault = HttpFault.ofStatus(asker, {
      status: 429,
      headers: {},
      now: 0,
      body: "You exceeded your current quota, please check your plan and billing details. Please retry in 35.5s."
    })
    assert.deepStrictEqual([fault.reason, fault.transient, fault.retryAfter], ["model_busy", true, 35_500])
  })

  for (
    const body of [
      "\"bad thing\"",
      "bad thing",
      JSON.stringify([{ error: { code: 400, message: "bad thing" } }]),
      "[\"bad thing\"]",
      "<html><style>a{}</style><body><h1>bad thing</h1></body></html>",
      JSON.stringify({ error: { message: JSON.stringify({ error: { message: "bad thing" } }) } }),
      JSON.stringify(JSON.stringify({ error: { message: "bad thing" } })),
      JSON.stringify({ detail: [{ loc: ["body"], msg: "bad thing" }] }),
      JSON.stringify({ errors: [{ message: "bad thing" }] }),
      JSON.stringify({ error_code: 17, error_msg: "bad thing" }),
      JSON.stringify({ base_resp: { status_code: 1000, status_msg: "bad thing" } }),
      "event: error\ndata: {\"error\":{\"message\":\"bad thing\"}}\n\n"
    ]
  ) {
    it(`is understood in the body ${body.slice(0, 60)}`, () =>
      assert.strictEqual(
        HttpFault.ofStatus(asker, { status: 400, headers: {}, now: 0, body }).message,
        `${asker.alias}: the request was rejected (400): bad thing`
      ))
  }

  for (const body of ["", "null", "{}", "[]", "7"]) {
    it(`says its status where the body is ${JSON.stringify(body)}`, () =>
      assert.include(HttpFault.ofStatus(asker, { status: 400, headers: {}, now: 0, body }).message, "(400)"))
  }

  it.live(
    "for a moment is asked again",
    Effect.fnUntraced(function*() {
      const server = yield* Server.make(status(429, {}, { "retry-after-ms": "1" }), pieces(say("there"), stop))
      const { fault, parts } = yield* asked({ toml: toml(server.url), model: "local/m", env: { LOCAL_KEY: key } })
      assert.deepStrictEqual([text(parts), fault, server.seen.length], ["there", undefined, 2])
    })
  )

  it.live(
    "is left for its fallback, with the same model or another one",
    Effect.fnUntraced(function*() {
      const other = yield* Server.make(pieces(say("from b"), stop), pieces(say("from c"), stop))
      const server = yield* Server.make(status(401), status(401))
      const fallback = (name: string) =>
        `fallback = ["${name}"]\n[providers.b]\nkind = "openai-compatible"\nbase_url = "${other.url}"`
      const same = yield* asked({ toml: toml(server.url, fallback("b")), model: "local/m", env: { LOCAL_KEY: key } })
      const different = yield* asked({
        toml: toml(server.url, fallback("b/small")),
        model: "local/m",
        env: { LOCAL_KEY: key }
      })
      assert.deepStrictEqual([text(same.parts), text(different.parts)], ["from b", "from c"])
      assert.deepStrictEqual(other.seen.map(({ body }) => body["model"]), ["m", "small"])
    })
  )
})

describe("A provider that is not there", () => {
  const nobody = Effect.callback<string>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      server.close(() => resume(Effect.succeed(`http://127.0.0.1:${port}`)))
    })
  })

  it.live(
    "is told with its address",
    Effect.fnUntraced(function*() {
      const url = yield* nobody
      const { fault } = yield* asked({ toml: toml(url), model: "local/m", env: { LOCAL_KEY: key } })
      assert.deepStrictEqual(fault, {
        reason: "model_unreachable",
        message: `local: nothing answers at ${url}/v1 (ECONNREFUSED) — is the server running, and base_url right?`
      })
    })
  )

  it.live(
    "directly is asked through the proxy of the environment, but a server on this machine is not",
    Effect.fnUntraced(function*() {
      const proxy = yield* Server.make(pieces(say("by proxy"), stop))
      const server = yield* Server.make(pieces(say("directly"), stop))
      const env = { LOCAL_KEY: key, http_proxy: proxy.url }
      const far = yield* asked({ toml: toml("http://models.invalid"), model: "local/m", env })
      const near = yield* asked({ toml: toml(server.url), model: "local/m", env })
      assert.deepStrictEqual([text(far.parts), text(near.parts)], ["by proxy", "directly"])
      assert.strictEqual(proxy.seen[0]?.path, "http://models.invalid/v1/chat/completions")
    })
  )

  it.live(
    "is told apart from one that is something else",
    Effect.fnUntraced(function*() {
      const page = yield* answered(({ response }) =>
        void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>Welcome</html>")
      )
      assert.deepStrictEqual([page.fault?.reason, page.fault?.message.endsWith("check base_url")], [
        "model_unreachable",
        true
      ])
      const server = yield* Server.make()
      const tls = yield* asked({
        toml: toml(server.url.replace("http:", "https:")),
        model: "local/m",
        env: { LOCAL_KEY: key }
      })
      assert.strictEqual(tls.fault?.reason, "model_unreachable")
      assert.include(tls.fault?.message, "http or https in base_url?")
    })
  )

  it.live(
    "never shows what stands in its address",
    Effect.fnUntraced(function*() {
      const url = (yield* nobody).replace("//", "//user:hunter2@")
      const { fault } = yield* asked({ toml: toml(url), model: "local/m", env: { LOCAL_KEY: key } })
      assert.notInclude(fault?.message, "hunter2")
    })
  )
})

describe("An answer that does not end well", () => {
  it.live(
    "keeps what came before the connection was lost, and before it ended without an end",
    Effect.fnUntraced(function*() {
      const lost = yield* answered(cut(say("part")))
      assert.deepStrictEqual([lost.said, lost.fault?.reason], ["part", "model_broken_off"])
      const early = yield* answered(pieces(say("part")))
      assert.deepStrictEqual([early.said, early.fault], ["part", {
        reason: "model_broken_off",
        message: "local: the answer broke off: the connection ended before the answer did"
      }])
      const half = yield* answered(pieces(say("part"), say("never seen").slice(0, 30)))
      assert.deepStrictEqual([half.said, half.fault?.reason], ["part", "model_broken_off"])
      const anthropic = yield* answered(pieces(claude), "", "claude/claude-sonnet-4.6")
      assert.deepStrictEqual([anthropic.said, anthropic.fault?.reason], ["part", "model_broken_off"])
    })
  )

  it.live(
    "with an event that cannot be read is none",
    Effect.fnUntraced(function*() {
      const { fault, said } = yield* answered(pieces(say("part"), "data: {\"choices\": [\n\n", say("more"), stop))
      assert.deepStrictEqual([said, fault?.message], ["part", "local: the answer broke off: an event is no JSON"])
    })
  )

  const stalled = Effect.fnUntraced(function*(more: string, wait: number, ...said: ReadonlyArray<string>) {
    const arrived = signal()
    const server = yield* Server.make((exchange) => stall(...said)(exchange))
    const model = yield* (yield* models(toml(server.url, more), { LOCAL_KEY: key })).get("local/m")
    const run = yield* model.ask(request("hello")).pipe(
      Stream.runForEach(() => Deferred.succeed(arrived, undefined)),
      Effect.flip,
      Effect.forkChild
    )
    yield* Deferred.await(arrived)
    // The next read begins only after the part was taken.
    yield* TestClock.withLive(Effect.sleep(20))
    yield* TestClock.adjust(wait)
    return yield* Fiber.join(run)
  })

  it.effect(
    "is waited for five minutes where nothing comes",
    Effect.fnUntraced(function*() {
      const error = yield* stalled("", 300_000, say("part"))
      assert.include(error.message, "local: nothing came for 5m")
    })
  )

  it.effect(
    "is waited for as long as timeout_secs says where nothing comes",
    Effect.fnUntraced(function*() {
      const error = yield* stalled("timeout_secs = 30", 30_000, say("part"))
      assert.include(error.message, "timeout_secs")
    })
  )

  it.live(
    "lets go of the connection as soon as nobody wants it any more",
    Effect.fnUntraced(function*() {
      const arrived = signal()
      let gone: Promise<void> | undefined
      const server = yield* Server.make((exchange) => {
        gone = exchange.gone
        return stall(say("part"))(exchange)
      })
      const model = yield* (yield* models(toml(server.url), { LOCAL_KEY: key })).get("local/m")
      const run = yield* Effect.forkChild(
        Stream.runForEach(model.ask(request("hello")), () => Deferred.succeed(arrived, undefined))
      )
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(run)
      yield* Effect.promise(() => gone!)
    })
  )

  it.live(
    "closes the connection also before there was any answer",
    Effect.fnUntraced(function*() {
      const asked = signal()
      let gone: Promise<void> | undefined
      const server = yield* Server.make((exchange) => {
        gone = exchange.gone
        Deferred.doneUnsafe(asked, Effect.void)
      })
      const model = yield* (yield* models(toml(server.url), { LOCAL_KEY: key })).get("local/m")
      const run = yield* Effect.forkChild(Stream.runDrain(model.ask(request("hello"))))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(run)
      yield* Effect.promise(() => gone!)
    })
  )
})
