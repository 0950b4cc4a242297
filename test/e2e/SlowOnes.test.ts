import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect } from "vitest"
import { type Host, test } from "../support/Host.ts"

/** Reads `bytes` every tenth of a second, and nothing else. */
const readSlowly = async (host: Host, sessionId: string, bytes: number, rounds: number) => {
  const acp = await host.open()
  const stdout = acp.child.stdout!
  stdout.removeAllListeners("data")
  stdout.pause()
  acp.send({
    jsonrpc: "2.0",
    id: "load",
    method: "session/load",
    params: { sessionId, cwd: host.project, mcpServers: [] }
  })
  for (let round = 0; round < rounds; round++) {
    await sleep(100)
    stdout.read(Math.min(bytes, Math.max(1, stdout.readableLength)))
  }
  return acp
}

describe("a command", () => {
  test("that prints now and then outlasts the time for one that is silent", async ({ host }) => {
    const acp = await host.open({ env: { POSTERN_runtime_profiles__default__shell_timeout_secs: "1" } })
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(
      sessionId,
      "run for i in 1 2 3 4 5 6; do echo line $i; sleep 0.4; done; echo the end"
    )
    expect(JSON.stringify(updates)).toContain("the end")
    const silent = await acp.prompt(sessionId, "run echo begun; sleep 20; echo the end")
    expect(JSON.stringify(silent.updates)).toContain("timed out after 1 second without output")
  })
})

describe("a model", () => {
  test("that answers slowly outlasts timeout_secs", async ({ host }) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      void (async () => {
        for (let word = 0; word < 6; word++) {
          response.write(`data: {"choices":[{"delta":{"content":"word${word} "}}]}\n\n`)
          await sleep(400)
        }
        response.end(`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`)
      })()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    host.write(
      `${host.config}/config.toml`,
      `[agents.default]\nmodel = "slow/m"\n[providers.slow]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:${port}/v1"\napi_key = "k"\ntimeout_secs = 1\n`
    )
    const acp = await host.open()
    expect((await acp.prompt(await acp.newSession(), "hello")).text).toContain("word5")
    server.closeAllConnections()
    server.close()
  })
})

describe("a client", () => {
  test("that reads a long history slowly gets all of it", async ({ host }) => {
    const first = await host.open()
    const sessionId = await first.newSession()
    await first.prompt(sessionId, `say ${"x".repeat(1_000_000)}`)
    await first.close()
    const acp = await readSlowly(host, sessionId, 20_000, 30)
    expect(acp.running).toBe(true)
    acp.child.stdout!.resume()
  })
})
