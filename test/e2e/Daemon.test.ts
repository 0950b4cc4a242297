import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { describe, expect } from "vitest"
import { test } from "../support/DaemonProcess.ts"
import { SocketClient } from "../support/SocketClient.ts"

const mode = (path: string) => lstatSync(path).mode & 0o777

describe("The daemon's socket", () => {
  test("is private, in a private folder, and gone when the daemon is", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    expect(running.stdout).toBe(`postern daemon: process ${running.pid} serves ${running.socket}\n`)
    expect([mode(running.socket), mode(dirname(running.socket)), mode(`${running.socket}.lock`)]).toEqual([
      0o600,
      0o700,
      0o600
    ])
    const client = await running.greet()
    expect(await client.request("status")).toMatchObject({ local_ipc_endpoint: join(host.data, "daemon.sock") })
    expect(await running.stop()).toBe(0)
    await client.ended
    expect(existsSync(running.socket)).toBe(false)
  })

  test("is POSTERN_SOCKET where that is set, and its folder stays as it is", async ({ daemon, host }) => {
    const folder = join(host.folder, "run")
    mkdirSync(folder, { mode: 0o755 })
    const running = daemon([], { POSTERN_SOCKET: join(folder, "s") })
    await running.ready
    expect(mode(folder)).toBe(0o755)
    await running.greet()
  })

  test("has one owner: the second daemon says who it is and how to stop it", async ({ daemon }) => {
    const first = daemon()
    await first.ready
    const second = daemon()
    expect(await second.exited).toBe(1)
    expect(second.stderr).toMatch(new RegExp(`address in use.*process id ${first.pid} is running.*kill ${first.pid}`))
    await (await first.greet()).request("status")
  })

  test("of a daemon that was killed is taken over", async ({ daemon }) => {
    const first = daemon()
    await first.ready
    await first.stop("SIGKILL")
    expect([first.socket, `${first.socket}.pid`].map(existsSync)).toEqual([true, true])
    const second = daemon()
    await second.ready
    expect(readFileSync(`${first.socket}.pid`, "utf8")).toBe(`${second.pid}\n`)
    await (await second.greet()).request("status")
  })

  test("is not taken from a program that answers on it without the lock", async ({ daemon, host }) => {
    mkdirSync(host.data, { mode: 0o700 })
    const path = join(host.data, "daemon.sock")
    const server = createServer().listen(path)
    await new Promise((resolve) => server.once("listening", resolve))
    const refused = daemon()
    expect(await refused.exited).toBe(1)
    expect(refused.stderr).toMatch(/address in use: another program answers at/)
    expect(lstatSync(path).isSocket()).toBe(true)
    server.close()
  })

  test("a socket that another process put there is not removed", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const path = running.socket
    const server = createServer().listen(join(host.data, "other"))
    await new Promise((resolve) => server.once("listening", resolve))
    renameSync(join(host.data, "other"), path)
    expect(await running.stop()).toBe(0)
    expect(existsSync(path)).toBe(true)
    server.close()
  })

  test("is refused where its path is too long, is no socket, or its lock is a link", async ({ daemon, host }) => {
    const long = daemon([], { POSTERN_SOCKET: join(host.folder, "x".repeat(100)) })
    expect(await long.exited).toBe(1)
    expect(long.stderr).toMatch(/bytes, and the path of a socket at most/)
    const file = join(host.folder, "file")
    writeFileSync(file, "mine")
    const taken = daemon([], { POSTERN_SOCKET: file })
    expect(await taken.exited).toBe(1)
    expect(taken.stderr).toMatch(/is not a socket/)
    symlinkSync(file, join(host.folder, "s.lock"))
    const linked = daemon([], { POSTERN_SOCKET: join(host.folder, "s") })
    expect(await linked.exited).toBe(1)
    expect(linked.stderr).toMatch(/not a private file/)
  })
})

describe("A daemon that has no file left to open", () => {
  test("goes on, and lets clients in again when there are some", async ({ daemon, host }) => {
    const running = daemon([], {}, ["sh", "-c", "ulimit -n 48; exec \"$@\"", "sh"])
    await running.ready
    const first = await running.greet()
    const sessionId = await first.session({ cwd: host.project })
    await first.prompt(sessionId, "say warm")
    const crowd = await Promise.all(
      Array.from({ length: 80 }, () => SocketClient.open(running.socket).catch(() => undefined))
    )
    expect(await first.request("status")).toMatchObject({ active_sessions: 1 })
    for (const client of crowd) client?.close()
    for (let there = false; !there;) {
      const next = await SocketClient.open(running.socket)
      next.send({ id: 1, method: "initialize" })
      there = await next.answer(1).then(() => true, () => false)
    }
  })
})

describe("A daemon that is told to stop", () => {
  test("refuses new clients, lets running turns end, and exits 0", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const sessionId = await client.session({ cwd: host.project })
    const turn = client.prompt(sessionId, "say begun\nwait 1\nsay done")
    await client.update("agent_message_chunk")
    const exit = running.stop()
    expect((await turn)["content"]).toMatch(/done$/)
    await client.ended
    expect(await exit).toBe(0)
    await expect(SocketClient.open(running.socket)).rejects.toThrow()
  })
})

describe("An ephemeral daemon", () => {
  test("waits for a first client, survives a reconnect, and ends after the last one", async ({ daemon }) => {
    const running = daemon(["--ephemeral"])
    await running.ready
    const first = await running.greet()
    first.close()
    const second = await running.greet()
    running.child.kill("SIGHUP")
    await second.request("status")
    second.close()
    expect(await running.exited).toBe(0)
    expect(existsSync(running.socket)).toBe(false)
  })
})

describe("A daemon that is killed", () => {
  test("loses no turn that was finished, and shows a cut-off one with one mark", async ({ daemon, host }) => {
    const first = daemon()
    await first.ready
    const client = await first.greet()
    const sessionId = await client.session({ cwd: host.project })
    await client.prompt(sessionId, "say kept")
    client.send({ id: 1, method: "session/prompt", params: { session_id: sessionId, prompt: "list\nwait 60" } })
    await client.update("tool_result")
    await first.stop("SIGKILL")
    const second = daemon()
    await second.ready
    const next = await second.greet()
    expect((await next.prompt(sessionId, "say on"))["content"]).toMatch(/on$/)
    const { messages } = await next.messagePage({ session_id: sessionId })
    const shown = messages.map((
      { content, kind, role }: { role: string; kind: string; content: string }
    ) => [role, kind === "message" ? content : kind])
    expect(shown.slice(0, 3)).toEqual([["user", "say kept"], ["assistant", "kept"], ["user", "list\nwait 60"]])
    expect(shown.filter(([role]) => role === "system")).toHaveLength(1)
    expect(shown.slice(-2)).toEqual([["user", "say on"], ["assistant", "on"]])
  })
})
