import { randomUUID } from "node:crypto"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { cancel, prompt, request } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Dialect, Json } from "../support/Wire.ts"

const dialects: ReadonlyArray<Dialect> = ["acp", "zeroclaw"]

describe.each(dialects)("in dialect %s", (dialect) => {
  const open = (host: Host, more: Json = {}) => host.open({ dialect, ...more })
  const pick = <T>(values: Record<Dialect, T>): T => values[dialect]

  test("an unknown session has the dialect's number, its id and a stable reason", async ({ host }) => {
    const acp = await open(host)
    const sessionId = randomUUID()
    const prompted = { sessionId, prompt: [{ type: "text", text: "say x" }] }
    const tries: ReadonlyArray<readonly [string, Json]> = [
      ["session/prompt", prompted],
      ["session/close", { sessionId }],
      ["session/load", { sessionId, cwd: host.project, mcpServers: [] }],
      ["session/resume", { sessionId, cwd: host.project }]
    ]
    for (const [method, params] of tries) {
      const error = await acp.failure(method, params)
      const code = pick({ acp: -32002, zeroclaw: -32000 })
      expect(error, method).toMatchObject({ code, data: { sessionId, reason: "session_not_found" } })
      expect(error.message).not.toMatch(/auth/i)
    }
  })

  test("a prompt while a turn runs is busy with the dialect's number", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 30"))
    const error = await acp.failure("session/prompt", { sessionId, prompt: [{ type: "text", text: "say x" }] })
    expect(error).toMatchObject({
      code: pick({ acp: 1001, zeroclaw: -32002 }),
      data: { sessionId, reason: "session_busy" }
    })
    acp.send(cancel(sessionId))
    await acp.waitFor((m) => m.id === 1)
  })

  test("the eleventh session in use is refused with the dialect's number, and closing one makes room", async ({ host }) => {
    const acp = await open(host)
    const ids: Array<string> = []
    for (let i = 0; i < 10; i++) {
      const sessionId = await acp.newSession()
      ids.push(sessionId)
      await acp.prompt(sessionId, "say used")
    }
    const error = await acp.failure("session/new", { cwd: host.project, mcpServers: [] })
    expect(error).toMatchObject({ code: pick({ acp: 1002, zeroclaw: -32001 }), data: { reason: "session_limit" } })
    await acp.request("session/close", { sessionId: ids[0] })
    await acp.newSession()
  })

  test("the eleventh session takes the place of the longest idle one that had no prompt, which can be loaded", async ({ host }) => {
    const acp = await open(host)
    const ids: Array<string> = []
    for (let i = 0; i < 10; i++) ids.push(await acp.newSession())
    await acp.prompt(ids[0]!, "say used")
    acp.send(prompt(1, ids[1]!, "wait 30"))
    await acp.newSession()
    const gone = await acp.failure("session/prompt", { sessionId: ids[2], prompt: [{ type: "text", text: "say x" }] })
    expect(gone).toMatchObject({ data: { reason: "session_not_found" } })
    for (const id of [ids[0]!, ids[3]!]) expect((await acp.prompt(id, "say here")).text).toBe("here")
    acp.send(cancel(ids[1]!))
    await acp.waitFor((m) => m.id === 1)
    await acp.request("session/load", { sessionId: ids[2], cwd: host.project, mcpServers: [] })
    expect((await acp.prompt(ids[2]!, "say back")).text).toBe("back")
  })

  test("initialize answers version 1 and the dialect's limits in _meta", async ({ host }) => {
    const acp = host.start({ dialect })
    const result = await acp.initialize()
    expect(result["protocolVersion"]).toBe(1)
    expect(result["_meta"].zeroclaw).toMatchObject({ maxSessions: 10, sessionTimeoutSecs: 3600 })
    expect(result["agentCapabilities"].sessionCapabilities).toMatchObject({
      list: {},
      delete: {},
      resume: {},
      close: {}
    })
  })

  test("session/new names its folder at the root only in zeroclaw, in _meta always", async ({ host }) => {
    const acp = await open(host)
    const made = await acp.request("session/new", { cwd: host.project, mcpServers: [] })
    expect(made["workspaceDir"]).toBe(pick({ acp: undefined, zeroclaw: host.project }))
    expect(made["_meta"]?.zeroclaw?.workspaceDir).toBe(host.project)
  })

  test("mcpServers may be missing or null, cwd may be missing: then it is the agent's workspace", async ({ host }) => {
    const acp = await open(host)
    for (const params of [{}, { mcpServers: null }, { cwd: null }]) {
      const made = await acp.request("session/new", params)
      expect(made["_meta"]?.zeroclaw?.workspaceDir).toBe(join(host.config, "agents", "default", "workspace"))
    }
  })

  test("a relative cwd is refused, except the placeholder .", async ({ host }) => {
    const acp = await open(host)
    expect(await acp.failure("session/new", { cwd: "src", mcpServers: [] })).toMatchObject({ code: -32602 })
    await acp.request("session/new", { cwd: ".", mcpServers: [] })
  })

  test("a cwd that is no folder is refused; one behind a symbolic link is canonicalised", async ({ host }) => {
    const acp = await open(host)
    const file = host.write("file.txt", "x")
    for (const cwd of [file, join(host.project, "absent")]) {
      expect(await acp.failure("session/new", { cwd, mcpServers: [] })).toMatchObject({
        code: -32602,
        data: { field: "cwd" }
      })
    }
    const link = join(host.folder, "link")
    symlinkSync(host.project, link)
    const made = await acp.request("session/new", { cwd: link, mcpServers: [] })
    expect(made["_meta"]?.zeroclaw?.workspaceDir).toBe(host.project)
  })

  test("an unknown agent is invalid params, a blank one counts as absent", async ({ host }) => {
    const acp = await open(host)
    const named = (alias: string) => ({ cwd: host.project, mcpServers: [], _meta: { zeroclaw: { agentAlias: alias } } })
    expect(await acp.failure("session/new", named("nobody"))).toMatchObject({ code: -32602 })
    await acp.request("session/new", named("  "))
    await acp.request("session/new", named("default"))
  })

  test("load accepts a session id alone, and replays the transcript", async ({ host }) => {
    const first = await open(host)
    const sessionId = await first.newSession()
    await first.prompt(sessionId, "say remembered words")
    await first.close()
    const acp = await open(host)
    await acp.request("session/load", { sessionId })
    expect(textOf(acp.updates(sessionId))).toContain("remembered words")
    expect(textOf(acp.updates(sessionId), "user_message_chunk")).toContain("say remembered words")
  })

  test("loading an active session replays again in acp and is refused in zeroclaw", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "say once")
    const params = { sessionId, cwd: host.project, mcpServers: [] }
    if (dialect === "zeroclaw") return expect(await acp.failure("session/load", params)).toMatchObject({ code: -32602 })
    const since = acp.messages.length
    await acp.request("session/load", params)
    expect(textOf(acp.updates(sessionId, since))).toContain("once")
  })

  test("resume replays nothing and the session goes on", async ({ host }) => {
    const first = await open(host)
    const sessionId = await first.newSession()
    await first.prompt(sessionId, "plan A; B\nsay before")
    await first.close()
    const acp = await open(host)
    await acp.request("session/resume", { sessionId, cwd: host.project })
    await acp.settle()
    expect(textOf(acp.updates(sessionId))).toBe("")
    expect((await acp.prompt(sessionId, "say after")).text).toContain("after")
  })

  test("session/stop waits for the turn, then ends the session", async ({ host }) => {
    const acp = await open(host)
    const sessionId = await acp.newSession()
    const method = pick({ acp: "_zeroclaw/session/stop", zeroclaw: "session/stop" })
    acp.send(prompt(1, sessionId, "wait 0.5\nsay finished"), request(2, method, { sessionId }))
    expect((await acp.waitFor((m) => m.id === 2)).result).toMatchObject({ sessionId, stopped: true })
    const ends = acp.messages.filter((m) => m.method === undefined && (m.id === 1 || m.id === 2))
    expect(ends.map((m) => m.id)).toEqual([1, 2])
    expect(ends[0]?.result?.["stopReason"]).toBe("end_turn")
    expect(await acp.failure(method, { sessionId })).toMatchObject({ data: { reason: "session_not_found" } })
  })

  test("list, delete and usage are there for both", async ({ host }) => {
    const acp = await open(host)
    mkdirSync(join(host.project, "x"))
    const sessionId = await acp.newSession({ cwd: join(host.project, "x") })
    const { updates } = await acp.prompt(sessionId, "say hi")
    expect(updates.some((u) => u.sessionUpdate === "usage_update")).toBe(true)
    const { sessions } = await acp.request("session/list")
    expect(sessions).toMatchObject([{ sessionId, cwd: join(host.project, "x") }])
    expect(await acp.request("session/delete", { sessionId })).toEqual({})
    expect(await acp.request("session/delete", { sessionId })).toEqual({})
  })
})
