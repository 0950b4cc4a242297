import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { newSession } from "../support/SessionHarness.ts"
import { host } from "../support/EngineHost.ts"

type Json = Record<string, any>
type Reply = (body: Json, request: IncomingMessage, response: ServerResponse) => void

const listening = (handle: (request: IncomingMessage, response: ServerResponse, body: string) => void) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<{ readonly url: string; readonly close: () => void }>((resolve) => {
        const server = createServer((request, response) => {
          let body = ""
          request.on("data", (chunk) => body += chunk).on("end", () => handle(request, response, body))
        })
        server.listen(0, "127.0.0.1", () =>
          resolve({
            url: `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp`,
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          }))
      })
    ),
    ({ close }) => Effect.sync(close)
  )

const json = (response: ServerResponse, id: unknown, result: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(
    JSON.stringify({ jsonrpc: "2.0", id, result })
  )

/** A server over streamable HTTP without streams; a test answers the calls, and sees every request. */
const server = (call: Reply) =>
  Effect.gen(function*() {
    const requests: Array<
      { readonly method: string; readonly headers: IncomingMessage["headers"]; readonly says: string | undefined }
    > = []
    const { url } = yield* listening((request, response, text) => {
      const body = (text === "" ? {} : JSON.parse(text)) as Json
      requests.push({ method: request.method!, headers: request.headers, says: body["method"] })
      if (request.method !== "POST") return response.writeHead(405).end()
      switch (body["method"]) {
        case "initialize":
          return json(response, body["id"], { protocolVersion: "2025-03-26", capabilities: { tools: {} } }, {
            "mcp-session-id": "S1"
          })
        case "tools/list":
          return json(response, body["id"], { tools: [{ name: "do", inputSchema: { type: "object" } }] })
        case "tools/call":
          return call(body, request, response)
        default:
          return response.writeHead(202).end()
      }
    })
    return { url, requests }
  })

const talk = (url: string, more = "") =>
  host(() => `[policy]\ntool_approval = "universal_accept"\n[mcp.servers.s]\nurl = "${url}"\n${more}`)

const text = (value: string) => ({ content: [{ type: "text", text: value }] })

describe("An MCP server over streamable HTTP", () => {
  it.live("receives its headers, session id and revision with every request, and a DELETE at the end", () =>
    Effect.gen(function*() {
      const { requests, url } = yield* server((body, _, response) => json(response, body["id"], text("done")))
      const { layer, say } = talk(url, "headers = { x-key = \"k-12345678\" }")
      assert.deepStrictEqual(yield* Effect.provide(say("call s__do {}"), layer), ["completed done"])
      assert.deepStrictEqual(requests.map(({ says }) => says).filter((says) => says !== undefined), [
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/call"
      ])
      assert.isTrue(requests.every(({ headers }) => headers["x-key"] === "k-12345678"))
      assert.isTrue(
        requests.slice(1).every(({ headers }) =>
          headers["mcp-session-id"] === "S1" && headers["mcp-protocol-version"] === "2025-03-26"
        )
      )
      assert.strictEqual(requests.at(-1)?.method, "DELETE")
    }).pipe(Effect.scoped))

  const answers: ReadonlyArray<readonly [string, Reply, RegExp]> = [
    ["as a stream with other messages in it", (body, _, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(
        ": hello\n\nid: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\ndata: \"params\":{\"data\":\"x\"}}\n\n"
      )
      response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: body["id"], result: text("streamed") })}\n\n`)
    }, /^completed streamed$/],
    ["in a batch", (body, _, response) =>
      response.writeHead(200, { "content-type": "application/json" })
        .end(
          JSON.stringify([{ jsonrpc: "2.0", method: "x" }, {
            jsonrpc: "2.0",
            id: body["id"],
            result: text("one of two")
          }])
        ), /^completed one of two$/],
    [
      "with a stream that ends before the result",
      (_, __, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {}\n\n"),
      /^failed .* cannot be used: it ended its answer before the result$/
    ],
    ["with a connection that breaks", (_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n", () => response.destroy())
    }, /^failed .* cannot be used: it cannot be reached/],
    [
      "with a redirect",
      (_, __, response) => response.writeHead(307, { location: "http://elsewhere.example/" }).end(),
      /^failed .* it redirects to http:\/\/elsewhere\.example\/, and redirects are not followed$/
    ],
    [
      "by asking for credentials",
      (_, __, response) => response.writeHead(401).end("no"),
      /^failed .* it wants credentials \(HTTP 401\)/
    ],
    [
      "with an error page",
      (_, __, response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad\ngateway</h1>"),
      /^failed .* it answered with HTTP 502: <h1>Bad gateway<\/h1>$/
    ],
    ["with a JSON-RPC error behind an HTTP error", (body, _, response) =>
      response.writeHead(400)
        .end(
          JSON.stringify({ jsonrpc: "2.0", id: body["id"], error: { code: -32602, message: "no such repository" } })
        ), /^failed The MCP server s answered with an error \(-32602\): no such repository$/],
    ["without end", (_, __, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const more = () => response.destroyed || response.write("x".repeat(1024 * 1024), () => setImmediate(more))
      more()
    }, /^failed .* it answered with more than 16078168 bytes$/]
  ]

  for (const [how, reply, outcome] of answers) {
    it.live(`may answer ${how}`, () =>
      Effect.gen(function*() {
        const { url } = yield* server(reply)
        const { layer, say } = talk(url)
        const [result] = yield* Effect.provide(say("call s__do {}"), layer)
        assert.match(result!, outcome)
      }).pipe(Effect.scoped))
  }

  it.live("announces changed tools on a stream of its own", () => {
    const tools = ["do"]
    let stream: ServerResponse | undefined
    return Effect.gen(function*() {
      const { url } = yield* listening((request, response, said) => {
        const { id, method, params } = (said === "" ? {} : JSON.parse(said)) as Json
        if (request.method === "GET") {
          stream = response.writeHead(200, { "content-type": "text/event-stream" })
          return void stream.write(": open\n\n")
        }
        switch (method) {
          case "initialize":
            return json(response, id, { protocolVersion: "2025-03-26", capabilities: { tools: { listChanged: true } } })
          case "tools/list":
            return json(response, id, { tools: tools.map((name) => ({ name })) })
          case "tools/call":
            if (params.name === "do") tools.push("late")
            stream?.write("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n".repeat(100))
            return void setTimeout(() => json(response, id, text(`called ${params.name}`)), 200)
          default:
            return response.writeHead(202).end()
        }
      })
      const { layer, say } = talk(url)
      assert.deepStrictEqual(yield* Effect.provide(say("call s__do {}", "call s__late {}"), layer), [
        "completed called do",
        "completed called late"
      ])
    }).pipe(Effect.scoped)
  })

  it.live("is initialized again for the call after it has forgotten the session", () => {
    let calls = 0
    return Effect.gen(function*() {
      const { requests, url } = yield* server((body, _, response) =>
        ++calls === 1 ? response.writeHead(404).end() : json(response, body["id"], text("again"))
      )
      const { layer, say } = talk(url)
      const [lost, found] = yield* Effect.provide(say("call s__do {\"n\":1}", "call s__do {\"n\":2}"), layer)
      assert.match(lost!, /^failed .* it has ended its session with us$/)
      assert.strictEqual(found, "completed again")
      assert.lengthOf(requests.filter(({ says }) => says === "initialize"), 2)
    }).pipe(Effect.scoped)
  })

  it.live("cannot redirect messages to another host when it speaks the older SSE transport", () =>
    Effect.gen(function*() {
      const { url } = yield* listening((request, response) => {
        if (request.method === "POST") return response.writeHead(202).end()
        response.writeHead(200, { "content-type": "text/event-stream" }).write(
          "event: endpoint\ndata: http://elsewhere.example/message\n\n"
        )
      })
      const { layer } = talk(url, "transport = \"sse\"")
      const notices = yield* Effect.provide(Effect.flatMap(newSession(), ({ tools }) => tools.begin), layer)
      assert.deepStrictEqual(notices.map(({ description }) => description), [
        "it wants messages to be sent to another host"
      ])
    }).pipe(Effect.scoped))

  it.live("receives no request while Network access is off", () =>
    Effect.gen(function*() {
      const { requests, url } = yield* server((body, _, response) => json(response, body["id"], text("done")))
      const { layer } = host(() => `[policy]\nnetwork = "off"\n[mcp.servers.s]\nurl = "${url}"`)
      const notices = yield* Effect.provide(Effect.flatMap(newSession(), ({ tools }) => tools.begin), layer)
      assert.deepStrictEqual([notices, requests], [[], []])
    }).pipe(Effect.scoped))
})
