import { describe, expect } from "vitest"
import { expectError, expectResult, list, request } from "../support/Frames.ts"
import { test } from "../support/Host.ts"

const init = (protocolVersion: unknown, more: object = {}) => request("i", "initialize", { protocolVersion, ...more })

describe("initialize", () => {
  for (const version of [1, 0, 2, 65_535]) {
    test(`version ${version} is answered with version 1`, async ({ host }) => {
      const acp = host.start()
      expect((await acp.exchange(init(version))).result?.["protocolVersion"]).toBe(1)
    })
  }

  test("names the agent and advertises what every session operation needs", async ({ host }) => {
    const acp = host.start()
    const { result } = await acp.exchange(init(1))
    expect(result?.["agentInfo"]).toMatchObject({
      name: expect.stringMatching(/\S/),
      version: expect.stringMatching(/\d/)
    })
    expect(result?.["agentCapabilities"]).toMatchObject({
      loadSession: true,
      promptCapabilities: { embeddedContext: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} }
    })
    expect(result?.["_meta"]?.zeroclaw).toMatchObject({ maxSessions: 10, sessionTimeoutSecs: 3600 })
  })

  test("is answered before a session is opened that was asked for in the same write", async ({ host }) => {
    const acp = host.start()
    acp.send(init(1), request("n", "session/new", { cwd: host.project, mcpServers: [] }), list("l"))
    expect((await acp.next()).id).toBe("i")
    expect((await acp.waitFor((m) => m.id === "n")).result?.["sessionId"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expectResult(await acp.waitFor((m) => m.id === "l"), "l")
  })

  test("may be sent again", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    expect((await acp.exchange(init(1))).result?.["protocolVersion"]).toBe(1)
    expect((await acp.prompt(sessionId, "say still here")).text).toContain("still here")
  })

  test("bad optional fields count as absent", async ({ host }) => {
    const acp = host.start()
    const { result } = await acp.exchange(init(1, { clientCapabilities: 7, clientInfo: { name: 1 }, extra: [] }))
    expect(result?.["protocolVersion"]).toBe(1)
  })

  for (const method of ["session/new", "session/list", "session/prompt"]) {
    test(`${method} before initialize is refused, and initialize still works after it`, async ({ host }) => {
      const acp = host.start()
      const params = method === "session/prompt"
        ? { sessionId: "x", prompt: [] }
        : { cwd: host.project, mcpServers: [] }
      expectError(await acp.exchange(request(1, method, params)), 1, -32600, { reason: "not_initialized" })
      expect((await acp.exchange(init(1))).result?.["protocolVersion"]).toBe(1)
    })
  }

  test("authentication is not required where none is configured", async ({ host }) => {
    const acp = host.start()
    expect((await acp.exchange(init(1))).result?.["authMethods"] ?? []).toEqual([])
    const { code } = await acp.failure("authenticate", { methodId: "nope" })
    expect([-32601, -32602]).toContain(code)
  })
})
