import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { prompt } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

describe("a data folder that cannot be used", () => {
  const ways: ReadonlyArray<readonly [string, (host: Host) => string]> = [
    ["a file lies where the folder should be", (host) => host.write(join(host.folder, "taken"), "x")],
    ["a folder lies where the database should be", (host) => {
      mkdirSync(join(host.data, "sessions", "acp-sessions.db"), { recursive: true })
      return host.data
    }],
    ["it cannot be created", () => "/sys/no/such/place"]
  ]
  for (const [name, arrange] of ways) {
    test(`sessions live in memory, and initialize says so: ${name}`, async ({ host }) => {
      const acp = host.start({ env: { POSTERN_DATA_DIR: arrange(host) } })
      const { agentCapabilities } = await acp.initialize()
      expect(agentCapabilities.loadSession ?? false).toBe(false)
      const offered = Object.keys(agentCapabilities.sessionCapabilities ?? {})
      expect(offered.filter((k) => ["list", "resume", "close", "delete"].includes(k))).toEqual([])
      const sessionId = await acp.newSession()
      expect((await acp.prompt(sessionId, "say from memory")).text).toContain("from memory")
      expect((await acp.prompt(sessionId, "say second turn")).text).toContain("second turn")
      for (const method of ["session/load", "session/resume", "session/list", "session/close", "session/delete"]) {
        const params = method === "session/list" ? {} : { sessionId, cwd: host.project, mcpServers: [] }
        expect(await acp.failure(method, params), method).toMatchObject({ code: -32601 })
      }
      expect((await acp.prompt(sessionId, "say third")).text).toContain("third")
      await acp.close()
      expect(acp.stderr).toMatch(/\S/)
    })
  }

  test("no folder can be made anywhere: sessions in a folder of the project work", async ({ host }) => {
    const acp = await host.open({
      env: { POSTERN_DATA_DIR: "/sys/no/such/place", POSTERN_CONFIG_DIR: "/sys/no/such/place" }
    })
    const sessionId = await acp.newSession({ cwd: host.project })
    expect((await acp.prompt(sessionId, "say from memory")).text).toContain("from memory")
    expect(await acp.failure("session/new", { mcpServers: [] })).toMatchObject({
      code: -32603,
      data: { reason: "agent_unusable" }
    })
  })

  test("a database file that is none is left alone, and sessions live in memory", async ({ host }) => {
    mkdirSync(dirname(host.database), { recursive: true })
    writeFileSync(host.database, "this is no database, but somebody's notes ".repeat(100))
    const acp = host.start()
    expect((await acp.initialize())["agentCapabilities"].loadSession ?? false).toBe(false)
    expect((await acp.prompt(await acp.newSession(), "say ok")).text).toContain("ok")
  })
})

describe("the database", () => {
  test("is a WAL database with private permissions, and no conversation is deleted by itself", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "say stored")
    const db = new DatabaseSync(host.database, { readOnly: true })
    expect(db.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" })
    db.close()
    await acp.close()
    const later = await host.open()
    expect((await later.request("session/list"))["sessions"]).toHaveLength(1)
  })

  test("a store that is locked for a moment delays a turn, but loses nothing", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const db = new DatabaseSync(host.database)
    db.exec("BEGIN IMMEDIATE")
    acp.send(prompt(1, sessionId, "say patient"))
    await new Promise((resolve) => setTimeout(resolve, 700))
    db.exec("ROLLBACK")
    db.close()
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("end_turn")
    await acp.close()
    const later = await host.open()
    await later.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(textOf(later.updates(sessionId))).toContain("patient")
  })

  test("keeps text exactly: all of Unicode, control characters, long lines", async ({ host }) => {
    const odd = `ä€😀 \u0000\u0001\u001b[2J \u2028\u2029 "quoted\\" \ud83d ${"long ".repeat(20_000)}end`
    const first = await host.open()
    const sessionId = await first.newSession()
    await first.prompt(sessionId, [{ type: "text", text: "say x" }, { type: "text", text: odd }])
    await first.close()
    const acp = await host.open()
    await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    const sent: string = JSON.parse(JSON.stringify(odd)).toWellFormed()
    expect(textOf(acp.updates(sessionId), "user_message_chunk").toWellFormed()).toContain(sent)
  })

  test("replays twice the same, message ids included", async ({ host }) => {
    host.write("a.txt", "alpha")
    const first = await host.open()
    const sessionId = await first.newSession()
    await first.prompt(sessionId, "think t\nread a.txt\nread missing\nplan A; B\nsay done")
    await first.close()
    const loads: Array<ReadonlyArray<Json>> = []
    for (let i = 0; i < 2; i++) {
      const acp = await host.open()
      await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
      const end = acp.messages.findIndex((m) => m.method === undefined && m.id === 1002)
      loads.push(acp.messages.slice(0, end).filter((m) => m.method === "session/update"))
    }
    expect(loads[0]?.length).toBeGreaterThan(4)
    expect(loads[1]).toEqual(loads[0])
  })
})
