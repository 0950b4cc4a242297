import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { type AcpProcess, textOf } from "../support/AcpProcess.ts"
import { cancel, list, prompt, request } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import { processesWith } from "../support/Processes.ts"
import { eventually } from "../support/Waiting.ts"

const linux = process.platform === "linux"
const unsandboxed = {
  POSTERN_policy__sandbox: "danger-full-access",
  POSTERN_risk_profiles__default__sandbox_backend: "none"
}
/** A command line that no other process on the machine has. */
const sleep = (seconds: number) => `sleep ${seconds}.${Math.floor(Math.random() * 1e9)}`

describe.skipIf(!linux)("child processes", () => {
  test("end of input during a command kills it, exits 0 in time, and the turn is recorded", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const command = sleep(300)
    acp.send(prompt(1, sessionId, `say before it\nrun ${command}`))
    await eventually(() => processesWith(command).length > 0)
    await acp.close(2000)
    await eventually(() => processesWith(command).length === 0)
    const later = await host.open()
    await later.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
    expect(textOf(later.updates(sessionId))).toContain("before it")
    expect(textOf(later.updates(sessionId), "user_message_chunk")).toContain(command)
  })

  test("a cancel kills the command and everything it started", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const [one, two] = [sleep(300), sleep(300)]
    acp.send(prompt(1, sessionId, `run (${one} & (${two} | cat) & trap '' TERM INT; ${sleep(300)})`))
    await eventually(() => processesWith(one).length > 0 && processesWith(two).length > 0)
    acp.send(cancel(sessionId))
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
    await eventually(() => processesWith(one).length + processesWith(two).length === 0)
  })

  /** Writes for as long as it is there, and does not end when it is asked to. */
  const stubborn = "trap '' TERM; while true; do echo A >> log; sleep 0.05; done"
  const ends: ReadonlyArray<readonly [string, (acp: AcpProcess, sessionId: string) => Promise<unknown>]> = [
    ["a prompt that is cancelled", async (acp, sessionId) => {
      acp.send(cancel(sessionId))
      return acp.waitFor((m) => m.id === 1)
    }],
    ["a session that is closed", (acp, sessionId) => acp.request("session/close", { sessionId })],
    ["a process that is told to end", (acp) => {
      acp.child.kill("SIGTERM")
      return acp.exited
    }]
  ]
  for (const [where, env] of [["as it is confined here", {}], ["without a sandbox", unsandboxed]] as const) {
    for (const [what, end] of ends) {
      for (const background of what === ends[0]![0] ? [false] : [false, true]) {
        const kind = background ? "command in the background" : "command"
        test(`${what} is over when its ${kind} is gone, which ignores SIGTERM, ${where}`, async ({ host }) => {
          const acp = await host.open({ env: { POSTERN_policy__tool_approval: "universal_accept", ...env } })
          const sessionId = await acp.newSession()
          const call = `call shell ${JSON.stringify({ command: stubborn, background })}\nwait 30`
          acp.send(prompt(1, sessionId, call))
          const log = join(host.project, "log")
          await eventually(() => existsSync(log), 15_000)
          await end(acp, sessionId)
          rmSync(log)
          await new Promise((resolve) => setTimeout(resolve, 500))
          expect(existsSync(log)).toBe(false)
          await acp.kill()
        })
      }
    }
  }

  test("closing the session kills its command too", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    const command = sleep(300)
    acp.send(prompt(1, sessionId, `run ${command}`))
    await eventually(() => processesWith(command).length > 0)
    await acp.request("session/close", { sessionId })
    await eventually(() => processesWith(command).length === 0)
    expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
  })

  test("a command that leaves a background process with its output open does not hang the turn", async ({ host }) => {
    const acp = await host.open()
    const command = sleep(5)
    const { result } = await acp.prompt(await acp.newSession(), `run ${command} & echo started`)
    expect(result["stopReason"]).toBe("end_turn")
  })

  test("a command cannot read the client's frames from stdin", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "run cat; echo eof-seen"))
    acp.send(list("after"))
    expect((await acp.waitFor((m) => m.id === "after")).result).toBeDefined()
    await acp.waitFor((m) => m.id === 1)
    expect(JSON.stringify(acp.updates(sessionId))).toContain("eof-seen")
  })
})

