import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { cancel, cancelRequest, prompt, request } from "../support/Frames.ts"
import { test } from "../support/Host.ts"

const stop = (result: unknown) => (result as { stopReason?: string } | undefined)?.stopReason

describe("sessions side by side", () => {
  test("a slow turn holds up no other session", async ({ host }) => {
    const acp = await host.open()
    const [slow, quick] = [await acp.newSession(), await acp.newSession()]
    acp.send(prompt("slow", slow, "wait 2\nsay slow done"), prompt("quick", quick, "say quick done"))
    const first = await acp.waitFor((m) => m.id === "slow" || m.id === "quick")
    expect(first.id).toBe("quick")
    await acp.waitFor((m) => m.id === "slow")
    expect(textOf(acp.updates(slow))).toContain("slow done")
    expect(textOf(acp.updates(quick))).toContain("quick done")
  })

  test("eight turns at once keep their texts apart", async ({ host }) => {
    const acp = await host.open()
    const ids = await Promise.all(Array.from({ length: 8 }, () => acp.newSession()))
    const turns = await Promise.all(ids.map((id, i) => acp.prompt(id, `stream 500\nsay mark-${i}-end`)))
    for (const [i, turn] of turns.entries()) {
      expect(stop(turn.result)).toBe("end_turn")
      expect(turn.text.match(/mark-\d+-end/g)).toEqual([`mark-${i}-end`])
    }
  })

  test("a cancel reaches only its own session", async ({ host }) => {
    const acp = await host.open()
    const [one, two] = [await acp.newSession(), await acp.newSession()]
    acp.send(prompt(1, one, "wait 30"), prompt(2, two, "wait 1\nsay survived"), cancel(one))
    expect(stop((await acp.waitFor((m) => m.id === 1)).result)).toBe("cancelled")
    expect(stop((await acp.waitFor((m) => m.id === 2)).result)).toBe("end_turn")
    expect(textOf(acp.updates(two))).toContain("survived")
  })
})

describe("frames in one write keep their order", () => {
  test("prompt, cancel, prompt: the second prompt waits for the end of the first and runs", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"), cancel(sessionId), prompt(2, sessionId, "say second"))
    const second = await acp.waitFor((m) => m.id === 2)
    expect(stop(acp.messages.find((m) => m.id === 1)?.result)).toBe("cancelled")
    expect(stop(second.result)).toBe("end_turn")
  })

  test("prompt, cancel, cancel, $/cancel_request: one answer", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"), cancel(sessionId), cancel(sessionId), cancelRequest(1))
    await acp.waitFor((m) => m.id === 1)
    expect((await acp.prompt(sessionId, "say next")).text).toContain("next")
    expect(acp.messages.filter((m) => m.id === 1)).toHaveLength(1)
  })

  test("prompt, close: the turn ends as cancelled, the session is closed", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"), request(2, "session/close", { sessionId }), prompt(3, sessionId, "say x"))
    expect((await acp.waitFor((m) => m.id === 2)).result).toEqual({})
    expect(stop((await acp.waitFor((m) => m.id === 1)).result)).toBe("cancelled")
    expect((await acp.waitFor((m) => m.id === 3)).error).toMatchObject({ code: -32002, data: { sessionId } })
  })

  test("prompt, delete: the turn ends as cancelled, the session is gone", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "say a\nwait 30"), request(2, "session/delete", { sessionId }))
    expect((await acp.waitFor((m) => m.id === 2)).result).toEqual({})
    expect(stop((await acp.waitFor((m) => m.id === 1)).result)).toBe("cancelled")
    expect(await acp.failure("session/load", { sessionId, cwd: host.project, mcpServers: [] })).toMatchObject({
      code: -32002
    })
    expect((await acp.request("session/list"))["sessions"]).toEqual([])
  })

  test("close, load, prompt: the session comes back and works", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "say kept")
    const load = request(2, "session/load", { sessionId, cwd: host.project, mcpServers: [] })
    acp.send(request(1, "session/close", { sessionId }), load)
    expect((await acp.waitFor((m) => m.id === 2)).error).toBeUndefined()
    expect((await acp.prompt(sessionId, "say back")).text).toContain("back")
  })

  test("close, close and delete, delete: the second close finds nothing, the second delete succeeds", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(request(1, "session/close", { sessionId }), request(2, "session/close", { sessionId }))
    acp.send(request(3, "session/delete", { sessionId }), request(4, "session/delete", { sessionId }))
    await acp.waitFor((m) => m.id === 4)
    const answer = (id: number) => acp.messages.find((m) => m.id === id)
    expect(answer(1)?.result).toEqual({})
    expect(answer(2)?.error).toMatchObject({ code: -32002 })
    for (const id of [3, 4]) expect(answer(id)?.result).toEqual({})
  })

  test("a storm of prompts, cancels, closes and loads leaves every request with one answer", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const frames = Array.from({ length: 60 }, (_, i) => {
      const kind = (i * 7 + 3) % 5
      if (kind === 0) return request(i, "session/close", { sessionId })
      if (kind === 1) return request(i, "session/load", { sessionId, cwd: host.project, mcpServers: [] })
      if (kind === 2) return cancel(sessionId)
      return prompt(i, sessionId, i % 2 === 0 ? "stream 50" : "wait 0.05")
    })
    const ids = frames.flatMap((f) => "id" in f ? [f.id] : [])
    acp.send(...frames)
    for (const id of ids) await acp.waitFor((m) => m.method === undefined && m.id === id)
    await acp.settle()
    for (const id of ids) expect(acp.messages.filter((m) => m.method === undefined && m.id === id)).toHaveLength(1)
    await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect((await acp.prompt(sessionId, "say calm")).text).toContain("calm")
  })
})

