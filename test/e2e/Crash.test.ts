import { describe, expect } from "vitest"
import type { AcpProcess } from "../support/AcpProcess.ts"
import { prompt } from "../support/Frames.ts"
import { type Host, test } from "../support/Host.ts"
import type { Json } from "../support/Wire.ts"

/** Small, repeatable random numbers in [0, 1). */
const random = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
  return seed / 2 ** 32
}

interface Said {
  readonly from: "user" | "agent"
  readonly text: string
}

const replay = async (acp: AcpProcess, host: Host, sessionId: string): Promise<ReadonlyArray<Said>> => {
  const since = acp.messages.length
  await acp.request("session/load", { sessionId, cwd: host.project, mcpServers: [] })
  const said: Array<Said> = []
  for (const update of acp.updates(sessionId, since) as ReadonlyArray<Json>) {
    const from = update["sessionUpdate"] === "user_message_chunk" ? "user" : "agent"
    if (!update["sessionUpdate"].endsWith("message_chunk")) continue
    const last = said.at(-1)
    if (last?.from === from && from === "agent") {
      said[said.length - 1] = { from, text: last.text + update["content"].text }
    } else said.push({ from, text: update["content"].text })
  }
  return said
}

const marker = /interrupted|cut off/gi
const writes = Array.from({ length: 12 }, (_, i) => `write f${i}.txt\n${"x".repeat(200)}\n.`).join("\n")
const victims = [`stream 20000\nsay complete`, `${writes}\nsay complete`, `say partly\nrun sleep 0.2\nsay complete`]

describe("kill -9 at any moment", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    test(`loses no committed turn and shows a cut-off turn once, marked, on every load (seed ${seed})`, async ({ host }) => {
      const next = random(seed)
      const first = await host.open({ permission: "allow-always" })
      const sessionId = await first.newSession()
      const committed = 1 + Math.floor(next() * 3)
      for (let i = 0; i < committed; i++) await first.prompt(sessionId, `say committed-${i}`)
      const victim = victims[seed % victims.length]!
      first.send(prompt("victim", sessionId, victim))
      await new Promise((resolve) => setTimeout(resolve, next() * 300))
      await first.kill()
      const finished = first.messages.some((m) => m.id === "victim")

      const loads: Array<ReadonlyArray<Said>> = []
      for (let i = 0; i < 2; i++) {
        const acp = await host.open({ permission: "allow-always" })
        loads.push(await replay(acp, host, sessionId))
        await acp.close()
      }
      const [said = []] = loads
      expect(loads[1]).toEqual(said)
      for (let i = 0; i < committed; i++) {
        expect(said[2 * i]).toEqual({ from: "user", text: `say committed-${i}` })
        expect(said[2 * i + 1]?.text).toContain(`committed-${i}`)
        expect(said[2 * i + 1]?.text).not.toMatch(marker)
      }
      const rest = said.slice(2 * committed)
      if (finished) expect(rest.length).toBeGreaterThan(0)
      if (rest.length === 0) return
      expect(rest.filter((s) => s.from === "user")).toEqual([{ from: "user", text: victim }])
      const text = rest.filter((s) => s.from === "agent").map((s) => s.text).join("")
      expect(text.match(marker) ?? []).toHaveLength(text.includes("complete") ? 0 : 1)

      const acp = await host.open({ permission: "allow-always" })
      await replay(acp, host, sessionId)
      expect((await acp.prompt(sessionId, "say alive")).text).toContain("alive")
    })
  }

  test("keeps what a running turn showed more than two seconds before, and closes its open tool call", async ({ host }) => {
    const first = await host.open()
    const sessionId = await first.newSession()
    first.send(prompt(1, sessionId, "say early words\nrun sleep 30"))
    await first.waitForUpdate((u) => u["sessionUpdate"] === "tool_call")
    await new Promise((resolve) => setTimeout(resolve, 2300))
    await first.kill()
    const acp = await host.open()
    const said = await replay(acp, host, sessionId)
    expect(said.map((s) => s.text).join("")).toContain("early words")
    expect(said.map((s) => s.text).join("").match(marker)).toHaveLength(1)
    const calls = acp.updates(sessionId).filter((u) => u.sessionUpdate.startsWith("tool_call"))
    expect(calls.at(-1)).toMatchObject({ status: "failed" })
  })

  test("hides the marker from the model: the next turn's context does not repeat it", async ({ host }) => {
    const first = await host.open()
    const sessionId = await first.newSession()
    first.send(prompt(1, sessionId, "say early\nwait 30"))
    await first.waitForUpdate((u) => u["sessionUpdate"] === "agent_message_chunk")
    await first.kill()
    const acp = await host.open()
    await acp.request("session/resume", { sessionId, cwd: host.project })
    expect((await acp.prompt(sessionId, "say on")).text).not.toMatch(marker)
    const said = await replay(acp, host, sessionId)
    expect(said.map((s) => s.text).join("\n").match(marker)).toHaveLength(1)
    expect(said.at(-1)?.text).toContain("on")
  })

  test("of a process that holds a turn frees the session for another process", async ({ host }) => {
    const first = await host.open()
    const sessionId = await first.newSession()
    first.send(prompt(1, sessionId, "say held\nwait 30"))
    await first.waitForUpdate((u) => u["sessionUpdate"] === "agent_message_chunk")
    const acp = await host.open()
    await acp.request("session/resume", { sessionId, cwd: host.project })
    expect(await acp.failure("session/prompt", { sessionId, prompt: [{ type: "text", text: "say x" }] }))
      .toMatchObject({ code: 1001, data: { reason: "session_busy" } })
    await first.kill()
    expect((await acp.prompt(sessionId, "say mine now")).text).toContain("mine now")
  })
})
