import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { connect, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { AcpProcess } from "../support/AcpProcess.ts"
import { type DaemonProcess, test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken, postern } from "../support/Gateway.ts"
import { bundle, type Host } from "../support/Host.ts"
import type { Decide, Policy } from "../support/AgentProcess.ts"
import type { Json, Message } from "../support/Wire.ts"

interface Served {
  readonly port: number
  readonly url: string
  readonly start: () => Promise<DaemonProcess>
  readonly bridge: (args: ReadonlyArray<string>, permission?: Policy) => AcpProcess
}

const test = base.extend<{ gateway: Served }>({
  gateway: async ({ daemon, host }, use) => {
    const port = await freePort()
    writeFileSync(join(host.config, "config.toml"), `[gateway]\nenabled = true\nport = ${port}\n`)
    const bridges: Array<AcpProcess> = []
    await use({
      port,
      url: `http://127.0.0.1:${port}`,
      start: async () => {
        const running = daemon()
        await running.ready
        return running
      },
      bridge: (args, permission = "allow-once") => {
        const made = new AcpProcess({
          command: [process.execPath, bundle, "bridge", ...args],
          env: host.env,
          cwd: host.project,
          permission
        })
        bridges.push(made)
        return made
      }
    })
    await Promise.all(bridges.map((bridge) => bridge.kill()))
  }
})

/** Stands between a client and the gateway, and can break every connection. */
class TcpProxy {
  readonly url: string
  private readonly server: Server
  private readonly sockets = new Set<Socket>()

  private constructor(server: Server, port: number) {
    this.server = server
    this.url = `http://127.0.0.1:${port}`
  }

  static async to(target: number): Promise<TcpProxy> {
    const port = await freePort()
    const server = createServer()
    const proxy = new TcpProxy(server, port)
    server.on("connection", (client) => {
      const gateway = connect(target, "127.0.0.1")
      for (const [socket, other] of [[client, gateway], [gateway, client]] as const) {
        proxy.sockets.add(socket)
        socket.on("error", () => {}).on("close", () => other.destroy()).pipe(other)
      }
    })
    await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve))
    return proxy
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy()
    this.sockets.clear()
  }

  close(): void {
    this.cut()
    this.server.close()
  }
}

const updateOf = ({ params }: Message): Json => (params?.["update"] ?? {}) as Json

const says = (text: string) => (message: Message) =>
  updateOf(message)["sessionUpdate"] === "agent_message_chunk" &&
  String(updateOf(message)["content"].text).includes(text)

const run = async (host: Host, ...args: ReadonlyArray<string>) => {
  const bridge = postern(host, "bridge", ...args)
  bridge.child.stdin.on("error", () => {})
  return [await bridge.exited, bridge.stderr] as const
}

describe("postern bridge", () => {
  test("carries a session with a permission question, and ends with the editor", async ({ gateway, host }) => {
    const daemon = await gateway.start()
    const operator = await daemon.greet()
    const { code } = await operator.request("pairing/open", {})
    const bridge = gateway.bridge(["--pair-code", String(code)])
    await bridge.initialize()
    const sessionId = await bridge.newSession()
    const turn = await bridge.prompt(sessionId, "write a.txt\nhello\n.")
    assert.strictEqual(turn.result["stopReason"], "end_turn")
    assert.strictEqual(readFileSync(join(host.project, "a.txt"), "utf8").trim(), "hello")
    await bridge.close()
    const cached = join(host.config, "acp-bridge-token")
    assert.strictEqual(statSync(cached).mode & 0o777, 0o600)
    assert.match(readFileSync(cached, "utf8"), /^zc_[0-9a-f]{64}\n/)
    const again = gateway.bridge([])
    await again.initialize()
    await again.close()
  })

  test("is a pause for the editor when the daemon is killed in a turn and started again", async ({ gateway }) => {
    const daemon = await gateway.start()
    const token = await pairedToken(daemon, gateway.url)
    const bridge = gateway.bridge(["--token", token])
    await bridge.initialize()
    const sessionId = await bridge.newSession()
    await bridge.prompt(sessionId, "say first")
    const prompt = [{ type: "text", text: "say second\nwait 60" }]
    const lost = bridge.exchange({ jsonrpc: "2.0", id: 77, method: "session/prompt", params: { sessionId, prompt } })
    await bridge.waitFor(says("second"))
    await daemon.stop("SIGKILL")
    await gateway.start()
    const { error } = await lost
    assert.deepInclude(error?.data, { reason: "turn_interrupted" })
    const turn = await bridge.prompt(sessionId, "say third")
    assert.strictEqual(turn.text, "third")
    await bridge.close()
  })

  test("answers a prompt whose connection was lost, and asks its question once", async ({ gateway, host }) => {
    const daemon = await gateway.start()
    const token = await pairedToken(daemon, gateway.url)
    const asked: Array<Message> = []
    const later: Decide = (request) => {
      asked.push(request)
      return undefined
    }
    const proxy = await TcpProxy.to(gateway.port)
    const bridge = gateway.bridge(["--token", token, "--url", proxy.url], later)
    await bridge.initialize()
    const sessionId = await bridge.newSession()
    const prompt = [{ type: "text", text: "write b.txt\nhello\n." }]
    const answer = bridge.exchange({ jsonrpc: "2.0", id: 77, method: "session/prompt", params: { sessionId, prompt } })
    const question = await bridge.waitFor(({ method }) => method === "session/request_permission")
    proxy.cut()
    bridge.send({
      jsonrpc: "2.0",
      id: question.id,
      result: { outcome: { outcome: "selected", optionId: "allow-once" } }
    })
    const { result } = await answer
    assert.strictEqual(result?.["stopReason"], "end_turn")
    assert.isTrue(existsSync(join(host.project, "b.txt")))
    assert.lengthOf(asked, 1)
    await bridge.close()
    proxy.close()
  })

  test("says in one sentence why it cannot connect", async ({ gateway, host }) => {
    const [closed, refusal] = await run(host, "--token", "zc_1")
    assert.deepStrictEqual([closed, refusal.trim().split("\n").length], [1, 1], refusal)
    assert.match(refusal, /nothing listens there/)
    const daemon = await gateway.start()
    const [wrong, sentence] = await run(host, "--token", "zc_1")
    assert.deepStrictEqual([wrong, sentence.trim().split("\n").length], [1, 1], sentence)
    assert.match(sentence, /refused the token/)
    const token = await pairedToken(daemon, gateway.url)
    const bridge = gateway.bridge(["--token", token])
    await bridge.initialize()
    const listing = postern(host, "pair", "list", "--json")
    await listing.exited
    await postern(host, "pair", "revoke", (JSON.parse(listing.stdout) as { readonly id: string }).id).exited
    assert.strictEqual(await bridge.exited, 1)
    assert.match(bridge.stderr, /revoked/)
  })

  test("checks its flags before anything else", async ({ host }) => {
    const cases = [["--url", "ftp://x"], ["--pair-code", "12"], ["--token", "a", "--token-file", "b"], ["--nope"], [
      "word"
    ], ["--log-level", "loud"]]
    for (const args of cases) assert.strictEqual((await run(host, ...args))[0], 2, args.join(" "))
  })
})
