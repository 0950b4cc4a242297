import { cpSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, onTestFinished } from "vitest"
import { ChatServer } from "../support/ChatServer.ts"
import { DaemonProcess } from "../support/DaemonProcess.ts"
import { bundle, type Host, test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

const listen = async (server: Server) => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An MCP server over HTTP with one tool, and a page. */
const webServer = () =>
  listen(createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => body += chunk).on("end", () => {
      if (request.url === "/page") {
        return response.setHeader("content-type", "text/html").end("<title>T</title><p>a <b>page</b></p>")
      }
      const { id, method } = JSON.parse(body || "{}") as Json
      const results: Json = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "1" }
        },
        "tools/list": { tools: [{ name: "ping", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "pong" }] }
      }
      if (results[method] === undefined) return response.writeHead(id === undefined ? 202 : 405).end()
      response.setHeader("content-type", "application/json")
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }))
    })
  }))

/** A program of its own, whose files a test may take away. */
const installed = (host: Host) => {
  const folder = join(host.folder, "installed")
  cpSync(dirname(bundle), folder, { recursive: true })
  return {
    main: join(folder, "main.js"),
    /** Once the process has had time to read what it may need, all of its files go. */
    remove: async () => {
      await sleep(3000)
      rmSync(folder, { recursive: true })
    }
  }
}

describe("A process whose program was removed while it ran", () => {
  test("as an agent: asks its provider, uses a server over HTTP, and reads pages, ignore rules and secrets", async ({ host }) => {
    const chat = new ChatServer({ say: "from afar" })
    const url = await webServer()
    onTestFinished(() => chat.close())
    writeFileSync(
      join(host.config, "config.toml"),
      `[acp]
default_agent = "here"
${await chat.config()}
[providers.here]
kind = "offline"
[agents.here]
model = "here/m"
[web_fetch]
allow_private_hosts = true
`
    )
    const { main, remove } = installed(host)
    const acp = await host.open({
      command: [process.execPath, main, "acp"],
      env: { POSTERN_policy__tool_approval: "universal_accept" }
    })
    await remove()
    const far = await acp.newSession({ _meta: { zeroclaw: { agentAlias: "default" } } })
    expect((await acp.prompt(far, "hello")).text).toContain("from afar")
    host.write(".gitignore", "*.log\n")
    host.write("a.log", "needle")
    host.write("b.txt", "needle")
    const here = await acp.newSession({ mcpServers: [{ type: "http", name: "web", url: `${url}/mcp`, headers: [] }] })
    const { text } = await acp.prompt(
      here,
      `call web__ping {}\ncall web_fetch {"url":"${url}/page"}\nsearch needle\nrun echo ghp_${
        "a1B2c3D4e5".repeat(4).slice(0, 36)
      }`
    )
    expect(text).toContain("pong")
    expect(text).toContain("a page")
    expect(text).toMatch(/b\.txt/)
    expect(text).not.toMatch(/a\.log/)
    expect(text).toContain("[redacted")
    expect(acp.stderr).not.toMatch(/ERROR|MODULE_NOT_FOUND/)
  })

  test("as a daemon: examines itself, changes its configuration, and runs chat sessions with a memory", async ({ host }) => {
    const { main, remove } = installed(host)
    const daemon = new DaemonProcess(host, [], {}, [], main)
    onTestFinished(() => void daemon.stop("SIGKILL"))
    await daemon.ready
    await remove()
    const client = await daemon.greet()
    expect((await client.request("doctor/run", {}))["results"].length).toBeGreaterThan(3)
    await client.request("config/set", { prop: "acp.max_sessions", value: 7 })
    expect(JSON.stringify(await client.request("tools/list", {}))).toContain("memory_store")
    const sessionId = await client.session()
    expect(await client.prompt(sessionId, "say still here")).toMatchObject({ content: "still here" })
    expect(daemon.stderr).not.toMatch(/ERROR|MODULE_NOT_FOUND/)
  })
})
