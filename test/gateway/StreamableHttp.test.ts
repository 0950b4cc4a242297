import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { type DaemonProcess, test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken, WebSocketClient } from "../support/Gateway.ts"
import { HttpClient } from "../support/HttpClient.ts"
import type { Json, Message } from "../support/Wire.ts"

interface Served {
  readonly daemon: DaemonProcess
  readonly url: string
  readonly token: string
  readonly setup: Json
  readonly connect: (token?: string) => Promise<HttpClient>
}

const test = base.extend<{ gateway: Served }>({
  gateway: async ({ daemon, host }, use) => {
    const port = await freePort()
    writeFileSync(
      join(host.config, "config.toml"),
      `[gateway]\nenabled = true\nport = ${port}\nallowed_origins = ["https://app.example.com"]\n`
    )
    const running = daemon()
    await running.ready
    const url = `http://127.0.0.1:${port}`
    const token = await pairedToken(running, url)
    const clients: Array<HttpClient> = []
    await use({
      daemon: running,
      url,
      token,
      setup: { cwd: host.project, mcpServers: [] },
      connect: async (own = token) => {
        const client = new HttpClient(`${url}/acp`, own)
        clients.push(client)
        await client.initialize()
        await client.listen()
        return client
      }
    })
    for (const client of clients) client.close()
  }
})

const opened = async (client: HttpClient, setup: Json): Promise<string> => {
  const { sessionId } = await client.request("session/new", setup)
  assert.strictEqual((await client.listen(String(sessionId))).status, 200)
  return String(sessionId)
}

const prompt = (sessionId: string, text: string, promptId?: string): Json => ({
  sessionId,
  prompt: [{ type: "text", text }],
  ...(promptId === undefined ? {} : { _meta: { postern: { promptId } } })
})

const says = (text: string) => ({ params }: Message) =>
  (params?.["update"] as Json | undefined)?.["sessionUpdate"] === "agent_message_chunk" &&
  String((params?.["update"] as Json)["content"].text).includes(text)

const isQuestion = ({ method }: Message) => method === "session/request_permission"

