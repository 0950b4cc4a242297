import { DatabaseSync } from "node:sqlite"
import { describe, expect } from "vitest"
import type { Host } from "../support/Host.ts"
import { test } from "../support/Host.ts"
import { eventually } from "../support/Waiting.ts"
import { Run } from "../cli/support/Run.ts"

const on = <A>(host: Host, use: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(host.database, { timeout: 5000 })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

const stored = (host: Host): ReadonlyArray<string> =>
  on(host, (db) => db.prepare("SELECT session_id AS id FROM sessions").all().map(({ id }) => String(id)).toSorted())

/** Makes all sessions older than they are. */
const age = (host: Host, days: number) => {
  const then = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString()
  on(host, (db) => db.prepare("UPDATE sessions SET created_at = ?, updated_at = ?").run(then, then))
}

describe("a session without a prompt", () => {
  for (const dialect of ["acp", "zeroclaw"] as const) {
    test(`is in no list, and loads and resumes by its id: ${dialect}`, async ({ host }) => {
      const acp = host.start({ dialect })
      await acp.initialize()
      const [empty, used] = [await acp.newSession(), await acp.newSession()]
      await acp.prompt(used, "say hi")
      const ids = async (params = {}) =>
        (await acp.request("session/list", params))["sessions"].map(({ sessionId }: { sessionId: string }) => sessionId)
      expect(await ids()).toEqual([used])
      expect(await ids({ cwd: host.project })).toEqual([used])
      for (const method of ["session/load", "session/resume"]) {
        await acp.request("session/close", { sessionId: empty })
        await acp.request(method, { sessionId: empty, cwd: host.project, mcpServers: [] })
        expect(await ids()).toEqual([used])
      }
      await acp.prompt(empty, "say hello")
      expect(await ids()).toEqual([empty, used])
    })
  }

  test("is passed over by --last, and resumed by its id or the beginning of it from another folder", async ({ host }) => {
    const acp = await host.open()
    const empty = await acp.newSession()
    const client = (...words: ReadonlyArray<string>) =>
      new Run(["client", ...words], { env: host.env, cwd: host.folder, stdin: "" }).done
    expect((await client("--last", "--cwd", host.project, "say x")).stderr).toContain(
      "there is no session to go on with"
    )
    const used = await acp.newSession()
    await acp.prompt(used, "say hi")
    await acp.newSession()
    expect(await client("--last", "--cwd", host.project, "say last")).toMatchObject({ code: 0, stdout: "last\n" })
    expect(await client("--resume", empty.slice(0, -2), "run pwd")).toMatchObject({ code: 0 })
    const { sessions } = await acp.request("session/list")
    expect(sessions.map(({ cwd, sessionId }: Record<string, string>) => [sessionId, cwd])).toEqual([
      [empty, host.project],
      [used, host.project]
    ])
  })

  test("is removed after 30 days by a process that runs, unless one has it open", async ({ host }) => {
    const first = await host.open()
    const [left, used] = [await first.newSession(), await first.newSession()]
    await first.prompt(used, "say hi")
    await first.close()
    const holder = await host.open()
    const [open, loaded] = [await holder.newSession(), await holder.newSession()]
    const guest = await host.open()
    for (const one of [holder, guest]) await one.request("session/resume", { sessionId: loaded, cwd: host.project })
    await guest.close()
    age(host, 31)
    const sweeper = await host.open()
    await eventually(() => !stored(host).includes(left), 20_000)
    expect(stored(host)).toEqual([used, open, loaded].toSorted())
    for (const sessionId of [open, loaded]) await holder.prompt(sessionId, "say still here")
    expect((await sweeper.request("session/list"))["sessions"]).toHaveLength(3)
  })
})
