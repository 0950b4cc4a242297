import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { textOf } from "../support/AcpProcess.ts"
import { prompt } from "../support/Frames.ts"
import { test } from "../support/Host.ts"
import { processesWith } from "../support/Processes.ts"
import { eventually } from "../support/Waiting.ts"

const sleep = () => `sleep 300.${Math.floor(Math.random() * 1e9)}`
const anything = { POSTERN_policy__tool_approval: "universal_accept" }

describe.skipIf(process.platform !== "linux")("postern estop", () => {
  test("ends turns, commands and jobs of every process, and holds until it is lifted", async ({ host }) => {
    const [one, other] = [await host.open({ env: anything }), await host.open({ env: anything })]
    const [first, second] = [await one.newSession(), await other.newSession()]
    const [running, job] = [sleep(), sleep()]
    await one.request("session/prompt", {
      sessionId: first,
      prompt: [{ type: "text", text: `call shell ${JSON.stringify({ command: job, background: true })}` }]
    })
    one.send(prompt(1, first, `run ${running}`))
    other.send(prompt(1, second, "wait 300"))
    await eventually(() => processesWith(running).length > 0 && processesWith(job).length > 0, 15_000)
    expect((await host.run("estop")).code).toBe(0)
    for (const acp of [one, other]) {
      const { error } = await acp.waitFor((message) => message.id === 1)
      expect(error?.message).toContain("postern estop resume")
      expect(error?.data).toMatchObject({ reason: "emergency_stop" })
    }
    await eventually(() => processesWith(running).length + processesWith(job).length === 0)
    const refused = await other.request("session/prompt", {
      sessionId: second,
      prompt: [{ type: "text", text: "say hi" }]
    }).then(() => undefined, (error: Error) => error)
    expect(String(refused)).toContain("emergency stop")
    const later = await host.open({ env: anything })
    const third = await later.newSession()
    later.send(prompt(1, third, "say hi"))
    expect((await later.waitFor((message) => message.id === 1)).error?.data).toMatchObject({ reason: "emergency_stop" })
    expect((await host.run("estop", "resume")).code).toBe(0)
    other.send(prompt(2, second, "say back again"))
    expect((await other.waitFor((message) => message.id === 2)).result?.["stopReason"]).toBe("end_turn")
    expect(textOf(other.updates(second))).toContain("back again")
  })

  test("freezes a tool: its running call ends, the next is refused, and the model is not told of it", async ({ host }) => {
    const acp = await host.open({ env: anything })
    const sessionId = await acp.newSession()
    const command = sleep()
    acp.send(prompt(1, sessionId, `run ${command}\nrun echo second\nlist .`))
    await eventually(() => processesWith(command).length > 0, 15_000)
    expect((await host.run("estop", "--tool", "shell")).code).toBe(0)
    expect((await acp.waitFor((message) => message.id === 1)).result?.["stopReason"]).toBe("end_turn")
    const seen = JSON.stringify(acp.updates(sessionId))
    expect(seen).toContain("Stopped while it ran: the emergency stop has frozen the tool shell")
    expect(seen).toContain("Denied by boundary (TOOL_STOP)")
    expect(processesWith(command)).toEqual([])
    const offered = await host.run("policy", "explain", "shell", "command=echo x")
    expect(offered.stdout).toContain("TOOL_STOP")
  })

  test("cuts off the network: commands run without one, and running ones that have one end", async ({ host }) => {
    const acp = await host.open({ env: anything })
    const sessionId = await acp.newSession()
    const command = sleep()
    acp.send(prompt(1, sessionId, `run touch made; ${command}`))
    await eventually(() => processesWith(command).length > 0, 15_000)
    expect((await host.run("estop", "--level", "network-kill")).code).toBe(0)
    await acp.waitFor((message) => message.id === 1)
    expect(JSON.stringify(acp.updates(sessionId))).toContain("has cut off the network")
    const answered = async (id: number, text: string) => {
      acp.send(prompt(id, sessionId, text))
      await acp.waitFor((message) => message.id === id)
      return JSON.stringify(acp.updates(sessionId))
    }
    expect(await answered(2, "run echo al''one")).toContain("alone")
    expect(await answered(3, "run curl https://example.test/")).toContain("NETWORK_STOP")
    expect(await answered(4, "call web_fetch {\"url\":\"http://127.0.0.1:9/\"}")).toContain("NETWORK_STOP")
    expect((await host.run("estop", "resume")).code).toBe(1)
    expect((await host.run("estop", "resume", "--network")).code).toBe(0)
  })

  test("works beside a configuration that cannot be read, and says what it stopped", async ({ host }) => {
    writeFileSync(join(host.config, "config.toml"), "this is no TOML [")
    expect(await host.run("estop", "status", "--json")).toMatchObject({ code: 0 })
    expect((await host.run("estop", "--domain", "example.com", "--tool", "shell")).code).toBe(0)
    expect(JSON.parse((await host.run("estop", "status", "--json")).stdout)).toMatchObject({
      engaged: true,
      kill_all: false,
      blocked_domains: ["example.com"],
      frozen_tools: ["shell"],
      problem: null
    })
  })

  test("refuses what it would not enforce, without writing anything", async ({ host }) => {
    const wrong: ReadonlyArray<ReadonlyArray<string>> = [
      ["--level", "pause"],
      ["--level", "domain-block"],
      ["--level", "tool-freeze"],
      ["--level", "network-kill", "--tool", "shell"],
      ["--tool", "shel"],
      ["--domain", "https://example.com/"]
    ]
    for (const words of wrong) {
      const { code, stderr } = await host.run("estop", ...words)
      expect({ words, code }).toEqual({ words, code: 2 })
      expect(stderr).not.toBe("")
    }
    expect(existsSync(join(host.config, "estop-state.json"))).toBe(false)
  })

  test("counts a state that nobody can read as engaged, and names the file", async ({ host }) => {
    const file = join(host.config, "estop-state.json")
    writeFileSync(file, "{", { mode: 0o600 })
    const { code, stderr } = await host.run("client", "say hi")
    expect(code).toBe(1)
    expect(stderr).toContain(file)
    expect((await host.run("estop", "resume")).code).toBe(0)
    expect((await host.run("client", "say hi")).code).toBe(0)
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ kill_all: false })
  })
})
