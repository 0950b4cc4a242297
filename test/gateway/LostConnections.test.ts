import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { type DaemonProcess, test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken, WebSocketClient } from "../support/Gateway.ts"
import type { Json, Message } from "../support/Wire.ts"

interface Served {
  readonly daemon: DaemonProcess
  readonly connect: () => Promise<WebSocketClient>
  readonly setup: Json
}

const test = base.extend<{ gateway: Served }>({
  gateway: async ({ daemon, host }, use) => {
    const port = await freePort()
    writeFileSync(join(host.config, "config.toml"), `[gateway]\nenabled = true\nport = ${port}\n`)
    const running = daemon()
    await running.ready
    const token = await pairedToken(running, `http://127.0.0.1:${port}`)
    await use({
      daemon: running,
      setup: { cwd: host.project, mcpServers: [] },
      connect: async () => {
        const client = await WebSocketClient.open(`ws://127.0.0.1:${port}/acp?token=${token}`)
        await client.initialize()
        return client
      }
    })
  }
})

const isText = (text: string) => ({ params }: Message) =>
  (params?.["update"] as Json | undefined)?.["sessionUpdate"] === "agent_message_chunk" &&
  String((params?.["update"] as Json)["content"].text).includes(text)

/** A turn that says something, is then left alone for a moment, and says more. */
const script = "say before\nwait 1.5\nsay after\nsay end"

const lose = async (client: WebSocketClient) => {
  client.close()
  await client.closed
}

describe("a session of the gateway whose connection is lost", () => {
  test("goes on, and shows what was missed after session/resume, once and in order", async ({ gateway }) => {
    const first = await gateway.connect()
    const { sessionId } = await first.request("session/new", gateway.setup)
    const params = {
      sessionId,
      prompt: [{ type: "text", text: script }],
      _meta: { postern: { promptId: "p-1" } }
    }
    void first.exchange("session/prompt", params).catch(() => undefined)
    await first.waitFor(isText("before"))
    await lose(first)
    const second = await gateway.connect()
    await second.request("session/resume", { sessionId, ...gateway.setup })
    const answer = await second.request("_postern/session/turn", { sessionId, promptId: "p-1" })
    assert.strictEqual(answer["stopReason"], "end_turn")
    assert.match(second.text(String(sessionId)), /^\s*after\s*end\s*$/)
    const result = second.messages.findIndex(({ id }) => id === "t-2")
    const update = second.messages.findIndex(isText("after"))
    assert.isBelow(result, update)
    await lose(second)
    const third = await gateway.connect()
    await third.request("session/resume", { sessionId, ...gateway.setup })
    await third.prompt(String(sessionId), "say again")
    assert.strictEqual(third.text(String(sessionId)).trim(), "again")
  })

  test("shows all of it after session/load, and nothing twice", async ({ gateway }) => {
    const first = await gateway.connect()
    const { sessionId } = await first.request("session/new", gateway.setup)
    void first.exchange("session/prompt", { sessionId, prompt: [{ type: "text", text: script }] }).catch(() =>
      undefined
    )
    await first.waitFor(isText("before"))
    await lose(first)
    const second = await gateway.connect()
    await second.request("session/load", { sessionId, ...gateway.setup })
    await second.waitFor(isText("end"))
    const said = second.text(String(sessionId))
    for (const word of ["before", "after", "end"]) assert.strictEqual(said.split(word).length, 2, said)
  })

  test("asks again for a permission that was open", async ({ gateway }) => {
    const first = await gateway.connect()
    const { sessionId } = await first.request("session/new", gateway.setup)
    const prompt = [{ type: "text", text: "write a.txt\nhello\n." }]
    const params = { sessionId, prompt, _meta: { postern: { promptId: "p-1" } } }
    void first.exchange("session/prompt", params).catch(() => undefined)
    const isQuestion = ({ method }: Message) => method === "session/request_permission"
    const asked = await first.waitFor(isQuestion)
    await lose(first)
    const second = await gateway.connect()
    second.decide = () => ({ outcome: { outcome: "selected", optionId: "allow-once" } })
    await second.request("session/resume", { sessionId, ...gateway.setup })
    const again = await second.waitFor(isQuestion)
    assert.strictEqual(again.params?.["toolCall"].toolCallId, asked.params?.["toolCall"].toolCallId)
    const { stopReason } = await second.request("_postern/session/turn", { sessionId, promptId: "p-1" })
    assert.strictEqual(stopReason, "end_turn")
    assert.strictEqual(second.messages.filter(isQuestion).length, 1)
  })

  test("is seen by two connections at once", async ({ gateway }) => {
    const first = await gateway.connect()
    const { sessionId } = await first.request("session/new", gateway.setup)
    const second = await gateway.connect()
    await second.request("session/resume", { sessionId, ...gateway.setup })
    await first.prompt(String(sessionId), "say both")
    await second.waitFor(isText("both"))
  })
})
