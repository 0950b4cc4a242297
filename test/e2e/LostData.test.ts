import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { bundle, type Host, test } from "../support/Host.ts"

const started = async (host: Host) => {
  const acp = await host.open()
  const sessionId = await acp.newSession()
  await acp.prompt(sessionId, "say one")
  return { acp, sessionId, run: { sessionId, prompt: [{ type: "text", text: "run touch made" }] } }
}

const gone =
  /This session is not in the database any more: .+ was removed, moved or replaced while Postern was running\. Put it back, or open a new session\./

/** What happens to the data of a running process, and what a turn says then. */
const losses: ReadonlyArray<readonly [string, (host: Host) => void, RegExp]> = [
  ["its data folder is removed", (host) => rmSync(host.data, { recursive: true }), gone],
  ["its data folder is moved", (host) => renameSync(host.data, `${host.data}-moved`), gone],
  ["the database alone is removed", (host) => rmSync(host.database), gone],
  ["another database takes its place", (host) => {
    rmSync(dirname(host.database), { recursive: true })
    mkdirSync(dirname(host.database))
    new DatabaseSync(host.database).close()
  }, gone],
  ["a pipe takes its place", (host) => {
    rmSync(host.database)
    execFileSync("mkfifo", [host.database])
  }, /is not a file, but a pipe, a socket or a device\. Move it away\./],
  ["a file takes the place of its folder", (host) => {
    rmSync(host.data, { recursive: true })
    writeFileSync(host.data, "")
  }, /cannot be created: a part of its path is a file, not a folder\./]
]

describe("when a process runs and", () => {
  for (const [what, lose, sentence] of losses) {
    test(`${what}: the next turn says so and runs nothing, and sessions can be opened again`, async ({ host }) => {
      const { acp, run } = await started(host)
      lose(host)
      expect((await acp.failure("session/prompt", run)).message).toMatch(sentence)
      expect(existsSync(join(host.project, "made"))).toBe(false)
      if (sentence !== gone) rmSync(what.includes("pipe") ? host.database : host.data)
      const next = await acp.newSession()
      expect((await acp.prompt(next, "say anew")).text).toBe("anew")
      await acp.close()
      const later = await host.open()
      expect((await later.request("session/list"))["sessions"]).toMatchObject([{ sessionId: next }])
    })
  }

  test("its data folder is moved away and back: the session goes on", async ({ host }) => {
    const { acp, run, sessionId } = await started(host)
    renameSync(host.data, `${host.data}-moved`)
    await acp.failure("session/prompt", run)
    rmSync(host.data, { recursive: true })
    renameSync(`${host.data}-moved`, host.data)
    expect((await acp.prompt(sessionId, "say back")).text).toBe("back")
    await acp.close()
    const later = await host.open()
    await later.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(textOf(later.updates(sessionId))).toBe("oneback")
  })
})

/** What is in the way of the database at the start, and what takes it away. */
const obstacles: ReadonlyArray<readonly [string, (file: string) => void]> = [
  ["a pipe", (file) => execFileSync("mkfifo", [file])],
  ["a folder", (file) => mkdirSync(file)],
  ["no database", (file) => writeFileSync(file, "notes ".repeat(1000))]
]

describe("a process that starts where the database should be", () => {
  for (const [what, arrange] of obstacles) {
    test(`${what} tells its client, and stores what it kept in memory once that is gone`, async ({ host }) => {
      mkdirSync(dirname(host.database), { recursive: true })
      arrange(host.database)
      const acp = await host.open()
      const sessionId = await acp.newSession()
      await acp.prompt(sessionId, "run echo one")
      expect(JSON.stringify(acp.updates(sessionId))).toContain("kept in memory only")
      expect(await acp.failure("session/list")).toMatchObject({ code: -32601 })
      rmSync(host.database, { recursive: true })
      expect((await acp.prompt(sessionId, "say two")).text).toBe("two")
      expect((await acp.request("session/list"))["sessions"]).toMatchObject([{ sessionId }])
      await acp.close()
      const later = await host.open()
      await later.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
      expect(JSON.stringify(later.updates(sessionId))).toMatch(/echo one.+two/)
    })
  }
})

describe("a process whose start folder is removed", () => {
  test("goes on with its sessions", async ({ host }) => {
    const folder = join(host.folder, "started-here")
    mkdirSync(folder)
    const acp = host.start({ cwd: folder })
    await acp.initialize()
    const sessionId = await acp.newSession({ cwd: host.project })
    rmSync(folder, { recursive: true })
    const { updates } = await acp.prompt(sessionId, "run echo still here")
    expect(JSON.stringify(updates)).toContain("still here")
  })

  test("starts where it is gone already", async ({ host }) => {
    const folder = join(host.folder, "gone")
    mkdirSync(folder)
    const command = ["/bin/sh", "-c", `rmdir "$PWD"; exec ${process.execPath} ${bundle} acp`]
    const acp = host.start({ cwd: folder, command })
    await acp.initialize()
    const sessionId = await acp.newSession({ cwd: host.project })
    expect((await acp.prompt(sessionId, "say here")).text).toBe("here")
  })
})

test("a session that is loaded has its title", async ({ host }) => {
  const first = await host.open()
  const sessionId = await first.newSession()
  await first.prompt(sessionId, "say a title")
  await first.close()
  const acp = await host.open()
  await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
  const { params } = await acp.waitFor((m) => m.params?.["update"]?.sessionUpdate === "session_info_update")
  expect(params?.["update"]).toMatchObject({ title: "say a title" })
})
