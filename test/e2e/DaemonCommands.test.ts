import { execFile } from "node:child_process"
import { createServer } from "node:net"
import { join } from "node:path"
import { mkdirSync } from "node:fs"
import { describe, expect } from "vitest"
import { bundle, type Host } from "../support/Host.ts"
import { test } from "../support/DaemonProcess.ts"

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const postern = (host: Host, ...args: ReadonlyArray<string>) =>
  new Promise<Ran>((resolve) => {
    const child = execFile(
      process.execPath,
      [bundle, ...args],
      { env: host.env, cwd: host.project },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    )
    child.stdin?.end()
  })

describe("postern status", () => {
  test("says how the daemon is, or how to start one", async ({ daemon, host }) => {
    const alone = await postern(host, "status")
    expect([alone.code, alone.stdout]).toEqual([1, ""])
    expect(alone.stderr).toBe(
      `postern: no daemon is running at ${join(host.data, "daemon.sock")}; start one with: postern daemon\n`
    )
    const running = daemon()
    await running.ready
    const { code, stdout } = await postern(host, "status")
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`process +${running.pid}\n`))
    expect(JSON.parse((await postern(host, "status", "--json")).stdout)).toMatchObject({
      active_sessions: 0,
      health: { pid: running.pid }
    })
  })

  test("does not wait for a daemon that ends in the middle of it", async ({ host }) => {
    mkdirSync(host.data)
    const server = createServer((socket) => socket.once("data", () => socket.destroy())).listen(
      join(host.data, "daemon.sock")
    )
    await new Promise((resolve) => server.once("listening", resolve))
    const { code, stderr } = await postern(host, "status")
    server.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(/has ended the connection/)
  })
})

describe("postern sessions", () => {
  test("says the same of every session with a daemon and without one, killed ones and chat sessions included", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const ids: Array<string> = []
    for (const params of [{}, { chat_mode: "acp" }, {}]) {
      const id = await client.session({ cwd: host.project, keep_siblings: true, ...params })
      await client.prompt(id, `think hm\nlist .\nsay ${id}`)
      ids.push(id)
    }
    const [chat = "", acp = "", killed = ""] = ids
    await client.request("session/kill", { session_id: killed })
    const questions = [
      ["list", "--json", "--all"],
      ["list"],
      ["list", "--all", "--cwd", host.project],
      ...[chat, acp, killed].flatMap((id) => [
        ["show", id.slice(0, 8)],
        ["show", id.slice(0, 8), "--decisions", "--json"],
        ["export", id.slice(0, 8), "--format", "json"]
      ])
    ]
    const answers = async () => {
      const found = []
      for (const question of questions) {
        const { code, stderr, stdout } = await postern(host, "sessions", ...question)
        found.push({ code, stderr, stdout: stdout.replace(/ (now|\d+ min) /g, " AGE ") })
      }
      return found
    }
    const live = await answers()
    const [listed, usual, all] = live.map(({ stdout }) => stdout)
    const killedOnes = listed!.trim().split("\n").map((line) => JSON.parse(line)).filter(({ killedAt }) => killedAt)
    expect(killedOnes.map(({ sessionId }) => sessionId)).toEqual([killed])
    expect(usual).not.toContain(killed)
    expect(all).toMatch(new RegExp(`^${killed} .* \\(killed\\)$`, "m"))
    for (const [at, id] of [chat, acp, killed].entries()) {
      const document = JSON.parse(live[3 + at * 3 + 2]!.stdout)
      expect(document.session).toMatchObject({ sessionId: id, cwd: host.project })
      expect(document.transcript.map(({ _tag }: { _tag: string }) => _tag)).toEqual(
        ["User", "Thought", "ToolCall", "Agent"]
      )
    }
    await running.stop()
    expect(await answers()).toEqual(live)
  })

  test("shows a session that is at work as far as it is, and deletes a killed one by the beginning of its id", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const busy = await client.session({ cwd: host.project })
    const turn = client.prompt(busy, "say begun\nwait 60")
    await client.waitFor(({ params }) => params?.["text"] === "begun")
    expect((await postern(host, "sessions", "show", busy.slice(0, 8))).stdout).toContain("begun")
    expect((await postern(host, "sessions", "kill", busy.slice(0, 8))).stdout).toBe(`killed ${busy}\n`)
    expect((await turn)["stop_reason"]).toBe("cancelled")
    expect((await postern(host, "sessions", "delete", "--yes", busy.slice(0, 8))).stdout).toBe(`deleted ${busy}\n`)
    expect((await postern(host, "sessions", "list", "--all")).stdout).toBe("")
  })

  test("talks to the daemon where one is running: it lists both modes, and active sessions hear of their end", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const open = async (params: object, text: string) => {
      const id = await client.session({ cwd: host.project, keep_siblings: true, ...params })
      await client.prompt(id, text)
      return id
    }
    const chat = await open({}, "say chat")
    const acp = await open({ chat_mode: "acp" }, "say acp")
    const busy = await open({}, "say busy")
    const turn = client.prompt(busy, "say begun\nwait 60")
    await client.waitFor(({ params }) => params?.["text"] === "begun")

    const listed = await postern(host, "sessions", "list", "--json")
    const rows = listed.stdout.trim().split("\n").map((line) => JSON.parse(line))
    expect(rows.map(({ mode, sessionId }) => [sessionId, mode]).sort()).toEqual(
      [[chat, "chat"], [acp, "acp"], [busy, "chat"]].sort()
    )

    expect((await postern(host, "sessions", "close", acp.slice(0, 8))).stdout).toBe(`closed ${acp}\n`)
    expect((await postern(host, "sessions", "kill", busy)).code).toBe(0)
    expect((await turn)["stop_reason"]).toBe("cancelled")
    expect((await postern(host, "sessions", "delete", "--yes", chat)).code).toBe(0)
    expect(await client.request("status")).toMatchObject({ session_ids: [] })
    expect((await client.failure("session/prompt", { session_id: busy, prompt: "say no" })).code).toBe(-32000)
    expect((await postern(host, "sessions", "delete", "--yes", busy)).stdout).toBe(`deleted ${busy}\n`)
    expect((await postern(host, "sessions", "delete", "--yes", busy)).stderr).toBe(
      `postern: there is no session "${busy}"\n`
    )
    const missing = await postern(host, "sessions", "delete", "--yes", "nobody")
    expect([missing.code, missing.stderr]).toEqual([1, "postern: there is no session \"nobody\"\n"])

    await running.stop()
    expect((await postern(host, "sessions", "list")).stdout).toContain(acp)
    expect((await postern(host, "sessions", "close", acp)).stderr).toMatch(/no daemon is running/)
    expect((await postern(host, "sessions", "kill", acp)).stdout).toBe(`killed ${acp}\n`)
    expect((await postern(host, "sessions", "list")).stdout).not.toContain(acp)
  })
})
