import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "vitest"
import { Exit } from "effect"
import { format } from "../../src/gateway/Metrics.ts"
import { Figures, Histogram } from "../../src/session/Activity.ts"
import { test as base } from "../support/DaemonProcess.ts"
import { freePort, pairedToken, WebSocketClient } from "../support/Gateway.ts"

const test = base.extend<{ gateway: { readonly url: string; readonly token: string } }>({
  gateway: async ({ daemon, host }, use) => {
    const port = await freePort()
    writeFileSync(join(host.config, "config.toml"), `[gateway]\nenabled = true\nport = ${port}\n`)
    const running = daemon()
    await running.ready
    const url = `http://127.0.0.1:${port}`
    await use({ url, token: await pairedToken(running, url) })
  }
})

/** The samples by name and labels; fails where a line is none of the format. */
const samplesOf = (text: string): ReadonlyMap<string, number> => {
  const samples = new Map<string, number>()
  assert.isTrue(text.endsWith("\n"))
  for (const line of text.trimEnd().split("\n")) {
    if (/^# HELP [a-z_]+ \S.*$|^# TYPE [a-z_]+ (counter|gauge|histogram)$/.test(line)) continue
    const [, name = "", value = ""] = /^([a-z_]+(?:\{[a-z]+="[^"\\]*"\})?) (\S+)$/.exec(line) ?? assert.fail(line)
    assert.isFalse(samples.has(name), name)
    samples.set(name, Number(value))
  }
  return samples
}

describe("the metrics of the gateway", () => {
  test("count sessions, turns, tokens, tool calls by outcome, queues and times", async ({ gateway, host }) => {
    const { token, url } = gateway
    const scrape = async () => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
      assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/)
      return samplesOf(await response.text())
    }
    const before = await scrape()
    assert.strictEqual(before.get("postern_sessions"), 0)
    const client = await WebSocketClient.open(`${url.replace("http", "ws")}/acp?token=${token}`)
    client.decide = () => ({ outcome: { outcome: "selected", optionId: "reject-once" } })
    await client.initialize()
    const { sessionId } = await client.request("session/new", { cwd: host.project, mcpServers: [] })
    host.write("a.txt", "one\n")
    await client.prompt(String(sessionId), "read a.txt\nread missing.txt\nwrite b.txt\nx\n.\nsay done")
    void client.prompt(String(sessionId), "say waits\nwait 30").catch(() => undefined)
    await client.waitFor(({ params }) => JSON.stringify(params ?? {}).includes("waits"))
    const during = await scrape()
    assert.strictEqual(during.get("postern_turns_running"), 1)
    client.send({ method: "session/cancel", params: { sessionId } })
    await client.answer("t-4")
    const after = await scrape()
    const counts = Object.fromEntries(Array.from(after).filter(([name]) => !/_bucket|_sum|_seconds$|_bytes/.test(name)))
    assert.deepInclude(counts, {
      "postern_sessions": 1,
      "postern_sessions_opened_total": 1,
      "postern_turns_running": 0,
      "postern_turns_total{outcome=\"end_turn\"}": 1,
      "postern_turns_total{outcome=\"cancelled\"}": 1,
      "postern_tool_calls_total{outcome=\"completed\"}": 1,
      "postern_tool_calls_total{outcome=\"failed\"}": 1,
      "postern_tool_calls_total{outcome=\"refused\"}": 1,
      "postern_turn_duration_seconds_count": 2,
      "postern_tool_call_duration_seconds_count": 3,
      "postern_connections{protocol=\"acp-websocket\"}": 1,
      "postern_queue_depth{queue=\"calls\"}": 0
    })
    const buckets = Array.from(after).filter(([name]) => name.startsWith("postern_turn_duration_seconds_bucket"))
    assert.deepStrictEqual(
      buckets.map(([, value]) => value),
      buckets.map(([, value]) => value).toSorted((a, b) => a - b)
    )
    assert.strictEqual(buckets.at(-1)?.[1], 2)
  })

  test("have the tokens of turns, and how turns and calls ended", () => {
    const activity = new Figures()
    activity.turnEnded(Exit.succeed({ stopReason: "end_turn", tokens: { input: 7, output: 3 } }), 1500)
    activity.turnEnded(Exit.fail("broken"), 20)
    activity.turnEnded(Exit.interrupt(1), 0)
    activity.toolCallEnded(Exit.interrupt(1), 1)
    const samples = samplesOf(format({
      activity,
      requestSeconds: new Histogram(),
      sessions: 0,
      turns: 0,
      connections: {},
      queues: {}
    }))
    assert.deepInclude(Object.fromEntries(samples), {
      "postern_tokens_total{type=\"input\"}": 7,
      "postern_tokens_total{type=\"output\"}": 3,
      "postern_turns_total{outcome=\"end_turn\"}": 1,
      "postern_turns_total{outcome=\"failed\"}": 1,
      "postern_turns_total{outcome=\"interrupted\"}": 1,
      "postern_tool_calls_total{outcome=\"cancelled\"}": 1,
      "postern_turn_duration_seconds_sum": 1.52,
      "postern_turn_duration_seconds_bucket{le=\"1\"}": 2,
      "postern_turn_duration_seconds_bucket{le=\"2.5\"}": 3
    })
  })

  test("are for clients with a token; /health is for all", async ({ gateway: { token, url } }) => {
    assert.strictEqual((await fetch(`${url}/metrics`)).status, 401)
    const health = await fetch(`${url}/health`)
    assert.strictEqual(health.status, 200)
    assert.deepStrictEqual(await health.json(), { status: "ok" })
    const version = await fetch(`${url}/version?token=${token}`)
    assert.match(JSON.stringify(await version.json()), /"name":"postern","version":"\d+\.\d+\.\d+/)
  })
})
