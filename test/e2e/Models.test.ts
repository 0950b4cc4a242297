import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { type Host, test as base } from "../support/Host.ts"
import { textOf } from "../support/AcpProcess.ts"
import type { Json } from "../support/Wire.ts"

const send = (type: string, more: Json = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const block = (index: number, content_block: Json, ...deltas: ReadonlyArray<Json>) =>
  send("content_block_start", { index, content_block }) + deltas.map((delta) =>
    send("content_block_delta", { index, delta })
  ).join("") + send("content_block_stop", { index })
const thinking = (text: string, signature: string) =>
  block(0, { type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking: text }, {
    type: "signature_delta",
    signature
  })
const say = (text: string, index = 0) => block(index, { type: "text", text: "" }, { type: "text_delta", text })
const answer = (stop_reason: string, ...blocks: ReadonlyArray<string>) =>
  send("message_start", { message: { usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 } } }) +
  blocks.join("") +
  send("message_delta", { delta: { stop_reason }, usage: { output_tokens: 5 } }) + send("message_stop")

/** Speaks the Messages API: each request gets the next answer, or `ok`. */
class Provider {
  readonly requests: Array<Json> = []
  readonly answers: Array<string | number> = []
  private readonly server: Server

  constructor() {
    this.server = createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8").on("data", (piece: string) => text += piece).on("end", () => {
        if (request.method === "GET") {
          return void response.writeHead(200, { "content-type": "application/json" }).end(
            JSON.stringify({ data: [{ id: "claude-haiku-4-5" }, { id: "claude-opus-5" }] })
          )
        }
        this.requests.push(JSON.parse(text))
        const next = this.answers.shift() ?? answer("end_turn", say("ok"))
        if (typeof next === "number") {
          response.writeHead(next, { "content-type": "application/json" }).end(
            JSON.stringify({ error: { message: "no" } })
          )
        } else response.writeHead(200, { "content-type": "text/event-stream" }).end(next)
      })
    })
  }

  async listen(): Promise<string> {
    this.server.listen(0, "127.0.0.1")
    await once(this.server, "listening")
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

const test = base.extend<{ provider: Provider }>({
  provider: async ({ host }, use) => {
    const provider = new Provider()
    writeFileSync(
      join(host.config, "config.toml"),
      `
[agents.default]
model = "claude/claude-sonnet-4.6"
[providers.claude]
kind = "anthropic"
base_url = "${await provider.listen()}"
api_key_env = "CLAUDE_KEY"
models = ["claude-opus-4.6"]
[providers.blind]
kind = "openai-compatible"
base_url = "http://127.0.0.1:9"
models = ["words-only"]
`
    )
    await use(provider)
    provider.close()
  }
})

const env = { CLAUDE_KEY: "sk-ant-very-secret" }
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const open = (host: Host) => host.open({ env })

const option = (options: ReadonlyArray<Json>, id: string): Json => options.find((o) => o["id"] === id) ?? {}
const values = (one: Json) => one["options"].map((o: Json) => o["value"])

describe("A session with a real model", () => {
  test("shows thoughts and text, runs calls, and repeats signed thoughts after a restart", async ({ host, provider }) => {
    host.write("a.txt", "alpha")
    provider.answers.push(
      answer(
        "tool_use",
        thinking("look first", "sig-1"),
        block(1, { type: "tool_use", id: "toolu_1", name: "file_read", input: {} }, {
          type: "input_json_delta",
          partial_json: "{\"path\": \"a"
        }, { type: "input_json_delta", partial_json: ".txt\"}" })
      ),
      answer("end_turn", thinking("all there", "sig-2"), say("It says alpha.", 1))
    )
    const acp = await open(host)
    const sessionId = await acp.newSession()
    const turn = await acp.prompt(sessionId, "What is in a.txt?")
    expect(turn.text).toBe("It says alpha.")
    expect(textOf(turn.updates, "agent_thought_chunk")).toBe("look firstall there")
    expect(turn.result["usage"]).toEqual({
      totalTokens: 210,
      inputTokens: 200,
      outputTokens: 10,
      cachedReadTokens: 180,
      cachedWriteTokens: 0
    })
    expect(turn.updates.find((u) => u.sessionUpdate === "usage_update")).toMatchObject({ used: 105, size: 200_000 })
    expect(provider.requests[1]?.["messages"][2].content[0]).toMatchObject({
      type: "tool_result",
      tool_use_id: "toolu_1"
    })
    await acp.close()

    const again = await open(host)
    await again.request("session/resume", { sessionId, cwd: host.project })
    await again.prompt(sessionId, "Thanks")
    const messages = provider.requests[2]?.["messages"]
    expect(messages[1].content.slice(0, 2)).toEqual([
      { type: "thinking", thinking: "look first", signature: "sig-1" },
      { type: "tool_use", id: "toolu_1", name: "file_read", input: { path: "a.txt" } }
    ])
    expect(messages[3].content).toEqual([{ type: "thinking", thinking: "all there", signature: "sig-2" }, {
      type: "text",
      text: "It says alpha."
    }])
  })

  test("goes on after an answer that paused", async ({ host, provider }) => {
    provider.answers.push(answer("pause_turn", say("half ")), answer("end_turn", say("whole")))
    const acp = await open(host)
    expect((await acp.prompt(await acp.newSession(), "go")).text).toBe("half whole")
  })

  test("keeps what was said before the model failed, and says what to do", async ({ host, provider }) => {
    provider.answers.push(answer("end_turn", say("half an ans")).split("event: message_delta")[0]!, 401)
    const acp = await open(host)
    const sessionId = await acp.newSession()
    const prompt = [{ type: "text", text: "go" }]
    const cut = await acp.failure("session/prompt", { sessionId, prompt })
    expect(cut).toMatchObject({ code: -32603, data: { reason: "model_broken_off" } })
    expect(cut.message).toContain("the connection ended before the answer did")
    const refused = await acp.failure("session/prompt", { sessionId, prompt })
    expect(refused).toMatchObject({ code: -32603, data: { reason: "model_key_refused" } })
    expect(refused.message).toContain("check the key in CLAUDE_KEY")
    expect(provider.requests[1]?.["messages"]).toContainEqual({
      role: "assistant",
      content: [{ type: "text", text: "half an ans" }]
    })
    expect(acp.lines.join("\n") + acp.stderr).not.toContain(env.CLAUDE_KEY)
  })

  test("without the key it was promised says which variable to set", async ({ host, provider }) => {
    const acp = await host.open()
    const failed = await acp.failure("session/prompt", {
      sessionId: await acp.newSession(),
      prompt: [{ type: "text", text: "go" }]
    })
    expect(failed).toMatchObject({ data: { reason: "auth_required" } })
    expect(failed.message).toContain("set CLAUDE_KEY")
    expect(provider.requests).toHaveLength(0)
  })
})

describe("A session's model", () => {
  test("and how much it thinks are chosen in its options, at once and for good", async ({ host, provider }) => {
    const acp = await open(host)
    const { configOptions, sessionId } = await acp.request("session/new", { cwd: host.project, mcpServers: [] })
    expect(option(configOptions, "model")).toMatchObject({
      category: "model",
      currentValue: "claude/claude-sonnet-4.6"
    })
    expect(values(option(configOptions, "model"))).toEqual([
      "claude/claude-sonnet-4.6",
      "offline/builtin",
      "claude/claude-opus-4.6",
      "blind/words-only"
    ])
    expect(option(configOptions, "thought_level")).toMatchObject({ category: "thought_level", currentValue: "default" })

    const since = acp.messages.length
    await acp.request("session/set_config_option", { sessionId, configId: "thought_level", value: "low" })
    const set = await acp.request("session/set_config_option", {
      sessionId,
      configId: "model",
      value: "claude/claude-opus-4.6"
    })
    expect(option(set["configOptions"], "model")["currentValue"]).toBe("claude/claude-opus-4.6")
    const told = acp.updates(sessionId, since).filter((u) => u.sessionUpdate === "config_option_update")
    expect(option((told.at(-1) as Json)["configOptions"], "model")["currentValue"]).toBe("claude/claude-opus-4.6")
    await acp.prompt(sessionId, "go")
    expect(provider.requests[0]).toMatchObject({ model: "claude-opus-4-6", output_config: { effort: "low" } })
    await acp.close()

    const again = await open(host)
    const resumed = await again.request("session/resume", { sessionId, cwd: host.project })
    expect(option(resumed["configOptions"], "model")["currentValue"]).toBe("claude/claude-opus-4.6")
    expect(option(resumed["configOptions"], "thought_level")["currentValue"]).toBe("low")
  })

  test("changes in the middle of a turn, with the next request", async ({ host, provider }) => {
    provider.answers.push(
      answer("tool_use", block(0, { type: "tool_use", id: "toolu_1", name: "shell", input: { command: "touch x" } }))
    )
    const acp = await open(host)
    const sessionId = await acp.newSession()
    acp.permission = (request) => {
      acp.send({
        jsonrpc: "2.0",
        id: "switch",
        method: "session/set_config_option",
        params: { sessionId, configId: "model", value: "claude/claude-opus-4.6" }
      })
      return { result: { outcome: { outcome: "selected", optionId: "reject-once" } }, id: request.id }
    }
    await acp.prompt(sessionId, "go")
    expect(provider.requests.map(({ model }) => model)).toEqual(["claude-sonnet-4-6", "claude-opus-4-6"])
  })

  test("that cannot be is refused", async ({ host, provider: _ }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    for (const value of ["nowhere/x", "openai/gpt-5.2", "sonnet"]) {
      expect(await acp.failure("session/set_config_option", { sessionId, configId: "model", value })).toMatchObject({
        code: -32602,
        data: { field: "value" }
      })
    }
    expect(await acp.failure("session/set_config_option", { sessionId, configId: "thought_level", value: "enormous" }))
      .toMatchObject({ code: -32602, data: { field: "value" } })
  })

  test("can be one of those the provider lists, once a first turn has been with it", async ({ host, provider: _ }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "go")
    const isLonger = (u: Json) =>
      u["sessionUpdate"] === "config_option_update" &&
      values(option(u["configOptions"], "model")).includes("claude/claude-opus-5")
    await acp.waitForUpdate(isLonger)
    const { configOptions } = await acp.request("session/new", { cwd: host.project, mcpServers: [] })
    expect(values(option(configOptions, "model"))).toContain("claude/claude-haiku-4-5")
  })
})