describe("ACP over streamable HTTP", () => {
  test("answers on event streams what requests ask", async ({ gateway, host }) => {
    const client = await gateway.connect()
    assert.notStrictEqual(client.connectionId, "")
    const sessionId = await opened(client, gateway.setup)
    client.decide = () => ({ outcome: { outcome: "selected", optionId: "allow-once" } })
    const answer = await client.request("session/prompt", prompt(sessionId, "write a.txt\nhello\n.\nsay done"))
    assert.strictEqual(answer["stopReason"], "end_turn")
    assert.include(client.text(sessionId), "done")
    assert.strictEqual((await client.post({ method: "session/cancel", params: { sessionId } })).status, 202)
    const missing = await client.failure("session/prompt", prompt("no-such-session", "say x"))
    assert.strictEqual(missing.code, -32002)
    assert.strictEqual((await client.fetch("DELETE")).status, 202)
    assert.strictEqual((await client.fetch("DELETE")).status, 404)
    const second = await gateway.connect()
    assert.strictEqual((await second.listen(sessionId)).status, 200)
    await second.request("session/load", { sessionId, ...gateway.setup })
    assert.include(second.text(sessionId), "done")
    assert.strictEqual(host.project, gateway.setup["cwd"])
  })

  test("refuses what does not fit with the status that says so", async ({ gateway }) => {
    const client = await gateway.connect()
    const sessionId = await opened(client, gateway.setup)
    const status = async (method: string, headers: Readonly<Record<string, string>>, body?: string) =>
      (await client.fetch(method, headers, body)).status
    const events = { accept: "text/event-stream" }
    const none = { "acp-connection-id": "" }
    const unknown = { "acp-connection-id": "1b4e28ba-2fa1-11d2-883f-0016d3cca427" }
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/list", params: {} })
    const start = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })
    const cancel = JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })
    const cases: ReadonlyArray<readonly [number, string, Readonly<Record<string, string>>, string?]> = [
      [415, "POST", { "content-type": "text/plain" }, list],
      [415, "POST", { "content-type": "" }, list],
      [202, "POST", { "content-type": "application/json; charset=utf-8" }, list],
      [400, "POST", none, list],
      [404, "POST", unknown, list],
      [400, "POST", {}, start],
      [400, "POST", {}, "{"],
      [400, "POST", {}, `[${list}]`],
      [400, "POST", {}, "7"],
      [400, "POST", {}, cancel],
      [400, "POST", { "acp-session-id": "another" }, cancel],
      [202, "POST", { "acp-session-id": sessionId }, cancel],
      [406, "GET", { accept: "application/json" }],
      [400, "GET", { ...events, ...none }],
      [404, "GET", { ...events, ...unknown }],
      [404, "GET", { ...events, "acp-session-id": "no-such-session" }],
      [409, "GET", events],
      [409, "GET", { ...events, "acp-session-id": sessionId }],
      [400, "DELETE", none],
      [404, "DELETE", unknown],
      [405, "PUT", {}, list],
      [401, "POST", { authorization: "", ...none }, start]
    ]
    for (const [expected, method, headers, body] of cases) {
      assert.strictEqual(await status(method, headers, body), expected, `${method} ${JSON.stringify(headers)} ${body}`)
    }
    const batch = await client.fetch("POST", {}, `[${list}]`)
    assert.strictEqual((await batch.json() as Message).error?.code, -32600)
  })

  test("keeps connections and sessions of one token from every other", async ({ gateway }) => {
    const client = await gateway.connect()
    const sessionId = await opened(client, gateway.setup)
    const other = await gateway.connect(await pairedToken(gateway.daemon, gateway.url))
    assert.strictEqual((await other.listen(sessionId)).status, 404)
    const own = { "acp-connection-id": client.connectionId }
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/list", params: {} })
    assert.strictEqual((await other.fetch("POST", own, list)).status, 404)
    assert.strictEqual((await other.fetch("GET", { ...own, accept: "text/event-stream" })).status, 404)
    assert.strictEqual((await other.fetch("DELETE", own)).status, 404)
    assert.strictEqual((await other.failure("session/load", { sessionId, ...gateway.setup })).code, -32002)
    assert.strictEqual(
      (await client.request("session/prompt", prompt(sessionId, "say mine")))["stopReason"],
      "end_turn"
    )
  })

  test("holds updates for a session stream that is opened late", async ({ gateway }) => {
    const client = await gateway.connect()
    const { sessionId } = await client.request("session/new", gateway.setup)
    const id = String(sessionId)
    assert.strictEqual(
      (await client.post({ id: "late", method: "session/prompt", params: prompt(id, "say early") })).status,
      202
    )
    await client.listen(id)
    await client.answer("late")
    assert.strictEqual(client.text(id).trim(), "early")
  })

  test("goes on when a session stream is lost, and shows what was missed, then the answer", async ({ gateway }) => {
    const client = await gateway.connect()
    const sessionId = await opened(client, gateway.setup)
    const script = "say before\nwait 1.5\nsay after\nsay end"
    await client.post({ id: "p", method: "session/prompt", params: prompt(sessionId, script) })
    await client.waitFor(says("before"))
    client.lose(sessionId)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    assert.notInclude(client.text(sessionId), "after")
    assert.strictEqual((await client.listen(sessionId)).status, 200)
    await client.answer("p")
    assert.match(client.text(sessionId), /^\s*before\s*after\s*end\s*$/)
  })

  test("gives a session whose stream is lost to the next connection, with its open question", async ({ gateway }) => {
    const first = await gateway.connect()
    const sessionId = await opened(first, gateway.setup)
    const asking = "say before\nwait 1\nwrite a.txt\nhello\n.\nsay end"
    await first.post({ id: "p", method: "session/prompt", params: prompt(sessionId, asking, "p-1") })
    await first.waitFor(says("before"))
    first.lose(sessionId)
    const second = await gateway.connect()
    second.decide = () => ({ outcome: { outcome: "selected", optionId: "allow-once" } })
    await second.listen(sessionId)
    await second.request("session/resume", { sessionId, ...gateway.setup })
    await second.waitFor(isQuestion)
    const turn = await second.request("_postern/session/turn", { sessionId, promptId: "p-1" })
    assert.strictEqual(turn["stopReason"], "end_turn")
    assert.include(second.text(sessionId), "end")
    assert.notInclude(second.text(sessionId), "before")
    assert.strictEqual((await first.listen(sessionId)).status, 409)
    assert.strictEqual((await first.listen(sessionId)).status, 200)
  })

  test("asks again where the stream was lost that had the question", async ({ gateway }) => {
    const first = await gateway.connect()
    const sessionId = await opened(first, gateway.setup)
    await first.post({ id: "p", method: "session/prompt", params: prompt(sessionId, "write a.txt\nhello\n.", "p-1") })
    await first.waitFor(isQuestion)
    first.lose(sessionId)
    const client = await WebSocketClient.open(`${gateway.url.replace("http", "ws")}/acp?token=${gateway.token}`)
    client.decide = () => ({ outcome: { outcome: "selected", optionId: "allow-once" } })
    await client.initialize()
    await client.request("session/resume", { sessionId, ...gateway.setup })
    await client.waitFor(isQuestion)
    const turn = await client.request("_postern/session/turn", { sessionId, promptId: "p-1" })
    assert.strictEqual(turn["stopReason"], "end_turn")
  })

  test("ends the turn of a connection that the client deletes, and keeps its history", async ({ gateway }) => {
    const client = await gateway.connect()
    const sessionId = await opened(client, gateway.setup)
    await client.post({
      id: "p",
      method: "session/prompt",
      params: prompt(sessionId, "say before\nwait 20\nsay after")
    })
    await client.waitFor(says("before"))
    assert.strictEqual((await client.fetch("DELETE")).status, 202)
    const second = await gateway.connect()
    await second.listen(sessionId)
    await second.request("session/load", { sessionId, ...gateway.setup })
    const answer = await second.request("session/prompt", prompt(sessionId, "say again"))
    assert.strictEqual(answer["stopReason"], "end_turn")
    assert.include(second.text(sessionId), "before")
  })

  test("lets pages of allowed origins in, and no others", async ({ gateway }) => {
    const ask = (origin: string) =>
      fetch(`${gateway.url}/acp`, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type,acp-connection-id"
        }
      })
    const allowed = await ask("https://app.example.com")
    assert.strictEqual(allowed.status, 204)
    assert.strictEqual(allowed.headers.get("access-control-allow-origin"), "https://app.example.com")
    const foreign = await ask("https://evil.example.com")
    assert.strictEqual(foreign.status, 403)
    assert.isNull(foreign.headers.get("access-control-allow-origin"))
  })

  test("ends the streams of a token that is revoked", async ({ gateway }) => {
    const client = await gateway.connect()
    const operator = await gateway.daemon.greet()
    const { id } = JSON.parse(
      (await import("node:fs")).readFileSync(join(gateway.daemon.socket, "..", "gateway", "tokens.json"), "utf8")
    ).tokens[0] as { readonly id: string }
    const stream = await fetch(`${gateway.url}/acp`, {
      headers: {
        authorization: `Bearer ${gateway.token}`,
        accept: "text/event-stream",
        "acp-connection-id": client.connectionId,
        "acp-session-id": await client.request("session/new", gateway.setup).then(({ sessionId }) => String(sessionId))
      }
    })
    await operator.request("pairing/revoke", { id })
    await stream.text()
    assert.strictEqual((await client.fetch("DELETE")).status, 401)
  })
})
