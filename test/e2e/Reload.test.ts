import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { type DaemonProcess, test } from "../support/DaemonProcess.ts"
import type { Host } from "../support/Host.ts"
import { SocketClient } from "../support/SocketClient.ts"
import { eventually } from "../support/Waiting.ts"

const fileOf = ({ config }: Host) => join(config, "config.toml")

const configure = (host: Host, text: string) => writeFileSync(fileOf(host), text)

/** Who was there before the reload is gone; this one is let in by the next generation. */
const reconnected = async ({ socket }: DaemonProcess): Promise<SocketClient> => {
  for (;;) {
    try {
      return await SocketClient.greeted(socket)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

const inode = (path: string) => statSync(path).ino

describe("config/reload", () => {
  test("answers, then begins anew in the same process: clients come back to their sessions and to what was changed", async ({ daemon, host }) => {
    configure(host, "[agents.default]\n[rpc]\nmax_local_connections = 9\n")
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const sessionId = await client.session({ cwd: host.project })
    await client.prompt(sessionId, "say before")
    const lock = inode(`${running.socket}.lock`)
    await client.request("config/set", { prop: "rpc.max_local_connections", value: 1 })
    expect(await client.request("config/reload-status")).toEqual({
      pending: true,
      paths: ["rpc.max_local_connections"]
    })
    expect(await client.request("config/reload")).toEqual({ reloading: true })
    await client.ended
    const next = await reconnected(running)
    expect(await next.request("config/reload-status")).toEqual({ pending: false, paths: [] })
    expect(await next.request("health")).toMatchObject({ pid: running.pid })
    expect((await next.prompt(sessionId, "say after"))["content"]).toMatch(/after$/)
    const { total } = await next.messagePage({ session_id: sessionId })
    expect(total).toBe(4)
    const second = await SocketClient.open(running.socket)
    expect(await second.waitFor(() => true)).toMatchObject({ error: { code: -32004, data: { limit: 1 } } })
    expect([inode(`${running.socket}.lock`), readFileSync(`${running.socket}.pid`, "utf8").trim()]).toEqual([
      lock,
      String(running.pid)
    ])
    expect(running.stdout.match(/serves/g)).toHaveLength(1)
    expect(await running.stop()).toBe(0)
    expect(existsSync(running.socket)).toBe(false)
  })

  test("is refused where there is nothing to begin anew with, and so is writing over it", async ({ daemon, host }) => {
    const text = "[risk_profiles.default]\nlevel = \"readonly\"\n"
    configure(host, text)
    const running = daemon()
    await running.ready
    const client = await running.greet()
    for (const gone of [() => rmSync(fileOf(host)), () => configure(host, "")]) {
      gone()
      expect(await client.failure("config/reload")).toMatchObject({ code: -32602 })
      expect(await client.failure("config/set", { prop: "acp.max_sessions", value: 9 })).toMatchObject({ code: -32603 })
      expect(existsSync(fileOf(host)) ? readFileSync(fileOf(host), "utf8") : "").toBe("")
    }
    running.child.kill("SIGHUP")
    await eventually(() => running.stderr.includes("goes on as it was"))
    configure(host, text)
    expect(await client.request("config/set", { prop: "acp.max_sessions", value: 9 })).toMatchObject({ set: true })
    expect(await client.request("config/get", { prop: "risk_profiles.default.level" })).toMatchObject({
      value: "readonly"
    })
    expect(await running.stop()).toBe(0)
  })

  test("lets running turns end, and cuts off what takes too long", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const [short, long] = [
      await client.session({ cwd: host.project, keep_siblings: true }),
      await client.session({ cwd: host.project, keep_siblings: true })
    ]
    const turn = client.prompt(short, "say begun\nwait 1\nsay done")
    const cut = client.prompt(long, "say begun\nwait 60")
    const lost = cut.catch(() => "lost")
    await eventually(() => client.updates("agent_message_chunk").length >= 2)
    await client.request("config/reload")
    expect((await turn)["content"]).toMatch(/done$/)
    await client.ended
    await lost
    const next = await reconnected(running)
    const { messages } = await next.messagePage({ session_id: long })
    expect(messages.map(({ role }: { readonly role: string }) => role)).toEqual(["user", "assistant", "system"])
    expect((await next.prompt(long, "say on"))["content"]).toMatch(/on$/)
  }, 30_000)

  test("is refused with what is wrong, and nothing happens", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    configure(host, "[agents.default]\nmodel = 3\n")
    const { code, message } = await client.failure("config/reload")
    expect(code).toBe(-32602)
    expect(message).toContain(`config.toml:2: agents.default.model must be `)
    expect(await client.request("config/validate")).toMatchObject({ valid: false })
    configure(host, "")
    expect(await client.request("config/reload")).toEqual({ reloading: true })
    await client.ended
    await reconnected(running)
  })

  test("can be done many times: descriptors and memory do not grow", async ({ daemon }) => {
    const running = daemon()
    await running.ready
    for (let times = 0; times < 12; times++) {
      const client = await reconnected(running)
      await client.request("config/reload")
      await client.ended
    }
    await (await reconnected(running)).request("status")
    expect(running.stderr.match(/began anew/g)).toHaveLength(12)
    expect(running.stderr).not.toMatch(/Warning|WARN|ERROR/)
    expect(await running.stop()).toBe(0)
  })

  test("ends connections that never said who they are, and refuses a second daemon all the while", async ({ daemon }) => {
    const running = daemon()
    await running.ready
    const mute = await SocketClient.open(running.socket)
    const client = await running.greet()
    await client.request("config/reload")
    const other = daemon()
    expect(await other.exited).toBe(1)
    expect(other.stderr).toContain(`process id ${running.pid} is running`)
    await mute.ended
    await reconnected(running)
  })

  test("of an ephemeral daemon gives its clients time to come back", async ({ daemon }) => {
    const running = daemon(["--ephemeral"])
    await running.ready
    const client = await running.greet()
    await client.request("config/reload")
    await client.ended
    const next = await reconnected(running)
    next.close()
    expect(await running.exited).toBe(0)
  })
})

describe.skipIf(process.platform === "win32")("SIGHUP", () => {
  test("reads the configuration anew, also one that was broken before", async ({ daemon, host }) => {
    configure(host, "[agents.default]\n")
    const running = daemon()
    await running.ready
    const client = await running.greet()
    appendFileSync(fileOf(host), "[broken")
    running.child.kill("SIGHUP")
    await eventually(() => /level=ERROR .*the daemon goes on as it was: .*:2/.test(running.stderr))
    await client.request("status")
    configure(host, "[agents.default]\n[agents.second]\n")
    running.child.kill("SIGHUP")
    await client.ended
    const next = await reconnected(running)
    const { agents } = await next.request("agents/list")
    expect(agents.map(({ alias }: { readonly alias: string }) => alias)).toEqual(["default", "second"])
    expect(running.child.exitCode).toBe(null)
    expect(await running.stop()).toBe(0)
  })

  test("during the end of a generation is for the next one", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const turn = client.prompt(await client.session({ cwd: host.project }), "say begun\nwait 1\nsay done")
    await client.update("agent_message_chunk")
    running.child.kill("SIGHUP")
    await eventually(() => running.stderr.includes("waiting for 1 turns to end"))
    running.child.kill("SIGHUP")
    expect((await turn)["content"]).toMatch(/done$/)
    await eventually(() => running.stderr.match(/began anew/g)?.length === 2)
    await reconnected(running)
  })

  test("and then SIGTERM, while turns end, ends the process", async ({ daemon, host }) => {
    const running = daemon()
    await running.ready
    const client = await running.greet()
    const turn = client.prompt(await client.session({ cwd: host.project }), "say begun\nwait 1\nsay done")
    await client.update("agent_message_chunk")
    running.child.kill("SIGHUP")
    await eventually(() => running.stderr.includes("waiting for 1 turns to end"))
    expect(await running.stop()).toBe(0)
    expect((await turn)["content"]).toMatch(/done$/)
    expect(running.stderr).not.toContain("began anew")
  })
})
