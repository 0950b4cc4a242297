import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "vitest"
import { type AcpProcess, textOf } from "../support/AcpProcess.ts"
import { bundle, type Host, test as base } from "../support/Host.ts"
import { hasSmallDisk, reason, SmallDisk } from "../support/SmallDisk.ts"

/** The data folder of the host is a disk of its own. */
const test = base.extend<{ disk: SmallDisk }>({
  disk: async ({ host }, use) => {
    const disk = SmallDisk.make(12, host.data)!
    await use(disk)
    await Promise.allSettled(host.processes.map((process) => process.close()))
    disk.remove()
  }
})

const onDisk = (disk: SmallDisk) => ({ env: { POSTERN_DATA_DIR: join(disk.folder, "data") } })

const full = /The disk is full: .+ could not be written\. Free some space and try again\./
const unwritable = /cannot be written\. Make the file and its folder writable for this user\./

/** Two sessions of a process that ended, so that the log is written into the database and gone. */
const stored = async (host: Host, disk: SmallDisk) => {
  const acp = await host.open(onDisk(disk))
  const big = await acp.newSession()
  await acp.prompt(big, `say ${"x".repeat(800_000)}`)
  const small = await acp.newSession()
  await acp.prompt(small, "say hello")
  await acp.close()
  return { big, small }
}

const cli = (host: Host, disk: SmallDisk, ...words: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [bundle, "sessions", ...words], {
    cwd: host.project,
    env: { ...host.env, ...onDisk(disk).env },
    encoding: "utf8"
  })
  return { status, text: stdout + stderr }
}

const opens = async (acp: AcpProcess, host: Host, method: string, sessionId: string) => {
  const since = acp.messages.length
  await acp.request(method, { sessionId, cwd: host.project, mcpServers: [] })
  return textOf(acp.updates(sessionId, since))
}

const reads = async (acp: AcpProcess, host: Host, { big, small }: { readonly big: string; readonly small: string }) => {
  expect((await acp.request("session/list"))["sessions"]).toHaveLength(2)
  expect(await opens(acp, host, "session/load", small)).toBe("hello")
  expect(await opens(acp, host, "session/resume", big)).toBe("")
}

describe.skipIf(!hasSmallDisk)(`on a full disk${reason}`, () => {
  test("sessions load, resume and are listed, shown and exported, and their prompts say what is wrong", async ({ disk, host }) => {
    const ids = await stored(host, disk)
    disk.fill()
    const acp = await host.open(onDisk(disk))
    await reads(acp, host, ids)
    expect((await acp.failure("session/new", { cwd: host.project, mcpServers: [] })).message).toMatch(full)
    const prompt = { sessionId: ids.small, prompt: [{ type: "text", text: "run touch made" }] }
    expect((await acp.failure("session/prompt", prompt)).message).toMatch(full)
    expect(existsSync(join(host.project, "made"))).toBe(false)
    expect(cli(host, disk, "list").text).toContain(ids.small)
    expect(cli(host, disk, "show", ids.small).text).toContain("hello")
    expect(cli(host, disk, "export", ids.small, "--format", "json").text).toContain("hello")
    disk.empty()
    expect((await acp.prompt(ids.small, "say written")).text).toBe("written")
  })

  test("sessions can be deleted, which makes room for others", async ({ disk, host }) => {
    const ids = await stored(host, disk)
    disk.fill()
    const acp = await host.open(onDisk(disk))
    await opens(acp, host, "session/load", ids.small)
    await acp.request("session/delete", { sessionId: ids.big })
    expect((await acp.request("session/list"))["sessions"]).toMatchObject([{ sessionId: ids.small }])
    expect((await acp.prompt(ids.small, "say room")).text).toBe("room")
    disk.fill()
    expect(cli(host, disk, "delete", ids.small, "--yes")).toMatchObject({ status: 0 })
    expect(cli(host, disk, "list", "--json").text).toBe("")
  })

  test("a process that has sessions open goes on reading, and writes again where there is room", async ({ disk, host }) => {
    const ids = await stored(host, disk)
    const acp = await host.open(onDisk(disk))
    await opens(acp, host, "session/load", ids.small)
    disk.fill()
    await reads(acp, host, ids)
    const text = `say ${"y".repeat(3_000_000)}`
    const prompt = { sessionId: ids.small, prompt: [{ type: "text", text }] }
    expect((await acp.failure("session/prompt", prompt)).message).toMatch(full)
    expect(await opens(acp, host, "session/load", ids.small)).toBe("hello")
    disk.empty()
    expect((await acp.prompt(ids.small, "say written")).text).toBe("written")
  })

  test("a new store is kept in memory, which clients are told, and written once there is room", async ({ disk, host }) => {
    disk.fill()
    const acp = await host.open(onDisk(disk))
    const sessionId = await acp.newSession()
    await acp.prompt(sessionId, "say one")
    const told = (kind: RegExp) => acp.updates(sessionId).filter((update) => kind.test(JSON.stringify(update))).length
    expect(told(/kept in memory only .+ The disk is full/)).toBe(1)
    await acp.prompt(sessionId, "say two")
    expect(told(/kept in memory only/)).toBe(1)
    disk.empty()
    await acp.prompt(sessionId, "say three")
    expect(told(/stored again/)).toBe(1)
    await acp.close()
    const later = await host.open(onDisk(disk))
    expect(await opens(later, host, "session/load", sessionId)).toBe("onetwothree")
  })
})

describe.skipIf(!hasSmallDisk)(`on a read-only disk${reason}`, () => {
  test("sessions are read, writing says what is wrong, and works again once it can", async ({ disk, host }) => {
    const ids = await stored(host, disk)
    disk.setReadOnly(true)
    const acp = await host.open(onDisk(disk))
    await reads(acp, host, ids)
    expect((await acp.failure("session/delete", { sessionId: ids.big })).message).toMatch(unwritable)
    const prompt = { sessionId: ids.small, prompt: [{ type: "text", text: "run touch made" }] }
    expect((await acp.failure("session/prompt", prompt)).message).toMatch(unwritable)
    expect(cli(host, disk, "show", ids.small).text).toContain("hello")
    expect(cli(host, disk, "delete", ids.small, "--yes")).toMatchObject({ status: 1 })
    disk.setReadOnly(false)
    expect((await acp.prompt(ids.small, "say written")).text).toBe("written")
  })
})

base("while another program holds the write lock, sessions load, resume and are listed", async ({ host }) => {
  const first = await host.open()
  const sessionId = await first.newSession()
  await first.prompt(sessionId, "say hello")
  const db = new DatabaseSync(host.database)
  db.exec("BEGIN IMMEDIATE")
  expect(await opens(first, host, "session/load", sessionId)).toBe("hello")
  const second = await host.open()
  expect((await second.request("session/list"))["sessions"]).toHaveLength(1)
  expect(await opens(second, host, "session/load", sessionId)).toBe("hello")
  db.exec("ROLLBACK")
  db.close()
  expect(readFileSync(host.database).length).toBeGreaterThan(0)
})
