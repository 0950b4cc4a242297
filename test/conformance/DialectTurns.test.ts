import { randomUUID } from "node:crypto"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { cancel, prompt, request } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Dialect, Json } from "../support/Wire.ts"

const dialects: ReadonlyArray<Dialect> = ["acp", "zeroclaw"]

describe.each(dialects)("in dialect %s", (dialect) => {
  const open = (host: Host, more: Json = {}) => host.open({ dialect, ...more })

  test("a prompt of only a resource link works", async ({ host }) => {
    const acp = await open(host)
    const link = { type: "resource_link", uri: `file://${host.write("a.txt", "alpha")}`, name: "a.txt" }
    expect((await acp.prompt(await acp.newSession(), [link])).result["stopReason"]).toBe("end_turn")
  })

  test("the prompt result has root extras only in zeroclaw", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    const { result, text } = await acp.prompt(sessionId, "say the whole answer")
    expect(result["stopReason"]).toBe("end_turn")
    if (dialect === "acp") return expect(Object.keys(result).filter((k) => k !== "_meta")).toEqual(["stopReason"])
    expect(result).toMatchObject({ sessionId, content: expect.stringContaining("the whole answer") })
    expect(text).toContain("the whole answer")
  })

  test("what a step is called while it is done is told only in zeroclaw, also by a replay", async ({ host }) => {
    const todos = [{ content: "A", status: "in_progress", activeForm: "Doing A" }]
    const entry = { content: "A", status: "in_progress", priority: "medium" }
    const expected = [dialect === "acp" ? entry : { ...entry, activeForm: "Doing A" }]
    const acp = await open(host)
    const sessionId = await acp.newSession()
    const { updates } = await acp.prompt(sessionId, `call TodoWrite ${JSON.stringify({ todos })}`)
    expect(updates.findLast((u) => u.sessionUpdate === "plan")?.entries).toEqual(expected)
    await acp.request("session/close", { sessionId })
    const from = acp.messages.length
    await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    const replayed = acp.messages.slice(from).map((m) => m.params?.["update"]).find((u) => u?.sessionUpdate === "plan")
    expect(replayed?.entries).toEqual(expected)
  })

  test("a cancelled turn carries the marker only in zeroclaw, and no tool call of its own in acp", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "say partial\nwait 30"))
    await acp.waitForUpdate((u) => String(u["content"]?.text).includes("partial"))
    acp.send(cancel(sessionId))
    const { result } = await acp.waitFor((m) => m.id === 1)
    expect(result?.["stopReason"]).toBe("cancelled")
    if (dialect === "zeroclaw") return expect(result?.["content"]).toMatch(/partial[^]*\n\n\[[^\]]*cancel[^\]]*\]$/i)
    expect(acp.updates(sessionId).some((u) => u.sessionUpdate === "tool_call")).toBe(false)
    expect(textOf(acp.updates(sessionId))).not.toMatch(/cancelled/i)
  })

  test("session/cancel works as a notification and as a request", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"))
    expect((await acp.exchange(request(2, "session/cancel", { sessionId }))).result).toEqual({})
    expect((await acp.exchange(request(3, "session/cancel", { sessionId }))).result).toEqual({})
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
  })

  test("tool updates are stepwise in acp, final and with a body in zeroclaw", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    host.write("a.txt", "alpha")
    const { updates } = await acp.prompt(sessionId, "read a.txt\nread missing.txt")
    const changes: ReadonlyArray<Json> = updates.filter((u) => u.sessionUpdate === "tool_call_update")
    const statuses = changes.map((u) => u["status"])
    expect(statuses.filter((s) => s === "completed" || s === "failed")).toEqual(["completed", "failed"])
    expect(changes.some((u) => "body" in u)).toBe(dialect === "zeroclaw")
    if (dialect === "zeroclaw") expect(statuses).toEqual(["completed", "failed"])
    else expect(updates.some((u: Json) => u["status"] === "in_progress")).toBe(true)
  })

  test("permission requests keep their ids and options in both", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "write a.txt\nhello\n.")
    const asked = acp.messages.find((m) => m.method === "session/request_permission")
    expect(asked?.id).toBe("zc-out-0")
    const ids: ReadonlyArray<string> = asked?.params?.["options"].map((o: Json) => o["optionId"])
    expect(ids).toEqual(expect.arrayContaining(["allow-once", "allow-always", "reject-once", "reject-always"]))
    if (dialect === "acp") expect(ids).toHaveLength(4)
  })

  test("a notification that fails says nothing, and a cancel never overtakes its prompt", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    acp.send(cancel(randomUUID()), { jsonrpc: "2.0", method: "session/close", params: { sessionId: 7 } })
    expect(await acp.settle()).toEqual([])
    for (let i = 0; i < 5; i++) {
      acp.send(prompt(`p${i}`, sessionId, "wait 30"), cancel(sessionId))
      expect((await acp.waitFor((m) => m.id === `p${i}`)).result?.["stopReason"]).toBe("cancelled")
    }
  })
})

describe("input of ZeroClaw's clients", () => {
  test("text prompts, untyped parts and session_id are accepted", async ({ host }) => {
    const acp = await host.open({ dialect: "zeroclaw" })
    const sessionId = await acp.newSession()
    expect((await acp.request("session/prompt", { sessionId, prompt: "say plain" }))["content"]).toContain("plain")
    expect((await acp.request("session/prompt", { sessionId, prompt: [{ text: "say untyped" }] }))["content"])
      .toContain("untyped")
    acp.send(prompt(1, sessionId, "wait 30"), {
      jsonrpc: "2.0",
      method: "session/cancel",
      params: { session_id: sessionId }
    })
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
  })

  for (const method of ["session/event", "session/update"]) {
    test(`${method} is acknowledged as a request and ignored as a notification`, async ({ host }) => {
      const acp = await host.open({ dialect: "zeroclaw" })
      const sessionId = await acp.newSession()
      expect(await acp.request(method, { sessionId, type: "focus" })).toEqual({
        sessionId,
        type: "focus",
        status: "processed"
      })
      const nested = { sessionId, update: { sessionUpdate: "seen" } }
      expect(await acp.request(method, nested)).toEqual({ sessionId, type: "seen", status: "processed" })
      expect(await acp.request(method, { sessionId })).toEqual({ sessionId, type: "unknown", status: "processed" })
      expect(await acp.failure(method, { sessionId: randomUUID(), type: "x" })).toMatchObject({ code: -32000 })
      acp.send({ jsonrpc: "2.0", method, params: { sessionId: randomUUID(), type: "x" } })
      expect(await acp.settle()).toEqual([])
    })
  }
})
