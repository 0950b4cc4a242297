import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type ContentBlock, methods } from "@agentclientprotocol/sdk"
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client"
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client"
import { WebSocket } from "ws"
import { assert, describe } from "vitest"
import { test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken } from "../support/Gateway.ts"
import { SdkPeer } from "../support/SdkClient.ts"

const transports = {
  WebSocket: (port: number, token: string) =>
    createWebSocketStream(`ws://127.0.0.1:${port}/acp`, {
      WebSocket: WebSocket as never,
      headers: { authorization: `Bearer ${token}` },
      protocols: ["zeroclaw.acp.v1"]
    }),
  "streamable HTTP": (port: number, token: string) =>
    createHttpStream(`http://127.0.0.1:${port}/acp`, { headers: { authorization: `Bearer ${token}` } })
}

const test = base.extend<{ gateway: (transport: keyof typeof transports) => Promise<SdkPeer> }>({
  gateway: async ({ daemon, host }, use) => {
    const port = await freePort()
    writeFileSync(join(host.config, "config.toml"), `[gateway]\nenabled = true\nport = ${port}\n`)
    const running = daemon()
    await running.ready
    const token = await pairedToken(running, `http://127.0.0.1:${port}`)
    const peers: Array<SdkPeer> = []
    await use(async (transport) => {
      const peer = new SdkPeer(transports[transport](port, token))
      peers.push(peer)
      await peer.initialize()
      return peer
    })
    for (const { connection } of peers) connection.close()
  }
})

const { session } = methods.agent
const text = (value: string): Array<ContentBlock> => [{ type: "text", text: value }]

describe("the protocol's own client", () => {
  for (const transport of ["WebSocket", "streamable HTTP"] as const) {
    test(`holds a session with a permission question over ${transport}`, async ({ gateway, host }) => {
      const editor = await gateway(transport)
      const { sessionId } = await editor.agent.request(session.new, { cwd: host.project, mcpServers: [] })
      const turn = await editor.agent.request(session.prompt, {
        sessionId,
        prompt: text("write a.txt\nhello\n.\nsay written")
      })
      assert.strictEqual(turn.stopReason, "end_turn")
      assert.strictEqual(editor.asked.length, 1)
      assert.strictEqual(readFileSync(join(host.project, "a.txt"), "utf8").trim(), "hello")
      assert.include(editor.text(sessionId), "written")
    })

    test(`cancels a turn, and loads and lists sessions over ${transport}`, async ({ gateway, host }) => {
      const editor = await gateway(transport)
      const { sessionId } = await editor.agent.request(session.new, { cwd: host.project, mcpServers: [] })
      const turn = editor.agent.request(session.prompt, { sessionId, prompt: text("say one\nwait 30") })
      while (!editor.text(sessionId).includes("one")) await new Promise((resolve) => setTimeout(resolve, 20))
      await editor.agent.notify(session.cancel, { sessionId })
      assert.strictEqual((await turn).stopReason, "cancelled")
      const other = await gateway(transport)
      await other.agent.request(session.load, { sessionId, cwd: host.project, mcpServers: [] })
      assert.include(other.text(sessionId), "one")
      const { sessions } = await other.agent.request(session.list, {})
      assert.deepStrictEqual(sessions.map((one) => one.sessionId), [sessionId])
      const again = await other.agent.request(session.prompt, { sessionId, prompt: text("say two") })
      assert.strictEqual(again.stopReason, "end_turn")
    })
  }
})