describe("end of input", () => {
  test("in the middle of a pause, with several sessions running, exits 0 in time", async ({ host }) => {
    const acp = await host.open()
    for (const id of ["a", "b", "c"]) acp.send(prompt(id, await acp.newSession(), "wait 30"))
    await acp.close(2000)
  })

  test("while a permission request is open exits 0 in time", async ({ host }) => {
    const acp = await host.open({ permission: "never" })
    acp.send(prompt(1, await acp.newSession(), "write a.txt\nx\n."))
    await acp.waitFor((m) => m.method === "session/request_permission")
    await acp.close(2000)
  })

  test("in the middle of a frame exits 0 in time", async ({ host }) => {
    const acp = await host.open()
    acp.raw("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/li")
    await acp.close(2000)
  })

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    test(`${signal} during a turn answers its prompt, ends the process, and the turn is recorded`, async ({ host }) => {
      const acp = await host.open()
      const sessionId = await acp.newSession()
      acp.send(prompt(1, sessionId, "say begun\nwait 30"))
      await acp.waitForUpdate((u) => u["sessionUpdate"] === "agent_message_chunk")
      acp.child.kill(signal)
      const late = new Promise((resolve) => setTimeout(resolve, 3000, "late"))
      expect(await Promise.race([acp.exited, late])).not.toBe("late")
      expect((await acp.waitFor((m) => m.id === 1)).result?.["stopReason"]).toBe("cancelled")
      await acp.kill()
      const later = await host.open()
      await later.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
      expect(textOf(later.updates(sessionId))).toContain("begun")
    })
  }

  test("a client that closes its reading end does not leave a process behind", async ({ host }) => {
    const acp = await host.open()
    const sessionId = await acp.newSession()
    acp.send(prompt(1, sessionId, "wait 1\nstream 2000\nwait 30"))
    acp.child.stdout?.destroy()
    const late = new Promise((resolve) => setTimeout(resolve, 5000, "late"))
    const ended = await Promise.race([acp.exited, late])
    await acp.kill()
    expect(ended).not.toBe("late")
  })
})

describe.skipIf(!linux)("a client that never reads", () => {
  test("costs bounded memory, keeps its turn waiting, and still lets the process exit", async ({ host }) => {
    const acp = host.start({ read: false })
    acp.send(request(1, "initialize", { protocolVersion: 1 }))
    acp.send(request(2, "session/new", { cwd: host.project, mcpServers: [] }))
    const first = await new Promise<string>((resolve) => {
      let seen = ""
      const read = (chunk: Buffer) => {
        seen += chunk.toString()
        const id = /"sessionId":"([^"]+)"/.exec(seen)?.[1]
        if (!id) return
        acp.child.stdout?.off("data", read).pause()
        resolve(id)
      }
      acp.child.stdout?.on("data", read)
    })
    const before = acp.memory().now
    acp.send(prompt(3, first, "stream 300000"))
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(acp.memory().peak - before).toBeLessThan(100)
    await acp.close(4000)
  })

  test("that sends without reading any answer is not served without limit", async ({ host }) => {
    const acp = host.start({ read: false })
    acp.send(request(1, "initialize", { protocolVersion: 1 }))
    acp.raw((JSON.stringify(request(2, "session/nope", { pad: "x".repeat(100) })) + "\n").repeat(200_000))
    await new Promise((resolve) => setTimeout(resolve, 2000))
    expect(acp.memory().peak).toBeLessThan(200)
    await acp.kill()
  })
})
