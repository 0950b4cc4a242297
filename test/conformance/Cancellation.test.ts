import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { answer, cancel, cancelRequest, expectError, list, prompt, request } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import type { Message } from "../support/Wire.ts"

const asks = (m: Message) => m.method === "session/request_permission"
const withdraws = (id: unknown) => (m: Message) => m.method === "$/cancel_request" && m.params?.["requestId"] === id
const write = "write a.txt\nhello\n."
const started = (m: Message) => m.method === "session/update"

describe("the client cancels", () => {
  test("session/cancel ends a running turn with stop reason cancelled, exactly once", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(13, sessionId, "say begun\nwait 30"))
    await acp.waitForUpdate((u) => u["sessionUpdate"] === "agent_message_chunk")
    acp.send(cancel(sessionId))
    const end = await acp.waitFor((m) => m.id === 13)
    expect(end.result?.["stopReason"]).toBe("cancelled")
    await acp.settle()
    expect(acp.messages.filter((m) => m.id === 13)).toHaveLength(1)
    expect(JSON.stringify(acp.updates(sessionId))).not.toContain("turn-cancelled")
  })

  test("$/cancel_request on a prompt gives the result cancelled, not an error", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt("p", sessionId, "say begun\nwait 30"))
    await acp.waitForUpdate((u) => u["sessionUpdate"] === "agent_message_chunk")
    acp.send(cancelRequest("p"))
    expect((await acp.waitFor((m) => m.id === "p")).result?.["stopReason"]).toBe("cancelled")
  })

  test("$/cancel_request tells the id 13 from the id \"13\"", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(13, sessionId, "wait 1"), cancelRequest("13"))
    expect((await acp.waitFor((m) => m.id === 13)).result?.["stopReason"]).toBe("end_turn")
  })

  test("$/cancel_request on another request that waits is answered with -32800, and the turn goes on", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 1\nsay done"), request(2, "_zeroclaw/session/stop", { sessionId }))
    acp.send(cancelRequest(2))
    expectError(await acp.waitFor((m) => m.id === 2), 2, -32800)
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("end_turn")
  })

  test("$/cancel_request for a request already answered is ignored", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.exchange(prompt(5, sessionId, "say one"))
    acp.send(cancelRequest(5))
    expect((await acp.exchange(prompt(5, sessionId, "say two"))).result?.["stopReason"]).toBe("end_turn")
  })

  test("a cancel directly after its prompt cancels it", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"), cancel(sessionId))
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
  })

  test("a cancel without a turn does not affect the next turn", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(cancel(sessionId), cancel(sessionId), prompt(1, sessionId, "say fine"))
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("end_turn")
  })

  test("session/cancel sent with an id cancels and is answered with an empty object", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"))
    expect((await acp.exchange(request(2, "session/cancel", { sessionId }))).result).toEqual({})
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
  })

  test("output from before the cancel stays, and the next turn works", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "say kept words\nwait 30"))
    await acp.waitForUpdate((u) => String(u["content"]?.text).includes("words"))
    acp.send(cancel(sessionId))
    await acp.waitFor((m) => m.id === 1)
    expect((await acp.prompt(sessionId, "say after")).text).toContain("after")
    const since = acp.messages.length
    await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(JSON.stringify(acp.updates(sessionId, since))).toContain("kept")
  })
})

describe("requests of the agent", () => {
  test("a permission request names the reported tool call and offers one option of each kind", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, write)
    const [asked] = acp.messages.filter(asks)
    expect(asked?.id).toBe("zc-out-0")
    const kinds: ReadonlyArray<string> = asked?.params?.["options"].map((o: { kind: string }) => o.kind)
    expect(kinds).toEqual(["allow_once", "allow_always", "reject_once", "reject_always"])
    const started = acp.updates(sessionId).find((u) => u.sessionUpdate === "tool_call")
    expect(started).toMatchObject({ toolCallId: asked?.params?.["toolCall"].toolCallId })
  })

  test("equal ids in both directions are independent", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt("zc-out-0", sessionId, write))
    const asked = await acp.waitFor(asks)
    expect((await acp.exchange(list("other"))).result).toBeDefined()
    acp.send(answer(asked.id, { outcome: { outcome: "selected", optionId: "allow-once" } }))
    const end = await acp.waitFor((m) => m.id === "zc-out-0" && m.method === undefined)
    expect(end.result?.["stopReason"]).toBe("end_turn")
  })

  test("a cancelled turn withdraws its open request, closes its tool call and does not wait for an answer", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, write))
    const asked = await acp.waitFor(asks)
    acp.send(cancel(sessionId))
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
    const withdrawn = acp.messages.findIndex(withdraws(asked.id))
    const failed = acp.messages.findIndex((m) => m.params?.["update"]?.status === "failed")
    const end = acp.messages.findIndex((m) => m.id === 1)
    expect(withdrawn).toBeGreaterThan(0)
    expect(failed).toBeGreaterThan(0)
    expect(end).toBeGreaterThan(Math.max(withdrawn, failed))
  })

  test("a late answer to a withdrawn request is ignored", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, write))
    const asked = await acp.waitFor(asks)
    acp.send(cancel(sessionId))
    await acp.waitFor((m) => m.id === 1)
    acp.send(answer(asked.id, { outcome: { outcome: "selected", optionId: "allow-once" } }), answer(asked.id, 7))
    expect((await acp.settle()).filter((m) => m.method === undefined && m.id !== 1)).toEqual([])
    await acp.prompt(sessionId, "say next")
    expect(existsSync(join(host.project, "a.txt"))).toBe(false)
  })

  test("an unanswered request does not hold up other requests", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, write))
    await acp.waitFor(asks)
    expect((await acp.exchange(list(2))).result).toBeDefined()
    acp.send(cancel(sessionId))
    await acp.waitFor((m) => m.id === 1)
  })

  test("the timeout of a permission request withdraws it and denies the call, and the turn goes on", async ({ host }) => {
    const acp = await host.open({ permission: "never", env: { POSTERN_acp__session_timeout_secs: "1" } })
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, `${write}\nsay carried on`))
    const asked = await acp.waitFor(asks)
    await acp.waitFor(withdraws(asked.id))
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("end_turn")
    expect(acp.updates(sessionId).some((u) => u.sessionUpdate === "tool_call_update" && u.status === "failed")).toBe(
      true
    )
  })

  test("client methods that were not offered are never called", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    host.write("b.txt", "x")
    await acp.prompt(sessionId, "read b.txt\nwrite c.txt\ny\n.\nrun echo hi")
    expect(acp.messages.filter((m) => m.method !== undefined && m.id !== undefined && !asks(m))).toEqual([])
    expect(acp.messages.some(started)).toBe(true)
  })
})