describe("two processes on one database", () => {
  test("see each other's sessions, and neither loses any", async ({ host }) => {
    const [a, b] = await Promise.all([host.open(), host.open()])
    const work = async (acp: typeof a, name: string) => {
      const ids: Array<string> = []
      for (let i = 0; i < 5; i++) {
        const id = await acp.newSession()
        expect((await acp.prompt(id, `say ${name}-${i}\nstream 200`)).result["stopReason"]).toBe("end_turn")
        ids.push(id)
      }
      return ids
    }
    const ids = (await Promise.all([work(a, "left"), work(b, "right")])).flat()
    for (const acp of [a, b]) {
      const { sessions } = await acp.request("session/list")
      expect(sessions.map((s: { sessionId: string }) => s.sessionId).sort()).toEqual([...ids].sort())
    }
    await b.request("session/load", { sessionId: ids[0], cwd: host.project, mcpServers: [] })
    expect(textOf(b.updates(ids[0]!))).toContain("left-0")
  })

  test("take turns on one session: busy while the other runs, free afterwards, both turns kept", async ({ host }) => {
    const [a, b] = await Promise.all([host.open(), host.open()])
    const sessionId = await a.newSession()
    await b.request("session/resume", { sessionId, cwd: host.project })
    a.send(prompt(1, sessionId, "say from-a\nwait 1"))
    await a.waitForUpdate((u) => u["sessionUpdate"] === "agent_message_chunk")
    const busy = await b.failure("session/prompt", { sessionId, prompt: [{ type: "text", text: "say x" }] })
    expect(busy).toMatchObject({ code: 1001, data: { reason: "session_busy" } })
    expect(stop((await a.waitFor((m) => m.id === 1)).result)).toBe("end_turn")
    await b.prompt(sessionId, "say from-b")
    const c = await host.open()
    await c.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(textOf(c.updates(sessionId))).toMatch(/from-a[^]*from-b/)
  })

  test("a session deleted by one process is not found in the other", async ({ host }) => {
    const [a, b] = await Promise.all([host.open(), host.open()])
    const sessionId = await a.newSession()
    await a.prompt(sessionId, "say x")
    await b.request("session/delete", { sessionId })
    const gone = await a.failure("session/prompt", { sessionId, prompt: [{ type: "text", text: "say y" }] })
    expect(gone).toMatchObject({ code: -32002 })
  })
})
