import { mkdirSync, renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { test } from "../support/DaemonProcess.ts"
import type { Host } from "../support/Host.ts"
import { Run } from "../cli/support/Run.ts"

/** A session in `old`, which is then called `new`. */
const moved = async (host: Host) => {
  const [old, renamed] = [join(host.folder, "old"), join(host.folder, "new")]
  mkdirSync(join(old, "sub"), { recursive: true })
  const acp = await host.open()
  const sessionId = await acp.newSession({ cwd: old })
  await acp.prompt(sessionId, "say remember me")
  const elsewhere = { sessionId, cwd: host.project, mcpServers: [] }
  expect(await acp.failure("session/load", elsewhere)).toMatchObject({ data: { reason: "cwd_mismatch" } })
  return { acp, sessionId, old, renamed, move: () => renameSync(old, renamed) }
}

const pwd = "call shell {\"command\":\"pwd\"}"

describe("a session whose folder was moved", () => {
  for (const method of ["session/load", "session/resume"]) {
    for (const isLive of [true, false]) {
      test(`takes the folder of ${method}, ${isLive ? "live" : "stored"}`, async ({ host }) => {
        const { acp, move, old, renamed, sessionId } = await moved(host)
        if (!isLive) await acp.request("session/close", { sessionId })
        move()
        const params = { sessionId, mcpServers: [] }
        expect(await acp.failure(method, { ...params, cwd: "new" })).toMatchObject({ code: -32602 })
        const gone = await acp.failure(method, { ...params, cwd: old })
        expect(gone).toMatchObject({ data: { reason: "cwd_unusable" } })
        expect(gone.message).toContain("if it was moved")
        const since = acp.messages.length
        await acp.request(method, { ...params, cwd: renamed })
        expect(textOf(acp.updates(sessionId, since))).toBe(method === "session/load" ? "remember me" : "")
        expect((await acp.prompt(sessionId, pwd)).updates.map((update) => JSON.stringify(update)).join("")).toContain(
          renamed
        )
        const { sessions } = await acp.request("session/list", { cwd: renamed })
        expect(sessions).toMatchObject([{ sessionId, cwd: renamed }])
        expect(await acp.failure(method, { ...params, cwd: host.project })).toMatchObject({
          data: { reason: "cwd_mismatch" }
        })
        await acp.close()
        const later = await host.open()
        await later.request(method, { ...params, cwd: renamed })
        expect((await later.prompt(sessionId, "say on")).text).toBe("on")
      })
    }
  }

  test("takes the folder that a link leads to, and keeps that", async ({ host }) => {
    const { acp, move, renamed, sessionId } = await moved(host)
    move()
    const link = join(host.folder, "link")
    symlinkSync(renamed, link)
    await acp.request("session/load", { sessionId, cwd: link, mcpServers: [] })
    expect((await acp.request("session/list", { cwd: renamed }))["sessions"]).toHaveLength(1)
    await acp.request("session/load", { sessionId, cwd: renamed, mcpServers: [] })
  })

  test("goes on in the client with --cwd, which is told to use it", async ({ host }) => {
    const { acp, move, old, renamed, sessionId } = await moved(host)
    await acp.close()
    const client = (...words: ReadonlyArray<string>) =>
      new Run(["client", "--resume", sessionId, ...words], { env: host.env, cwd: host.project, stdin: "" }).done
    const refused = await client("--cwd", host.project, "say x")
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain(`belongs to ${old}`)
    move()
    const lost = await client("say x")
    expect(lost).toMatchObject({ code: 1, stdout: "" })
    expect(lost.stderr).toContain("postern client --resume ID --cwd DIR")
    expect(await client("--cwd", renamed, "say back")).toMatchObject({ code: 0, stdout: "back\n" })
    expect(await client("say again")).toMatchObject({ code: 0, stdout: "again\n" })
    const last = new Run(["client", "--last", "say last"], { env: host.env, cwd: renamed, stdin: "" })
    expect(await last.done).toMatchObject({ code: 0, stdout: "last\n" })
  })

  test("goes on in the daemon with the cwd of session/new, in both modes", async ({ daemon, host }) => {
    const served = daemon()
    await served.ready
    const client = await served.greet()
    for (const chat_mode of ["chat", "acp"]) {
      const at = (name: string) => join(host.folder, `${chat_mode}-${name}`)
      mkdirSync(at("a"))
      mkdirSync(at("b"))
      const open = { agent_alias: "default", chat_mode, keep_siblings: true }
      const session_id = await client.session({ ...open, cwd: at("a") })
      await client.prompt(session_id, "say hi")
      const enter = { ...open, session_id }
      expect(await client.failure("session/new", { ...enter, cwd: at("b") })).toMatchObject({
        data: { reason: "cwd_mismatch" }
      })
      for (const [from, to, isLive] of [["a", "c", true], ["c", "d", false]] as const) {
        if (!isLive) await client.request("session/close", { session_id })
        renameSync(at(from), at(to))
        if (!isLive) {
          expect(await client.failure("session/new", enter)).toMatchObject({ data: { reason: "cwd_unusable" } })
        }
        expect(await client.request("session/new", { ...enter, cwd: at(to) })).toMatchObject({ workspace_dir: at(to) })
        expect(await client.prompt(session_id, "say there")).toMatchObject({ content: "there" })
      }
    }
  })
})
