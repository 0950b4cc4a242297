import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { dirname, join } from "node:path"
import { WebSocket as Client } from "ws"
import { assert, describe } from "vitest"
import { type DaemonProcess, test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken, postern, WebSocketClient } from "../support/Gateway.ts"

interface Served {
  readonly daemon: DaemonProcess
  readonly url: string
  readonly ws: string
  readonly token: string
}

const test = base.extend<{ gateway: (more?: string) => Promise<Served> }>({
  gateway: async ({ daemon, host }, use) => {
    await use(async (more = "") => {
      const port = await freePort()
      writeFileSync(join(host.config, "config.toml"), `[gateway]\nenabled = true\nport = ${port}\n${more}`)
      const running = daemon()
      await running.ready
      const url = `http://127.0.0.1:${port}`
      return { daemon: running, url, ws: `ws://127.0.0.1:${port}`, token: await pairedToken(running, url) }
    })
  }
})

const upgrade = (path: string, headers = "") =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`

const portOf = (url: string) => Number(new URL(url).port)

/** A connection with nothing but bytes; `start` is sent, and what comes back is collected. */
const raw = async (url: string, start: string | Buffer): Promise<{ readonly socket: Socket; text: string }> => {
  const socket = connect(portOf(url), "127.0.0.1")
  const made = { socket, text: "" }
  socket.on("error", () => {}).setEncoding("latin1").on("data", (text: string) => made.text += text)
  await once(socket, "connect")
  socket.write(start)
  return made
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe("the limits of the gateway", () => {
  test("the eleventh pairing in a minute is refused, also with a right code", async ({ gateway }) => {
    const { daemon, url } = await gateway()
    const operator = await daemon.greet()
    // The fixture has paired once.
    for (let n = 2; n <= 11; n++) {
      const { code } = await operator.request("pairing/open", {})
      const { headers, status } = await fetch(`${url}/pair`, {
        method: "POST",
        headers: { "x-pairing-code": String(code) }
      })
      assert.strictEqual(status, n === 11 ? 429 : 200, String(n))
      if (n === 11) assert.match(headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/)
    }
  })

  test("the 513th connection is refused, until one leaves", async ({ gateway }) => {
    const { token, url, ws } = await gateway()
    const sockets: Array<Socket> = []
    for (let n = 0; n < 512; n++) {
      const made = await raw(url, upgrade(`/acp?token=${token}`))
      sockets.push(made.socket)
      await until(() => made.text.includes("\r\n\r\n"))
      assert.match(made.text, /^HTTP\/1\.1 101 /)
    }
    const refused = await raw(url, upgrade("/acp?token=wrong"))
    await once(refused.socket, "close")
    assert.match(refused.text, /^HTTP\/1\.1 503 /)
    const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` }
    assert.strictEqual((await fetch(`${url}/acp`, { method: "POST", headers, body: initialize })).status, 503)
    assert.strictEqual((await fetch(`${url}/health`)).status, 200)
    sockets.pop()?.destroy()
    let client: WebSocketClient | undefined
    while (client === undefined) client = await WebSocketClient.open(`${ws}/acp?token=${token}`).catch(() => undefined)
    assert.strictEqual((await client.initialize())["protocolVersion"], 1)
    for (const socket of sockets) socket.destroy()
  })

  test("slow, half-open, flooding and malformed clients disturb nobody else", async ({ gateway, host }) => {
    const { daemon, token, url, ws } = await gateway()
    const setup = { cwd: host.project, mcpServers: [] }
    const bystander = await WebSocketClient.open(`${ws}/acp?token=${token}`)
    await bystander.initialize()
    const { sessionId } = await bystander.request("session/new", setup)
    const bad = [
      await raw(url, "GET /acp HT"),
      await raw(url, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 not TLS"),
      await raw(url, `POST /pair HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nslow`),
      await raw(url, `GET /${"x".repeat(40_000)} HTTP/1.1\r\n\r\n`),
      await raw(url, upgrade("/acp", "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99\r\n")),
      await raw(url, Buffer.alloc(1024, 0xff))
    ]
    const connected = async () => {
      const made = await raw(url, upgrade(`/acp?token=${token}`))
      await until(() => made.text.includes("\r\n\r\n"))
      bad.push(made)
      return made.socket
    }
    // Unmasked, of a reserved kind, half a frame, longer than any message may be.
    for (
      const frame of [[0x81, 0x01, 0x41], [0x83, 0x80, 0, 0, 0, 0], [0x81, 0xfe], [
        0x81,
        0xff,
        0x7f,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0
      ]]
    ) {
      ;(await connected()).write(Buffer.from(frame))
    }
    // Says much, and reads nothing.
    const flood = new Client(`${ws}/acp?token=${token}`)
    await once(flood, "open")
    flood.pause()
    const list = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "session/list", params: {} })
    for (let n = 0; n < 20_000; n++) flood.send(list(n))
    const garbage = await WebSocketClient.open(`${ws}/acp?token=${token}`)
    garbage.socket.send("{")
    garbage.socket.send("[]")
    await until(() => garbage.messages.length >= 2)
    assert.deepStrictEqual(garbage.messages.map(({ error }) => error?.code), [-32700, -32600])
    const answer = await bystander.prompt(String(sessionId), "say undisturbed")
    assert.strictEqual(answer["stopReason"], "end_turn")
    assert.strictEqual((await fetch(`${url}/health`)).status, 200)
    const operator = await daemon.greet()
    assert.strictEqual((await operator.request("status"))["protocol_version"], 1)
    flood.terminate()
    for (const { socket } of bad) socket.destroy()
  })

  test("compresses large messages, for clients that ask", async ({ gateway, host }) => {
    const { token, ws } = await gateway()
    const bytes = async (perMessageDeflate: boolean) => {
      const client = new Client(`${ws}/acp?token=${token}`, { perMessageDeflate })
      const received: Array<string> = []
      client.on("message", (data) => received.push(String(data)))
      await once(client, "open")
      const ask = async (id: number, method: string, params: object) => {
        client.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
        await until(() => received.some((text) => text.includes(`"id":${id},"result"`)))
        return JSON.parse(received.find((text) => text.includes(`"id":${id},"result"`))!).result
      }
      await ask(1, "initialize", { protocolVersion: 1 })
      const { sessionId } = await ask(2, "session/new", { cwd: host.project, mcpServers: [] })
      host.write("large.txt", "the same line again and again\n".repeat(2000))
      await ask(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "read large.txt" }] })
      const socket = (client as unknown as { readonly _socket: Socket })._socket
      const { bytesRead } = socket
      const { extensions } = client
      client.terminate()
      return { bytesRead, extensions, characters: received.join("").length }
    }
    const plain = await bytes(false)
    const small = await bytes(true)
    assert.strictEqual(plain.extensions, "")
    assert.isAbove(plain.bytesRead, plain.characters)
    assert.include(small.extensions, "permessage-deflate")
    assert.isBelow(small.bytesRead, small.characters / 3)
  })
})

