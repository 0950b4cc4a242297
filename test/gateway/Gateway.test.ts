import { request } from "node:http"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { type DaemonProcess, test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken, postern, WebSocketClient } from "../support/Gateway.ts"
import type { Host } from "../support/Host.ts"

interface Served {
  readonly daemon: DaemonProcess
  readonly url: string
  readonly ws: string
}

const test = base.extend<{ gateway: (config?: string, more?: string) => Promise<Served> }>({
  gateway: async ({ daemon, host }, use) => {
    await use(async (config = "", more = "") => {
      const port = await freePort()
      configure(host, `[gateway]\nenabled = true\nport = ${port}\n${config}\n${more}`)
      const running = daemon()
      await running.ready
      return { daemon: running, url: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}` }
    })
  }
})

const configure = (host: Host, text: string) => writeFileSync(join(host.config, "config.toml"), text)

/** `fetch` sends neither `Host` nor an `Origin` of our choice. */
const status = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on("error", reject).end()
  })

describe("the gateway", () => {
  test("tells everybody that it runs, and nothing more to clients without a token", async ({ gateway }) => {
    const { url } = await gateway()
    assert.strictEqual((await fetch(`${url}/health`)).status, 200)
    for (const path of ["/version", "/acp", "/rpc"]) {
      const refused = await fetch(`${url}${path}`)
      assert.strictEqual(refused.status, 401, path)
      assert.match(await refused.text(), /postern pair/)
    }
    assert.strictEqual((await fetch(`${url}/nothing`)).status, 404)
  })

  test("takes a token from three places, the first of which decides", async ({ gateway }) => {
    const { daemon, url } = await gateway()
    const token = await pairedToken(daemon, url)
    assert.match(token, /^zc_[0-9a-f]{64}$/)
    const good = `Bearer ${token}`
    assert.strictEqual(await status(`${url}/version`, { authorization: good }), 200)
    assert.strictEqual(await status(`${url}/version`, { "sec-websocket-protocol": `a, bearer.${token}` }), 200)
    assert.strictEqual(await status(`${url}/version?token=${token}`, {}), 200)
    assert.strictEqual(await status(`${url}/version?token=${token}`, { authorization: "Bearer zc_0" }), 401)
    assert.strictEqual(await status(`${url}/version?token=${token}`, { "sec-websocket-protocol": "bearer.zc_0" }), 401)
    assert.strictEqual(await status(`${url}/version?token=zc_0`, { authorization: good }), 200)
  })

  test("refuses the names and pages of other sites", async ({ gateway }) => {
    const { url } = await gateway("allowed_origins = [\"https://app.example.com\"]")
    const health = (headers: Record<string, string>) => status(`${url}/health`, headers)
    for (const host of ["localhost:1", "[::1]", "127.0.0.1:99"]) assert.strictEqual(await health({ host }), 200, host)
    for (const host of ["evil.example.com", "127.0.0.1.evil.com"]) assert.strictEqual(await health({ host }), 403, host)
    assert.strictEqual(await health({ origin: "https://app.example.com" }), 200)
    assert.strictEqual(await health({ origin: url }), 200)
    for (const origin of ["https://evil.example.com", "http://localhost:1", "null"]) {
      assert.strictEqual(await health({ origin }), 403, origin)
    }
  })

  test("locks an address out after five wrong tokens or codes, for a right code as well", async ({ gateway }) => {
    const { daemon, url } = await gateway("trusted_proxies = [\"127.0.0.1\"]")
    const operator = await daemon.greet()
    const { code } = await operator.request("pairing/open", {})
    const pair = (given: string, from: string) =>
      fetch(`${url}/pair`, { method: "POST", headers: { "x-pairing-code": given, "x-forwarded-for": from } })
    const wrong = code === "000000" ? "111111" : "000000"
    // What stands left of the proxy's own word is the client's.
    for (let n = 0; n < 5; n++) assert.strictEqual((await pair(wrong, `10.0.0.${n}, 192.0.2.7`)).status, 401)
    const locked = await pair(code, "192.0.2.7")
    assert.strictEqual(locked.status, 429)
    const seconds = Number(locked.headers.get("retry-after"))
    assert.isTrue(seconds >= 1 && seconds <= 300, String(seconds))
    assert.strictEqual((await pair(code, "192.0.2.8")).status, 200)
  })

  test("serves ACP over WebSocket, in text and binary messages", async ({ gateway, host }) => {
    const { daemon, url, ws } = await gateway()
    const token = await pairedToken(daemon, url)
    const client = await WebSocketClient.open(`${ws}/acp?cwd=${encodeURIComponent(host.project)}`, [
      "zeroclaw.acp.v1",
      `bearer.${token}`
    ])
    assert.strictEqual(client.socket.protocol, "zeroclaw.acp.v1")
    await client.initialize()
    const { sessionId } = await client.request("session/new", { mcpServers: [] })
    client.socket.send(Buffer.from(JSON.stringify(
      {
        jsonrpc: "2.0",
        id: "binary",
        method: "session/prompt",
        params: { sessionId, prompt: [{ type: "text", text: "say grüezi" }] }
      },
      undefined,
      2
    )))
    const { result } = await client.waitFor(({ id }) => id === "binary")
    assert.strictEqual(result?.["stopReason"], "end_turn")
    assert.include(client.text(sessionId as string), "grüezi")
  })

  test("gives each token its own sessions, and a user's token the user's rights", async ({ gateway, host }) => {
    const { daemon, url, ws } = await gateway(
      "",
      "[users.ann]\npermission_profiles = [\"reader\"]\n[permission_profiles.reader]\nallowed_agents = [\"*\"]\n" +
        "[permission_profiles.reader.grants]\nsessions = [\"read\"]\n"
    )
    const connect = async (token: string) => {
      const client = await WebSocketClient.open(`${ws}/acp?token=${token}`)
      await client.initialize()
      return client
    }
    const one = await connect(await pairedToken(daemon, url))
    const other = await connect(await pairedToken(daemon, url))
    const setup = { cwd: host.project, mcpServers: [] }
    const { sessionId } = await one.request("session/new", setup)
    await one.prompt(sessionId as string, "say mine")
    const listed = async (client: WebSocketClient) =>
      ((await client.request("session/list"))["sessions"] as ReadonlyArray<{ readonly sessionId: string }>)
        .map((session) => session.sessionId)
    assert.deepStrictEqual(await listed(one), [sessionId])
    assert.deepStrictEqual(await listed(other), [])
    for (const method of ["session/load", "session/resume"]) {
      assert.strictEqual((await other.failure(method, { sessionId, ...setup })).code, -32002)
    }
    assert.deepStrictEqual(await other.request("session/delete", { sessionId }), {})
    assert.deepStrictEqual(await listed(one), [sessionId])
    const ann = await connect(await pairedToken(daemon, url, { user: "ann" }))
    assert.deepInclude(await ann.failure("session/new", setup), { code: -32012 })
    assert.deepStrictEqual(await listed(ann), [])
  })

  test("serves the native protocol to clients with a token, without files of this machine", async ({ gateway, host }) => {
    const { daemon, url, ws } = await gateway("require_pairing = false")
    assert.strictEqual((await fetch(`${url}/rpc`)).status, 401)
    const token = await pairedToken(daemon, url)
    const client = await WebSocketClient.open(`${ws}/rpc`, [`bearer.${token}`])
    const { principal_id } = await client.request("initialize", { protocol_version: 1 })
    assert.match(String(principal_id), /^token:/)
    const { session_id } = await client.request("session/new", { agent_alias: "default", cwd: host.project })
    const result = await client.request("session/prompt", { session_id, prompt: "say hi" })
    assert.strictEqual(result["content"], "hi")
    assert.strictEqual((await client.failure("config/list")).code, -32012)
    const files = [{ path: join(host.project, "a.txt") }]
    assert.strictEqual((await client.failure("file/attach", { session_id, files })).code, -32012)
    assert.strictEqual((await client.failure("file/upload/begin", { session_id, size_bytes: 1 })).code, -32012)
    const guest = await WebSocketClient.open(`${ws}/acp`)
    assert.strictEqual((await guest.initialize())["protocolVersion"], 1)
  })

  test("does not start with a configuration that exposes it or names no certificate", async ({ daemon, host }) => {
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      ["host = \"0.0.0.0\"", /gateway\.allow_public_bind/],
      ["path_prefix = \"x\"", /gateway\.path_prefix/],
      ["port = 0", /gateway\.port/],
      ["trusted_proxies = [\"10.0.0.0/8\"]", /gateway\.trusted_proxies/],
      ["allowed_origins = [\"example.com\"]", /gateway\.allowed_origins/],
      ["[gateway.tls]\ncert_path = \"c.pem\"", /gateway\.tls\.key_path/],
      ["[gateway.tls]\ncert_path = \"c.pem\"\nkey_path = \"k.pem\"", /gateway\.tls\.cert_path: .*c\.pem/]
    ]
    for (const [text, message] of cases) {
      configure(host, `[gateway]\nenabled = true\n${text}\n`)
      const refused = daemon()
      assert.strictEqual(await refused.exited, 1, text)
      assert.match(refused.stderr, message)
    }
  })
})

describe("postern pair", () => {
  test("shows a code, says who used it, and takes the token away", async ({ gateway, host }) => {
    const { url, ws } = await gateway("path_prefix = \"/p\"")
    const pairing = postern(host, "pair")
    const shown = new Promise<string>((resolve) => {
      pairing.child.stdout.on("data", () => {
        const [, code] = /\b(\d{6})\b\n/.exec(pairing.stdout) ?? []
        if (code !== undefined) resolve(code)
      })
    })
    const code = await shown
    assert.include(pairing.stdout, `${url}/p`)
    assert.match(pairing.stdout, /[▀▄█]{20}/u)
    const response = await fetch(`${url}/p/pair`, {
      method: "POST",
      headers: { "x-pairing-code": code },
      body: JSON.stringify({ name: "my laptop" })
    })
    const { token } = await response.json() as { readonly token: string }
    assert.strictEqual(await pairing.exited, 0)
    assert.match(pairing.stdout, /my laptop from 127\.0\.0\.1/)
    assert.strictEqual(
      (await fetch(`${url}/p/pair`, { method: "POST", headers: { "x-pairing-code": code } })).status,
      401
    )
    const client = await WebSocketClient.open(`${ws}/p/acp?token=${token}`)
    const listing = postern(host, "pair", "list", "--json")
    assert.strictEqual(await listing.exited, 0)
    const entry = JSON.parse(listing.stdout) as { readonly id: string; readonly name: string }
    assert.strictEqual(entry.name, "my laptop")
    assert.notInclude(listing.stdout, token)
    assert.strictEqual(await postern(host, "pair", "revoke", "nobody").exited, 1)
    assert.strictEqual(await postern(host, "pair", "revoke", entry.id).exited, 0)
    assert.deepInclude(await client.closed, { code: 1008 })
    assert.strictEqual(await status(`${url}/p/version?token=${token}`, {}), 401)
  })

  test("withdraws its code when it is interrupted", async ({ gateway, host }) => {
    const { url } = await gateway()
    const pairing = postern(host, "pair")
    const code = await new Promise<string>((resolve) => {
      pairing.child.stdout.on("data", () => {
        const [, found] = /\b(\d{6})\b\n/.exec(pairing.stdout) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    pairing.child.kill("SIGINT")
    assert.strictEqual(await pairing.exited, 130)
    assert.strictEqual(
      (await fetch(`${url}/pair`, { method: "POST", headers: { "x-pairing-code": code } })).status,
      401
    )
  })
})
