import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

const nobody = "00000000-0000-4000-8000-000000000000"

/** The number for an unknown session tells the dialects apart. */
const dialect = async (acp: AcpProcess) => {
  const { code } = await acp.failure("session/close", { sessionId: nobody })
  return code === -32002 ? "acp" : code === -32000 ? "zeroclaw" : code
}
const asked = { _meta: { zeroclaw: { dialect: true } } }
const full: Json = { protocolVersion: 1, clientCapabilities: {} }

describe("signs that switch a connection to the dialect zeroclaw", () => {
  const signs: ReadonlyArray<readonly [string, string, Json | undefined]> = [
    ["initialize without params", "initialize", undefined],
    ["initialize without protocolVersion", "initialize", { clientCapabilities: {} }],
    ["clientCapabilities._meta.zeroclaw.dialect", "initialize", { protocolVersion: 1, clientCapabilities: asked }],
    ["agentAlias in session/new", "session/new", { agentAlias: "default" }],
    ["agent_alias in session/new", "session/new", { agent_alias: "default" }],
    ["agent in session/new", "session/new", { agent: "default" }],
    ["workspaceDir in session/new", "session/new", { workspaceDir: "/" }],
    ["workspace_dir in session/new", "session/new", { workspace_dir: "/" }],
    ["session_id in params", "session/cancel", { session_id: nobody }],
    ["a prompt that is a string", "session/prompt", { sessionId: nobody, prompt: "say hi" }],
    ["a prompt part without type", "session/prompt", { sessionId: nobody, prompt: [{ text: "say hi" }] }],
    ["session/stop", "session/stop", { sessionId: nobody }],
    ["an inbound session/event", "session/event", { sessionId: nobody, type: "ping" }],
    ["an inbound session/update", "session/update", { sessionId: nobody, type: "ping" }]
  ]
  for (const [name, method, params] of signs) {
    test(name, async ({ host }) => {
      const acp = host.start({ dialect: "zeroclaw" })
      if (method !== "initialize") await acp.request("initialize", full)
      await acp.exchange({ jsonrpc: "2.0", id: "sign", method, ...(params ? { params } : {}) })
      expect(await dialect(acp)).toBe("zeroclaw")
    })
  }

  test("a sign before initialize is served: the dialect does not ask for it", async ({ host }) => {
    const acp = host.start({ dialect: "zeroclaw" })
    const made = await acp.request("session/new", { agentAlias: "default", workspaceDir: host.project })
    expect(made).toMatchObject({ sessionId: expect.any(String), workspaceDir: host.project })
    const result = await acp.request("session/prompt", { sessionId: made["sessionId"], prompt: "say early" })
    expect(result["content"]).toContain("early")
  })
})

describe("no sign of the dialect zeroclaw", () => {
  const plain: ReadonlyArray<readonly [string, Json, Json]> = [
    ["a full initialize and session/new", full, {}],
    ["other _meta.zeroclaw keys", { ...full, _meta: { zeroclaw: { x: 1 } } }, {
      _meta: { zeroclaw: { agentAlias: "default" } }
    }],
    ["a missing mcpServers", full, { mcpServers: undefined }],
    ["a missing cwd", full, { cwd: undefined }]
  ]

  test("session_id in a notification of another method, and a prompt part without type or text", async ({ host }) => {
    const acp = host.start()
    await acp.request("initialize", full)
    const sessionId = await acp.newSession()
    acp.send({ jsonrpc: "2.0", method: "_vendor/telemetry", params: { session_id: sessionId } })
    expect(await acp.failure("session/prompt", { sessionId, prompt: [{ typ: "text" }] })).toMatchObject({
      code: -32602
    })
    expect(await dialect(acp)).toBe("acp")
  })

  for (const [name, first, session] of plain) {
    test(name, async ({ host }) => {
      const acp = host.start()
      await acp.request("initialize", first)
      await acp.newSession(session)
      expect(await dialect(acp)).toBe("acp")
    })
  }

  test("_zeroclaw/session/stop, a legal extension", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    expect(await acp.request("_zeroclaw/session/stop", { sessionId })).toMatchObject({ sessionId, stopped: true })
    expect(await dialect(acp)).toBe("acp")
  })
})
