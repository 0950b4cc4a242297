import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { test } from "../support/DaemonProcess.ts"
import { freePort, pairedToken, WebSocketClient } from "../support/Gateway.ts"

const connections = 120
const sessions = 60
const atOnce = 30
const turns = 300

describe("the gateway under load", () => {
  test("loses nothing, and gives no client what is another's", async ({ daemon, host }) => {
    const port = await freePort()
    writeFileSync(join(host.config, "config.toml"), `[gateway]\nenabled = true\nport = ${port}\n`)
    const running = daemon()
    await running.ready
    const tokens = [
      await pairedToken(running, `http://127.0.0.1:${port}`),
      await pairedToken(running, `http://127.0.0.1:${port}`)
    ]
    const clients = await Promise.all(Array.from({ length: connections }, async (_, n) => {
      const client = await WebSocketClient.open(`ws://127.0.0.1:${port}/acp?token=${tokens[n % 2]}`)
      await client.initialize()
      return client
    }))
    const opened = await Promise.all(
      clients.slice(0, sessions).map(async (client) => {
        const { sessionId } = await client.request("session/new", { cwd: host.project, mcpServers: [] })
        return { client, sessionId: String(sessionId), expected: "" }
      })
    )
    const operator = await running.greet()
    let next = 0
    const worker = async (lane: number) => {
      for (; next < turns;) {
        const turn = next++
        // A lane has sessions of its own: one session runs one turn at a time.
        const one = opened[lane + atOnce * (turn % (sessions / atOnce))]!
        const { stopReason } = await one.client.prompt(one.sessionId, `say turn ${turn} of lane ${lane}.`)
        assert.strictEqual(stopReason, "end_turn")
        one.expected += `turn ${turn} of lane ${lane}.`
        assert.strictEqual((await operator.request("status"))["protocol_version"], 1)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, (_, lane) => worker(lane)))
    for (const { client, expected, sessionId } of opened) {
      assert.strictEqual(client.text(sessionId).replace(/\s*(?=turn )/g, ""), expected)
      const named = client.messages.flatMap(({ params }) =>
        params?.["sessionId"] === undefined ? [] : [params["sessionId"]]
      )
      assert.isTrue(named.every((id) => id === sessionId))
    }
    for (const client of clients.slice(sessions)) {
      assert.isTrue(client.messages.every(({ method }) => method === undefined))
    }
    for (const client of clients) client.close()
  })
})