describe("what a client of the gateway chooses", () => {
  test("?agent= and ?cwd= stand for what a session does not name", async ({ gateway, host }) => {
    const { token, ws } = await gateway("[agents.main]\n[agents.other]\n[acp]\ndefault_agent = \"main\"\n")
    const cwd = dirname(host.write("folder/a.txt", "x"))
    const query = new URLSearchParams({ token, agent: "other", cwd })
    const client = await WebSocketClient.open(`${ws}/acp?${query}`)
    await client.initialize()
    const { _meta, sessionId } = await client.request("session/new", { mcpServers: [] })
    assert.strictEqual(_meta.zeroclaw.workspaceDir, cwd)
    const named = await client.request("session/new", { cwd: host.project, agentAlias: "main", mcpServers: [] })
    assert.strictEqual(named["_meta"].zeroclaw.workspaceDir, host.project)
    const operator = await (await WebSocketClient.open(`${ws}/rpc?token=${token}`)).request("initialize", {})
    assert.strictEqual(operator["protocol_version"], 1)
    assert.isString(sessionId)
    const unknown = await WebSocketClient.open(`${ws}/acp?token=${token}&agent=nobody`)
    await unknown.initialize()
    assert.strictEqual((await unknown.failure("session/new", { cwd, mcpServers: [] })).code, -32602)
  })

  test("a token of postern pair --user is that user", async ({ gateway, host }) => {
    const { url, ws } = await gateway(
      "[users.ann]\npermission_profiles = [\"all\"]\n[permission_profiles.all]\nallowed_agents = [\"*\"]\n" +
        "[permission_profiles.all.grants]\nsessions = [\"create\", \"read\"]\nsystem = [\"read\"]\n"
    )
    assert.notStrictEqual(await postern(host, "pair", "--user", "nobody").exited, 0)
    const pairing = postern(host, "pair", "--user", "ann")
    await until(() => /\b\d{6}\b\n/.test(pairing.stdout))
    const [, code = ""] = /\b(\d{6})\b\n/.exec(pairing.stdout) ?? []
    const response = await fetch(`${url}/pair`, { method: "POST", headers: { "x-pairing-code": code } })
    const { token } = await response.json() as { readonly token: string }
    assert.strictEqual(await pairing.exited, 0)
    const client = await WebSocketClient.open(`${ws}/rpc?token=${token}`)
    assert.strictEqual((await client.request("initialize", {}))["principal_id"], "ann")
    const listing = postern(host, "pair", "list", "--json")
    await listing.exited
    const entries = listing.stdout.trim().split("\n").map((line) =>
      JSON.parse(line) as { readonly user: string | null }
    )
    assert.deepStrictEqual(entries.map(({ user }) => user), [null, "ann"])
  })
})