describe("Images in prompts", () => {
  const prompt = [{ type: "text", text: "What is this?" }, { type: "image", data: pixel, mimeType: "image/png" }]
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } }

  test("reach a model that sees, in this turn and the next, and come back when the session is loaded", async ({ host, provider }) => {
    const acp = host.start({ env })
    expect((await acp.initialize())["agentCapabilities"].promptCapabilities.image).toBe(true)
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, prompt)
    expect(provider.requests[0]?.["messages"][0].content[0]).toEqual(image)
    await acp.close()

    const again = await open(host)
    await again.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    const shown = again.updates(sessionId).filter((u) => u.sessionUpdate === "user_message_chunk").map((u: Json) =>
      u["content"]
    )
    expect(shown[1]).toMatchObject({ type: "image", data: pixel, mimeType: "image/png" })
    await again.prompt(sessionId, "And its size?")
    expect(provider.requests[1]?.["messages"][0].content[0]).toEqual(image)
  })

  test("that were changed behind our back are not sent", async ({ host, provider }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, prompt)
    const [stored] = /uploads\/[0-9a-f]{64}\.png/.exec(JSON.stringify(provider.requests[0])) ?? []
    host.write(stored!, "something else")
    await acp.prompt(sessionId, "again")
    expect(JSON.stringify(provider.requests[1])).not.toContain("\"image\"")
  })

  test("are refused for a model that does not see, and hidden from one that is chosen later", async ({ host, provider }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, prompt)
    expect(provider.requests).toHaveLength(1)
    await acp.request("session/set_config_option", { sessionId, configId: "model", value: "offline/builtin" })
    expect((await acp.prompt(sessionId, "say fine")).text).toBe("fine")
    expect(await acp.failure("session/prompt", { sessionId, prompt })).toMatchObject({
      code: -32602,
      data: { reason: "unsupported_content" }
    })
    await acp.request("session/set_config_option", { sessionId, configId: "model", value: "claude/claude-sonnet-4.6" })
    const tiff = [{ type: "image", data: pixel, mimeType: "image/tiff" }]
    expect(await acp.failure("session/prompt", { sessionId, prompt: tiff })).toMatchObject({
      code: -32602,
      data: { reason: "unsupported_content" }
    })
  })
})
